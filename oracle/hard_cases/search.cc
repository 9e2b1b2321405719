#include "oracle/hard_cases/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "numerics/evaluate.h"
#include "numerics/hardness.h"
#include "oracle/hard_cases/collect.h"
#include "oracle/hard_cases/intervals.h"
#include "oracle/hard_cases/scan.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::HardCase;
using numerics::HardKind;
using numerics::HardSource;
using numerics::Operation;

constexpr HardKind kKinds[] = {HardKind::kMidpoint, HardKind::kNumber};
// Cases that are equally near to this are copies of each other (by a sign or a power of two) so
// often that a table would have little else; two of them are kept.
constexpr double kSameDistance = 0x1p-18;
constexpr std::size_t kCopies = 2;
constexpr int kRefinements = 3;        // rounds
constexpr std::size_t kRefined = 128;  // cases of a kind whose neighbours are tried

class Search {
 public:
  Search(const Operation& operation, const HardSearchOptions& options, const HardSearchHooks& hooks)
      : operation_(operation),
        options_(options),
        hooks_(hooks),
        arity_(static_cast<std::size_t>(operation.ArgumentCount())) {}

  std::optional<HardSearchResult> Run() {
    AddPublished();
    if (!Scan()) return std::nullopt;
    for (HardKind kind : kKinds) {
      if (everything_) {
        Select(kind, options_.top, [](const HardCase&) { return true; });
        continue;
      }
      // Half of the rows each, but where there are no two operands that algebra could join.
      const std::size_t simple = arity_ == 1 ? 0 : options_.top / 2;
      const auto is_simple = [&](const HardCase& hard) {
        return simple != 0 && HasSimpleOperand(operation_, hard.args);
      };
      Select(kind, options_.top - simple, std::not_fn(is_simple));
      Select(kind, simple, is_simple);
    }
    for (HardKind kind : kKinds) SelectFlat(kind);
    return std::move(result_);
  }

 private:
  bool Scan() {
    const bool unary = arity_ == 1, is_double = operation_.format == Format::kDouble;
    if (unary && is_double && !options_.sampled) return ScanIntervals();
    const bool small = EverythingCount(operation_) <= std::uint64_t{1} << 32 && arity_ <= 2 &&
                       operation_.ArgumentTypes()[0] != numerics::ScalarType::kDouble;
    everything_ = small && !is_double && (unary || Is16Bit()) && !options_.sampled;
    const HardCollector empty(operation_);
    HardCollectors collectors{empty, empty};
    const std::uint64_t samples = is_double ? options_.samples / 64 : options_.samples;
    if (everything_ ? !ScanEverything(operation_, options_, hooks_, collectors.data())
                    : !ScanSamples(operation_, samples, options_, hooks_, &collectors)) {
      return false;
    }
    const HardSource source = everything_ ? HardSource::kExhaustive : HardSource::kSampled;
    for (HardKind kind : kKinds) {
      for (const HardCollector& collector : collectors) {
        Confirm(collector.Nearest(kind), kind, source);
        Confirm(collector.NearestFlat(kind), kind, source);
      }
    }
    if (!everything_) Refine();
    DescribeScan(samples);
    return true;
  }

  bool Is16Bit() const { return numerics::Traits(operation_.format).width == 16; }

  void DescribeScan(std::uint64_t samples) {
    if (everything_) {
      const bool integer = !IsFloating(operation_.ArgumentTypes().back());
      result_.method = "every operand; MPFR ranks the nearest";
      result_.covered = integer
                            ? fmt::format("all {} pairs with an int operand from -32768 to 32767",
                                          EverythingCount(operation_))
                            : fmt::format("all {} operand{}", EverythingCount(operation_),
                                          arity_ == 1 ? "s" : " pairs");
      return;
    }
    result_.method = fmt::format(
        "drawn operands, a quarter of them simple ones (few significant bits, next to powers of "
        "two), and {} rounds of looking around the {} nearest; MPFR ranks the nearest",
        kRefinements, kRefined);
    result_.covered = fmt::format("{} tuples of operands, seed {}", samples, options_.seed);
  }

  // Operands of one double that are next to powers of two or have few significant bits: where
  // algebra makes results come near (sqrt(1 - e) = 1 - e/2 - ...), and chance would not look.
  void AddSimpleOperands() {
    constexpr int kExponents = 64, kBeside = 8;
    constexpr Bits kShort = 16;
    const Bits one = numerics::One(operation_.format);
    const int mantissa_bits = numerics::Traits(operation_.format).mantissa_bits();
    std::vector<HardCandidate> simple;
    for (int exponent = -kExponents; exponent <= kExponents; ++exponent) {
      for (Bits head = 0; head < kShort; ++head) {
        for (int step = -kBeside; step <= kBeside; ++step) {
          const auto binade =
              static_cast<Bits>(static_cast<std::int64_t>(exponent) << mantissa_bits);
          const Bits bits = one + binade + (head << (mantissa_bits - 4)) +
                            static_cast<Bits>(static_cast<std::int64_t>(step));
          simple.push_back({.args = {bits}});
          simple.push_back({.args = {Negate(operation_.format, bits)}});
        }
      }
    }
    for (HardKind kind : kKinds) Confirm(simple, kind, HardSource::kSampled);
  }

  bool ScanIntervals() {
    AddSimpleOperands();
    std::optional<IntervalScan> scan = oracle::ScanIntervals(operation_, options_, hooks_);
    if (!scan) return false;
    for (HardKind kind : kKinds) {
      Confirm(scan->candidates[static_cast<std::size_t>(kind)], kind, HardSource::kLefevre);
    }
    result_.method = std::move(scan->method);
    result_.covered = std::move(scan->covered);
    return true;
  }

  void AddPublished() {
    for (std::size_t i = 0; i + arity_ <= options_.published.size(); i += arity_) {
      HardCandidate candidate;
      std::copy_n(options_.published.begin() + static_cast<std::ptrdiff_t>(i), arity_,
                  candidate.args.begin());
      for (HardKind kind : kKinds) Confirm({candidate}, kind, HardSource::kPublished);
    }
  }

  // Measures the candidates by MPFR; each becomes a case once, with the source that came first.
  void Confirm(std::vector<HardCandidate> candidates, HardKind kind, HardSource source) {
    std::erase_if(candidates, [&](const HardCandidate& c) {
      return !seen_.insert({kind, c.args}).second;
    });
    std::vector<double> distances(candidates.size());
    RunOnThreads(candidates.size(), options_.threads, {}, [&] {
      return [&](std::uint64_t i) { distances[i] = Measure(candidates[i].args, kind); };
    });
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (distances[i] > kFarthest) continue;
      measured_.push_back({.args = candidates[i].args,
                           .log2_distance = std::log2(distances[i]),
                           .kind = kind,
                           .source = source});
    }
  }

  double Measure(const HardArguments& args, HardKind kind) const {
    const auto operands = std::span(args).first(arity_);
    std::vector<numerics::Exact> exact(static_cast<std::size_t>(operation_.ResultCount()));
    EvaluateExact(operation_, operands, exact);
    if (HardDistance(exact[0], kind, operation_.format) > kFarthest) return 1;
    const numerics::Hardness hardness = MeasureHardness(operation_, operands)[0];
    return kind == HardKind::kNumber ? hardness.to_number : hardness.to_midpoint;
  }

  // Tries the neighbours of the nearest cases, in value and in exponent.
  void Refine() {
    for (int round = 0; round < kRefinements; ++round) {
      for (HardKind kind : kKinds) {
        std::vector<HardCandidate> around;
        for (const HardCase& hard : Nearest(kind, kRefined)) AppendNeighbours(hard, &around);
        Confirm(std::move(around), kind, HardSource::kSampled);
      }
    }
  }

  void AppendNeighbours(const HardCase& hard, std::vector<HardCandidate>* around) const {
    const std::vector<numerics::ScalarType> types = operation_.ArgumentTypes();
    for (std::size_t i = 0; i < arity_; ++i) {
      std::vector<int> steps = {-3, -2, -1, 1, 2, 3};
      HardCandidate candidate{.args = hard.args};
      for (int step : steps) {
        candidate.args[i] = hard.args[i];
        Bits next = hard.args[i];
        bool inside = true;
        for (int k = 0; k < std::abs(step) && inside; ++k) {
          inside = NeighbourOf(types[i], candidate.args[i], step < 0 ? -1 : 1, &next);
          candidate.args[i] = next;
        }
        if (inside) around->push_back(candidate);
      }
      if (!IsFloating(types[i])) continue;
      const numerics::Format format = FormatOf(types[i]);
      for (Bits doubled : {hard.args[i] + MinNormal(format), hard.args[i] - MinNormal(format)}) {
        candidate.args[i] = doubled & (SignMask(format) | MagnitudeMask(format));
        if (IsFinite(format, candidate.args[i])) around->push_back(candidate);
      }
    }
  }

  std::vector<HardCase> Sorted(HardKind kind) const {
    std::vector<HardCase> cases;
    std::copy_if(measured_.begin(), measured_.end(), std::back_inserter(cases),
                 [&](const HardCase& hard) { return hard.kind == kind; });
    std::sort(cases.begin(), cases.end(), [](const HardCase& a, const HardCase& b) {
      if (a.log2_distance != b.log2_distance) return a.log2_distance < b.log2_distance;
      return Shuffled(a.args) < Shuffled(b.args);
    });
    return cases;
  }

  std::vector<HardCase> Nearest(HardKind kind, std::size_t most) const {
    std::vector<HardCase> cases = Sorted(kind);
    cases.resize(std::min(most, cases.size()));
    return cases;
  }

  // Appends the nearest cases of a kind to the result.
  void Select(HardKind kind, std::size_t most, const std::function<bool(const HardCase&)>& wanted) {
    std::vector<HardCase> chosen;
    std::size_t copies = 0;
    for (const HardCase& hard : Sorted(kind)) {
      if (chosen.size() >= most) break;
      const bool same =
          !chosen.empty() &&
          std::exp2(hard.log2_distance - chosen.back().log2_distance) - 1 < kSameDistance;
      if ((same && copies >= kCopies) || !wanted(hard)) continue;
      if (IsFlat(operation_, hard.args, kind)) continue;
      copies = same ? copies + 1 : 1;
      chosen.push_back(hard);
    }
    result_.cases.insert(result_.cases.end(), chosen.begin(), chosen.end());
  }

  // Of the flat cases, one a binade, those that are nearest and those that are just flat.
  void SelectFlat(HardKind kind) {
    std::vector<HardCase> flat;
    std::set<Bits> binades;
    for (const HardCase& hard : Sorted(kind)) {
      if (binades.contains(BinadeOf(hard.args[0])) || !IsFlat(operation_, hard.args, kind))
        continue;
      binades.insert(BinadeOf(hard.args[0]));
      flat.push_back(hard);
      flat.back().is_flat = true;
    }
    const std::size_t half = options_.top / 8;
    if (flat.size() > 2 * half) {
      flat.erase(flat.begin() + static_cast<std::ptrdiff_t>(half),
                 flat.end() - static_cast<std::ptrdiff_t>(half));
    }
    result_.cases.insert(result_.cases.end(), flat.begin(), flat.end());
  }

  Bits BinadeOf(Bits bits) const {
    return bits >> numerics::Traits(operation_.format).mantissa_bits();
  }

  const Operation& operation_;
  const HardSearchOptions& options_;
  const HardSearchHooks& hooks_;
  const std::size_t arity_;
  bool everything_ = false;
  std::vector<HardCase> measured_;
  std::set<std::pair<HardKind, HardArguments>> seen_;
  HardSearchResult result_;
};

}  // namespace

Expected<std::optional<HardSearchResult>> SearchHardCases(const Operation& operation,
                                                          const HardSearchOptions& options,
                                                          const HardSearchHooks& hooks) {
  if (operation.kind != numerics::OperationKind::kBuiltin ||
      !numerics::HasHardCases(operation.function)) {
    const bool builtin = operation.kind == numerics::OperationKind::kBuiltin;
    const numerics::Function base =
        builtin ? numerics::CasesOf(operation.function) : operation.function;
    return Fail(
        ErrorKind::kUnsupported,
        builtin && base != operation.function && numerics::HasHardCases(base)
            ? fmt::format("{} has the hard cases of {}: search for those", operation.Name(),
                          numerics::Info(base).name)
            : fmt::format("{} has no hard cases: its results are exact, read off the bits, or "
                          "inexact only where they are subnormal; conversions and geometric "
                          "functions have none kept",
                          operation.Name()));
  }
  return Search(operation, options, hooks).Run();
}

}  // namespace assay::oracle
