#include "foresight/cli/program.h"

int main(int argc, char** argv) {
  return foresight::run_program(argc, argv);
}
