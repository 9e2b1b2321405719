// Validates operations of a device: inputs -> device and reference at the same time -> verdicts ->
// statistics.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle/devices/device.h"
#include "oracle/inputs/inputs.h"
#include "oracle/judge/verdict.h"
#include "oracle/sweep/leads.h"
#include "oracle/sweep/shard.h"
#include "oracle/sweep/statistics.h"

namespace assay::oracle {

enum class Verdict : std::uint8_t { kPass, kFail, kUnsupported, kNotMeasured };
std::string_view VerdictName(Verdict verdict);

struct SweepOptions {
  Profile profile = Profile::kFull;
  MathMode math = MathMode::kDefault;
  // Whose text judges; nothing: not said, as in reports of earlier versions, which held to the
  // environment specification.
  std::optional<Reading> reading;
  std::vector<int> widths = {1, 2, 3, 4, 8, 16};
  // An exhaustive plan of more items than this is asked in the first width only, and the plan of
  // level standard in the others.
  std::uint64_t all_widths_limit = std::uint64_t{1} << 24;
  InputOptions inputs;  // known_worst is filled from the map below
  KnownWorst known_worst;
  std::size_t max_failures = 10;  // recorded; all are counted
  // > 0: an operation ends after the batch in which it has so many failures.
  std::uint64_t stop_after_failures = 0;
  std::string build_options;
  std::optional<numerics::Rounding> rounding;  // judged under this mode, whatever is declared
  // Not empty: these inputs and no plan, one after the other and over again: one input stands in
  // every lane, w inputs are the lanes of a vector of width w.
  std::vector<std::vector<numerics::Bits>> only_inputs;
  int threads = 0;                // 0: one per core
  std::uint64_t batch_items = 0;  // asked and judged at a time; 0: as many as the reference is fast
  std::uint64_t search_evaluations = 0;  // > 0: so many inputs of a search follow the plan
  std::optional<Shard> shard;            // asks this share of the items; the results are parts
};

// Of --level search, where the user does not say otherwise: as many inputs as level standard draws
// for functions of several floats.
inline constexpr std::uint64_t kSearchEvaluations = std::uint64_t{1} << 18;

// The limit that an operation is judged by under these options; null where there is none.
const Limit* LimitOf(const numerics::Operation& operation, const SweepOptions& options);
const Limit* LimitOf(const numerics::Operation& operation, const SweepOptions& options,
                     Profile profile);

// A vector width in which the device crashed, hung or failed: the others went on without it.
struct LostWidth {
  int width = 1;
  std::uint64_t first_item = 0;  // of the batch in hand, of `items` inputs (0: it was not asked)
  std::uint64_t items = 0;
  std::string message;
};

// What a search has done (oracle/sweep/search.h).
struct SearchResult {
  std::uint64_t evaluations = 0;  // inputs that it asked
  std::uint64_t boxes = 0;        // that it made
  std::uint64_t excluded = 0;     // of them those where the result is one, by proof
  double excluded_share = 0;      // the share of all operands that they hold, counted as numbers
  bool has_worst = false;
  Sighting worst;         // the largest error among its own inputs
  bool complete = false;  // false: interrupted
};

// Of a shard: what its result is a part of.
struct PartState {
  bool asked = false;       // the shard has items of the operation, or it has none in any shard
  bool ran = false;         // the device was ready for it
  bool complete = false;    // all of the shard's items were asked
  bool refuted = false;     // the answers that there were do not count
  bool enumerates = false;  // the plan has every operand
};

struct FunctionResult {
  numerics::Operation operation;
  std::string limit;  // Describe()
  std::string citation;
  Verdict verdict = Verdict::kNotMeasured;
  std::string message;  // why unsupported or not measured
  bool exhaustive = false;
  std::vector<LostWidth> lost;
  std::vector<std::string> notes;  // side effects of the device, one sentence each
  Statistics statistics;
  std::optional<SearchResult> search;  // its inputs are among those of the statistics
  // There where a shard was asked: the statistics are as they were judged, and the verdict is that
  // of its items.
  std::optional<PartState> part;
};

// The progress of a sweep of one operation, as checkpoints keep it.
struct SweepProgress {
  std::uint64_t next_item = 0;
  std::uint64_t count = 0;
  std::vector<LostWidth> lost;
  std::vector<std::string> notes;
  std::vector<Lead> leads;  // from which a search will begin
  Statistics statistics;
};

struct SweepHooks {
  const std::atomic<bool>* stop = nullptr;             // set by Ctrl-C: finish the batch and return
  std::function<void(const SweepProgress&)> progress;  // after each batch, in plan order
  // While a search goes on: how many of its inputs were asked, and how many it asks.
  std::function<void(std::uint64_t asked, std::uint64_t evaluations)> searched = {};
};

// Runs one operation from `resume.next_item` on.  Errors of the device end up in the result, not
// as an error of this function.
FunctionResult SweepOperation(Device& device, const numerics::Operation& operation,
                              const SweepOptions& options, const SweepHooks& hooks = {},
                              SweepProgress resume = {});

}  // namespace assay::oracle
