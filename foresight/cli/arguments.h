// What a command takes from the command line. These handles hide the parser, because its header
// takes longer to compile than any command.
//
//   Command command = parser.add_command("solve", "Add the hindsight optima to a dataset file");
//   command.option("file", input, "The dataset").required();
//   command.options(solve_options);  // --time-limit, --gap and --threads, from SolveOptions::read
//   command.on_run([&] { ... });
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "foresight/base/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace foresight {

/// An option or a positional argument. These functions say what is allowed and shown.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument required() const;
  Argument needs(const Argument& other) const;  // must not be given without the other
  Argument one_value_each() const;              // for lists: `--policy a --policy b`
  Argument show_default() const;                // the help shows the current value

 private:
  CLI::Option* option_;
};

/// Values are written where the references point. These must live until the command has run.
class Command {
 public:
  explicit Command(CLI::App* app);

  /// Adds an argument for every option of a struct with `read(OptionReader&)`. An option
  /// `time_limit` is typed `--time-limit`, unless `typed` says otherwise. `read` gets what is typed
  /// before the command runs.
  template <typename Options>
  std::map<std::string, Argument> options(Options& options,
                                          const std::map<std::string, std::string>& typed = {}) {
    return add_options([&options](OptionReader& reader) { options.read(reader); }, typed);
  }

  /// `name` is what people type: `-o,--output`, or `file` for a positional argument. T is a string,
  /// a path or a list of strings.
  template <typename T>
  Argument option(const std::string& name, T& value, const std::string& text);
  Argument flag(const std::string& name, bool& value, const std::string& text);
  void footer(const std::string& text);  // below the help
  void on_run(std::function<void()> action);

 private:
  std::map<std::string, Argument> add_options(std::function<void(OptionReader&)> read,
                                              const std::map<std::string, std::string>& typed);

  CLI::App* app_;
  std::shared_ptr<std::vector<std::function<void()>>> readers_;  // called before the command runs
};

/// A program with several commands. Each call runs one of them.
class CommandParser {
 public:
  CommandParser(const std::string& name, const std::string& text, const std::string& version,
                const std::string& footer);
  ~CommandParser();

  Command add_command(const std::string& name, const std::string& text);
  std::vector<std::string> command_names() const;

  /// Runs the command, or shows the help or the version. If the arguments are wrong, it says why
  /// and returns false. Exceptions of the command pass through.
  bool run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace foresight
