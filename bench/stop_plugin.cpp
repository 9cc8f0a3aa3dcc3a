// SPDX-License-Identifier: MIT
//
// What a pipeline hit is compared with: a generator that is started and stopped by a
// plugin, without a cache. Two builds of this file:
//
//   as it is          leaves at once: the process, its libraries, and nothing else
//   -DBUILD_PIPELINE  forks; the copy builds and serializes the pipeline of each target,
//   as
//                     one has to that wants to know what would be compiled; then both
//                     leave

#include <unistd.h>

#ifdef BUILD_PIPELINE

#include <Halide.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <sys/wait.h>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

static void build_pipelines()
{
    std::ifstream command_line("/proc/self/cmdline", std::ios::binary);
    std::string argument, generator, targets;
    std::map<std::string, std::string> params;
    std::getline(command_line, argument, '\0');
    while (std::getline(command_line, argument, '\0')) {
        const size_t equals = argument.find('=');
        std::string value;
        if (argument[0] == '-') {
            std::getline(command_line, value, '\0');
            generator = argument == "-g" ? value : generator;
        } else if (argument.substr(0, equals) == "target") {
            targets = argument.substr(equals + 1);
        } else {
            params[argument.substr(0, equals)] = argument.substr(equals + 1);
        }
    }
    for (const std::string &target : split_string(targets, ",")) {
        const auto instance =
            GeneratorRegistry::create(generator, GeneratorContext(Target(target)));
        for (const auto &param : params) {
            instance->set_generatorparam_value(param.first, param.second);
        }
        std::vector<uint8_t> bytes;
        serialize_pipeline(instance->build_pipeline(), bytes);
    }
}

static bool build_pipelines_in_a_copy()
{
    const pid_t copy = fork();
    if (copy == 0) {
        try {
            build_pipelines();
        } catch (...) {
            _exit(1);
        }
        _exit(0);
    }
    int status = 1;
    return waitpid(copy, &status, 0) == copy && status == 0;
}

#else

static bool build_pipelines_in_a_copy()
{
    return true;
}

#endif

static const struct Stop {
    Stop()
    {
        _exit(build_pipelines_in_a_copy() ? 0 : 1);
    }
} stop;
