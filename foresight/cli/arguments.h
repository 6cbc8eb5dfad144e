// What a command takes from the command line. The parser stands behind these handles, as its header
// takes longer to read than any command to compile.
//
//   Command command = parser.add_command("solve", "Add the hindsight optima to a dataset file");
//   command.option("file", input, "The dataset").required();
//   command.options(solve_options);  // --time-limit and --threads, as SolveOptions::read tells
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

/// An option or a positional argument, to be told what is allowed and shown.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument required() const;
  Argument needs(const Argument& other) const;  // not given without it
  Argument one_value_each() const;              // of a list: `--policy a --policy b`
  Argument show_default() const;                // in the help: what the value is now

 private:
  CLI::Option* option_;
};

/// Values are written where the references point, which must live until the command ran.
class Command {
 public:
  explicit Command(CLI::App* app);

  /// An argument for every option of a struct with `read(OptionReader&)`, by its name: an option
  /// `time_limit` is typed `--time-limit`, unless `typed` says otherwise. What is typed is given to
  /// `read` before the command runs.
  template <typename Options>
  std::map<std::string, Argument> options(Options& options,
                                          const std::map<std::string, std::string>& typed = {}) {
    return add_options([&options](OptionReader& reader) { options.read(reader); }, typed);
  }

  /// `name` as it is typed: `-o,--output`, or `file` for a positional argument. T is a string, a
  /// path or a list of strings.
  template <typename T>
  Argument option(const std::string& name, T& value, const std::string& text);
  void flag(const std::string& name, bool& value, const std::string& text);
  void footer(const std::string& text);  // below the help
  void on_run(std::function<void()> action);

 private:
  std::map<std::string, Argument> add_options(std::function<void(OptionReader&)> read,
                                              const std::map<std::string, std::string>& typed);

  CLI::App* app_;
  std::shared_ptr<std::vector<std::function<void()>>> readers_;  // called before the command runs
};

/// A program of several commands, of which each call runs one.
class CommandParser {
 public:
  CommandParser(const std::string& name, const std::string& text, const std::string& version,
                const std::string& footer);
  ~CommandParser();

  Command add_command(const std::string& name, const std::string& text);
  std::vector<std::string> command_names() const;

  /// Runs the command asked for, or shows the help or the version; false after saying what is wrong
  /// with the arguments. Exceptions of the command pass through.
  bool run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace foresight
