#include <fmt/ranges.h>

#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/base/mapped_file.h"
#include "foresight/cli/command.h"
#include "foresight/export/onnx.h"
#include "foresight/export/samples.h"
#include "foresight/nn/network.h"

namespace foresight {
namespace {

struct ExportArguments {
  std::string model, output, samples, data;
  std::uint64_t decisions = 100;

  void read(OptionReader& o) {
    o.count("decisions", decisions, 1, 100'000, "how many decisions to write");
  }
};

std::string shape_text(const std::vector<Network::Axis>& shape) {
  std::vector<std::string> sizes;
  for (const Network::Axis& axis : shape) {
    sizes.push_back(axis.name.empty() ? fmt::to_string(axis.size) : axis.name);
  }
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

void run(const ExportArguments& arguments) {
  check_output(arguments.output);
  if (!arguments.samples.empty()) check_output(arguments.samples);
  if (!arguments.data.empty()) note_read(arguments.data);
  const TrainedModel trained = load_model(arguments.model);
  check_overwriting({arguments.output, arguments.samples});
  const std::string onnx = to_onnx(trained);
  if (!arguments.samples.empty()) {
    const BoundDataset data = bind_data(Dataset::load(arguments.data));
    const std::size_t count = write_samples(arguments.samples, trained, data, arguments.decisions);
    fmt::print("wrote {} ({} decisions of {})\n", arguments.samples, count, trained.info.spec);
  }
  write_file_atomically(arguments.output, onnx);
  fmt::print("wrote {} ({}): {} for {}\n", arguments.output, human_bytes(onnx.size()),
             trained.info.spec, trained.info.context.schema.problem);
  const Network network = trained.model->network();
  for (const Network::Input& input : network.inputs()) {
    fmt::print("  in   {:<10} {:<30} {}\n", input.name, shape_text(input.shape), input.meaning);
  }
  fmt::print("  out  {:<10} {}\n", network.output().name, shape_text(network.output().shape));
}

}  // namespace

void add_export_command(CommandParser& parser) {
  auto arguments = std::make_shared<ExportArguments>();
  Command command =
      parser.add_command("export", "Write a trained model as ONNX for other programs");
  command.option("model", arguments->model, "A run folder or a checkpoint").required();
  command.option("-o,--output", arguments->output, "The ONNX file to write").required();
  const Argument samples =
      command.option("--samples", arguments->samples,
                     "Also write the inputs and our scores of real decisions, to check the export");
  const Argument data =
      command.option("--data", arguments->data, "The dataset to take decisions from");
  samples.needs(data);
  data.needs(samples);
  command.options(*arguments).at("decisions").needs(samples);
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
