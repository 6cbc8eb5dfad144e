#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "foresight/auto/auto.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/base/options.h"
#include "foresight/cli/command.h"
#include "foresight/cli/table.h"
#include "foresight/train/seeds.h"

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

using Clock = std::chrono::steady_clock;

/// That a model is no better than a rule, and what to try.
std::string warning(const RunResult& result) {
  const Rival& rival = *result.unbeaten;
  const std::string figures = fmt::format("{:.4f} against {:.4f}", result.best_ratio, rival.ratio);
  constexpr double kOptimal = 0.99995;
  if (rival.ratio >= kOptimal) {
    return fmt::format("no better than {} ({}), which is at the optimum: there is nothing to learn",
                       rival.name, figures);
  }
  if (result.best_ratio <= rival.ratio) {
    return fmt::format(
        "no better than {} ({}): try more epochs, a smaller lr, `train auto`, or --augment if data "
        "is "
        "scarce",
        rival.name, figures);
  }
  return fmt::format(
      "not better than {} beyond doubt ({}, p = {:.2g}): try more validation instances, more "
      "epochs, `train auto`",
      rival.name, figures, rival.p);
}

struct SeedOptions {
  int seeds = 1;

  void read(OptionReader& o) {
    o.integer("seeds", seeds, 1, 1'000,
              "trains so often, with this seed and the following ones, in folders seed-1, seed-2, "
              "...; shows how much is luck");
  }
};

void run_seeds(const RunOptions& options, int seeds) {
  TerminalProgress progress;
  const auto once = [](const RunOptions& one, Progress& shown) {
    if (one.model != "auto") return Trained{one.model, train(one, shown).best_ratio};
    const AutoResult found = train_auto(one, shown);
    return Trained{found.kept, found.kept_result().ratio.mean};
  };
  const SeedsResult found = train_seeds(options, seeds, progress, once);
  for (const SeedRun& run : found.runs) {
    fmt::print("{}  {:.4f}  {}\n", run.folder.filename().string(), run.trained.ratio,
               run.trained.model);
  }
  const Summary& ratio = found.ratio;
  fmt::print(
      "trained {} with {} seeds: ratio {:.4f}, standard deviation {:.4f} ({:.4f} to {:.4f})\n",
      options.model, seeds, ratio.mean, ratio.standard_deviation, ratio.minimum, ratio.maximum);
  fmt::print("the best is {0}; evaluate it with: {1} evaluate FILE --policy greedy --policy {0}\n",
             shell_quoted(found.runs[found.best].folder.string()), program_name());
}

void run(RunOptions options, int seeds) {
  if (options.folder.empty()) options.folder = new_folder(options);
  if (options.resume && !path_exists(options.folder)) {
    fail(ErrorCode::kUsage, "{}: there is no such folder, so no run to resume",
         options.folder.string());
  }
  options.command = command_line();
  if (seeds > 1) return run_seeds(options, seeds);
  const auto start = Clock::now();
  const auto elapsed = [&] {
    return human_duration(std::chrono::duration<double>(Clock::now() - start).count());
  };
  TerminalProgress progress;
  if (options.model == "auto") {
    print_search(train_auto(options, progress));
    fmt::print("wrote {0} in {2}; see it with: {1} report {0} -o report.html\n",
               shell_quoted(options.folder.string()), program_name(), elapsed());
    return;
  }
  const RunResult result = train(options, progress);
  fmt::print("trained {}: best validation ratio {:.4f} in epoch {} of {}, {}, in {}\n",
             options.model, result.best_ratio, result.best_epoch, result.epochs,
             human_rate(result.decisions_per_second, "decisions"), elapsed());
  if (result.out_of_patience) {
    fmt::print("stopped after epoch {}: no better for {} epochs\n", result.epochs,
               result.epochs - result.best_epoch);
  }
  fmt::print("wrote {0}; evaluate it with: {1} evaluate FILE --policy greedy --policy {0}\n",
             shell_quoted(options.folder.string()), program_name());
  if (result.unbeaten) fmt::print("{}\n", warning(result));
}

}  // namespace

void print_search(const AutoResult& found) {
  const Evaluation& evaluation = found.evaluation;
  std::vector<Column> columns = {{"policy"},
                                 {"mean ratio", Align::kRight},
                                 {"+-95%", Align::kRight},
                                 {"mean value", Align::kRight},
                                 {"vs greedy", Align::kRight},
                                 {"p99 decision", Align::kRight},
                                 {""}};
  if (evaluation.gap_reference) columns.insert(columns.begin() + 5, {"gap closed", Align::kRight});
  Table table(columns);
  const PolicyResult& first = evaluation.policies.front();
  for (const PolicyResult& result : evaluation.policies) {
    std::vector<std::string> row = {
        result.name,
        fmt::format("{:.4f}", result.ratio.mean),
        result.ratio.count > 1 ? fmt::format("{:.4f}", result.ratio.ci95) : "-",
        fmt::format("{:.6g}", result.mean_value),
        &result == &first ? "" : fmt::format("{:+.4f}", result.against_first.mean_difference),
        human_duration(1e-6 * result.p99_microseconds),
        result.name == found.kept ? "kept" : ""};
    if (evaluation.gap_reference) row.insert(row.begin() + 5, gap_closed(result));
    table.add_row(std::move(row));
  }
  fmt::print("{} {} instances of {}; number of arrivals: {}\n\n{}\n",
             human_count(static_cast<std::int64_t>(evaluation.num_instances)),
             found.fresh ? "fresh" : "validation", evaluation.provenance.source,
             evaluation.horizon.describe(), table.render());
  if (evaluation.gap_reference) fmt::print("{}\n", describe_gap(evaluation));
  std::vector<std::string> lines = remarks(found);
  std::ranges::rotate(lines, lines.begin() + 1);  // the advice last, where people look
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

void add_train_command(CommandParser& parser) {
  auto options = std::make_shared<RunOptions>();
  auto seeds = std::make_shared<SeedOptions>();
  Command command = parser.add_command("train", "Learn a policy from past or fresh instances");
  command
      .option("model", options->model,
              "The model to train, e.g. inv-ff-hist; auto trains several and keeps the best")
      .required();
  command.options(*options, {{"validation", "--val"}, {"validation_instances", "--val-instances"}})
      .at("train")
      .required();
  command.options(*seeds);
  command.option("-o,--output", options->folder,
                 "The run folder to write (default: runs/MODEL-SOURCE, numbered if it exists)");
  command.flag("--resume", options->resume, "Continue an interrupted run");
  command.on_run([options, seeds] { run(*options, seeds->seeds); });
}

}  // namespace foresight
