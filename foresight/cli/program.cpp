#include "foresight/cli/program.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/ranges.h>

#include "foresight/base/error.h"
#include "foresight/base/progress.h"
#include "foresight/base/version.h"
#include "foresight/cli/command.h"

namespace foresight {
namespace {

constexpr int kFailure = 1;
constexpr int kBadUsage = 2;
constexpr int kInterrupted = 130;

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return kBadUsage;
    case ErrorCode::kCancelled:
      return kInterrupted;
    case ErrorCode::kData:
    case ErrorCode::kIo:
      return kFailure;
  }
  return kFailure;
}

/// The parser itself would only say that a command is missing.
void check_command(const CommandParser& parser, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::vector<std::string> names = parser.command_names();
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
  fail(ErrorCode::kUsage, "there is no command \"{}\"; the commands are: {}", argv[1],
       fmt::join(names, ", "));
}

struct Invocation {
  std::string program;  // as it was called
  std::string name;     // its file name: another project's program has a name of its own
  std::string command_line;
};
Invocation& invocation() {
  static Invocation remembered;
  return remembered;
}

void remember(int argc, const char* const* argv) {
  invocation().program = argc > 0 ? argv[0] : "foresight";
  invocation().name = std::filesystem::path(invocation().program).filename().string();
  std::string& text = invocation().command_line;
  text = shell_quoted(invocation().name);
  for (int i = 1; i < argc; ++i) text.append(" ").append(shell_quoted(argv[i]));
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  const bool plain = word.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789-_=+./,:@%") == std::string::npos;
  if (plain && !word.empty()) return word;
  if (word.find_first_of("\"$`\\!") == std::string::npos) return "\"" + word + "\"";
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

const std::string& command_line() {
  return invocation().command_line;
}

const std::string& program_name() {
  return invocation().program;
}

void add_json_option(Command command, std::string& path) {
  command.option("--json", path, "Also write the results to this file as JSON");
}

int run_program(int argc, const char* const* argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like any other
  remember(argc, argv);
  const std::string& name = invocation().name;
  CommandParser parser(
      name, "Foresight: learned policies for online bipartite matching",
      fmt::format("foresight {}", kVersion),
      fmt::format("Sources, problems and policies are named by specs such as "
                  "\"er(u=10,v=30,p=0.1)\".\n`{} list` shows all of them with their options.",
                  name));
  add_list_command(parser);
  add_generate_command(parser);
  add_split_command(parser);
  add_merge_command(parser);
  add_solve_command(parser);
  add_train_command(parser);
  add_evaluate_command(parser);
  add_ceiling_command(parser);
  add_inspect_command(parser);
  add_export_command(parser);
  add_report_command(parser);
  add_reproduce_command(parser);
  add_demo_command(parser);
  add_bench_command(parser);
  install_interrupt_handler();
  try {
    check_command(parser, argc, argv);
    const bool good = parser.run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
      fail(ErrorCode::kIo, "the output cannot be written: {}", std::strerror(errno));
    }
    return good ? 0 : kBadUsage;
  } catch (const Error& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "{}: out of memory\n", name);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
  }
  return kFailure;
}

}  // namespace foresight
