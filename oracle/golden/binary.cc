// Golden vectors as columns that can be mapped into memory (docs/golden.md, "Binary").
//
//   0   8 bytes   89 'A' 'G' 'V' 0d 0a 1a 0a
//   8   4 bytes   version, 1
//   12  4 bytes   bytes of the JSON that follows, padded with blanks to a multiple of 64 with these
//   16  JSON      the head, with "columns": name, type, offset in the file, bytes
//   ... columns   each at a multiple of 64, little-endian, one element a vector
//   end 32 bytes  SHA-256 of all bytes before
#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "numerics/evaluate.h"
#include "numerics/literal.h"
#include "oracle/golden/encoding.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::ScalarType;
using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little);

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPrologue = 16;

struct ColumnBytes {
  std::string name, type;
  std::string bytes;
};

std::uint64_t Aligned(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

template <typename T>
void Put(std::string* out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out->append(bytes, sizeof value);
}

void PutScalar(std::string* out, ScalarType type, Bits bits) {
  char bytes[8] = {};
  numerics::StoreElement(type, bytes, 0, bits);
  out->append(bytes, numerics::SizeOf(type));
}

// One column of scalars, an element a vector.
template <typename Element>
ColumnBytes ScalarColumn(const GoldenFile& file, std::string name, ScalarType type,
                         const Element& element) {
  ColumnBytes column{std::move(name), std::string(numerics::ScalarTypeName(type)), {}};
  for (const GoldenVector& vector : file.vectors) PutScalar(&column.bytes, type, element(vector));
  return column;
}

template <typename T, typename Element>
ColumnBytes Column(const GoldenFile& file, std::string name, std::string type,
                   const Element& element) {
  ColumnBytes column{std::move(name), std::move(type), {}};
  for (const GoldenVector& vector : file.vectors) Put<T>(&column.bytes, element(vector));
  return column;
}

void AddResultColumns(const GoldenFile& file, std::size_t r, ScalarType type,
                      std::vector<ColumnBytes>* columns) {
  const std::string prefix = fmt::format("result{}.", r);
  const auto result = [r](const GoldenVector& v) -> const GoldenResult& { return v.results[r]; };
  columns->push_back(ScalarColumn(file, prefix + "expected", type,
                                  [&](const GoldenVector& v) { return result(v).expected; }));
  columns->push_back(Column<std::uint8_t>(file, prefix + "kind", "uchar", [&](const auto& v) {
    return static_cast<std::uint8_t>(result(v).kind);
  }));
  columns->push_back(Column<double>(file, prefix + "hardness", "double",
                                    [&](const auto& v) { return result(v).hardness; }));
  for (GoldenProfile profile : kGoldenProfiles) {
    const auto accepted = [&](const GoldenVector& v) -> const Accepted& {
      return result(v).accepted[static_cast<std::size_t>(profile)];
    };
    const std::string name = fmt::format("{}{}.", prefix, GoldenProfileName(profile));
    columns->push_back(Column<std::uint8_t>(file, name + "kind", "uchar", [&](const auto& v) {
      return static_cast<std::uint8_t>(accepted(v).kind);
    }));
    columns->push_back(ScalarColumn(file, name + "low", type,
                                    [&](const GoldenVector& v) { return accepted(v).low; }));
    columns->push_back(ScalarColumn(file, name + "high", type,
                                    [&](const GoldenVector& v) { return accepted(v).high; }));
  }
  // The decimals one after the other, and where each begins; one more offset than vectors.
  ColumnBytes offsets{prefix + "exact.offset", "ulong", {}};
  ColumnBytes text{prefix + "exact.text", "text", {}};
  for (const GoldenVector& vector : file.vectors) {
    Put<std::uint64_t>(&offsets.bytes, text.bytes.size());
    text.bytes += result(vector).exact;
  }
  Put<std::uint64_t>(&offsets.bytes, text.bytes.size());
  columns->push_back(std::move(offsets));
  columns->push_back(std::move(text));
}

std::vector<std::string> ReasonsOf(const GoldenFile& file) {
  std::vector<std::string> reasons;
  for (const GoldenVector& vector : file.vectors) {
    if (std::ranges::find(reasons, vector.reason) == reasons.end()) {
      reasons.push_back(vector.reason);
    }
  }
  return reasons;
}

std::vector<ColumnBytes> ColumnsOf(const GoldenFile& file,
                                   const std::vector<std::string>& reasons) {
  std::vector<ColumnBytes> columns;
  const std::vector<ScalarType> arguments = file.head.operation.ArgumentTypes();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    columns.push_back(ScalarColumn(file, fmt::format("arg{}", i), arguments[i],
                                   [i](const GoldenVector& v) { return v.args[i]; }));
  }
  columns.push_back(Column<std::uint8_t>(file, "reason", "uchar", [&](const GoldenVector& v) {
    return static_cast<std::uint8_t>(std::ranges::find(reasons, v.reason) - reasons.begin());
  }));
  const std::vector<ScalarType> results = file.head.operation.ResultTypes();
  for (std::size_t r = 0; r < results.size(); ++r) AddResultColumns(file, r, results[r], &columns);
  return columns;
}

// The head with the columns at these offsets, padded.
std::string HeadText(const GoldenFile& file, const std::vector<std::string>& reasons,
                     const std::vector<ColumnBytes>& columns, std::uint64_t first) {
  Json json = HeadToJson(file.head, file.vectors.size());
  json["reasons"] = reasons;
  json["columns"] = Json::array();
  std::uint64_t offset = first;
  for (const ColumnBytes& column : columns) {
    json["columns"].push_back({{"name", column.name},
                               {"type", column.type},
                               {"offset", offset},
                               {"bytes", column.bytes.size()}});
    offset = Aligned(offset + column.bytes.size());
  }
  std::string text = base::JsonText(json);
  text.append(Aligned(kPrologue + text.size()) - kPrologue - text.size(), ' ');
  return text;
}

Expected<std::string_view> FindColumn(std::string_view content, const Json& head,
                                      const std::string& name, std::size_t element,
                                      std::size_t count) {
  for (const Json& column : head.at("columns")) {
    if (column.at("name") != name) continue;
    const std::uint64_t offset = column.at("offset"), bytes = column.at("bytes");
    if (offset > content.size() || bytes > content.size() - offset || bytes / element != count ||
        bytes % element != 0) {
      return Fail(ErrorKind::kUsage, fmt::format("column '{}' does not lie in the file with {} "
                                                 "elements",
                                                 name, count));
    }
    return content.substr(offset, bytes);
  }
  return Fail(ErrorKind::kUsage, fmt::format("there is no column '{}'", name));
}

Expected<GoldenFile> ReadColumns(std::string_view content, const Json& json) {
  Expected<GoldenHead> head = HeadFromJson(json);
  if (!head) return tl::unexpected<Error>(head.error());
  GoldenFile file{.head = *head, .vectors = {}};
  if (!json.at("count").is_number_unsigned()) return Fail(ErrorKind::kUsage, "'count' is no count");
  const std::uint64_t count = json.at("count");
  const auto reasons = json.at("reasons").get<std::vector<std::string>>();
  const auto reason = FindColumn(content, json, "reason", 1, count);
  if (!reason) return tl::unexpected<Error>(reason.error());
  file.vectors.resize(count);
  for (std::size_t v = 0; v < count; ++v) {
    const auto place = static_cast<unsigned char>((*reason)[v]);
    if (place >= reasons.size()) {
      return Fail(ErrorKind::kUsage, fmt::format("vector {}: there is no reason {}", v, place));
    }
    file.vectors[v].reason = reasons[place];
  }
  const std::vector<ScalarType> arguments = head->operation.ArgumentTypes();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto column =
        FindColumn(content, json, fmt::format("arg{}", i), numerics::SizeOf(arguments[i]), count);
    if (!column) return tl::unexpected<Error>(column.error());
    for (std::size_t v = 0; v < count; ++v) {
      file.vectors[v].args.push_back(numerics::LoadElement(arguments[i], column->data(), v));
    }
  }
  return file;
}

}  // namespace

void AppendBinary(const GoldenFile& file, std::string* out) {
  const std::vector<std::string> reasons = ReasonsOf(file);
  const std::vector<ColumnBytes> columns = ColumnsOf(file, reasons);
  // The head has the offsets, which begin behind it: larger ones can only make it longer.
  std::string head;
  for (std::uint64_t first = 0; kPrologue + head.size() != first || head.empty();) {
    first = kPrologue + head.size();
    head = HeadText(file, reasons, columns, first);
  }
  out->append(kBinaryMagic);
  Put<std::uint32_t>(out, kVersion);
  Put<std::uint32_t>(out, static_cast<std::uint32_t>(head.size()));
  out->append(head);
  for (const ColumnBytes& column : columns) {
    out->append(column.bytes);
    out->append(Aligned(out->size()) - out->size(), '\0');
  }
}

Expected<GoldenFile> ReadBinary(std::string_view content) {
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, content.data() + at, sizeof value);
    return value;
  };
  if (content.size() < kPrologue) return Fail(ErrorKind::kUsage, "it is cut short");
  if (word(8) != kVersion) {
    return Fail(ErrorKind::kUsage, fmt::format("version {} of the binary encoding; this assay "
                                               "reads version {}",
                                               word(8), kVersion));
  }
  if (word(12) > content.size() - kPrologue) {
    return Fail(ErrorKind::kUsage, "the head is longer than the file");
  }
  const Json json = base::ParseJson(content.substr(kPrologue, word(12)));
  if (json.is_discarded() || !json.is_object()) {
    return Fail(ErrorKind::kUsage, "the head is not JSON");
  }
  try {
    return ReadColumns(content, json);
  } catch (const nlohmann::json::exception& error) {
    return Fail(ErrorKind::kUsage, fmt::format("the head: {}", error.what()));
  }
}

}  // namespace assay::oracle
