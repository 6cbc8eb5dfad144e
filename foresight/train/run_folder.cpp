#include <algorithm>

#include "foresight/base/atomic_file.h"
#include "foresight/base/digest.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/mapped_file.h"
#include "foresight/base/safetensors.h"
#include "foresight/train/run_folder_internal.h"

namespace foresight {
namespace {

/// What the names of a trainer's own arrays and numbers begin with in the file.
const std::string kArray = "trainer.array.";
const std::string kNumber = "trainer.number.";

/// No run has more steps than this; beyond it, counting them would overflow some day.
constexpr std::int64_t kMostSteps = 1'000'000'000'000'000;

void expect_size(const SafeTensors& file, const std::string& name, std::size_t found,
                 std::size_t expected) {
  if (found == expected) return;
  fail(ErrorCode::kData, "{}: array \"{}\" has {} entries instead of {}", file.path().string(),
       name, found, expected);
}

template <typename T>
T read_one(const SafeTensors& file, const std::string& name) {
  const auto values = file.array<T>(name);
  expect_size(file, name, values.size(), 1);
  return values[0];
}

void read_floats(const SafeTensors& file, const char* name, std::span<float> to) {
  const auto from = file.array<float>(name);
  expect_size(file, name, from.size(), to.size());
  std::ranges::copy(from, to.begin());
}

}  // namespace

std::string digest_of(const Model& model) {
  return Digest().add(std::span<const float>(model.parameters().values())).hex();
}

bool RunFolder::holds_run() const {
  return path_exists(last());
}

void RunFolder::begin(const RunRecord& record) const {
  write_file_atomically(path_ / "config.json", to_json(record));
}

void RunFolder::save(const ModelInfo& info, const Model& model, const TrainerState& state,
                     const RunRecord& record, bool improved) const {
  SafeTensorsWriter writer;
  write_model(writer, info, model);
  write_record(writer, record);
  const auto mean = state.adam.mean.values(), square = state.adam.square.values();
  writer.add<float>("trainer.mean", {mean.size()}, mean);
  writer.add<float>("trainer.square", {square.size()}, square);
  writer.add_owned<std::int64_t>("trainer.steps", {1}, {state.adam.steps});
  for (const auto& [name, value] : state.numbers) {
    writer.add_owned<double>(kNumber + name, {1}, {value});
  }
  for (const auto& [name, values] : state.arrays) {
    writer.add<double>(kArray + name, {values.size()}, values);
  }
  writer.write(last());
  if (improved) write_best(info, model);
  write_copies(record);
}

void RunFolder::write_best(const ModelInfo& info, const Model& model) const {
  SafeTensorsWriter writer;
  write_model(writer, info, model);
  writer.write(best());
}

void RunFolder::complete_best(const RunRecord& record) const {
  std::string why = "is not the model that the run saved there";
  try {
    if (digest_of(*load_model(best()).model) == record.best_digest) return;
  } catch (const Error& error) {
    why = error.what();
  }
  if (record.best_epoch == record.epochs_done()) {
    const TrainedModel last_model = load_model(last());
    return write_best(last_model.info, *last_model.model);
  }
  fail(ErrorCode::kData, "{}: the best model of the run, of epoch {}, is lost: the file {}",
       best().string(), record.best_epoch, why);
}

TrainerState RunFolder::restore(Model& model) const {
  const auto file = SafeTensors::open(last());
  model.set_parameters(read_model(*file).model->parameters());
  TrainerState state{{model.parameters().zeros(), model.parameters().zeros()}, {}, {}};
  read_floats(*file, "trainer.mean", state.adam.mean.values());
  read_floats(*file, "trainer.square", state.adam.square.values());
  state.adam.steps = read_one<std::int64_t>(*file, "trainer.steps");
  if (state.adam.steps < 0 || state.adam.steps > kMostSteps) {
    fail(ErrorCode::kData, "{}: array \"trainer.steps\" is {}, expected 0 to {}",
         file->path().string(), state.adam.steps, kMostSteps);
  }
  for (const auto& [name, tensor] : file->tensors()) {
    if (name.starts_with(kNumber)) {
      state.numbers[name.substr(kNumber.size())] = read_one<double>(*file, name);
    } else if (name.starts_with(kArray)) {
      const auto values = file->array<double>(name);
      state.arrays[name.substr(kArray.size())] = {values.begin(), values.end()};
    }
  }
  return state;
}

void RunFolder::write_copies(const RunRecord& record) const {
  write_file_atomically(path_ / "metrics.csv", record.metrics.to_csv());
  write_file_atomically(path_ / "timing.csv", record.timing.to_csv());
}

void RunFolder::complete_copies(const RunRecord& record) {
  const auto file = path_ / "metrics.csv";
  if (path_exists(file) && MappedFile(file).text() == record.metrics.to_csv()) return;
  lock();
  write_copies(record);
}

}  // namespace foresight
