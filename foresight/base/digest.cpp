#include "foresight/base/digest.h"

#define XXH_INLINE_ALL  // only this file uses it, so nothing has to be linked
#include <bit>
#include <cstdint>

#include <fmt/format.h>
#include <xxhash.h>

namespace foresight {

static_assert(std::endian::native == std::endian::little, "lengths and arrays are hashed in place");

struct Digest::State {
  State() {
    XXH3_INITSTATE(&hash);
    XXH3_128bits_reset(&hash);
  }
  void update(std::string_view bytes) {
    if (!bytes.empty()) XXH3_128bits_update(&hash, bytes.data(), bytes.size());
  }
  std::string hex() const {
    const XXH128_hash_t value = XXH3_128bits_digest(&hash);
    return fmt::format("{:016x}{:016x}", value.high64, value.low64);
  }

  XXH3_state_t hash;
};

Digest::Digest() : state_(std::make_unique<State>()) {}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

Digest& Digest::add(std::string_view bytes) {
  const std::uint64_t length = bytes.size();
  state_->update({reinterpret_cast<const char*>(&length), sizeof length});
  state_->update(bytes);
  return *this;
}

std::string Digest::hex() const {
  return state_->hex();
}

std::string Digest::xxh3_128(std::span<const std::string_view> pieces) {
  State state;
  for (const auto piece : pieces) state.update(piece);
  return state.hex();
}

}  // namespace foresight
