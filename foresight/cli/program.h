// The whole command line as one function: a program of another project offers all commands, with
// the entries that it added to the registries. Link foresight::program.
//
//   int main(int argc, char** argv) {
//     foresight::policies().add(...);
//     return foresight::run_program(argc, argv);
//   }
#pragma once

namespace foresight {

/// Runs the program: 0 on success, 1 on failure, 2 on bad usage, 130 when interrupted. Help and
/// errors call it by the file name of `argv[0]`.
int run_program(int argc, const char* const* argv);

}  // namespace foresight
