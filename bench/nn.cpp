// Perceptrons on one core: how close the kernels come to the peak of the CPU, compared with the
// libraries that others use. Times are processor time, the best of many rounds, because the machine
// may have other work.
//
//   bench_nn
//
// Eigen and oneDNN are compared if they are installed. Eigen uses the instructions it is compiled
// for, so this one program is built for the machine it is built on.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "foresight/nn/adam.h"
#include "foresight/nn/mlp.h"
#include "foresight/nn/peak.h"

#if __has_include(<eigen3/Eigen/Dense>)
#include <eigen3/Eigen/Dense>
#define FORESIGHT_BENCH_EIGEN
#endif
#ifdef FORESIGHT_BENCH_ONEDNN
#include <dnnl.h>
#endif

namespace {

using namespace foresight;

constexpr std::size_t kStep = 200;  // rows per forward call: a batch of episodes
constexpr std::size_t kSteps = 30;  // forward calls per backward call
constexpr std::size_t kRows = kStep * kSteps;

/// The least processor time that one call took, in seconds.
double seconds(const std::function<void()>& work, int repeat = 1) {
  double best = std::numeric_limits<double>::infinity();
  const std::clock_t start = std::clock();
  for (int round = 0; round < 5 || std::clock() - start < CLOCKS_PER_SEC / 2; ++round) {
    const std::clock_t begin = std::clock();
    for (int i = 0; i < repeat; ++i) work();
    const auto spent = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    best = std::min(best, spent / repeat);
  }
  return best;
}

/// Kernels, and the peak GFLOP/s of their instruction set.
struct Target {
  const Kernels* kernels;
  double peak;
};

const std::vector<Target>& targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> measured;
    for (const Kernels* kernels : available_kernels()) {
      measured.push_back({kernels, peak_gflops(*kernels)});
    }
    return measured;
  }();
  return all;
}

// ---- The same perceptron on top of a library's matrix product ----

/// c = a b + beta c for row-major matrices. The letter T means that the operand is transposed.
struct Gemm {
  const char* name;
  void (*multiply)(char a_form, char b_form, std::ptrdiff_t rows, std::ptrdiff_t columns,
                   std::ptrdiff_t depth, const float* a, const float* b, float beta, float* c);
};

#ifdef FORESIGHT_BENCH_EIGEN
void eigen_multiply(char a_form, char b_form, std::ptrdiff_t rows, std::ptrdiff_t columns,
                    std::ptrdiff_t depth, const float* a, const float* b, float beta, float* c) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using In = Eigen::Map<const RowMajor>;
  Eigen::Map<RowMajor> to(c, rows, columns);
  if (beta == 0) to.setZero();
  if (a_form == 'T') {
    to.noalias() += In(a, depth, rows).transpose() * In(b, depth, columns);
  } else if (b_form == 'T') {
    to.noalias() += In(a, rows, depth) * In(b, columns, depth).transpose();
  } else {
    to.noalias() += In(a, rows, depth) * In(b, depth, columns);
  }
}
#endif

#ifdef FORESIGHT_BENCH_ONEDNN
void onednn_multiply(char a_form, char b_form, std::ptrdiff_t rows, std::ptrdiff_t columns,
                     std::ptrdiff_t depth, const float* a, const float* b, float beta, float* c) {
  dnnl_sgemm(a_form, b_form, rows, columns, depth, 1.0f, a, a_form == 'T' ? rows : depth, b,
             b_form == 'T' ? depth : columns, beta, c, columns);
}
#endif

std::vector<Gemm> libraries() {
  return {
#ifdef FORESIGHT_BENCH_EIGEN
      {"Eigen", eigen_multiply},
#endif
#ifdef FORESIGHT_BENCH_ONEDNN
      {"oneDNN", onednn_multiply},
#endif
  };
}

class LibraryMlp {
 public:
  LibraryMlp(const Gemm& gemm, const Mlp& mlp, const Parameters& parameters)
      : gemm_(gemm), mlp_(mlp), parameters_(parameters) {
    for (const std::size_t size : mlp.sizes()) {
      activations_.emplace_back(kRows * size, 0.5f);
      deltas_.emplace_back(kStep * size);
    }
    output_gradient_.assign(activations_.back().size(), 0.5f);
  }

  void forward(std::size_t first, std::size_t rows) {
    for (std::size_t i = 0; i < mlp_.num_layers(); ++i) {
      const std::size_t inputs = mlp_.sizes()[i], outputs = mlp_.sizes()[i + 1];
      float* to = activations_[i + 1].data() + first * outputs;
      multiply('N', 'T', rows, outputs, inputs, activations_[i].data() + first * inputs,
               parameters_[mlp_.weight_name(i)].data(), 0, to);
      const auto bias = parameters_[mlp_.bias_name(i)];
      const float least = i + 1 < mlp_.num_layers() ? 0 : -std::numeric_limits<float>::infinity();
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < outputs; ++k, ++to) *to = std::max(*to + bias[k], least);
      }
    }
  }

  void backward(Parameters& gradient) {
    for (std::size_t first = 0; first < kRows; first += kStep) {
      const float* delta = output_gradient_.data() + first * mlp_.sizes().back();
      for (std::size_t i = mlp_.num_layers(); i-- > 0;) {
        const std::size_t inputs = mlp_.sizes()[i], outputs = mlp_.sizes()[i + 1];
        const float* input = activations_[i].data() + first * inputs;
        multiply('T', 'N', outputs, inputs, kStep, delta, input, 1,
                 gradient[mlp_.weight_name(i)].data());
        const auto bias = gradient[mlp_.bias_name(i)];
        for (std::size_t k = 0; k < kStep * outputs; k += outputs) {
          for (std::size_t j = 0; j < outputs; ++j) bias[j] += delta[k + j];
        }
        if (i == 0) break;
        float* next = deltas_[i].data();
        multiply('N', 'N', kStep, inputs, outputs, delta, parameters_[mlp_.weight_name(i)].data(),
                 0, next);
        for (std::size_t k = 0; k < kStep * inputs; ++k) next[k] = input[k] > 0 ? next[k] : 0;
        delta = next;
      }
    }
  }

 private:
  void multiply(char a_form, char b_form, std::size_t rows, std::size_t columns, std::size_t depth,
                const float* a, const float* b, float beta, float* c) {
    gemm_.multiply(a_form, b_form, static_cast<std::ptrdiff_t>(rows),
                   static_cast<std::ptrdiff_t>(columns), static_cast<std::ptrdiff_t>(depth), a, b,
                   beta, c);
  }

  Gemm gemm_;
  const Mlp& mlp_;
  const Parameters& parameters_;
  std::vector<std::vector<float>> activations_, deltas_;
  std::vector<float> output_gradient_;
};

// ---- The measurements ----

/// A model with random weights.
struct Model {
  explicit Model(std::vector<std::size_t> sizes) : mlp("ff", std::move(sizes)) {
    mlp.declare(parameters);
    mlp.initialise(parameters, rng);
  }
  std::string shape() const {
    std::string text;
    for (const std::size_t size : mlp.sizes())
      text += fmt::format("{}{}", text.empty() ? "" : "-", size);
    return text;
  }

  Rng rng{1, Stream::kPolicy, 0};
  Mlp mlp;
  Parameters parameters;
};

/// Multiply-adds per row, counted as two operations each: forward, gradients of the weights, and
/// gradients of the inputs except in the first layer.
double training_flops(const Mlp& mlp) {
  double flops = 0;
  for (std::size_t i = 0; i < mlp.num_layers(); ++i) {
    flops += 2.0 * static_cast<double>(mlp.sizes()[i] * mlp.sizes()[i + 1]) * (i == 0 ? 2 : 3);
  }
  return flops;
}

void training(std::vector<std::size_t> sizes) {
  Model model(std::move(sizes));
  Adam adam(model.parameters);
  Parameters gradient = model.parameters.zeros();
  const auto optimise = [&] {
    clip_norm(gradient, 1);
    adam.step(model.parameters, gradient, 1e-9);
    gradient.set_zero();
  };
  fmt::print("\n{}: {} forward steps of {} rows, one backward pass, clipping, Adam\n",
             model.shape(), kSteps, kStep);
  double ours = 0;
  const auto print = [&](const char* name, double time, double peak) {
    const double rate = 1e-9 * training_flops(model.mlp) * kRows / time;
    fmt::print(
        "  {:9} {:6.3f} million rows/s {:6.1f} GFLOP/s {:3.0f} % of peak, ours is {:.2f} x\n", name,
        1e-6 * kRows / time, rate, 100 * rate / peak, time / ours);
  };
  for (const auto& [kernels, peak] : targets()) {
    PackedMlp packed(model.mlp, *kernels);
    MlpTape tape(packed);
    ours = seconds([&] {
      packed.load(model.parameters);
      tape.clear();
      for (std::size_t step = 0; step < kSteps; ++step) {
        const std::size_t first = tape.append(kStep);
        for (std::size_t row = first; row < tape.rows(); ++row) {
          std::ranges::fill(tape.input(row), 0.5f);
        }
        packed.forward(tape);
      }
      for (std::size_t row = 0; row < kRows; ++row) {
        std::ranges::fill(tape.output_gradient(row), 0.5f);
      }
      packed.backward(tape, gradient);
      optimise();
    });
    print(kernels->name, ours, peak);
  }
  for (const Gemm& gemm : libraries()) {
    LibraryMlp library(gemm, model.mlp, model.parameters);
    const double time = seconds([&] {
      for (std::size_t first = 0; first < kRows; first += kStep) library.forward(first, kStep);
      library.backward(gradient);
      optimise();
    });
    print(gemm.name, time, targets().back().peak);
  }
}

/// The three products of one layer. Ours run on a chunk of rows, as in PackedMlp. The libraries run
/// on more rows, which suits them better.
void layer(std::size_t inputs, std::size_t outputs) {
  constexpr std::size_t kChunk = 64;
  fmt::print("\nlayer {} -> {}, GFLOP/s (share of peak): forward, gradient of inputs, of weights\n",
             inputs, outputs);
  const auto print = [&](const char* name, std::size_t rows, std::array<double, 3> times,
                         double peak) {
    fmt::print("  {:9}", name);
    for (const double time : times) {
      const double rate = 2e-9 * static_cast<double>(rows * inputs * outputs) / time;
      fmt::print(" {:6.1f} ({:2.0f} %)", rate, 100 * rate / peak);
    }
    fmt::print("\n");
  };
  for (const auto& [kernels, peak] : targets()) {
    Matrix input(*kernels, kChunk, inputs), output(*kernels, kChunk, outputs), mask = input;
    Matrix weight(*kernels, outputs, inputs), transposed(*kernels, inputs, outputs);
    const Product forward = {.a = input.from(0),
                             .b = outputs == 1 ? weight.from(0) : transposed.from(0),
                             .c = output.from(0),
                             .rows = kChunk,
                             .columns = outputs,
                             .depth = inputs,
                             .bias = transposed.from(0).data,
                             .relu = true};
    const Product input_gradient = {.a = output.from(0),
                                    .b = weight.from(0),
                                    .c = input.from(0),
                                    .rows = kChunk,
                                    .columns = inputs,
                                    .depth = outputs,
                                    .mask = mask.from(0).data};
    const Product weight_gradient = {.a = output.from(0),
                                     .b = input.from(0),
                                     .c = weight.from(0),
                                     .rows = outputs,
                                     .columns = inputs,
                                     .depth = kChunk,
                                     .add = true};
    print(kernels->name, kChunk,
          {seconds([&] { (outputs == 1 ? kernels->dot : kernels->multiply)(forward); }, 100),
           seconds([&] { kernels->multiply(input_gradient); }, 100),
           seconds([&] { kernels->multiply_transposed(weight_gradient); }, 100)},
          peak);
  }
  const auto in = static_cast<std::ptrdiff_t>(inputs), out = static_cast<std::ptrdiff_t>(outputs);
  constexpr std::ptrdiff_t kMany = kStep;
  std::vector<float> x(kStep * inputs), y(kStep * outputs), w(inputs * outputs);
  for (const auto& [name, multiply] : libraries()) {
    print(
        name, kStep,
        {seconds([&] { multiply('N', 'T', kMany, out, in, x.data(), w.data(), 0, y.data()); }, 100),
         seconds([&] { multiply('N', 'N', kMany, in, out, y.data(), w.data(), 0, x.data()); }, 100),
         seconds([&] { multiply('T', 'N', out, in, kMany, y.data(), x.data(), 1, w.data()); },
                 100)},
        targets().back().peak);
  }
}

void decision(std::vector<std::size_t> sizes, std::size_t rows) {
  Model model(std::move(sizes));
  fmt::print("\n{}: one live decision, {} row{}, microseconds\n ", model.shape(), rows,
             rows == 1 ? "" : "s");
  for (const auto& [kernels, peak] : targets()) {
    PackedMlp packed(model.mlp, *kernels);
    packed.load(model.parameters);
    MlpTape tape(packed, MlpTape::Record::kNo);
    const double time = seconds(
        [&] {
          tape.clear();
          tape.append(rows);
          packed.forward(tape);
        },
        1000);
    fmt::print(" {} {:.2f}  ", kernels->name, 1e6 * time);
  }
  for (const Gemm& gemm : libraries()) {
    LibraryMlp library(gemm, model.mlp, model.parameters);
    fmt::print(" {} {:.2f}  ", gemm.name, 1e6 * seconds([&] { library.forward(0, rows); }, 1000));
  }
  fmt::print("\n");
}

}  // namespace

int main(int, char** argv) {
  // The library reads it when it is loaded, so it is set for a second start of this program.
  if (!std::getenv("OMP_NUM_THREADS")) {
    setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
  }
#ifdef FORESIGHT_BENCH_EIGEN
  fmt::print("Eigen {}.{}.{} with {}\n", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
             EIGEN_MINOR_VERSION, Eigen::SimdInstructionSetsInUse());
#else
  fmt::print("Eigen is not compared: its headers were not found\n");
#endif
#ifdef FORESIGHT_BENCH_ONEDNN
  const dnnl_version_t* version = dnnl_version();
  fmt::print("oneDNN {}.{}.{}\n", version->major, version->minor, version->patch);
#else
  fmt::print("oneDNN is not compared: the build did not find it\n");
#endif
  for (const auto& [kernels, peak] : targets()) {
    fmt::print("{}: peak of multiply-adds {:.1f} GFLOP/s\n", kernels->name, peak);
  }
  for (const std::size_t outputs : {100u, 11u, 1u}) layer(100, outputs);
  training({63, 100, 100, 100, 11});
  training({16, 100, 100, 1});
  training({513, 100, 100, 100, 101});
  training({125, 200, 200, 1});
  decision({63, 100, 100, 100, 11}, 1);
  decision({513, 100, 100, 100, 101}, 1);
  decision({16, 100, 100, 1}, 4);
  decision({16, 100, 100, 1}, 11);
}
