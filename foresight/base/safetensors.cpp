#include "foresight/base/safetensors.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "foresight/base/atomic_file.h"
#include "foresight/base/digest.h"
#include "foresight/base/error.h"
#include "foresight/base/json_field_internal.h"

namespace foresight {
namespace {

using Shape = std::vector<std::size_t>;
using Json = nlohmann::json;

constexpr std::size_t kMaxHeader = 100'000'000;
constexpr std::size_t kMaxRank = 8;
constexpr std::string_view kMetadata = "__metadata__";
constexpr std::string_view kNoDigest = "00000000000000000000000000000000";

struct DTypeInfo {
  std::string_view name;
  std::size_t size;
};
constexpr DTypeInfo kDTypes[] = {{"F64", 8}, {"I64", 8}, {"U64", 8}, {"F32", 4}, {"I32", 4},
                                 {"U32", 4}, {"I16", 2}, {"U16", 2}, {"I8", 1},  {"U8", 1}};

const DTypeInfo& info(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)];
}

template <typename... Args>
[[noreturn]] void reject(const std::filesystem::path& file, fmt::format_string<Args...> format,
                         Args&&... args) {
  fail(ErrorCode::kData, "{}: {}", file.string(), fmt::format(format, std::forward<Args>(args)...));
}

/// The bytes an array takes, or nothing if a size_t cannot count them.
std::optional<std::size_t> num_bytes(DType dtype, const Shape& shape) {
  std::size_t bytes = info(dtype).size;
  for (const std::size_t extent : shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::size_t>::max() / extent) return {};
    bytes *= extent;
  }
  return bytes;
}

std::string to_text(const Shape& shape) {
  std::string list;
  for (const std::size_t extent : shape) {
    list += fmt::format("{}{}", list.empty() ? "" : ",", extent);
  }
  return '[' + list + ']';
}

/// Reads the header event by event, without building a tree. So memory stays in proportion to the
/// header however deep it nests, and duplicate names are found, which a tree would drop.
class HeaderReader final : public nlohmann::json_sax<Json> {
 public:
  struct Entry {
    std::optional<DType> dtype;
    std::optional<Shape> shape;
    std::optional<Shape> offsets;
  };

  explicit HeaderReader(const std::filesystem::path& file) : file_(file) {}

  std::map<std::string, std::string, std::less<>> metadata;
  std::map<std::string, Entry> entries;

  bool start_object(std::size_t) override {
    if (place_ != Place::kStart && place_ != Place::kHeader) unexpected("an object");
    place_ = place_ == Place::kStart ? Place::kHeader
             : name_ == kMetadata    ? Place::kMeta
                                     : Place::kTensor;
    return true;
  }

  bool key(std::string& key) override {
    if (place_ == Place::kHeader) {
      name_ = key;
      const bool is_new =
          key == kMetadata ? !std::exchange(has_metadata_, true) : entries.try_emplace(key).second;
      if (!is_new) reject(file_, "the header names {} twice", excerpt(key));
    } else {
      field_ = key;
    }
    return true;
  }

  bool string(std::string& value) override {
    if (place_ == Place::kMeta) {
      if (metadata.emplace(field_, std::move(value)).second) return true;
      reject(file_, "the metadata names {} twice", excerpt(field_));
    }
    if (place_ != Place::kTensor || field_ != "dtype") unexpected("a string");
    const auto* found = std::ranges::find(kDTypes, value, &DTypeInfo::name);
    if (found == std::end(kDTypes)) {
      reject(file_, "tensor {} has the unknown dtype {}", excerpt(name_), excerpt(value));
    }
    set(entries[name_].dtype, static_cast<DType>(found - std::begin(kDTypes)));
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::kTensor || (field_ != "shape" && field_ != "data_offsets")) {
      unexpected("an array");
    }
    place_ = Place::kNumbers;
    return true;
  }

  bool number_unsigned(std::uint64_t value) override {
    if (place_ != Place::kNumbers) unexpected("a number");
    if (numbers_.size() == kMaxRank || value > std::numeric_limits<std::size_t>::max()) {
      reject(file_, "tensor {} has too many or too large numbers in its {}", excerpt(name_),
             field_);
    }
    numbers_.push_back(static_cast<std::size_t>(value));
    return true;
  }

  bool end_array() override {
    Entry& entry = entries[name_];
    set(field_ == "shape" ? entry.shape : entry.offsets, std::exchange(numbers_, {}));
    place_ = Place::kTensor;
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor) {
      const Entry& entry = entries[name_];
      if (!entry.dtype || !entry.shape || !entry.offsets || entry.offsets->size() != 2) {
        reject(file_, "tensor {} lacks a dtype, a shape or two data_offsets", excerpt(name_));
      }
    }
    place_ = Place::kHeader;
    return true;
  }

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a boolean"); }
  bool number_integer(std::int64_t) override { unexpected("a negative number"); }
  bool number_float(double, const std::string&) override {
    unexpected("a fraction or a huge number");
  }
  bool binary(Json::binary_t&) override { unexpected("binary data"); }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception&) override {
    reject(file_, "the header is not valid JSON at its byte {}, near {}", position, excerpt(token));
  }

 private:
  enum class Place { kStart, kHeader, kMeta, kTensor, kNumbers };

  template <typename T>
  void set(std::optional<T>& field, T value) {
    if (field) reject(file_, "tensor {} names {} twice", excerpt(name_), excerpt(field_));
    field = std::move(value);
  }

  [[noreturn]] void unexpected(std::string_view found) const {
    switch (place_) {
      case Place::kStart:
        reject(file_, "the header is {}, expected an object", found);
      case Place::kHeader:
        reject(file_, "{} is {}, expected an object", excerpt(name_), found);
      case Place::kMeta:
        reject(file_, "metadata {} is {}, expected a string", excerpt(field_), found);
      case Place::kTensor:
        reject(file_,
               "tensor {} has {} as its {}, expected only a string dtype and the arrays "
               "shape and data_offsets",
               excerpt(name_), found, excerpt(field_));
      case Place::kNumbers:
        break;
    }
    reject(file_, "tensor {} has {} in its {}, expected integers >= 0", excerpt(name_), found,
           field_);
  }

  const std::filesystem::path& file_;
  Place place_ = Place::kStart;
  std::string name_;   // the current key of the header
  std::string field_;  // and the one within it
  Shape numbers_;
  bool has_metadata_ = false;
};

/// The header's text, from the length before it.
std::string_view header_of(const MappedFile& file) {
  const std::string_view text = file.text();
  if (text.size() < 8) reject(file.path(), "{} bytes are too few for a header", text.size());
  std::uint64_t length = 0;
  std::copy_n(text.data(), sizeof length, reinterpret_cast<char*>(&length));
  if (length > std::min(kMaxHeader, text.size() - 8)) {
    reject(file.path(),
           "this is not a dataset, a model or another file of Foresight: it starts with {}, which "
           "asks for a header of {} bytes, but the file has {}, and the limit is {}",
           excerpt(text.substr(0, 8)), length, text.size(), kMaxHeader);
  }
  const std::string_view header = text.substr(8, static_cast<std::size_t>(length));
  // The JSON parser would skip a byte order mark and stop at a zero byte.
  if (!header.starts_with('{') || header.find('\0') != header.npos) {
    reject(file.path(), "the header is not a JSON object: {}", excerpt(header));
  }
  return header;
}

/// Checks that the entries tile the payload, and turns them into views of it. `origin` is the
/// payload's position in the file.
std::map<std::string, Tensor, std::less<>> lay_out(
    const std::filesystem::path& file, const std::map<std::string, HeaderReader::Entry>& entries,
    std::string_view payload, std::size_t origin) {
  std::map<std::string, Tensor, std::less<>> tensors;
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (const auto& [name, entry] : entries) {
    const std::size_t begin = (*entry.offsets)[0];
    const std::size_t end = (*entry.offsets)[1];
    const auto& [type, size] = info(*entry.dtype);
    if (begin > end || end > payload.size()) {
      reject(file, "tensor {} has the data_offsets [{}, {}] in a payload of {} bytes",
             excerpt(name), begin, end, payload.size());
    }
    if (num_bytes(*entry.dtype, *entry.shape) != end - begin) {
      reject(file, "tensor {} of type {} and shape {} does not match its {} bytes", excerpt(name),
             type, to_text(*entry.shape), end - begin);
    }
    if ((origin + begin) % size != 0) {
      reject(file, "tensor {} of type {} is misaligned at byte {} of the file", excerpt(name), type,
             origin + begin);
    }
    ranges.emplace_back(begin, end);
    tensors.emplace(name, Tensor{*entry.dtype, *entry.shape, payload.substr(begin, end - begin)});
  }
  std::ranges::sort(ranges);
  std::size_t position = 0;
  ranges.emplace_back(payload.size(), payload.size());
  for (const auto& [begin, end] : ranges) {
    if (begin != position) {
      reject(file, "the tensors {} between bytes {} and {} of the payload",
             begin > position ? "leave a gap" : "overlap", std::min(begin, position),
             std::max(begin, position));
    }
    position = end;
  }
  return tensors;
}

/// A name as a JSON string. Unlike a value, it must come back unchanged.
std::string json_name(const std::string& text) {
  try {
    return Json(text).dump();
  } catch (const Json::exception&) {
    fail(ErrorCode::kUsage, "{} is not valid UTF-8, so it cannot be written", excerpt(text));
  }
}

}  // namespace

std::shared_ptr<const SafeTensors> SafeTensors::open(const std::filesystem::path& path,
                                                     DigestCheck check) {
  return std::shared_ptr<const SafeTensors>(new SafeTensors(path, check));
}

SafeTensors::SafeTensors(const std::filesystem::path& path, DigestCheck check) : file_(path) {
  const std::string_view header = header_of(file_);
  HeaderReader reader(path);
  Json::sax_parse(header.begin(), header.end(), &reader);
  const std::size_t origin = 8 + header.size();
  tensors_ = lay_out(path, reader.entries, file_.text().substr(origin), origin);
  metadata_ = std::move(reader.metadata);

  if (auto entry = metadata_.extract("digest")) {
    digest_ = std::move(entry.mapped());
    verify_digest(header);
  } else if (check == DigestCheck::kRequired) {
    reject(path,
           "the metadata has no digest, so the file is damaged or was written by another program");
  }
}

void SafeTensors::verify_digest(std::string_view header) const {
  const std::size_t position = header.find(digest_);
  if (digest_.size() != kNoDigest.size() || position == header.npos) {
    reject(path(), "the digest {} is not 32 hexadecimal digits", excerpt(digest_));
  }
  const std::string_view text = file_.text();
  const std::string_view pieces[] = {text.substr(0, 8 + position), kNoDigest,
                                     text.substr(8 + position + kNoDigest.size())};
  if (const auto actual = Digest::xxh3_128(pieces); actual != digest_) {
    reject(path(), "the file is damaged: its digest is {}, expected {}", actual, digest_);
  }
}

const std::string& SafeTensors::meta(std::string_view key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) reject(path(), "the metadata has no {}", excerpt(key));
  return found->second;
}

const Tensor& SafeTensors::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) reject(path(), "there is no tensor {}", excerpt(name));
  return found->second;
}

const Tensor& SafeTensors::find(std::string_view name, DType expected) const {
  const Tensor& tensor = find(name);
  if (tensor.dtype != expected) {
    reject(path(), "tensor {} is of type {}, expected {}", excerpt(name), info(tensor.dtype).name,
           info(expected).name);
  }
  return tensor;
}

void SafeTensorsWriter::set_meta(std::string key, std::string value) {
  if (key == "digest") {
    fail(ErrorCode::kUsage, "the metadata \"digest\" cannot be set: the writer computes it");
  }
  metadata_.insert_or_assign(std::move(key), std::move(value));
}

void SafeTensorsWriter::add(std::string name, Tensor tensor) {
  if (tensor.shape.size() > kMaxRank ||
      num_bytes(tensor.dtype, tensor.shape) != tensor.bytes.size()) {
    fail(ErrorCode::kUsage, "tensor {} of type {} and shape {} does not match its {} bytes",
         excerpt(name), info(tensor.dtype).name, to_text(tensor.shape), tensor.bytes.size());
  }
  if (name == kMetadata || tensors_.contains(name)) {
    fail(ErrorCode::kUsage, "the tensor name {} is already taken", excerpt(name));
  }
  tensors_.emplace(std::move(name), std::move(tensor));
}

void SafeTensorsWriter::write(const std::filesystem::path& path) const {
  std::vector<const std::pair<const std::string, Tensor>*> order;
  for (const auto& tensor : tensors_) order.push_back(&tensor);
  std::ranges::stable_sort(order, std::greater<>{},
                           [](const auto* tensor) { return info(tensor->second.dtype).size; });

  std::string head(8, '\0');  // the header's length goes here
  head += R"({"__metadata__":{"digest":")";
  const std::size_t digest_position = head.size();
  fmt::format_to(std::back_inserter(head), "{}\"", kNoDigest);
  for (const auto& [key, value] : metadata_) {
    fmt::format_to(std::back_inserter(head), ",{}:{}", json_name(key), json_text(Json(value)));
  }
  head += '}';
  std::size_t begin = 0;
  for (const auto* entry : order) {
    const auto& [name, tensor] = *entry;
    fmt::format_to(std::back_inserter(head),
                   R"(,{}:{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", json_name(name),
                   info(tensor.dtype).name, to_text(tensor.shape), begin,
                   begin + tensor.bytes.size());
    begin += tensor.bytes.size();
  }
  head += '}';
  head.resize((head.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = head.size() - 8;
  if (length > kMaxHeader) {
    fail(ErrorCode::kUsage, "a header of {} bytes is too long; the limit is {}", length,
         kMaxHeader);
  }
  std::copy_n(reinterpret_cast<const char*>(&length), sizeof length, head.data());

  std::vector<std::string_view> pieces{head};
  for (const auto* entry : order) pieces.push_back(entry->second.bytes);
  const std::string digest = Digest::xxh3_128(pieces);
  head.replace(digest_position, digest.size(), digest);  // in place: `pieces` still views it

  AtomicFile file(path);
  for (const auto piece : pieces) file.write(piece);
  file.commit();
}

}  // namespace foresight
