#include "tools/run/filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "interp/rules/detector_list.h"
#include "interp/rules/rule.h"
#include "tools/run/rule_names.h"
#include "tools/shared/near_names.h"

namespace assay::tools {
namespace {

// The values of --allow, and their rules.
struct Allowed {
  std::string_view what;
  interp::Rule rule;
};
constexpr Allowed kAllowed[] = {{"same-value-race", interp::Rule::kRaceSameValue},
                                {"flat-index", interp::Rule::kPointerArrayIndex}};

// A number that is the whole text; nothing otherwise.
std::optional<std::uint32_t> NumberOf(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Takes ":NUMBER" off the end.
std::optional<std::uint32_t> TakeNumber(std::string_view* text) {
  const std::size_t colon = text->rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto number = NumberOf(text->substr(colon + 1));
  if (number) *text = text->substr(0, colon);
  return number;
}

tl::unexpected<Error> UnknownDetector(const std::string& name) {
  std::vector<std::string_view> names;
  for (const interp::Detector detector : interp::AllDetectors()) {
    names.push_back(interp::DetectorName(detector));
  }
  const auto rules = interp::RulesNamed(name);
  if (!rules.empty() && !rules.front()->detector) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--detect: '{}' is always watched for and cannot be chosen", name));
  }
  if (!rules.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--detect: '{}' is no detector; {} watches for it", name,
                            interp::DetectorName(*rules.front()->detector)));
  }
  if (const auto near = NearNames(name, names); !near.empty()) {
    return Fail(ErrorKind::kUsage, fmt::format("--detect: unknown detector '{}'; did you mean {}?",
                                               name, fmt::join(near, ", ")));
  }
  return Fail(ErrorKind::kUsage, fmt::format("--detect: unknown detector '{}'; there are {}", name,
                                             fmt::join(names, ", ")));
}

}  // namespace

Expected<interp::DetectorSet> ParseDetectors(const std::string& text) {
  const auto detectors = interp::ParseDetectorList(text);
  if (detectors) return *detectors;
  if (!detectors.error().is_mixed) return UnknownDetector(detectors.error().unknown);
  return Fail(ErrorKind::kUsage,
              fmt::format("--detect '{}': name either those that watch (races,groups) or those "
                          "that do not (-races,-groups)",
                          text));
}

std::vector<std::string> DetectorNames(interp::DetectorSet detectors) {
  std::vector<std::string> names;
  for (const interp::Detector detector : interp::AllDetectors()) {
    if (detectors.Has(detector)) names.emplace_back(interp::DetectorName(detector));
  }
  return names;
}

std::string DetectorsText(interp::DetectorSet detectors) {
  if (detectors.IsEmpty()) return "none";
  const interp::DetectorSet all = interp::DetectorSet::All();
  const std::vector<std::string> names = DetectorNames(detectors);
  const std::vector<std::string> others = DetectorNames({all.bits & ~detectors.bits});
  const std::vector<std::string> opt_in = DetectorNames({detectors.bits & ~all.bits});
  if (names.size() - opt_in.size() <= others.size()) {
    return fmt::format("{}", fmt::join(names, ","));
  }
  const std::string most = others.empty() ? "all" : fmt::format("-{}", fmt::join(others, ",-"));
  return opt_in.empty() ? most : fmt::format("{},{}", most, fmt::join(opt_in, ","));
}

Expected<Ignore> ParseIgnore(const std::string& text) {
  Ignore ignore;
  const std::size_t equals = text.find('=');
  ignore.text = text.substr(0, equals);
  if (equals != std::string::npos) ignore.reason = text.substr(equals + 1);
  const std::size_t at = ignore.text.find('@');
  if (at == std::string::npos || at == 0 || at + 1 == ignore.text.size()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--ignore '{}': write RULE@FILE:LINE, or RULE@FILE", text));
  }
  ignore.rule = ignore.text.substr(0, at);
  if (interp::RulesNamed(ignore.rule).empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--ignore: {}",
                            UnknownRule(ignore.rule, "`assay explain --list` has them all")));
  }
  std::string_view file = std::string_view(ignore.text).substr(at + 1);
  const auto line = TakeNumber(&file);
  if (file.empty() || line == 0u) {
    return Fail(ErrorKind::kUsage, fmt::format("--ignore '{}': lines count from 1", text));
  }
  ignore.line = line.value_or(0);
  ignore.file = file;
  return ignore;
}

namespace {

bool IsIn(const Ignore& ignore, const std::string& source) {
  return ignore.is_source && !source.empty() &&
         fnmatch(ignore.text.c_str(), ParseSource(source).file.c_str(), 0) == 0;
}

}  // namespace

Ignore IgnoreSource(const std::string& glob) { return {.text = glob, .is_source = true}; }

bool MoveOut(std::span<Ignore> ignores, std::span<const std::string> callers,
             interp::Finding* finding) {
  const auto in_one = [&](const std::string& source) {
    return std::ranges::find_if(ignores, [&](const Ignore& one) { return IsIn(one, source); });
  };
  const auto ignore = in_one(finding->source);
  if (ignore == ignores.end()) return false;
  const auto caller = std::ranges::find_if(
      callers, [&](const std::string& source) { return in_one(source) == ignores.end(); });
  if (caller == callers.end()) return false;
  ++ignore->moved;
  finding->history.insert(finding->history.begin(),
                          fmt::format("it happens at {}, in an ignored source", finding->source));
  finding->source = *caller;
  return true;
}

bool Matches(const Ignore& ignore, const interp::Finding& finding) {
  if (ignore.is_source) return IsIn(ignore, finding.source);
  if (!interp::IsNamed(interp::RowOf(finding.rule), ignore.rule)) return false;
  const SourcePlace place = ParseSource(finding.source);
  if (ignore.line != 0 && ignore.line != place.line) return false;
  if (!place.file.ends_with(ignore.file)) return false;
  // "sum.cl" is not the end of "checksum.cl".
  const std::size_t rest = place.file.size() - ignore.file.size();
  return rest == 0 || ignore.file.front() == '/' || place.file[rest - 1] == '/';
}

Expected<interp::Rule> ParseAllow(const std::string& text) {
  std::vector<std::string_view> names;
  for (const Allowed& allowed : kAllowed) {
    if (text == allowed.what) return allowed.rule;
    names.push_back(allowed.what);
  }
  return Fail(ErrorKind::kUsage, fmt::format("--allow: {}", UnknownValue(text, names)));
}

std::string AllowText(interp::Rule rule) {
  for (const Allowed& allowed : kAllowed) {
    if (rule == allowed.rule) return std::string(allowed.what);
  }
  return std::string(interp::NameOf(rule));
}

SourcePlace ParseSource(std::string_view source) {
  const auto last = TakeNumber(&source);
  const auto before = TakeNumber(&source);
  SourcePlace place{std::string(source)};
  // "file:line:column", or without the column.
  place.line = before ? *before : last.value_or(0);
  place.column = before ? last.value_or(0) : 0;
  return place;
}

}  // namespace assay::tools
