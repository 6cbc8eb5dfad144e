#include <fmt/format.h>

#include "foresight/cli/command.h"
#include "foresight/data/source.h"
#include "foresight/model/model.h"
#include "foresight/problem/problem.h"
#include "foresight/train/trainer.h"

namespace foresight {
namespace {

/// `name - summary`, and below it a line per option: its default, its range, what it means.
template <typename T>
void show(const Registry<T>& registry, const std::string& heading) {
  fmt::print("{}\n", heading);
  for (const Entry<T>& entry : registry.entries()) {
    fmt::print("\n  {} - {}\n", entry.name, entry.summary);
    const std::vector<OptionInfo> options = registry.options(entry);
    std::size_t first = 0, second = 0;
    for (const OptionInfo& option : options) {
      first = std::max(first, option.name.size() + 1 + option.default_value.size());
      second = std::max(second, option.range.size());
    }
    for (const OptionInfo& option : options) {
      fmt::print("      {:<{}}  {:<{}}  {}\n", option.name + "=" + option.default_value, first,
                 option.range, second, option.text);
    }
  }
  fmt::print("\n");
}

struct ListArguments {
  std::string what = "all";

  void read(OptionReader& o) {
    o.choice("what", what, {"all", "sources", "problems", "policies", "models", "trainers"},
             "what to show");
  }
};

}  // namespace

void add_list_command(CommandParser& parser) {
  Command command =
      parser.add_command("list", "Show the sources, problems, policies, models and trainers");
  auto arguments = std::make_shared<ListArguments>();
  command.options(*arguments, {{"what", "what"}});
  command.on_run([arguments] {
    const std::string& what = arguments->what;
    const auto wanted = [&](const char* kind) { return what == "all" || what == kind; };
    if (wanted("sources")) show(sources(), "SOURCES of instances, for `foresight generate`");
    if (wanted("problems")) show(problems(), "PROBLEMS");
    if (wanted("policies")) show(policies(), "POLICIES, for `foresight evaluate --policy`");
    if (wanted("models")) show(models(), "MODELS, for `foresight train`");
    if (wanted("trainers")) show(trainers(), "TRAINERS, for `foresight train --trainer`");
  });
}

}  // namespace foresight
