#include <algorithm>
#include <cmath>

#include "foresight/auto/ground_internal.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/rng.h"
#include "foresight/data/select.h"
#include "foresight/model/fit.h"
#include "foresight/train/run_size.h"
#include "foresight/train/validation_internal.h"

namespace foresight {
namespace {

using Data = std::variant<BoundSource, BoundDataset>;

/// Streams of their own, which the streams of training do not reach.
constexpr std::uint64_t kPastSeed = 0x50415354, kChooseSeed = 0x43484f4f5345,
                        kJudgeSeed = 0x4a55444745;

/// Recorded instances are cut here by time, if nothing else is given to choose by.
constexpr double kTrainShare = 0.8;

/// Rules solve many programs when they learn, so they get only so much of the past.
constexpr double kMostPast = 500, kMostPastDecisions = 100e3;

/// A run validates after every epoch, so it gets only so much to validate on: 20 instances, more of them
/// if they are short, fewer if they are very long.
constexpr double kMostWatched = 1'000, kWatched = 20, kWatchedDecisions = 20e3,
                 kMostWatchedDecisions = 100e3;

/// So many instances that they make about so many decisions, but at least two.
std::uint64_t affordable(const InstanceSize& size, double decisions, double most) {
  return static_cast<std::uint64_t>(
      std::clamp(decisions / std::max(1.0, size.arrivals), 2.0, most));
}

/// The file, made by `make` if it is not there. A file appears whole, so one that is there is done.
template <typename Make>
BoundDataset kept(const std::filesystem::path& file, const Make& make) {
  if (!path_exists(file)) make().save(file);
  return bind_data(Dataset::load(file));
}

BoundDataset draw(const BoundSource& source, std::uint64_t seed, std::uint64_t count,
                  const std::string& what, int threads, Progress& progress) {
  progress.begin("drawing " + what, static_cast<std::int64_t>(count), "instances");
  BoundDataset drawn = generate(source, seed, count, threads, progress);
  progress.end();
  return drawn;
}

/// At most so many, evenly spread over the data, so that all of its time is represented.
BoundDataset some_of(const BoundDataset& data, std::uint64_t most) {
  if (data.size() <= most) return data;
  std::vector<std::size_t> chosen;
  for (std::uint64_t k = 0; k < most; ++k) chosen.push_back(k * data.size() / most);
  return bind_data(data.select(chosen));
}

Data as_told(Data data, const Horizon& horizon) {
  return std::visit([&](auto& given) -> Data { return told(std::move(given), horizon); }, data);
}

const Schema& schema_of(const Data& data) {
  return std::visit([](const auto& given) -> const Schema& { return given.schema(); }, data);
}

/// The number of recorded instances; nothing if they are drawn.
std::optional<std::uint64_t> size_of(const Data& data) {
  if (const auto* dataset = std::get_if<BoundDataset>(&data)) return dataset->size();
  return std::get<BoundSource>(data).size();
}

Data open_training(const RunOptions& options) {
  return options.train_data ? bind_data(*options.train_data) : open_data(options.train);
}

bool has_validation(const RunOptions& options) {
  return options.validation_data || !options.validation.empty();
}

Data open_validation(const RunOptions& options) {
  return options.validation_data ? bind_data(*options.validation_data)
                                 : open_data(options.validation);
}

/// The training data, and what to choose by if that is not drawn from it.
struct Opened {
  Data training;
  std::optional<Data> validation;
};

Opened open(const RunOptions& options, Progress& progress) {
  Opened opened{open_training(options), {}};
  if (const auto* source = std::get_if<BoundSource>(&opened.training); source && source->size()) {
    opened.training =
        draw(*source, 0, *source->size(), "recorded instances", options.threads, progress);
  }
  if (has_validation(options)) {
    opened.validation = open_validation(options);
  } else if (const auto* dataset = std::get_if<BoundDataset>(&opened.training)) {
    const auto all = static_cast<double>(dataset->size());
    const auto train =
        static_cast<std::uint64_t>(std::clamp(std::round(kTrainShare * all), 1.0, all - 1));
    const std::vector<Part> parts{{"train", train}, {"validation", Part::Rest{}}};
    const std::vector<Dataset> cut = split(*dataset, parts);  // by time
    opened = {bind_data(cut[0]), bind_data(cut[1])};
  }
  const Horizon horizon = choose_horizon(options.horizon, opened.training);
  opened.training = as_told(std::move(opened.training), horizon);
  if (opened.validation) opened.validation = as_told(std::move(*opened.validation), horizon);
  return opened;
}

}  // namespace

void check_ground(const RunOptions& options) {
  const Data training = open_training(options);
  const auto recorded = size_of(training);
  const std::uint64_t fewest = has_validation(options) ? 1 : 2;
  if (recorded && *recorded < fewest) {
    const auto* dataset = std::get_if<BoundDataset>(&training);
    fail(ErrorCode::kData, "{}{}", dataset ? dataset->origin() : std::string(),
         *recorded == 0 ? "there are no instances to train on"
                        : "one instance is not enough to learn from and to choose by; give more, "
                          "or a validation set");
  }
  if (!recorded && options.augment != RunOptions().augment) {
    fail(ErrorCode::kUsage,
         "augment={} makes more of past instances, but {} draws fresh ones; leave it out",
         options.augment, options.train);
  }
  if (!has_validation(options)) return;
  const auto content = [](const Data& data) {
    const auto* dataset = std::get_if<BoundDataset>(&data);
    return dataset ? dataset->content_digest(/*with_labels=*/false) : std::string();
  };
  if (const auto digest = content(training);
      !digest.empty() && digest == content(open_validation(options))) {
    fail(ErrorCode::kData,
         "the validation set holds the training instances; give others, or leave it out");
  }
  try {
    fit_columns("a policy", schema_of(training), schema_of(open_validation(options)));
  } catch (const Error& error) {
    fail(error.code(), "the validation set does not fit: {}", error.what());
  }
}

Ground prepare_ground(const RunOptions& options, Progress& progress) {
  const Opened opened = open(options, progress);
  const auto* source = std::get_if<BoundSource>(&opened.training);
  const auto* dataset = std::get_if<BoundDataset>(&opened.training);
  std::string train = options.train;
  // What is not drawn is read once, and not by every candidate again.
  if (dataset) {
    const auto file = options.folder / "train.safetensors";
    kept(file, [&] { return *dataset; });
    train = file.string();
  }
  std::vector<Instance> examples;
  if (source) {
    examples = few_instances(*source);
  } else {
    constexpr std::uint64_t kLooked = 20;
    const BoundDataset some = some_of(*dataset, kLooked);
    for (std::size_t i = 0; i < some.size(); ++i) examples.push_back(some.instance(i));
  }
  const InstanceSize size = foresight::size_of(examples);
  const std::uint64_t seed = options.validation_seed.value_or(options.seed);

  const auto past = options.folder / "past.safetensors";
  kept(past, [&] {
    const std::uint64_t most = affordable(size, kMostPastDecisions, kMostPast);
    if (!source) return some_of(*dataset, most);
    return draw(*source, kPastSeed ^ seed, most, "past instances", options.threads, progress);
  });

  const std::uint64_t wanted = options.validation_instances > 0
                                   ? options.validation_instances
                                   : fitting_validation_instances(size);
  BoundDataset choose = kept(options.folder / "validation.safetensors", [&] {
    Data given = opened.validation.value_or(opened.training);
    if (const auto* other = std::get_if<BoundSource>(&given)) {
      const std::uint64_t count = std::min(wanted, other->size().value_or(wanted));
      given = draw(*other, kChooseSeed ^ seed, count, "validation instances", options.threads,
                   progress);
    }
    BoundDataset data = std::get<BoundDataset>(std::move(given));
    if (data.size() == 0) {
      fail(ErrorCode::kData, "{}there are no instances to choose by", data.origin());
    }
    return with_optima(std::move(data), options.threads, progress);
  });
  const auto watched = options.folder / "watched.safetensors";
  kept(watched, [&] {
    const double decisions =
        std::clamp(kWatched * size.arrivals, kWatchedDecisions, kMostWatchedDecisions);
    return some_of(choose, affordable(size, decisions, kMostWatched));
  });
  std::optional<BoundDataset> judge;
  if (source && !opened.validation) {
    judge = kept(options.folder / "test.safetensors", [&] {
      return with_optima(
          draw(*source, kJudgeSeed ^ seed, wanted, "test instances", options.threads, progress),
          options.threads, progress);
    });
  }
  return {.train = std::move(train),
          .source = source ? std::optional(*source) : std::nullopt,
          .examples = std::move(examples),
          .past = past,
          .watched = watched,
          .choose = std::move(choose),
          .judge = std::move(judge)};
}

}  // namespace foresight
