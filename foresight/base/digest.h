// A fingerprint of data: equal pieces give equal digits, on every machine and in every run.
//
//   const std::string key = Digest().add(spec).add(std::span<const float>(weights)).hex();
//
// XXH3-128 tells whether content has changed; it does not protect against forgery. Each piece is
// hashed with its length in front, so ("ab", "c") and ("a", "bc") differ.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace foresight {

class Digest {
 public:
  Digest();
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;

  Digest& add(std::string_view bytes);

  /// The bytes of an array. T must have no padding, whose bytes are arbitrary.
  template <typename T>
  Digest& add(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    return add({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }

  /// 32 lower-case hexadecimal digits of all pieces so far; more can be added after it.
  std::string hex() const;

  /// The pieces put together, without lengths: what `xxh128sum` prints for a file of them.
  static std::string xxh3_128(std::span<const std::string_view> pieces);

 private:
  struct State;  // the hash library's header stays out of here
  std::unique_ptr<State> state_;
};

}  // namespace foresight
