#include "foresight/base/digest.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace foresight {
namespace {

// The expected digits were computed with Python's xxhash: each piece after its length as "<Q".
TEST(Digest, IsXxh3OfEachPieceAfterItsLength) {
  EXPECT_EQ(Digest().hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(Digest().add("ab").add("c").hex(), "f2eda2708bcfd51cc05c0ee4c9f60440");
  EXPECT_EQ(Digest().add(std::string(1000, 'x')).hex(), "9ded8b00f48e420af32d4d8b7c06495d");
  const std::vector<float> values{1, 2, 3};
  EXPECT_EQ(Digest().add(std::span<const float>(values)).hex(), "f77e3da82e09bdef657928120948e907");
}

TEST(Digest, WherePiecesEndMatters) {
  const std::string whole = Digest().add("abc").hex();
  EXPECT_NE(Digest().add("ab").add("c").hex(), Digest().add("a").add("bc").hex());
  EXPECT_NE(Digest().add("ab").add("c").hex(), whole);
  EXPECT_NE(Digest().add("abc").add("").hex(), whole);
  const std::vector<std::int32_t> numbers{1, 2, 3};
  const std::span<const std::int32_t> all(numbers);
  EXPECT_NE(Digest().add(all.first(1)).add(all.subspan(1)).hex(),
            Digest().add(all.first(2)).add(all.subspan(2)).hex());
}

TEST(Digest, MoreCanBeAddedAfterItWasRead) {
  Digest digest;
  digest.add("ab");
  EXPECT_EQ(digest.hex(), digest.hex());
  digest.add("c");
  EXPECT_EQ(digest.hex(), Digest().add("ab").add("c").hex());
  Digest moved = std::move(digest);
  EXPECT_EQ(moved.add("d").hex(), Digest().add("ab").add("c").add("d").hex());
}

TEST(Digest, PiecesPutTogetherHashLikeTheirBytes) {
  const std::string_view pieces[] = {"a", "", "bc"};
  EXPECT_EQ(Digest::xxh3_128(pieces), "06b05ab6733a618578af5f94892f3950");
}

}  // namespace
}  // namespace foresight
