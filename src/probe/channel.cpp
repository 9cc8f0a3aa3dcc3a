// SPDX-License-Identifier: MIT

#include "channel.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

namespace halidecache {

namespace {

bool read_all(int fd, void *to, size_t size)
{
    char *at = static_cast<char *>(to);
    while (size > 0) {
        const ssize_t got = read(fd, at, size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        at += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

bool read_u32(int fd, uint32_t *value)
{
    unsigned char bytes[4];
    if (!read_all(fd, bytes, sizeof bytes)) {
        return false;
    }
    *value = static_cast<uint32_t>(bytes[0]) | bytes[1] << 8 | bytes[2] << 16 |
             static_cast<uint32_t>(bytes[3]) << 24;
    return true;
}

bool read_string(int fd, std::string *value)
{
    uint32_t low = 0;
    uint32_t high = 0;
    if (!read_u32(fd, &low) || !read_u32(fd, &high) || high != 0 || low > (1U << 20)) {
        return false;
    }
    value->resize(low);
    return low == 0 || read_all(fd, &(*value)[0], low);
}

bool read_strings(int fd, std::vector<std::string> *values)
{
    uint32_t count = 0;
    if (!read_u32(fd, &count) || count > (1U << 16)) {
        return false;
    }
    values->resize(count);
    for (std::string &value : *values) {
        if (!read_string(fd, &value)) {
            return false;
        }
    }
    return true;
}

// The generator must not die of a helper that is gone.
ssize_t write_quietly(int fd, const char *data, size_t size)
{
#ifdef MSG_NOSIGNAL
    const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    if (sent >= 0 || errno != ENOTSOCK) {
        return sent;
    }
#endif
    return write(fd, data, size);
}

} // namespace

void append_u32(std::string *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        to->push_back(static_cast<char>(value >> (8 * i) & 255));
    }
}

void append_u64(std::string *to, uint64_t value)
{
    append_u32(to, static_cast<uint32_t>(value));
    append_u32(to, static_cast<uint32_t>(value >> 32));
}

void append_string(std::string *to, const std::string &value)
{
    append_u64(to, value.size());
    to->append(value);
}

std::set<std::string> environment_variables()
{
    std::set<std::string> variables;
    for (char **variable = environ; variable != nullptr && *variable != nullptr;
         variable++) {
        variables.insert(*variable);
    }
    return variables;
}

bool Channel::open()
{
    const char *text = getenv(PROBE_VARIABLE);
    if (text == nullptr) {
        return false;
    }
    char *end = nullptr;
    report_ = static_cast<int>(strtol(text, &end, 10));
    talk_ = *end == ',' ? static_cast<int>(strtol(end + 1, &end, 10)) : -1;
    mark_ = *end == ',' ? strtoull(end + 1, nullptr, 16) : 0;
    unsetenv(PROBE_VARIABLE);
#ifdef SO_NOSIGPIPE
    const int on = 1;
    setsockopt(talk_, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    return fcntl(report_, F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(talk_, F_SETFD, FD_CLOEXEC) == 0;
}

bool Channel::has_sent(char *const arguments[]) const
{
    uint64_t mark = 0xcbf29ce484222325;
    for (; *arguments != nullptr; arguments++) {
        const std::string argument = *arguments;
        for (size_t i = 0; i <= argument.size(); i++) {
            mark =
                (mark ^ static_cast<unsigned char>(argument.c_str()[i])) * 0x100000001b3;
        }
    }
    return mark == mark_;
}

bool Channel::read_request(Request *request) const
{
    uint32_t version = 0;
    uint32_t flags = 0;
    uint32_t params = 0;
    if (!read_u32(talk_, &version) || version != PROBE_VERSION ||
        !read_u32(talk_, &flags) || !read_string(talk_, &request->generator) ||
        !read_u32(talk_, &params) || params > (1U << 16)) {
        return false;
    }
    request->runtime = (flags & PROBE_FLAG_RUNTIME) != 0;
    request->params.resize(params);
    for (auto &param : request->params) {
        if (!read_string(talk_, &param.first) || !read_string(talk_, &param.second)) {
            return false;
        }
    }
    return read_strings(talk_, &request->targets) &&
           read_strings(talk_, &request->plugins);
}

void Messages::close() const
{
    (void)shutdown(fd_, SHUT_RDWR);
}

void Messages::send(uint32_t tag, const std::string &payload) const
{
    std::string message;
    message.reserve(payload.size() + 12);
    append_u32(&message, tag);
    append_string(&message, payload);
    const char *at = message.data();
    size_t left = message.size();
    while (left > 0) {
        const ssize_t written = write_quietly(fd_, at, left);
        if (written < 0 && errno != EINTR) {
            return;
        }
        if (written > 0) {
            at += written;
            left -= static_cast<size_t>(written);
        }
    }
}

void Messages::send_field(uint32_t tag, const std::string &name,
                          const std::string &value) const
{
    std::string payload;
    payload.reserve(name.size() + value.size() + 16);
    append_string(&payload, name);
    payload.append(value);
    send(tag, payload);
}

void Messages::send_bypass(bypass_reason reason, const std::string &text) const
{
    std::string payload;
    append_u32(&payload, static_cast<uint32_t>(reason));
    payload.append(text);
    send(PROBE_BYPASS, payload);
}

char Channel::wait_for_answer() const
{
    char answer = PROBE_GO;
    return read_all(talk_, &answer, 1) ? answer : static_cast<char>(PROBE_GO);
}

void Channel::close_report()
{
    close(report_);
    report_ = -1;
}

} // namespace halidecache
