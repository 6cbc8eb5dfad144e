#include "foresight/cli/arguments.h"

#include <cstdint>
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

Argument Argument::positive() const {
  return Argument(option_->check(CLI::PositiveNumber));
}

Argument Argument::not_negative() const {
  return Argument(option_->check(CLI::NonNegativeNumber));
}

Argument Argument::between(int low, int high) const {
  return Argument(option_->check(CLI::Range(low, high)));
}

Argument Argument::between(double low, double high) const {
  return Argument(option_->check(CLI::Range(low, high)));
}

Argument Argument::one_of(const std::vector<std::string>& values) const {
  return Argument(option_->check(CLI::IsMember(values)));
}

Argument Argument::show_default() const {
  return Argument(option_->capture_default_str());
}

template <typename T>
Argument Command::option(const std::string& name, T& value, const std::string& text) {
  return Argument(app_->add_option(name, value, text));
}

template Argument Command::option(const std::string&, std::string&, const std::string&);
template Argument Command::option(const std::string&, std::filesystem::path&, const std::string&);
template Argument Command::option(const std::string&, std::vector<std::string>&,
                                  const std::string&);
template Argument Command::option(const std::string&, int&, const std::string&);
template Argument Command::option(const std::string&, std::uint64_t&, const std::string&);
template Argument Command::option(const std::string&, double&, const std::string&);

void Command::flag(const std::string& name, bool& value, const std::string& text) {
  app_->add_flag(name, value, text);
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}

void Command::on_run(std::function<void()> action) {
  app_->callback(std::move(action));
}

namespace {

/// A misspelt option leaves the one that was meant missing: this says which word was not
/// understood.
void reject_unknown_option(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const std::string& word : command->remaining()) {
      if (word.size() < 2 || word[0] != '-') continue;
      std::vector<std::string> names;
      for (const CLI::Option* option : command->get_options()) {
        if (option->nonpositional()) names.push_back(option->get_name());
      }
      fail(ErrorCode::kUsage, "{} has no option \"{}\"; there are: {}", command->get_name(), word,
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
    // Help and version are "errors" to the parser, too.
    return app_->exit(error) == 0;
  }
}

}  // namespace foresight
