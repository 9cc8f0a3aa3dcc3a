// SPDX-License-Identifier: MIT
// Generators that do what a generator should not, or need not, do. Every one of them adds a
// number to its input; they differ in how they come by it. What happens before main() is
// chosen by the variable START, and what after by END: neither is in a key.

#include "Halide.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace Halide;

namespace {

std::string variable(const char *name) {
    const char *value = getenv(name);
    return value != nullptr ? value : "";
}

int number_in(const char *path) {
    int number = 0;
    std::ifstream file(path);
    file >> number;
    return number;
}

// Changes one byte and neither size nor, within a tick of the clock, time.
void flip_byte(const std::string &path) {
    FILE *file = fopen(path.c_str(), "r+");
    if (file != nullptr) {
        fseek(file, 10, SEEK_SET);
        const int byte = fgetc(file);
        fseek(file, 10, SEEK_SET);
        fputc(byte ^ 1, file);
        fclose(file);
    }
}

void at_the_end() {
    const std::string what = variable("END");
    const std::string output = variable("OUTPUT");
    if (what == "flip") {
        flip_byte(output);
    } else if (what == "append") {
        std::ofstream(output, std::ios::app) << "// appended\n";
    } else if (what == "remove") {
        remove(output.c_str());
    } else if (what == "print") {
        puts("at the end");
    } else if (what == "fail") {
        _exit(3);
    } else if (what == "exit") {
        exit(3);
    } else if (what == "write") {
        std::ofstream("own.txt") << "own\n";
    }
}

FILE *opened = nullptr;
int *shared_number = nullptr;

struct Process {
    Process() {
        const std::string what = variable("START");
        if (what == "thread") {
            std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
        } else if (what == "open") {
            opened = fopen("../table.txt", "r");
            setvbuf(opened, nullptr, _IONBF, 0);
            fgetc(opened);
        } else if (what == "share") {
            shared_number = static_cast<int *>(mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE,
                                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0));
        } else if (what == "print") {
            puts(variable("TEXT").c_str());
        } else if (what == "write") {
            std::ofstream("own.txt") << "own\n";
        } else if (what == "random") {
            number = static_cast<int>(std::random_device{}());
        } else if (what == "atexit") {
            atexit(at_the_end);
        } else if (what == "exit") {
            exit(0);
        } else if (what == "abort") {
            abort();
        } else if (what == "chdir" && chdir("..") != 0) {
            abort();
        }
    }
    ~Process() {
        if (variable("START") != "atexit") {
            at_the_end();
        }
    }
    int number = 0;
};
Process process;

// Some want to be told how they were called.
__attribute__((constructor)) void look_at_arguments(int argc, char **argv) {
    for (int i = 1; i + 1 < argc && variable("START") == "rename"; i++) {
        if (std::string(argv[i]) == "-f") {
            argv[i + 1][0] = 'z';
        }
    }
}

template<typename What>
class Add : public Generator<Add<What>> {
public:
    GeneratorInput<Buffer<int32_t, 1>> input{"input"};
    GeneratorOutput<Buffer<int32_t, 1>> output{"output"};

    void generate() {
        Var x{"x"};
        output(x) = input(x) + What::number();
    }
};

struct Nothing {
    static int number() {
        return process.number;
    }
};
struct Variable {
    static int number() {
        return atoi(variable("NUMBER").c_str());
    }
};
struct Input {
    static int number() {
        int number = 0;
        std::cin >> number;
        return number;
    }
};
struct Time {
    static int number() {
        return static_cast<int>(time(nullptr));
    }
};
struct Ticks {
    static int number() {
        return static_cast<int>(std::chrono::steady_clock::now().time_since_epoch().count());
    }
};
struct Random {
    static int number() {
        return static_cast<int>(std::random_device{}());
    }
};
struct Pid {
    static int number() {
        return getpid();
    }
};
struct Address {
    static int number() {
        int local = 0;
        return static_cast<int>(reinterpret_cast<intptr_t>(&local) >> 4);
    }
};
struct Counter {
    static int number() {
        const int number = number_in("../counter.txt");
        std::ofstream("../counter.txt") << number + 1;
        return number;
    }
};
struct File {
    static int number() {
        return number_in("../number.txt");
    }
};
struct Builds {
    static int number() {
        static int builds = 0;
        return ++builds;
    }
};
struct Prints {
    static int number() {
        std::ifstream text("../text.txt");
        std::cout << text.rdbuf() << std::flush;
        return 1;
    }
};
struct Complains {
    static int number() {
        std::ifstream text("../text.txt");
        std::cerr << text.rdbuf();
        return 1;
    }
};
struct Writes {
    static int number() {
        std::ofstream("own.txt") << "own\n";
        return 1;
    }
};
struct Deletes {
    static int number() {
        remove(variable("OUTPUT").c_str());
        return 1;
    }
};
struct Runs {
    static int number() {
        return system("true") + 1;
    }
};
struct Connects {
    static int number() {
        return socket(AF_INET, SOCK_STREAM, 0) >= 0;
    }
};
struct Threads {
    static int number() {
        int number = 0;
        std::thread([&number] { number = 7; }).join();
        return number;
    }
};
struct AtExit {
    static int number() {
        atexit(at_the_end);
        return 1;
    }
};
struct Exits {
    static int number() {
        exit(0);
    }
};
struct Throws {
    static int number() {
        throw std::runtime_error("it throws");
    }
};
struct Crashes {
    static int number() {
        raise(SIGSEGV);
        return 1;
    }
};
struct Opened {
    static int number() {
        return fgetc(opened);
    }
};
struct Shared {
    static int number() {
        return ++*shared_number;
    }
};
// Its destructor runs after the pipeline was built.
class Destructor : public Generator<Destructor> {
public:
    GeneratorInput<Buffer<int32_t, 1>> input{"input"};
    GeneratorOutput<Buffer<int32_t, 1>> output{"output"};

    void generate() {
        Var x{"x"};
        output(x) = input(x) + 1;
    }
    ~Destructor() override {
        at_the_end();
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Add<Nothing>, nothing)
HALIDE_REGISTER_GENERATOR(Add<Variable>, variable)
HALIDE_REGISTER_GENERATOR(Add<Input>, input)
HALIDE_REGISTER_GENERATOR(Add<Time>, time)
HALIDE_REGISTER_GENERATOR(Add<Ticks>, ticks)
HALIDE_REGISTER_GENERATOR(Add<Random>, random)
HALIDE_REGISTER_GENERATOR(Add<Pid>, pid)
HALIDE_REGISTER_GENERATOR(Add<Address>, address)
HALIDE_REGISTER_GENERATOR(Add<Counter>, counter)
HALIDE_REGISTER_GENERATOR(Add<File>, file)
HALIDE_REGISTER_GENERATOR(Add<Builds>, builds)
HALIDE_REGISTER_GENERATOR(Add<Prints>, prints)
HALIDE_REGISTER_GENERATOR(Add<Complains>, complains)
HALIDE_REGISTER_GENERATOR(Add<Writes>, writes)
HALIDE_REGISTER_GENERATOR(Add<Deletes>, deletes)
HALIDE_REGISTER_GENERATOR(Add<Runs>, runs)
HALIDE_REGISTER_GENERATOR(Add<Connects>, connects)
HALIDE_REGISTER_GENERATOR(Add<Threads>, threads)
HALIDE_REGISTER_GENERATOR(Add<AtExit>, at_exit)
HALIDE_REGISTER_GENERATOR(Add<Exits>, exits)
HALIDE_REGISTER_GENERATOR(Add<Throws>, throws)
HALIDE_REGISTER_GENERATOR(Add<Crashes>, crashes)
HALIDE_REGISTER_GENERATOR(Add<Opened>, opened)
HALIDE_REGISTER_GENERATOR(Add<Shared>, shared)
HALIDE_REGISTER_GENERATOR(Destructor, destructor)
