#include "foresight/base/safetensors.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "tests/expect_error.h"
#include <gtest/gtest.h>
#include <unistd.h>

#include "foresight/base/error.h"

namespace foresight {
namespace {

namespace fs = std::filesystem;
using DigestCheck = SafeTensors::DigestCheck;
using Shape = std::vector<std::size_t>;

template <typename T>
std::vector<T> values(const SafeTensors& file, std::string_view name) {
  const auto array = file.array<T>(name);
  return {array.begin(), array.end()};
}

class SafeTensorsTest : public testing::Test {
 protected:
  SafeTensorsTest() {
    std::string name = fs::temp_directory_path() / "foresight-test-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ / "file.safetensors";
  }
  ~SafeTensorsTest() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void put(std::string_view bytes) const {
    fs::remove(path_);  // some file systems sync a file that is emptied and filled again: slow
    std::ofstream(path_, std::ios::binary) << bytes;
  }

  /// A file of any header and payload, with a length in front that fits.
  void put(std::string_view header, std::string_view payload) const {
    std::string bytes;
    for (std::size_t i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i));
    put(bytes.append(header).append(payload));
  }

  /// The message of the error that opening the file must give, without the path it must start with.
  std::string error(DigestCheck check = DigestCheck::kOptional,
                    ErrorCode code = ErrorCode::kData) const {
    try {
      SafeTensors::open(path_, check);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      EXPECT_TRUE(says(e.what(), path_.string()));
      return e.what();
    }
    return "no error";
  }

  /// A small file with several types, an empty array, a scalar and metadata.
  std::string write_sample() const {
    const std::vector<float> weights{1.5F, -2, 3, 4, 5, 6};
    const std::vector<std::int64_t> begin{0, 2, 1LL << 40};
    const std::vector<std::uint8_t> flags{7, 8, 9};
    const std::vector<double> none;
    const double scalar = 0.25;
    SafeTensorsWriter writer;
    writer.set_meta("problem", "edge-obm");
    writer.set_meta("note", "quote \" backslash \\ newline \n e-acute \xC3\xA9");
    writer.add<std::uint8_t>("flags", {3}, flags);
    writer.add<float>("weights", {2, 3}, weights);
    writer.add<std::int64_t>("begin", {3}, begin);
    writer.add<double>("none", {0, 4}, none);
    writer.add<double>("scalar", {}, {&scalar, 1});
    writer.write(path_);
    return read(path_);
  }

  fs::path folder_;
  fs::path path_;
};

TEST_F(SafeTensorsTest, GivesBackWhatWasWritten) {
  write_sample();
  const auto file = SafeTensors::open(path_);
  EXPECT_EQ(file->path(), path_);
  EXPECT_EQ(file->meta("problem"), "edge-obm");
  EXPECT_EQ(file->meta("note"), "quote \" backslash \\ newline \n e-acute \xC3\xA9");
  EXPECT_EQ(file->metadata().size(), 2U);
  EXPECT_EQ(file->digest().size(), 32U);
  EXPECT_EQ(file->tensors().size(), 5U);
  EXPECT_EQ(values<float>(*file, "weights"), (std::vector<float>{1.5F, -2, 3, 4, 5, 6}));
  EXPECT_EQ(file->shape("weights"), (Shape{2, 3}));
  EXPECT_EQ(values<std::int64_t>(*file, "begin"), (std::vector<std::int64_t>{0, 2, 1LL << 40}));
  EXPECT_EQ(values<std::uint8_t>(*file, "flags"), (std::vector<std::uint8_t>{7, 8, 9}));
  EXPECT_EQ(values<double>(*file, "none"), (std::vector<double>{}));
  EXPECT_EQ(file->shape("none"), (Shape{0, 4}));
  EXPECT_EQ(values<double>(*file, "scalar"), (std::vector<double>{0.25}));
  EXPECT_EQ(file->shape("scalar"), (Shape{}));
  EXPECT_TRUE(file->has("begin"));
  EXPECT_FALSE(file->has("end"));
}

template <typename T>
void round_trip(const fs::path& path, DType dtype) {
  const std::vector<T> values{std::numeric_limits<T>::lowest(), T{0},
                              std::numeric_limits<T>::max()};
  SafeTensorsWriter writer;
  writer.add<T>("values", {3}, values);
  writer.write(path);
  const auto file = SafeTensors::open(path);
  EXPECT_TRUE(std::ranges::equal(file->array<T>("values"), values));
  EXPECT_EQ(file->tensors().at("values").dtype, dtype);
}

TEST_F(SafeTensorsTest, EveryElementTypeSurvivesARoundTrip) {
  round_trip<double>(path_, DType::kF64);
  round_trip<std::int64_t>(path_, DType::kI64);
  round_trip<std::uint64_t>(path_, DType::kU64);
  round_trip<float>(path_, DType::kF32);
  round_trip<std::int32_t>(path_, DType::kI32);
  round_trip<std::uint32_t>(path_, DType::kU32);
  round_trip<std::int16_t>(path_, DType::kI16);
  round_trip<std::uint16_t>(path_, DType::kU16);
  round_trip<std::int8_t>(path_, DType::kI8);
  round_trip<std::uint8_t>(path_, DType::kU8);
}

TEST_F(SafeTensorsTest, AFileWithoutTensorsIsAFile) {
  SafeTensorsWriter().write(path_);
  EXPECT_TRUE(SafeTensors::open(path_)->tensors().empty());
}

TEST_F(SafeTensorsTest, TheBytesAreThoseTheFormatPromises) {
  const std::vector<std::uint8_t> bytes{'a', 'b', 'c'};
  const std::vector<std::int32_t> numbers{1, -2};
  const std::vector<double> reals{1};
  SafeTensorsWriter writer;
  writer.set_meta("k", "v");
  writer.add<std::uint8_t>("A", {3}, bytes);
  writer.add<std::int32_t>("y", {2, 1}, numbers);
  writer.add<std::int32_t>("x", {2}, numbers);
  writer.add<double>("z", {}, reals);
  writer.write(path_);
  const std::string header = R"({"__metadata__":{"digest":"DIGEST","k":"v"},)"
                             R"("z":{"dtype":"F64","shape":[],"data_offsets":[0,8]},)"
                             R"("x":{"dtype":"I32","shape":[2],"data_offsets":[8,16]},)"
                             R"("y":{"dtype":"I32","shape":[2,1],"data_offsets":[16,24]},)"
                             R"("A":{"dtype":"U8","shape":[3],"data_offsets":[24,27]}})";
  std::string with_digest = header;
  with_digest.replace(header.find("DIGEST"), 6, SafeTensors::open(path_)->digest());
  with_digest.resize((with_digest.size() + 7) / 8 * 8, ' ');
  const std::string written = read(path_);
  const std::string two_numbers("\1\0\0\0\xFE\xFF\xFF\xFF", 8);
  put(with_digest, std::string("\0\0\0\0\0\0\xF0\x3F", 8) + two_numbers + two_numbers + "abc");
  EXPECT_EQ(written, read(path_));
}

TEST_F(SafeTensorsTest, TheDigestIsXxh3OfTheFileWithZerosInItsPlace) {
  SafeTensorsWriter().write(path_);
  // xxh3_128_hexdigest(b"@\0\0\0\0\0\0\0" + b'{"__metadata__":{"digest":"' + b"0" * 32 + b'"}}  ')
  EXPECT_EQ(SafeTensors::open(path_)->digest(), "a54fe73608af0c2fda8a246d4ba4577d");
}

TEST_F(SafeTensorsTest, EqualContentGivesEqualBytesWhateverTheOrder) {
  const std::vector<float> a{1, 2};
  const std::vector<double> b{3};
  SafeTensorsWriter one;
  one.set_meta("x", "1");
  one.set_meta("y", "2");
  one.add<float>("a", {2}, a);
  one.add<double>("b", {1}, b);
  one.write(path_);
  const std::string first = read(path_);
  SafeTensorsWriter two;
  two.add<double>("b", {1}, b);
  two.add<float>("a", {2}, a);
  two.set_meta("y", "old");
  two.set_meta("y", "2");
  two.set_meta("x", "1");
  two.write(path_);
  EXPECT_EQ(read(path_), first);
}

TEST_F(SafeTensorsTest, EveryArrayIsAligned) {
  const std::vector<std::uint8_t> bytes(3);
  const std::vector<std::int16_t> shorts(3);
  const std::vector<float> floats(3);
  const std::vector<double> doubles(3);
  for (std::size_t length = 0; length < 9; ++length) {
    SafeTensorsWriter writer;
    writer.set_meta("pad", std::string(length, 'x'));
    writer.add<std::uint8_t>("1", {3}, bytes);
    writer.add<std::int16_t>("2", {3}, shorts);
    writer.add<float>("4", {3}, floats);
    writer.add<double>("8", {3}, doubles);
    writer.write(path_);
    const auto file = SafeTensors::open(path_);
    const auto address = [](const auto& span) {
      return reinterpret_cast<std::uintptr_t>(span.data());
    };
    EXPECT_EQ(address(file->array<std::int16_t>("2")) % 2, 0U);
    EXPECT_EQ(address(file->array<float>("4")) % 4, 0U);
    EXPECT_EQ(address(file->array<double>("8")) % 8, 0U);
  }
}

TEST_F(SafeTensorsTest, AFileInUseMayBeWrittenAgain) {
  write_sample();
  const auto file = SafeTensors::open(path_);
  SafeTensorsWriter().write(path_);
  EXPECT_EQ(values<std::uint8_t>(*file, "flags"), (std::vector<std::uint8_t>{7, 8, 9}));
}

TEST_F(SafeTensorsTest, AskingForWhatIsNotThereNamesTheFileAndTheThing) {
  write_sample();
  const auto file = SafeTensors::open(path_);
  const auto message = [&](auto ask) -> std::string {
    try {
      ask();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kData);
      return e.what();
    }
    return "no error";
  };
  const std::string start = path_.string() + ": ";
  EXPECT_EQ(message([&] { file->meta("seed"); }), start + R"(the metadata has no "seed")");
  EXPECT_EQ(message([&] { file->shape("bias"); }), start + R"(there is no tensor "bias")");
  EXPECT_EQ(message([&] { file->array<float>("bias"); }), start + R"(there is no tensor "bias")");
  EXPECT_EQ(message([&] { file->array<std::int32_t>("weights"); }),
            start + R"(tensor "weights" is of type F32, expected I32)");
}

TEST_F(SafeTensorsTest, TheWriterRefusesWhatCouldNotBeReadBack) {
  const std::vector<float> values(6);
  SafeTensorsWriter writer;
  const auto add = [&](std::string name, Shape shape) {
    try {
      writer.add<float>(std::move(name), std::move(shape), values);
    } catch (const Error& e) {
      return e.code() == ErrorCode::kUsage;
    }
    return false;
  };
  EXPECT_FALSE(add("fits", {3, 2}));
  EXPECT_TRUE(add("fits", {6}));          // the name is taken
  EXPECT_TRUE(add("__metadata__", {6}));  // and so is this
  EXPECT_TRUE(add("short", {5}));
  EXPECT_TRUE(add("overflow", {std::size_t{1} << 62, 4, 6}));
  EXPECT_TRUE(add("deep", {6, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_THROW(writer.set_meta("digest", "x"), Error);
}

TEST_F(SafeTensorsTest, MetadataThatIsNotUtf8IsWrittenWithReplacements) {
  SafeTensorsWriter writer;
  writer.set_meta("source", "csv(caf\xE9.csv)");
  writer.write(path_);
  EXPECT_EQ(SafeTensors::open(path_)->meta("source"), "csv(caf\uFFFD.csv)");
}

TEST_F(SafeTensorsTest, TheWriterRefusesNamesThatAreNotUtf8AndKeepsTheOldFile) {
  const std::string before = write_sample();
  SafeTensorsWriter writer;
  writer.set_meta("caf\xE9", "title");
  try {
    writer.write(path_);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    EXPECT_TRUE(says(e.what(), R"("caf\xe9" is not valid UTF-8)"));
  }
  EXPECT_EQ(read(path_), before);
}

TEST_F(SafeTensorsTest, AFileThatCannotBeReadIsAnIoError) {
  EXPECT_TRUE(says(error(DigestCheck::kRequired, ErrorCode::kIo), "No such file"));
  fs::create_directory(path_);
  EXPECT_TRUE(says(error(DigestCheck::kRequired, ErrorCode::kIo), "is a folder"));
}

TEST_F(SafeTensorsTest, EveryTruncationIsAnError) {
  const std::string bytes = write_sample();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    put(bytes.substr(0, length));
    EXPECT_NE(error(DigestCheck::kRequired), "no error") << length;
    EXPECT_NE(error(DigestCheck::kOptional), "no error") << length;
  }
  put(bytes + '\0');
  EXPECT_TRUE(says(error(), "leave a gap"));
}

TEST_F(SafeTensorsTest, EveryFlippedByteIsAnError) {
  const std::string bytes = write_sample();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int mask : {1, 2, 4, 8, 16, 32, 64, 128, 255, 0x29 /* space to tab */}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      put(damaged);
      EXPECT_NE(error(DigestCheck::kRequired), "no error") << "byte " << i << " mask " << mask;
    }
  }
}

TEST_F(SafeTensorsTest, DamageIsReportedWithBothDigests) {
  std::string bytes = write_sample();
  const std::string digest = SafeTensors::open(path_)->digest();
  bytes.back() ^= 1;
  put(bytes);
  EXPECT_TRUE(says(error(), "damaged"));
  EXPECT_TRUE(says(error(), "expected " + digest));
}

TEST_F(SafeTensorsTest, AForeignFileIsReadOnlyOnRequest) {
  put(R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "ab");
  EXPECT_TRUE(says(error(DigestCheck::kRequired), "no digest"));
  const auto file = SafeTensors::open(path_, DigestCheck::kOptional);
  EXPECT_EQ(values<std::uint8_t>(*file, "w"), (std::vector<std::uint8_t>{'a', 'b'}));
  EXPECT_EQ(file->digest(), "");
  put(R"({"__metadata__":{"digest":"abc"}})", "");
  EXPECT_TRUE(says(error(DigestCheck::kOptional), R"(the digest "abc" is not 32)"));
  put(R"({"__metadata__":{"digest":"\u00610000000000000000000000000000000"}})", "");
  EXPECT_TRUE(says(error(DigestCheck::kOptional), "is not 32"));
}

TEST_F(SafeTensorsTest, AHeaderLengthThatDoesNotFitIsAnError) {
  put("");
  EXPECT_TRUE(says(error(), "0 bytes are too few"));
  put("\1\0\0");
  EXPECT_TRUE(says(error(), "too few"));
  put(std::string(8, '\xFF') + "{}");
  EXPECT_TRUE(says(error(), "a header of 18446744073709551615 bytes"));
  put(std::string("\3\0\0\0\0\0\0\0{}", 10));
  EXPECT_TRUE(says(error(), "a header of 3 bytes"));
  put(std::string("\1\xE1\xF5\5\0\0\0\0{}", 10));  // 100,000,001 in a file that is large enough
  fs::resize_file(path_, 200'000'000);
  EXPECT_TRUE(says(error(), "the limit is 100000000"));
}

TEST_F(SafeTensorsTest, DeepNestingIsRejectedWhereItStarts) {
  const std::size_t depth = 1'000'000;
  put(R"({"w":)" + std::string(depth, '['), "");
  EXPECT_TRUE(says(error(), R"("w" is an array, expected an object)"));
  put(R"({"w":{"shape":)" + std::string(depth, '['), "");
  EXPECT_TRUE(says(error(), "an array in its shape"));
  std::string objects;
  for (std::size_t i = 0; i < depth; ++i) objects += R"({"a":)";
  put(objects, "");
  EXPECT_TRUE(says(error(), "an object as its"));
}

struct Hostile {
  std::string_view header;
  std::string_view complaint;
};

TEST_F(SafeTensorsTest, AHeaderThatBreaksARuleIsAnErrorThatSaysWhich) {
  const Hostile cases[] = {
      // Not JSON, or not an object.
      {"", "not a JSON object"},
      {"[]", "not a JSON object"},
      {"null", "not a JSON object"},
      {" {}", "not a JSON object"},
      {"\xEF\xBB\xBF{}", "not a JSON object"},
      {std::string_view("{}\0", 3), "not a JSON object"},
      {"{", "not valid JSON at its byte"},
      {"{} x", "not valid JSON at its byte 4"},
      {"{'w':1}", "not valid JSON"},
      {R"({"w":NaN})", "not valid JSON"},
      {R"({"w":1e999})", "not valid JSON"},
      {"{\"\xFF\":{}}", "not valid JSON"},
      {"{\"\xC0\x80\":{}}", "not valid JSON"},
      {R"({"\ud800":{}})", "not valid JSON"},
      {"{\"a\nb\":{}}", "not valid JSON"},
      // JSON of the wrong shape.
      {R"({"w":1})", R"("w" is a number, expected an object)"},
      {R"({"w":null})", R"("w" is null, expected an object)"},
      {R"({"w":"x"})", R"("w" is a string, expected an object)"},
      {R"({"__metadata__":[]})", R"("__metadata__" is an array, expected an object)"},
      {R"({"__metadata__":{"k":1}})", R"(metadata "k" is a number, expected a string)"},
      {R"({"__metadata__":{"k":true}})", R"(metadata "k" is a boolean, expected a string)"},
      {R"({"__metadata__":{"k":{}}})", R"(metadata "k" is an object, expected a string)"},
      {R"({"w":{}})", R"(tensor "w" lacks a dtype)"},
      {R"({"w":{"dtype":"U8","shape":[0]}})", R"(tensor "w" lacks)"},
      {R"({"w":{"dtype":"U8","data_offsets":[0,0]}})", R"(tensor "w" lacks)"},
      {R"({"w":{"shape":[0],"data_offsets":[0,0]}})", R"(tensor "w" lacks)"},
      {R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[0]}})", "two data_offsets"},
      {R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0,0]}})", "two data_offsets"},
      {R"({"w":{"dtype":8}})", R"(tensor "w" has a number as its "dtype")"},
      {R"({"w":{"shape":8}})", R"(tensor "w" has a number as its "shape")"},
      {R"({"w":{"shape":"8"}})", R"(tensor "w" has a string as its "shape")"},
      {R"({"w":{"color":"red"}})", R"(tensor "w" has a string as its "color")"},
      {R"({"w":{"color":[]}})", R"(tensor "w" has an array as its "color")"},
      // Twice the same.
      {R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"w":{}})", R"(names "w" twice)"},
      {R"({"__metadata__":{},"__metadata__":{}})", R"(names "__metadata__" twice)"},
      {R"({"__metadata__":{"k":"1","k":"1"}})", R"(the metadata names "k" twice)"},
      {R"({"w":{"dtype":"U8","dtype":"U8"}})", R"(tensor "w" names "dtype" twice)"},
      {R"({"w":{"shape":[],"shape":[]}})", R"(tensor "w" names "shape" twice)"},
      // Values.
      {R"({"w":{"dtype":"F16"}})", R"(tensor "w" has the unknown dtype "F16")"},
      {R"({"w":{"dtype":""}})", R"(the unknown dtype "")"},
      {R"({"w":{"shape":[-1]}})", "a negative number in its shape, expected integers >= 0"},
      {R"({"w":{"shape":[1.5]}})", "a fraction or a huge number in its shape"},
      {R"({"w":{"shape":[99999999999999999999]}})", "a fraction or a huge number in its shape"},
      {R"({"w":{"shape":["1"]}})", "a string in its shape"},
      {R"({"w":{"shape":[null]}})", "null in its shape"},
      {R"({"w":{"shape":[1,1,1,1,1,1,1,1,1]}})", "too many or too large numbers in its shape"},
      {R"({"w":{"data_offsets":[-8,0]}})", "a negative number in its data_offsets"},
  };
  for (const auto& [header, complaint] : cases) {
    put(header, "");
    EXPECT_TRUE(says(error(), complaint)) << header;
    EXPECT_TRUE(error().starts_with(path_.string() + ": ")) << header;
  }
}

TEST_F(SafeTensorsTest, ATableThatDoesNotTileThePayloadIsAnErrorThatSaysWhere) {
  const Hostile cases[] = {
      {R"({})", "leave a gap between bytes 0 and 8"},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "gap between bytes 4 and 8"},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})", "gap between bytes 0 and 4"},
      {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
       R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
       "gap between bytes 3 and 4"},
      {R"({"a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]},)"
       R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
       "overlap between bytes 4 and 5"},
      {R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},)"
       R"("b":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
       "overlap between bytes 0 and 8"},
      {R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},)"
       R"("b":{"dtype":"U8","shape":[0],"data_offsets":[4,4]}})",
       "overlap between bytes 4 and 8"},
      {R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})",
       "data_offsets [0, 9] in a payload of 8 bytes"},
      {R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[8,0]}})", "data_offsets [8, 0]"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[18446744073709551615,0]}})",
       "data_offsets [18446744073709551615, 0]"},
      {R"({"a":{"dtype":"U8","shape":[7],"data_offsets":[0,8]}})",
       R"(tensor "a" of type U8 and shape [7] does not match its 8 bytes)"},
      {R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,8]}})",
       "shape [2,2] does not match its 8"},
      {R"({"a":{"dtype":"F64","shape":[0],"data_offsets":[0,8]}})",
       "shape [0] does not match its 8"},
      // 2^63 * 2 + 8 would be 8 if it could overflow.
      {R"({"a":{"dtype":"U8","shape":[9223372036854775812,2],"data_offsets":[0,8]}})",
       "does not match its 8 bytes"},
      {R"({"a":{"dtype":"F64","shape":[2305843009213693953],"data_offsets":[0,8]}})",
       "does not match its 8 bytes"},
      {R"({"a":{"dtype":"U8","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}})",
       "does not match its 0 bytes"},
  };
  for (const auto& [header, complaint] : cases) {
    std::string padded(header);
    padded.resize((padded.size() + 7) / 8 * 8, ' ');
    put(padded, "12345678");
    EXPECT_TRUE(says(error(), complaint)) << header;
  }
}

TEST_F(SafeTensorsTest, AMisalignedArrayIsAnError) {
  std::string header = R"({"a":{"dtype":"U16","shape":[1],"data_offsets":[0,2]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  put(header, "ab");
  EXPECT_EQ(error(), "no error");
  put(header + ' ', "ab");
  EXPECT_TRUE(says(error(), R"(tensor "a" of type U16 is misaligned at byte )"));
  put(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
      R"("b":{"dtype":"U16","shape":[1],"data_offsets":[1,3]}}        )",
      "abc");
  EXPECT_TRUE(says(error(), "misaligned"));
}

TEST_F(SafeTensorsTest, ErrorsShowHostileNamesEscapedAndCut) {
  put(R"({"\u001b[31m)" + std::string(5000, 'x') + R"(":1})", "");
  const std::string message = error();
  EXPECT_TRUE(says(message, R"("\x1b[31mxxx)"));
  EXPECT_LT(message.size(), 500U);
}

}  // namespace
}  // namespace foresight
