#include <chrono>

#include <fmt/format.h>

#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/base/options.h"
#include "foresight/cli/command.h"
#include "foresight/train/auto.h"

namespace foresight {
namespace {

/// runs/MODEL-SOURCE, numbered if it exists.
std::filesystem::path new_folder(const RunOptions& options) {
  if (options.resume) {
    fail(ErrorCode::kUsage, "--resume needs the folder of the run; give -o FOLDER");
  }
  const std::string data = sources().knows(options.train)
                               ? Spec::parse(options.train).name
                               : std::filesystem::path(options.train).stem().string();
  const std::string name = fmt::format("{}-{}", Spec::parse(options.model).name, data);
  std::filesystem::path folder = std::filesystem::path("runs") / name;
  for (int i = 2; path_exists(folder); ++i) {
    folder = std::filesystem::path("runs") / fmt::format("{}-{}", name, i);
  }
  return folder;
}

void run(RunOptions options) {
  if (options.folder.empty()) options.folder = new_folder(options);
  if (options.resume && !path_exists(options.folder)) {
    fail(ErrorCode::kUsage, "{}: there is no such folder, so no run to resume",
         options.folder.string());
  }
  options.command = command_line();
  const auto start = std::chrono::steady_clock::now();
  TerminalProgress progress;
  RunResult result;
  if (options.model == "auto") {
    const AutoResult found = train_auto(options, progress);
    for (const auto& [model, ratio] : found.ratios) fmt::print("{:<12} {:.4f}\n", model, ratio);
    options.model = found.model;
    result = found.run;
  } else {
    result = train(options, progress);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  fmt::print("trained {}: best validation ratio {:.4f} in epoch {} of {}, {}, in {}\n",
             options.model, result.best_ratio, result.best_epoch, result.epochs,
             human_rate(result.decisions_per_second, "decisions"), human_duration(elapsed.count()));
  fmt::print("wrote {0}; evaluate it with: {1} evaluate FILE --policy greedy --policy {0}\n",
             options.folder.string(), program_name());
}

}  // namespace

void add_train_command(CommandParser& parser) {
  auto options = std::make_shared<RunOptions>();
  Command command = parser.add_command("train", "Learn a policy from past or fresh instances");
  command
      .option("model", options->model,
              "The model to train, e.g. inv-ff-hist; auto trains several and keeps the best")
      .required();
  command.options(*options, {{"validation", "--val"}, {"validation_instances", "--val-instances"}})
      .at("train")
      .required();
  command.option("-o,--output", options->folder,
                 "The run folder to write (default: runs/MODEL-SOURCE, numbered if it exists)");
  command.flag("--resume", options->resume, "Continue an interrupted run");
  command.on_run([options] { run(*options); });
}

}  // namespace foresight
