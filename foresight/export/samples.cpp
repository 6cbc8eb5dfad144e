#include "foresight/export/samples.h"

#include "foresight/base/error.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/policy/play.h"

namespace foresight {
namespace {

struct Sample {
  NetworkInputs inputs;
  std::vector<std::int64_t> entries;
  std::vector<float> scores;  // of skip, then of each offer
};

std::vector<Sample> collect(const Model& model, const Problem& problem, const Dataset& data,
                            std::size_t most) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < data.size() && samples.size() < most; ++i) {
    const Instance instance = data.instance(i);
    const auto feed = model.feed(instance.market());
    PlayOptions options;
    options.first_index = i;
    options.observer = [&](std::span<const Turn> turns, Scores& scores,
                           std::span<const std::size_t>) {
      NetworkInputs inputs = feed->next(*turns[0].state);
      const auto row = scores.row(0);
      if (row.size() == 1 || samples.size() == most) return;
      samples.push_back({std::move(inputs), {}, {row.begin(), row.end()}});
      Sample& sample = samples.back();
      sample.entries.assign(sample.inputs.entries.begin(), sample.inputs.entries.end());
    };
    play(problem, {&instance, 1}, model, options);
  }
  return samples;
}

}  // namespace

std::size_t write_samples(const std::filesystem::path& path, const TrainedModel& trained,
                          const Dataset& data, std::size_t most) {
  const auto problem = problem_of(data);
  const std::vector<Sample> samples = collect(*trained.model, *problem, data, most);
  if (samples.empty()) {
    fail(ErrorCode::kData,
         "the data holds no decision with a choice, so there is nothing to write");
  }
  const auto inputs = trained.model->network().inputs();
  std::vector<std::string> names;
  for (const Network::Input& input : inputs) names.push_back(input.name);
  SafeTensorsWriter writer;
  writer.set_meta("format", "foresight-samples");
  writer.set_meta("version", "1");
  writer.set_meta("model", trained.info.spec);
  writer.set_meta("source", data.provenance().source);
  writer.set_meta("samples", fmt::to_string(samples.size()));
  writer.set_meta("inputs", json_list(names));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    for (std::size_t k = 0; k < names.size(); ++k) {
      const NetworkInputs::Array& array = sample.inputs.arrays[k];
      writer.add<float>(fmt::format("{}.{}", i, names[k]), array.shape, array.values);
    }
    writer.add<std::int64_t>(fmt::format("{}.entries", i), {sample.entries.size()}, sample.entries);
    writer.add<float>(fmt::format("{}.scores", i), {sample.scores.size()}, sample.scores);
  }
  writer.write(path);
  return samples.size();
}

}  // namespace foresight
