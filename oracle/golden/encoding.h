// Functions that all encodings of golden vectors use.  Internal to oracle/golden.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/golden/file.h"

namespace assay::oracle {

// The head as every encoding carries it; `count`: vectors in the file.
nlohmann::ordered_json HeadToJson(const GoldenHead& head, std::size_t count);
// By profile; null where the operation does not exist there.
nlohmann::ordered_json LimitsToJson(const numerics::Operation& operation,
                                    numerics::Rounding rounding);
Expected<GoldenHead> HeadFromJson(const nlohmann::ordered_json& json);

// "number", "infinity", "nan", "integer", "unspecified".
std::string_view ResultKindName(numerics::ResultKind kind);

// Four significant digits: "0.0001234"; "" where none applies.
std::string HardnessText(double hardness);

// One entry of a vector's "results".
void AppendResult(const GoldenResult& result, numerics::ScalarType type, fmt::memory_buffer& out);

// With its digest as the last line.
std::string Sealed(std::string content, GoldenEncoding encoding);

void AppendJson(const GoldenFile& file, fmt::memory_buffer& out);
void AppendBinary(const GoldenFile& file, std::string* out);
void AppendCsv(const GoldenFile& file, fmt::memory_buffer& out);
void AppendTestFloat(const GoldenFile& file, fmt::memory_buffer& out);
void AppendHeader(const GoldenFile& file, fmt::memory_buffer& out);

// Each reads the output of its Append function, sealed or not.  Errors do not have the file's name.
Expected<GoldenFile> ReadJson(std::string_view content);
Expected<GoldenFile> ReadBinary(std::string_view content);
Expected<GoldenFile> ReadCsv(std::string_view content);
Expected<GoldenFile> ReadTestFloat(std::string_view content);
Expected<GoldenFile> ReadHeader(std::string_view content);

inline constexpr std::string_view kBinaryMagic =
    "\x89"
    "AGV\r\n\x1a\n";
inline constexpr std::size_t kBinaryDigestBytes = 32;

// Lines one after the other, counted from 1.
class Lines {
 public:
  explicit Lines(std::string_view content) : rest_(content) {}
  bool Next(std::string_view* line);
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace assay::oracle
