// SPDX-License-Identifier: MIT
// The probe's end of its connections to the helper (protocol.h).

#ifndef HALIDECACHE_PROBE_CHANNEL_H
#define HALIDECACHE_PROBE_CHANNEL_H

#include "../bypass.h"
#include "protocol.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace halidecache {

struct Request {
    bool runtime = false;
    std::string generator;
    std::vector<std::pair<std::string, std::string>> params;
    std::vector<std::string> targets;
    std::vector<std::string> plugins;
    // Not from the helper: "NAME=value" as they were when the probe was loaded.
    std::set<std::string> variables_at_start;
};

/** This process's environment now. */
std::set<std::string> environment_variables();

/** Where messages go: the child's report, or the talk after CONFIRM. */
class Messages {
public:
    explicit Messages(int fd = -1) : fd_(fd)
    {
    }
    int descriptor() const
    {
        return fd_;
    }

    /** Sends one message. A helper that is gone is nobody's trouble here. */
    void send(uint32_t tag, const std::string &payload) const;
    void send_field(uint32_t tag, const std::string &name,
                    const std::string &value) const;
    void send_bypass(bypass_reason reason, const std::string &text) const;
    /** For good: the other end sees that nothing more comes. */
    void close() const;

private:
    int fd_;
};

class Channel {
public:
    /** Takes the two descriptors from the environment variable, removes the variable, and
     *  keeps both from programs that the generator may start. False when there is none:
     *  the generator was not started by the helper. */
    bool open();

    /** Are these the arguments that the helper has started the generator with? */
    bool has_sent(char *const arguments[]) const;

    /** Reads the request. False when it is damaged or of another version. */
    bool read_request(Request *request) const;

    Messages report() const
    {
        return Messages(report_);
    }
    Messages talk() const
    {
        return Messages(talk_);
    }
    void close_report();

    /** Waits for a byte from the helper. When the helper is gone it is GO. */
    char wait_for_answer() const;

private:
    int report_ = -1;
    int talk_ = -1;
    uint64_t mark_ = 0;
};

/** Appends a string as the protocol writes it. */
void append_string(std::string *to, const std::string &value);
void append_u32(std::string *to, uint32_t value);
void append_u64(std::string *to, uint64_t value);

} // namespace halidecache

#endif
