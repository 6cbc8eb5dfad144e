// Fuzz targets: each gives arbitrary bytes to one reader, then uses what came out of it, so that a
// rule which the reader forgot to check shows. The only exception that may leave a target is Error;
// another one, a report of a sanitizer, a failed assertion or a huge allocation is a finding.
//
//   for (const FuzzTarget& target : fuzz_targets()) {
//     for (const std::string& seed : target.seeds()) target.run(seed);
//   }
//
// A new target is one file in targets/ and one line in targets.inc. `script/fuzz` builds a libFuzzer
// program of each; fuzz_test.cpp replays the seeds and every input in regressions/TARGET.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foresight {

struct FuzzTarget {
  /// What the fuzzer takes the input for when it mutates it.
  enum class Input {
    kText,
    kJson,
    kContainer,  // a safetensors file; the target repairs its digest
  };

  std::string name;
  Input input;
  void (*run)(std::string_view input);
  std::vector<std::string> (*seeds)();  // small valid inputs to start from
};

/// Every target there is.
const std::vector<FuzzTarget>& fuzz_targets();

}  // namespace foresight
