// The inputs of a validation: which operands a function is tested with, reproducibly.
//
// A plan is a sequence with random access: item i is a pure function of (operation, level, seed,
// samples, i), so that a run can be resumed anywhere, split over threads, and repeated.  Each
// operation has its own stream: neither the order nor the selection of functions changes it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "numerics/operation.h"
#include "oracle/inputs/column.h"
#include "oracle/inputs/number_range.h"

namespace assay::oracle {

enum class Level : std::uint8_t {
  kSmoke,     // seconds for the whole chapter
  kStandard,  // every exponent, specials and neighbours, all pairs of specials, hard cases, random
  kExhaustive,  // every operand where that is at most 2^32 items; else as standard, with more
                // samples
};

struct InputOptions {
  Level level = Level::kStandard;
  std::uint64_t samples = 0;  // random items; 0: the level's default
  std::uint64_t seed = 1;
  // Worst inputs of earlier results, flattened arguments; asked first.
  std::vector<std::vector<numerics::Bits>> known_worst{};
  bool enumerates = true;  // small operand spaces, in place of the level's choice
  // Every floating-point operand lies in it.  NumberRange::Of has a range for the operation.
  std::optional<RangeEnds> range{};
  // Not empty: exactly these, and nothing of the level's.
  std::vector<std::vector<numerics::Bits>> given{};
};

// Inputs that were worst or failed in earlier reports, by operation name and format name as reports
// write them.
using KnownWorst =
    std::map<std::pair<std::string, std::string>, std::vector<std::vector<numerics::Bits>>>;

// The range of the operation's floating-point operands; nothing where none is asked for, or where
// it has no such operand.
std::optional<NumberRange> NumberRangeOf(const numerics::Operation& operation,
                                         const InputOptions& options);

class InputPlan {
 public:
  InputPlan(const numerics::Operation& operation, const InputOptions& options);
  ~InputPlan();
  InputPlan(InputPlan&&) noexcept;

  std::uint64_t Count() const;
  bool IsExhaustive() const;  // covers every operand, or every one of the range

  // Writes items [begin, begin + count) into columns laid out as operation.Inputs().
  void Fill(std::uint64_t begin, std::size_t count, std::span<const Column> columns) const;

  // Why an item is there: "special", "boundary", "hard case", "known worst", "exponent", "random",
  // "exhaustive", "given".
  std::string ReasonOf(std::uint64_t item) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::oracle
