// Selects what is checked in a run: which detectors are on, and which findings are hidden or
// allowed.  All of these options are unsound: they can hide an error, so the report repeats them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "interp/rules/detector.h"
#include "interp/rules/finding.h"

namespace assay::tools {

// "all", "none", "races,groups", or "-alignment,-arithmetic": all but these.  kUsage.
Expected<interp::DetectorSet> ParseDetectors(const std::string& text);
// The other way round, in its shortest form.
std::string DetectorsText(interp::DetectorSet detectors);
std::vector<std::string> DetectorNames(interp::DetectorSet detectors);

// --ignore RULE@FILE:LINE=REASON
struct Ignore {
  std::string text;        // as it was given, without the reason
  std::string rule;        // of a rule or of a family
  std::string file;        // the end of a path
  std::uint32_t line = 0;  // 0: any
  std::string reason;
  std::uint64_t hidden = 0;  // findings
  bool is_source = false;    // --ignore-source: `text` is a pattern of paths
  std::uint64_t moved = 0;   // findings that are told at a caller outside of them
};
// kUsage for errors; the rule must exist.
Expected<Ignore> ParseIgnore(const std::string& text);
bool Matches(const Ignore& ignore, const interp::Finding& finding);

// --ignore-source GLOB: a pattern of whole paths, in which * also stands for slashes.
Ignore IgnoreSource(const std::string& glob);
inline constexpr std::string_view kIgnoreSourceHelp =
    "Tell findings in files whose path matches where these are called from, such as headers that "
    "you cannot change; hide those without such a caller; the report counts both";
// Tells a finding in an ignored source at the first of its callers that is outside of all of them,
// and says whether there was one.  A finding without such a caller is one to hide (Matches).
bool MoveOut(std::span<Ignore> ignores, std::span<const std::string> callers,
             interp::Finding* finding);

// --allow WHAT, as the rule whose findings are not counted.  kUsage.
Expected<interp::Rule> ParseAllow(const std::string& text);
std::string AllowText(interp::Rule rule);  // the other way round

// "sum.cl:12:3" as its parts; line 0 where there is none.
struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};
SourcePlace ParseSource(std::string_view source);

}  // namespace assay::tools
