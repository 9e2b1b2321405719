// Golden vectors as files, in five encodings (docs/golden.md).
//
// Each file has a head (its content and how it was made) and a SHA-256: over all bytes before the
// last line of a text, over all bytes before the last 32 of the binary encoding.  Equal vectors
// give equal bytes on every machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/golden/golden.h"

namespace assay::oracle {

inline constexpr std::string_view kGoldenSchema = "assay-golden/1";

enum class GoldenEncoding : std::uint8_t { kJson, kBinary, kCsv, kTestFloat, kHeader };
inline constexpr GoldenEncoding kGoldenEncodings[] = {
    GoldenEncoding::kJson, GoldenEncoding::kBinary, GoldenEncoding::kCsv,
    GoldenEncoding::kTestFloat, GoldenEncoding::kHeader};
std::string_view EncodingName(GoldenEncoding encoding);  // "json", "binary", "csv", ...
std::optional<GoldenEncoding> EncodingFromName(std::string_view name);

// "sin.float.rte.json", ".bin", ".csv", ".txt", ".h".
std::string GoldenFileName(const GoldenHead& head, GoldenEncoding encoding);

std::string EncodeGolden(const GoldenFile& file, GoldenEncoding encoding);

// Does the content have the digest that it ends in?  kUsage where it has none: not a golden file,
// or cut short; `name` is for messages.
Expected<bool> IsIntact(const std::string& name, std::string_view content);

// The head and the operands with their reasons; the results are left to be derived.  kUsage names
// the line or the field that is wrong.
struct DecodedGolden {
  GoldenEncoding encoding = GoldenEncoding::kJson;
  GoldenFile file;
};
Expected<DecodedGolden> DecodeGolden(const std::string& name, std::string_view content);

// The first place where two contents differ, for people: "line 12: ... in the file, ... as
// derived".
std::string DescribeDifference(GoldenEncoding encoding, std::string_view content,
                               std::string_view derived);

}  // namespace assay::oracle
