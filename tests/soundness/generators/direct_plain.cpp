// SPDX-License-Identifier: MIT
// Generators that look at something outside of themselves, each in its own way, and add a
// number that they make of it to their input. At last they look for ../then.txt, which is
// where libraries/stopper.cpp can stop them. What happens before main() is chosen by the
// variable START.

#include "Halide.h"

#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

using namespace Halide;

#ifdef ENVIRONMENT
extern char **environ;
#endif

namespace {

int hash_of(const std::string &text) {
    unsigned hash = 1;
    for (const char c : text) {
        hash = hash * 31 + static_cast<unsigned char>(c);
    }
    return static_cast<int>(hash & 0xffffff);
}

int number_in(const char *path) {
    int number = 0;
    std::ifstream file(path);
    file >> number;
    return number;
}

struct Early {
    Early() {
        const char *start = getenv("START");
        const std::string what = start != nullptr ? start : "";
        if (what == "process") {
            failed = system("true");
        } else if (what == "socket") {
            close(socket(AF_INET, SOCK_STREAM, 0));
        }
    }
    int failed = 0;
};
Early early;

template<typename What>
class Add : public Generator<Add<What>> {
public:
    GeneratorInput<Buffer<int32_t, 1>> input{"input"};
    GeneratorOutput<Buffer<int32_t, 1>> output{"output"};

    void generate() {
        Var x{"x"};
        const int number = What::number();
        const int then = number_in("../then.txt");
        output(x) = input(x) + number + then + early.failed;
    }
};

// ---- Files --------------------------------------------------------------------------

struct File {
    static int number() {
        return number_in("../folder/number.txt");
    }
};
struct Here {
    static int number() {
        return number_in("number.txt");
    }
};
struct Search {
    static int number() {
        for (const char *path : {"../early/number.txt", "../late/number.txt"}) {
            if (std::ifstream(path)) {
                return number_in(path);
            }
        }
        return 0;
    }
};
struct Size {
    static int number() {
        struct stat status;
        return stat("../folder/number.txt", &status) == 0 ? static_cast<int>(status.st_size) : -1;
    }
};
struct Access {
    static int number() {
        return access("../folder/number.txt", X_OK) == 0 ? 1 : 2;
    }
};

// ---- Links --------------------------------------------------------------------------

struct Link {
    static int number() {
        char target[PATH_MAX] = "";
        return readlink("../link", target, sizeof target - 1) > 0 ? hash_of(target) : -1;
    }
};
struct Resolved {
    static int number() {
        char *path = realpath("../link", nullptr);
        const int number = path != nullptr ? path[strlen(path) - 1] : -1;
        free(path);
        return number;
    }
};

// ---- Folders ------------------------------------------------------------------------

// In the order in which the names come.
struct Listing {
    static int number() {
        std::string names;
        DIR *folder = opendir("../folder");
        while (const dirent *entry = folder != nullptr ? readdir(folder) : nullptr) {
            names += entry->d_name[0] == '.' ? std::string() : entry->d_name + std::string("/");
        }
        if (folder != nullptr) {
            closedir(folder);
        }
        return hash_of(names);
    }
};
struct Kinds {
    static int number() {
        int number = 0;
        for (const auto &entry : std::filesystem::directory_iterator("../folder")) {
            number += entry.is_directory() ? 10 : 1;
        }
        return number;
    }
};
struct FolderTime {
    static int number() {
        struct stat status;
        return stat("../folder", &status) == 0 ? static_cast<int>(status.st_mtime % 1000000) : -1;
    }
};
struct FolderTimeOtherwise {
    static int number() {
        const auto time = std::filesystem::last_write_time("../folder").time_since_epoch();
        return static_cast<int>(
            std::chrono::duration_cast<std::chrono::seconds>(time).count() % 1000000);
    }
};
struct FolderIsThere {
    static int number() {
        return std::filesystem::is_directory("../folder") ? 1 : 2;
    }
};

// ---- Everything else ----------------------------------------------------------------

struct Variable {
    static int number() {
        const char *value = getenv("NUMBER");
        return value == nullptr ? 1 : value[0] == '\0' ? 2 : atoi(value);
    }
};

// What comes of it does not show in the pipeline.
volatile long ignored;

struct Clock {
    static int number() {
        ignored = std::chrono::system_clock::now().time_since_epoch().count();
        return 1;
    }
};
struct Random {
    static int number() {
        ignored = std::random_device{}();
        return 1;
    }
};
struct Pid {
    static int number() {
        ignored = getpid();
        return 1;
    }
};
struct Machine {
    static int number() {
        struct utsname name;
        ignored = uname(&name);
        return 1;
    }
};
struct Terminal {
    static int number() {
        ignored = isatty(0);
        return 1;
    }
};
struct Mask {
    static int number() {
        const mode_t mask = umask(0);
        umask(mask);
        return static_cast<int>(mask) + 1;
    }
};
struct InputAt {
    static int number() {
        char byte = 0;
        return pread(0, &byte, 1, 0) == 1 ? byte : 1;
    }
};
#ifdef ENVIRONMENT
struct Environment {
    static int number() {
        for (char **variable = environ; *variable != nullptr; variable++) {
            if (strncmp(*variable, "NUMBER=", 7) == 0) {
                return atoi(*variable + 7);
            }
        }
        return 1;
    }
};
#endif

}  // namespace

HALIDE_REGISTER_GENERATOR(Add<File>, file)
HALIDE_REGISTER_GENERATOR(Add<Here>, here)
HALIDE_REGISTER_GENERATOR(Add<Search>, search)
HALIDE_REGISTER_GENERATOR(Add<Size>, size)
HALIDE_REGISTER_GENERATOR(Add<Access>, access)
HALIDE_REGISTER_GENERATOR(Add<Link>, link)
HALIDE_REGISTER_GENERATOR(Add<Resolved>, resolved)
HALIDE_REGISTER_GENERATOR(Add<Listing>, listing)
HALIDE_REGISTER_GENERATOR(Add<Kinds>, kinds)
HALIDE_REGISTER_GENERATOR(Add<FolderTime>, folder_time)
HALIDE_REGISTER_GENERATOR(Add<FolderTimeOtherwise>, folder_time_otherwise)
HALIDE_REGISTER_GENERATOR(Add<FolderIsThere>, folder_is_there)
HALIDE_REGISTER_GENERATOR(Add<Variable>, variable)
HALIDE_REGISTER_GENERATOR(Add<Clock>, clock)
HALIDE_REGISTER_GENERATOR(Add<Random>, random)
HALIDE_REGISTER_GENERATOR(Add<Pid>, pid)
HALIDE_REGISTER_GENERATOR(Add<Machine>, machine)
HALIDE_REGISTER_GENERATOR(Add<Terminal>, terminal)
HALIDE_REGISTER_GENERATOR(Add<Mask>, mask)
HALIDE_REGISTER_GENERATOR(Add<InputAt>, input_at)
#ifdef ENVIRONMENT
HALIDE_REGISTER_GENERATOR(Add<Environment>, environment)
#endif
