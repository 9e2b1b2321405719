#include "tools/assay/validate_kinds.h"

#include <fmt/format.h>

#include <string_view>

namespace assay::tools {
namespace {

constexpr unsigned Bit(ValidationKind kind) { return 1u << static_cast<unsigned>(kind); }
constexpr unsigned kImages = Bit(ValidationKind::kImages), kMatrix = Bit(ValidationKind::kMatrices),
                   kSmall = Bit(ValidationKind::kSmall), kLists = Bit(ValidationKind::kLists);
constexpr unsigned kTiles = kMatrix | kSmall, kAll = kImages | kTiles | kLists;

struct OptionRow {
  std::string_view name;
  unsigned refused_by;  // bits of kinds
  bool (*is_given)(const ValidateOptions& options);
};

#define GIVEN(condition) [](const ValidateOptions& o) -> bool { return condition; }
constexpr OptionRow kOptions[] = {
    {"--formats", kAll, GIVEN(!o.formats.empty())},
    {"--width", kImages | kTiles, GIVEN(!o.widths.empty())},
    {"--profile", kAll, GIVEN(!o.profile.empty())},
    {"--math", kAll, GIVEN(o.math != ValidateOptions().math)},
    {"--spec", kTiles | kLists, GIVEN(!o.spec.empty())},
    {"--rounding", kAll, GIVEN(!o.rounding.empty())},
    {"--build-options", kAll, GIVEN(!o.build_options.empty())},
    // Tiles and small formats are SPIR-V anyway; the kernels of rows are written in OpenCL C.
    {"--program source", kTiles, GIVEN(o.device.program == "source")},
    {"--program spirv", kImages | kLists, GIVEN(o.device.program == "spirv")},
    {"--search-evaluations", kAll, GIVEN(o.search_evaluations != 0)},
    {"--level exhaustive", kImages | kTiles, GIVEN(o.level == "exhaustive")},
    {"--level search", kAll, GIVEN(o.level == "search")},
    {"--samples", kImages | kLists, GIVEN(o.samples != 0)},
    {"--range", kAll, GIVEN(!o.range.empty())},
    {"--stop-after-failures", kAll, GIVEN(o.stop_after_failures != 0)},
    {"--at", kImages | kTiles, GIVEN(!o.at.empty())},
    {"--worst-from", kAll, GIVEN(!o.worst_from.empty())},
    {"--junit", kTiles, GIVEN(!o.junit.empty())},
    {"--html", kImages | kTiles, GIVEN(!o.html.empty())},
    {"--matrix", kSmall, GIVEN(!o.matrix.empty())},
    {"--baseline", kImages | kSmall, GIVEN(!o.baseline.empty())},
    {"--checkpoint", kAll, GIVEN(!o.checkpoint.empty())},
    {"--resume", kAll, GIVEN(o.resume)},
    {"--list", kTiles, GIVEN(o.list)},
    {"--shard", kAll, GIVEN(!o.shard.empty())},
    {"--shards", kAll, GIVEN(o.shards > 0)},
    {"--record", kAll, GIVEN(!o.device.record.empty())}};
#undef GIVEN

std::string_view KindName(ValidationKind kind) {
  switch (kind) {
    case ValidationKind::kImages:
      return "rows of images";
    case ValidationKind::kMatrices:
      return "matrix instructions";
    case ValidationKind::kSmall:
      return "conversions of small formats";
    case ValidationKind::kLists:
      return "@integer, @groups and the other lists of rows";
  }
  return "";
}

std::string_view TakenBy(ValidationKind kind) {
  switch (kind) {
    case ValidationKind::kImages:
      return "--level smoke or standard, --seed, --spec, --max-failures, --json, --junit and "
             "--list";
    case ValidationKind::kMatrices:
      return "--matrix, --level smoke or standard, --samples, --seed, --baseline, --threads, "
             "--timeout and --json";
    case ValidationKind::kSmall:
      return "--level smoke or standard, --samples, --seed, --timeout and --json";
    case ValidationKind::kLists:
      return "--level smoke, standard or exhaustive, --seed, --width, --at, --max-failures, "
             "--baseline, --json, --junit, --html and --list";
  }
  return "";
}

}  // namespace

Expected<void> CheckTaken(ValidationKind kind, const ValidateOptions& options) {
  for (const OptionRow& row : kOptions) {
    if ((row.refused_by & Bit(kind)) == 0 || !row.is_given(options)) continue;
    return Fail(ErrorKind::kUsage, fmt::format("{} does not go with {}; they take {}", row.name,
                                               KindName(kind), TakenBy(kind)));
  }
  return {};
}

}  // namespace assay::tools
