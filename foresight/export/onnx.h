// A trained model as an ONNX file, which ONNX Runtime and many other programs run.
//
//   const TrainedModel trained = load_model("run");
//   write_file_atomically("policy.onnx", to_onnx(trained));
//
// docs/export.md says what goes in and what comes out, model by model.
#pragma once

#include <string>

#include "foresight/model/checkpoint.h"

namespace foresight {

/// The operators are those of version 13 (2020), which every program of today knows.
inline constexpr int kOnnxOperators = 13;

/// The bytes of the file. Throws Error(kUsage) for a model beyond the 2 GiB that it can hold.
std::string to_onnx(const TrainedModel& trained);

}  // namespace foresight
