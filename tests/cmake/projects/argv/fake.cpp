// Takes a generator's command line, writes it down beside the header and the object file
// that are expected, one argument a line.

#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char **argv) {
    std::string name;
    for (int i = 1; i + 1 < argc; i++) {
        if (std::string(argv[i]) == "-n") {
            name = argv[i + 1];
        }
    }
    std::ofstream arguments(name + ".argv");
    for (int i = 1; i < argc; i++) {
        arguments << argv[i] << '\n';
    }
    std::ofstream(name + ".h") << "\n";
    std::ofstream(name + ".o") << "\n";
    return name.empty();
}
