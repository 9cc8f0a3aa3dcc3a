// SPDX-License-Identifier: MIT
// Can this Halide serialize? Run while configuring. Including Halide.h would take
// seconds, so what is used of it is declared here, just well enough: the functions throw
// before they look at anything but the file name.

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace Halide {

struct Error {
    virtual ~Error();
    virtual const char *what() const noexcept;
};

class Parameter {
    void *contents = nullptr;
};

class Pipeline {
    void *contents = nullptr;

public:
    ~Pipeline()
    {
    }
};

void serialize_pipeline(const Pipeline &, std::vector<uint8_t> &);
Pipeline deserialize_pipeline(const std::string &,
                              const std::map<std::string, Parameter> &);

} // namespace Halide

// Linking it is half of the test.
void (*volatile serialize)(const Halide::Pipeline &,
                           std::vector<uint8_t> &) = Halide::serialize_pipeline;

int main()
{
    // A Halide built without serialization has the functions, and says so when they are
    // called. One with it says that there is no such file.
    try {
        Halide::deserialize_pipeline("", {});
    } catch (const Halide::Error &error) {
        std::puts(error.what());
    }
    return serialize == nullptr;
}
