#include "oracle/report/changes.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

namespace assay::oracle {
namespace {

using Key = std::pair<std::string, std::string>;
Key KeyOf(const FunctionResult& result) {
  return {result.operation.Name(), result.operation.FormatName()};
}

// The last digits of an error come from MPFR in one version and from an approximation in another.
bool Differ(double a, double b) {
  if (std::isinf(a) || std::isinf(b)) return std::isinf(a) != std::isinf(b);
  return std::fabs(a - b) > 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

std::vector<const Sighting*> NewFailures(const Statistics& before, const Statistics& after) {
  std::vector<const Sighting*> failures;
  if (before.failures != before.recorded.size()) return failures;  // more than are known
  for (const Sighting& failure : after.recorded) {
    const bool known =
        std::any_of(before.recorded.begin(), before.recorded.end(), [&](const Sighting& s) {
          return s.args == failure.args && s.width == failure.width && s.result == failure.result;
        });
    if (!known) failures.push_back(&failure);
  }
  return failures;
}

std::optional<Change> CompareOne(const FunctionResult& before, const FunctionResult& after) {
  Change change{.before = &before, .after = &after};
  const Statistics &old = before.statistics, &now = after.statistics;
  if (after.verdict == Verdict::kFail) change.new_failures = NewFailures(old, now);
  if (before.verdict != after.verdict) {
    change.kind = after.verdict == Verdict::kFail    ? ChangeKind::kNewlyFailing
                  : before.verdict != Verdict::kFail ? ChangeKind::kVerdict
                  : after.verdict == Verdict::kPass  ? ChangeKind::kFixed
                                                     : ChangeKind::kVerdict;
    return change;
  }
  if (old.has_worst && now.has_worst && Differ(old.max_ulp, now.max_ulp)) {
    change.kind = now.max_ulp > old.max_ulp ? ChangeKind::kWorse : ChangeKind::kBetter;
    return change;
  }
  change.kind = ChangeKind::kFailures;
  const bool other = !change.new_failures.empty() || old.failures != now.failures;
  return other ? std::optional(change) : std::nullopt;
}

}  // namespace

std::string_view ChangeText(ChangeKind kind) {
  constexpr std::string_view kTexts[] = {
      "newly failing", "fixed",          "other verdict",     "worse",
      "better",        "other failures", "only in the later", "only in the earlier"};
  return kTexts[static_cast<int>(kind)];
}

std::vector<Change> Compare(const Report& before, const Report& after) {
  std::map<Key, const FunctionResult*> old;
  for (const FunctionResult& result : before.results) old[KeyOf(result)] = &result;
  std::vector<Change> changes;
  for (const FunctionResult& result : after.results) {
    const auto found = old.find(KeyOf(result));
    if (found == old.end()) {
      changes.push_back({.kind = ChangeKind::kAdded, .after = &result});
      continue;
    }
    if (auto change = CompareOne(*found->second, result)) changes.push_back(std::move(*change));
    old.erase(found);
  }
  for (const FunctionResult& result : before.results) {
    if (old.contains(KeyOf(result))) {
      changes.push_back({.kind = ChangeKind::kRemoved, .before = &result});
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.kind < b.kind; });
  return changes;
}

namespace {

// The processor for which a driver compiles; other processors may give other results.  PoCL has it
// at the end of its version, after the name of its kind of device, which differs between versions
// of PoCL: "HSTR: pthread-x86_64-pc-linux-gnu-haswell". Elsewhere it is the device's name; numbers
// with points in it are versions of libraries ("llvmpipe (LLVM 15.0.6, 256 bits)").
std::string CodeOf(const DeviceDescription& device) {
  constexpr std::string_view kTarget = "HSTR: ";
  const std::string& version = device.device_version;
  if (const std::size_t at = version.find(kTarget); at != std::string::npos) {
    const std::string target = version.substr(at + kTarget.size());
    return target.substr(std::min(target.find('-'), target.size()));
  }
  std::string name;
  for (std::size_t i = 0; i < device.name.size();) {
    std::size_t end = i;
    bool point = false;
    while (end < device.name.size() &&
           (std::isdigit(static_cast<unsigned char>(device.name[end])) != 0 ||
            device.name[end] == '.')) {
      point = point || device.name[end] == '.';
      ++end;
    }
    if (!point) name += device.name.substr(i, std::max<std::size_t>(end - i, 1));
    i = std::max(end, i + 1);
  }
  return name;
}

}  // namespace

bool AreOneDevice(const DeviceDescription& a, const DeviceDescription& b) {
  if (a.kind != b.kind || a.platform != b.platform) return false;
  if (a.kind == "opencl") return CodeOf(a) == CodeOf(b);
  if (a.kind != "library") return a.name == b.name;
  return std::filesystem::path(a.name).filename() == std::filesystem::path(b.name).filename();
}

bool AreVersions(const DeviceDescription& a, const DeviceDescription& b) {
  return a.kind == "opencl" && AreOneDevice(a, b) && a.driver_version != b.driver_version;
}

std::vector<Changes> CompareAll(std::span<const InputReport> reports, bool has_baseline) {
  std::vector<Changes> all;
  const auto add = [&](std::size_t before, std::size_t after) {
    all.push_back({before, after, Compare(reports[before].report, reports[after].report)});
  };
  for (std::size_t after = 1; after < reports.size(); ++after) {
    if (has_baseline) {
      add(0, after);
      continue;
    }
    // The version before this one may have been surveyed on several devices: each is shown.
    const DeviceDescription& now = reports[after].report.device;
    std::optional<std::string> version;
    for (std::size_t before = after; before-- > 0;) {
      const DeviceDescription& earlier = reports[before].report.device;
      if (!AreVersions(earlier, now)) continue;
      if (version.value_or(earlier.driver_version) != earlier.driver_version) continue;
      version = earlier.driver_version;
      add(before, after);
    }
  }
  return all;
}

}  // namespace assay::oracle
