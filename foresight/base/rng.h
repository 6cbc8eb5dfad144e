// Random numbers: one independent stream per (seed, purpose, index), so that results do not depend
// on the number of threads, on batch sizes, or on what else was drawn before.
//
//   Rng rng(seed, Stream::kInstance, i);
//   double x = rng.uniform();
//
// The generator is xoshiro256++ (Blackman and Vigna, 2019), its 256-bit state filled from the key
// by SplitMix64 (Steele, Lea and Flood, 2014).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace foresight {

/// What a stream is for. Values are part of the reproducibility promise: append, never renumber.
enum class Stream : std::uint64_t {
  kInstance = 1,    // the arrivals and weights of instance `index` of a source
  kFixedSet = 2,    // the set of fixed nodes that all instances of a source share
  kPolicy = 3,      // what a randomised policy draws in episode `index`
  kDecode = 4,      // ties and sampled actions in episode `index`
  kInitialise = 5,  // a model's first parameters
  kShuffle = 6,     // the order of the training data in pass `index`
  kAugment = 7,     // the order of the arrivals in training episode `index`
};

class Rng {
 public:
  Rng(std::uint64_t seed, Stream purpose, std::uint64_t index) {
    std::uint64_t key = mix(seed + kGamma);
    key = mix(key ^ mix(static_cast<std::uint64_t>(purpose) + 2 * kGamma));
    key = mix(key ^ mix(index + 3 * kGamma));
    for (auto& word : state_) word = mix(key += kGamma);
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Uniform in (0, 1].
  double uniform_positive() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

  /// Uniform in {0, ..., bound - 1}, without bias. Requires bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    // Lemire's method: reject the few values that would favour small results.
    __extension__ using Wide = unsigned __int128;
    Wide product = Wide{next()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = Wide{next()} * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Standard normal (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform_positive()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  /// `count` distinct numbers from {0, ..., bound - 1} in random order. Requires count <= bound.
  std::vector<std::int32_t> sample(std::int32_t bound, std::int32_t count) {
    std::vector<std::int32_t> pool(static_cast<std::size_t>(bound));
    for (std::int32_t i = 0; i < bound; ++i) pool[static_cast<std::size_t>(i)] = i;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      std::swap(pool[i], pool[i + below(static_cast<std::uint64_t>(pool.size() - i))]);
    }
    pool.resize(static_cast<std::size_t>(count));
    return pool;
  }

 private:
  static constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  std::uint64_t state_[4];
};

}  // namespace foresight
