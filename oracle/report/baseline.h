// A run against a baseline, an earlier report of the same device: what got worse, and what did not.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/report/changes.h"
#include "oracle/report/input.h"

namespace assay::oracle {

enum class Trend : std::uint8_t {
  kWorse,  // a new failure, a larger error of a row that fails, or no measurement any more
  kBetter,
  kOther,          // a larger error within the limit
  kNotComparable,  // another limit, or only one of the runs asked for it
  kSame,
};
// "worse", "better", "changed", "not comparable", "the same".
std::string_view TrendText(Trend trend);

struct BaselineRow {
  Trend trend = Trend::kSame;
  std::string reason;                      // "newly failing", "no longer measured", ...
  const FunctionResult* before = nullptr;  // null where that report has no such row
  const FunctionResult* after = nullptr;
  std::vector<const Sighting*> new_failures = {};

  const numerics::Operation& Operation() const {
    return after != nullptr ? after->operation : before->operation;
  }
};

struct BaselineComparison {
  const InputReport* baseline = nullptr;
  std::vector<BaselineRow> rows;  // without kSame; the gravest first, then in the report's order
  std::array<std::size_t, 5> counts{};  // by Trend
  std::vector<std::string> notes;       // differences that change no verdict

  std::size_t Count(Trend trend) const { return counts[static_cast<std::size_t>(trend)]; }
  // Null where the row is the same.
  const BaselineRow* Find(const FunctionResult& after) const;
};

// Why no row of the two can be compared, one sentence each: another device, level, seed, version of
// assay, ...  Empty: they can.
std::vector<std::string> WhyIncomparable(const InputReport& baseline,
                                         const DeviceDescription& device, const RunInfo& run);

// `all_formats`: the run asked for all formats that the device has.  Pointers lead into both.
BaselineComparison CompareWithBaseline(const InputReport& baseline, const Report& now,
                                       bool all_formats);

// "2 worse, 1 better, 0 changed, 0 not comparable, 40 the same".
std::string BaselineCounts(const BaselineComparison& comparison);
// For people: the counts, a line for each row that is not the same, with a command if it is worse,
// and one for each reason why rows are not comparable.
std::string BaselineText(const BaselineComparison& comparison, const Report& now);
// For the report's JSON.
nlohmann::ordered_json BaselineJson(const BaselineComparison& comparison, const Report& now);

}  // namespace assay::oracle
