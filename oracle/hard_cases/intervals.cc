#include "oracle/hard_cases/intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "numerics/evaluate.h"
#include "numerics/hard_lefevre.h"
#include "oracle/hard_cases/scan.h"
#include "oracle/inputs/random.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::HardKind;
using numerics::LefevreHit;
using numerics::LefevreRun;
using numerics::Operation;

constexpr Format kDouble = Format::kDouble;
constexpr double kBound = 0x1p-30;            // of hits, in gaps
constexpr std::uint64_t kSegments = 1 << 13;  // lines of an interval: about a millisecond
constexpr std::uint64_t kProbeSegments = 64;  // of a first look at a binade
constexpr int kProbes = 2;
constexpr int kIntervalBits = 30;
constexpr std::size_t kHitsKept = 16;  // of an interval and kind: eight times what chance gives

// The first operand of interval `number` of a binade, drawn by the seed.
Bits FirstOperand(std::uint64_t key, Bits binade, std::uint64_t number) {
  ItemStream stream(key ^ binade, number);
  const int free_bits = numerics::Traits(kDouble).mantissa_bits() - kIntervalBits;
  const Bits within = stream.Below(std::uint64_t{1} << free_bits) << kIntervalBits;
  return binade << numerics::Traits(kDouble).mantissa_bits() | within;
}

// f(-x) is f(x) or -f(x): at three operands, which no other function of the table passes.
bool IsSymmetric(const Operation& operation) {
  for (Bits x : {Bits{0x3fe123456789abcd}, Bits{0x3fb56789abcdef01}, Bits{0x3f789abcdef01234}}) {
    const Bits opposite = Negate(kDouble, x);
    Exact here, there;
    EvaluateExact(operation, {&x, 1}, {&here, 1});
    EvaluateExact(operation, {&opposite, 1}, {&there, 1});
    const bool same = here.kind == there.kind && here.fraction == there.fraction &&
                      Magnitude(kDouble, here.below) == Magnitude(kDouble, there.below);
    if (!same) return false;
  }
  return true;
}

// Do the results of an interval pass many numbers?  Where they do not, all are as far from the
// next.
bool Moves(const Operation& operation, Bits first) {
  constexpr std::int64_t kNumbers = 16;
  std::array<std::int64_t, 2> place{};
  for (std::size_t end = 0; end < 2; ++end) {
    const Bits x = first + (end << kIntervalBits) - end;
    Exact exact;
    EvaluateExact(operation, {&x, 1}, {&exact, 1});
    if (exact.kind != numerics::ResultKind::kFinite) return false;
    place[end] = OrderedIndex(kDouble, exact.below);
  }
  return std::abs(place[1] - place[0]) >= kNumbers;
}

// Is there a place in the binade where the search finds more than a function that follows numbers?
bool IsWorthwhile(const Operation& operation, std::uint64_t key, Bits binade) {
  for (int probe = 0; probe < kProbes; ++probe) {
    const Bits first = FirstOperand(~key, binade, static_cast<std::uint64_t>(probe));
    if (!Moves(operation, first)) continue;
    const auto run = SearchConsecutive(operation, first, kProbeSegments, kBound);
    if (run && run->skipped < run->searched / 2) return true;
  }
  return false;
}

struct Totals {
  std::uint64_t intervals = 0, searched = 0, skipped = 0, left_out = 0;
};

class Scan {
 public:
  Scan(const Operation& operation, const HardSearchOptions& options, const HardSearchHooks& hooks)
      : operation_(operation),
        options_(options),
        hooks_(hooks),
        key_(StreamKey(operation, options.seed)) {}

  std::optional<IntervalScan> Run() {
    if (!FindBinades()) return std::nullopt;
    const std::uint64_t binades = std::max<std::uint64_t>(1, binades_.size());
    const std::uint64_t each = std::max<std::uint64_t>(1, options_.intervals / binades);
    const bool finished = RunOnThreads(each * binades_.size(), options_.threads, hooks_, [&] {
      return [&](std::uint64_t i) { SearchInterval(binades_[i / each], i % each); };
    });
    if (!finished) return std::nullopt;
    Describe(each);
    for (std::vector<HardCandidate>& candidates : scan_.candidates) {
      std::sort(candidates.begin(), candidates.end());
    }
    return std::move(scan_);
  }

 private:
  bool FindBinades() {
    const Bits binades = numerics::Infinity(kDouble) >> numerics::Traits(kDouble).mantissa_bits();
    const Bits sign = (binades + 1);  // the sign bit, beside the exponent
    const bool symmetric = IsSymmetric(operation_);
    std::vector<char> worthwhile(symmetric ? binades : 2 * sign);
    const bool finished = RunOnThreads(worthwhile.size(), options_.threads, {hooks_.stop, {}}, [&] {
      return [&](std::uint64_t binade) {
        const Bits exponent = binade % sign;
        if (exponent == 0 || exponent >= binades) return;
        worthwhile[binade] = IsWorthwhile(operation_, key_, binade) ? 1 : 0;
      };
    });
    for (Bits binade = 0; binade < worthwhile.size(); ++binade) {
      if (worthwhile[binade] != 0) binades_.push_back(binade);
    }
    return finished;
  }

  void SearchInterval(Bits binade, std::uint64_t number) {
    const Bits first = FirstOperand(key_, binade, number);
    std::optional<LefevreRun> run = SearchConsecutive(operation_, first, kSegments, kBound);
    const std::lock_guard lock(mutex_);
    if (!run) {
      ++totals_.left_out;
      return;
    }
    ++totals_.intervals;
    totals_.searched += run->searched;
    totals_.skipped += run->skipped;
    std::sort(run->hits.begin(), run->hits.end(),
              [](const LefevreHit& a, const LefevreHit& b) { return a.distance < b.distance; });
    std::array<std::size_t, 2> kept{};
    for (const LefevreHit& hit : run->hits) {
      const auto kind =
          static_cast<std::size_t>(hit.to_midpoint ? HardKind::kMidpoint : HardKind::kNumber);
      if (kept[kind]++ >= kHitsKept) continue;
      const HardArguments args{hit.operand};
      scan_.candidates[kind].push_back(
          {.args = args, .distance = hit.distance, .order = Shuffled(args)});
    }
  }

  std::string BinadeRange() const {
    // Runs of consecutive binades, as powers of two.
    std::string text;
    for (std::size_t i = 0; i < binades_.size();) {
      std::size_t end = i;
      while (end + 1 < binades_.size() && binades_[end + 1] == binades_[end] + 1) ++end;
      const auto power = [&](Bits binade, int more) {
        const int exponent = static_cast<int>(binade % 2048) - 1023 + more;
        return fmt::format("{}2^{}", binade >= 2048 ? "-" : "", exponent);
      };
      text += fmt::format("{}{} to {}", text.empty() ? "" : ", ", power(binades_[i], 0),
                          power(binades_[end], 1));
      i = end + 1;
    }
    return text;
  }

  void Describe(std::uint64_t each) {
    scan_.method =
        "Lefevre's algorithm (ARITH-15 2001, ARITH-17 2005) on intervals of consecutive doubles "
        "with lines from polynomials of degree 4, MPFR confirms every hit; and the operands within "
        "8 of those with 4 bits behind the point, 2^-64 to 2^64";
    scan_.covered = fmt::format(
        "{} intervals of up to 2^{} doubles, {} a binade, seed {}: {} operands (2^{:.1f}), of "
        "which {} were skipped where the function follows numbers or midpoints; {} intervals were "
        "left out where it "
        "is not smooth; binades {}; of an interval the {} "
        "nearest of each kind are ranked; that none is missing rests on an estimate of the lines' "
        "error",
        totals_.intervals, kIntervalBits, each, options_.seed, totals_.searched,
        std::log2(static_cast<double>(std::max<std::uint64_t>(1, totals_.searched))),
        totals_.skipped, totals_.left_out, BinadeRange(), kHitsKept);
  }

  const Operation& operation_;
  const HardSearchOptions& options_;
  const HardSearchHooks& hooks_;
  const std::uint64_t key_;
  std::vector<Bits> binades_;
  std::mutex mutex_;
  Totals totals_;
  IntervalScan scan_;
};

}  // namespace

std::optional<IntervalScan> ScanIntervals(const Operation& operation,
                                          const HardSearchOptions& options,
                                          const HardSearchHooks& hooks) {
  return Scan(operation, options, hooks).Run();
}

}  // namespace assay::oracle
