// A trained model as an ONNX file, which ONNX Runtime and many other programs run.
//
//   const TrainedModel trained = load_model("run");
//   write_file_atomically("policy.onnx", to_onnx(trained));
//
// docs/export.md describes the inputs and outputs, model by model.
#pragma once

#include <string>

#include "foresight/model/checkpoint.h"

namespace foresight {

/// The version of the operators: 13 (2020), which every current program knows.
inline constexpr int kOnnxOperators = 13;

/// The bytes of the file. Throws Error(kUsage) if the model exceeds the 2 GiB that a file can hold.
std::string to_onnx(const TrainedModel& trained);

}  // namespace foresight
