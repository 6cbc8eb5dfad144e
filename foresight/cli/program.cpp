#include <algorithm>
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

/// The parser itself would only say that a command is required.
void check_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
  fail(ErrorCode::kUsage, "there is no command \"{}\"; there are: {}", argv[1],
       fmt::join(names, ", "));
}

struct Invocation {
  std::string program, command_line;
};
Invocation& invocation() {
  static Invocation remembered;
  return remembered;
}

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

void remember(int argc, const char* const* argv) {
  invocation().program = argc > 0 ? argv[0] : "foresight";
  std::string& text = invocation().command_line;
  text = "foresight";
  for (int i = 1; i < argc; ++i) text += " " + shell_quoted(argv[i]);
}

}  // namespace

const std::string& command_line() {
  return invocation().command_line;
}

const std::string& program_name() {
  return invocation().program;
}

void add_seed_option(CLI::App& command, std::uint64_t& seed) {
  command.add_option("--seed", seed, "Seed of all random numbers")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

void add_threads_option(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "Threads to use (0 = all cores); changes no result")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

void add_json_option(CLI::App& command, std::string& path) {
  command.add_option("--json", path, "Also write the results to this file as JSON");
}

void check_output(const std::string& path) {
  const auto folder = std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    fail(ErrorCode::kIo, "cannot write {}: there is no folder {}", path, folder.string());
  }
}

int run_program(int argc, const char* const* argv) {
  CLI::App app("Foresight: learned policies for online bipartite matching", "foresight");
  app.set_version_flag("--version", fmt::format("foresight {}", kVersion));
  app.require_subcommand(1);
  app.footer(
      "Sources, problems and policies are named by specs such as \"er(u=10,v=30,p=0.1)\";\n"
      "`foresight list` shows them all with their options.");
  add_list_command(app);
  add_generate_command(app);
  add_solve_command(app);
  add_train_command(app);
  add_evaluate_command(app);
  add_ceiling_command(app);
  add_inspect_command(app);
  add_export_command(app);
  add_report_command(app);
  add_reproduce_command(app);
  add_demo_command(app);
  add_bench_command(app);
  install_interrupt_handler();
  remember(argc, argv);
  try {
    check_command(app, argc, argv);
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    // Help and version are "errors" to the parser, too.
    return app.exit(error) == 0 ? 0 : kBadUsage;
  } catch (const Error& error) {
    fmt::print(stderr, "foresight: {}\n", error.what());
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "foresight: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "foresight: {}\n", error.what());
  }
  return kFailure;
}

}  // namespace foresight
