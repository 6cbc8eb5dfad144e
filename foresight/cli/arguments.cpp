#include "foresight/cli/arguments.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <CLI/CLI.hpp>

#include "foresight/base/error.h"

namespace foresight {

Argument Argument::required() const {
  return Argument(option_->required());
}

Argument Argument::needs(const Argument& other) const {
  return Argument(option_->needs(other.option_));
}

Argument Argument::one_value_each() const {
  return Argument(option_->allow_extra_args(false));
}

Argument Argument::show_default() const {
  option_->capture_default_str();
  option_->description(
      fmt::format("{} (default {})", option_->get_description(), option_->get_default_str()));
  return Argument(option_->default_str(""));
}

namespace {

/// One argument of a command, typed at most once.
struct Typed {
  std::string option;         // its name
  std::string flag;           // its long form
  const CLI::Option* parsed;  // holds the words that were typed
};

/// `--count` of `-n,--count`.
std::string long_form(const std::string& typed) {
  return typed.substr(typed.rfind(',') + 1);
}

/// The meaning, then the range and the default.
std::string help_text(const OptionInfo& option) {
  std::string text = option.text;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  std::vector<std::string> facts;
  if (option.range != "text") facts.push_back(option.range);
  if (!option.default_value.empty()) facts.push_back("default " + option.default_value);
  return facts.empty() ? text : fmt::format("{} ({})", text, fmt::join(facts, "; "));
}

void refuse_empty(const std::string& command, const std::string& flag, const std::string& value) {
  if (value.empty()) fail(ErrorCode::kUsage, "{}: {} is given without a value", command, flag);
}

/// What was typed, in the form of a spec.
Spec as_spec(const std::string& command, const std::vector<Typed>& arguments) {
  Spec spec{command, {}};
  for (const Typed& argument : arguments) {
    const std::vector<std::string>& words = argument.parsed->results();
    if (words.size() > 1) {
      fail(ErrorCode::kUsage, "{}: {} is given twice, as \"{}\" and as \"{}\"", command,
           argument.flag, words[0], words[1]);
    }
    if (words.empty()) continue;
    refuse_empty(command, argument.flag, words[0]);
    spec.values.emplace_back(argument.option, words[0]);
  }
  return spec;
}

}  // namespace

Command::Command(CLI::App* app)
    : app_(app), readers_(std::make_shared<std::vector<std::function<void()>>>()) {}

std::map<std::string, Argument> Command::add_options(
    std::function<void(OptionReader&)> read, const std::map<std::string, std::string>& typed) {
  const std::string command = app_->get_name();
  OptionReader described({command, {}}, command);
  read(described);
  std::map<std::string, Argument> arguments;
  std::vector<Typed> all;
  std::map<std::string, std::string> flags;
  for (const OptionInfo& option : described.options()) {
    std::string name = "--" + option.name;
    std::ranges::replace(name, '_', '-');
    if (const auto other = typed.find(option.name); other != typed.end()) name = other->second;
    // The parser only collects words. The reader gives them their meaning.
    CLI::Option* added = app_->add_option(
        name, [](const CLI::results_t&) { return true; }, help_text(option));
    added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    added->type_name(option.range == "text" ? "TEXT" : "VALUE");
    arguments.emplace(option.name, Argument(added));
    flags[option.name] = long_form(name);
    all.push_back({option.name, flags[option.name], added});
  }
  readers_->push_back([=] {
    OptionReader reader(as_spec(command, all), command,
                        [&](std::string_view name) { return flags.at(std::string(name)); });
    read(reader);
  });
  return arguments;
}

template <typename T>
Argument Command::option(const std::string& name, T& value, const std::string& text) {
  const auto not_empty = [command = app_->get_name(), flag = long_form(name)](std::string& word) {
    refuse_empty(command, flag, word);
    return std::string();
  };
  return Argument(app_->add_option(name, value, text)->check(CLI::Validator(not_empty, "")));
}

template Argument Command::option(const std::string&, std::string&, const std::string&);
template Argument Command::option(const std::string&, std::filesystem::path&, const std::string&);
template Argument Command::option(const std::string&, std::vector<std::string>&,
                                  const std::string&);

Argument Command::flag(const std::string& name, bool& value, const std::string& text) {
  return Argument(app_->add_flag(name, value, text));
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}

void Command::on_run(std::function<void()> action) {
  app_->callback([readers = readers_, action = std::move(action)] {
    for (const auto& read : *readers) read();
    action();
  });
}

namespace {

/// If an option is misspelt, the parser would only say that the right one is missing. This names
/// the misspelt word.
void reject_unknown_option(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const std::string& word : command->remaining()) {
      if (word.size() < 2 || word[0] != '-') continue;
      std::vector<std::string> names;
      for (const CLI::Option* option : command->get_options()) {
        if (option->nonpositional()) names.push_back(option->get_name());
      }
      fail(ErrorCode::kUsage, "{} has no option \"{}\"; it has: {}", command->get_name(), word,
           fmt::join(names, ", "));
    }
  }
}

}  // namespace

CommandParser::CommandParser(const std::string& name, const std::string& text,
                             const std::string& version, const std::string& footer)
    : app_(std::make_unique<CLI::App>(text, name)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer(footer);
}

CommandParser::~CommandParser() = default;

Command CommandParser::add_command(const std::string& name, const std::string& text) {
  return Command(app_->add_subcommand(name, text));
}

std::vector<std::string> CommandParser::command_names() const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands({})) names.push_back(command->get_name());
  return names;
}

bool CommandParser::run(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
    if (code == CLI::ExitCodes::RequiredError || code == CLI::ExitCodes::ExtrasError) {
      reject_unknown_option(*app_);
    }
    // The parser also treats help and version as "errors".
    return app_->exit(error) == 0;
  }
}

}  // namespace foresight
