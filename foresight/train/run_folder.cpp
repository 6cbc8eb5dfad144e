#include <algorithm>

#include "foresight/base/atomic_file.h"
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

bool RunFolder::holds_run() const {
  return path_exists(last());
}

void RunFolder::begin(const RunRecord& record) const {
  write_file_atomically(path_ / "config.json", to_json(record));
}

void RunFolder::save(const ModelInfo& info, const Model& model, const TrainerState& state,
                     const RunRecord& record, bool improved) const {
  if (improved) {
    SafeTensorsWriter writer;
    write_model(writer, info, model);
    writer.write(best());
  }
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
  write_copies(record);
}

TrainerState RunFolder::restore(Model& model) const {
  if (!path_exists(best())) {
    fail(ErrorCode::kData, "{}: is missing, so that the best model of the run is lost",
         best().string());
  }
  const auto file = SafeTensors::open(last());
  model.set_parameters(read_model(*file).model->parameters());
  TrainerState state{{model.parameters().zeros(), model.parameters().zeros()}, {}, {}};
  read_floats(*file, "trainer.mean", state.adam.mean.values());
  read_floats(*file, "trainer.square", state.adam.square.values());
  state.adam.steps = read_one<std::int64_t>(*file, "trainer.steps");
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
