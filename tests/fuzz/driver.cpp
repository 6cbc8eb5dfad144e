// One target as a libFuzzer program. Besides libFuzzer's own options it takes --seeds=FOLDER, which
// writes the seeds there before fuzzing begins.
#include <cstdint>
#include <cstring>
#include <fstream>

#include "tests/fuzz/mutator.h"
#include "tests/fuzz/target.h"
#include <fmt/format.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

const FuzzTarget& this_target() {
  static const FuzzTarget target = [] {
    for (const FuzzTarget& each : fuzz_targets()) {
      if (each.name == FORESIGHT_FUZZ_TARGET) return each;
    }
    fail(ErrorCode::kUsage, "there is no fuzz target {}", FORESIGHT_FUZZ_TARGET);
  }();
  return target;
}

void write_seeds(const std::string& folder) {
  std::size_t number = 0;
  for (const std::string& seed : this_target().seeds()) {
    std::ofstream(fmt::format("{}/seed-{}", folder, number++), std::ios::binary) << seed;
  }
}

}  // namespace
}  // namespace foresight

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  constexpr std::string_view kSeeds = "--seeds=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    if (argument.starts_with(kSeeds)) {
      foresight::write_seeds(std::string(argument.substr(kSeeds.size())));
    }
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    foresight::this_target().run({reinterpret_cast<const char*>(data), size});
  } catch (const foresight::Error&) {
    // Refused, as it should be.
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  const std::string mutated = foresight::mutate(content, foresight::this_target().input, seed);
  if (mutated.size() > most) return size;
  std::memcpy(data, mutated.data(), mutated.size());
  return mutated.size();
}
