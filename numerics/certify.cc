#include "numerics/certify.h"

#include <fmt/format.h>
#include <mpfr.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "base/threads.h"
#include "numerics/evaluate_builtin.h"
#include "numerics/hard_cases.h"
#include "numerics/stretch.h"

namespace assay::numerics {
namespace {

constexpr std::size_t kOperands = 3;
// Inputs among which one search picks the hardest; a fast path is about 50 times faster than MPFR.
constexpr std::uint64_t kSearched = 64;

// SplitMix64 as a hash: the n-th number of a stream.
std::uint64_t Mix(std::uint64_t stream, std::uint64_t n) {
  std::uint64_t z = stream * 0xd1342543de82ef95u + (n + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Bits AllPatterns(Format f) { return SignMask(f) | MagnitudeMask(f); }

void AddWithNeighbours(Format f, double value, bool neighbours, std::vector<Bits>* list) {
  const Bits bits = FromDouble(f, value);
  for (Bits magnitude : {bits, bits - 1, bits + 1}) {
    if (magnitude != bits && !neighbours) continue;
    if (!IsFinite(f, magnitude) || IsZero(f, magnitude)) continue;
    list->push_back(magnitude);
    list->push_back(magnitude | SignMask(f));
  }
}

// Where formulas change: the ends of the format, the unit, small integers and their halves, angles
// of the circle; for one operand every power of two and more, for two or three a short list.
std::vector<Bits> SpecialOperands(Format f, std::size_t arity) {
  const FormatTraits& traits = Traits(f);
  const bool one = arity == 1;
  std::vector<Bits> list;
  for (Bits bits : {MinSubnormal(f), MinNormal(f) - 1, MinNormal(f), MaxFinite(f)}) {
    AddWithNeighbours(f, ToDouble(f, bits), one, &list);
  }
  const int step = one ? 1 : arity == 2 ? traits.emax / 5 : traits.emax / 2;
  for (int e = traits.tiny_exponent(); e <= traits.emax; e += step) {
    AddWithNeighbours(f, std::ldexp(1, e), one, &list);
  }
  AddWithNeighbours(f, 1, arity < 3, &list);
  for (double value : {0.5, 0.75, 2.0, 3.0, 3.14159265}) AddWithNeighbours(f, value, one, &list);
  if (arity < 3) {
    for (double value : {0.25, 1.5, 2.5, 4.0, 9.0, 10.0, 0.693147, 1.5707963, 2.718281828}) {
      AddWithNeighbours(f, value, one, &list);
    }
  }
  for (int n = 1; one && n <= 256; ++n) {
    for (double scale : {0.25, 1.0, 3.14159265358979 / 4}) {
      AddWithNeighbours(f, n * scale, true, &list);
    }
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

std::vector<Bits> SpecialIntegers() {
  std::vector<Bits> list;
  for (std::int32_t n : {0,  1,   2,   3,   4,   5,   6,   7,    8,     10,       16,        24,
                         25, 100, 127, 128, 149, 150, 255, 1023, 65536, 16777217, 2147483647}) {
    list.push_back(static_cast<std::uint32_t>(n));
    list.push_back(static_cast<std::uint32_t>(-n));
  }
  list.push_back(0x80000000u);
  return list;
}

// A random operand of one of four kinds: any pattern; a moderate exponent; near one; a short
// fraction, where results tend to be exact.
Bits RandomOperand(Format f, std::uint64_t random, Bits previous) {
  const FormatTraits& traits = Traits(f);
  const Bits any = random & AllPatterns(f);
  const auto offset = static_cast<std::int64_t>(random >> 40 & 15) - 8;
  const Bits near =
      (One(f) & ~MantissaMask(f)) + (static_cast<Bits>(offset) << traits.mantissa_bits());
  switch (random >> 60 & 7) {
    case 0:
    case 1:
      return CopySign(f, near | (any & MantissaMask(f)), any);
    case 2: {
      const int width = static_cast<int>(random >> 32 & 31) % traits.mantissa_bits() + 1;
      const Bits distance = any & ((Bits{1} << width) - 1);
      return CopySign(f, (random >> 50 & 1) != 0 ? One(f) + distance : One(f) - distance, any);
    }
    case 3: {
      const auto n = static_cast<double>(static_cast<std::int64_t>(random & 2047) - 1024);
      return FromDouble(f, std::ldexp(n, -static_cast<int>(random >> 32 & 7)));
    }
    case 4: {  // an exponent like the previous operand's
      const Bits exponent =
          (previous & Infinity(f)) + (static_cast<Bits>(offset) << traits.mantissa_bits());
      return CopySign(f, (exponent & Infinity(f)) | (any & MantissaMask(f)), any);
    }
    default:
      return any;
  }
}

Bits RandomInteger(std::uint64_t random) {
  const auto n = static_cast<std::int32_t>(random);
  switch (random >> 60 & 3) {
    case 0:
      return static_cast<std::uint32_t>(n);
    case 1:
      return static_cast<std::uint32_t>(n % 2048);
    default:
      return static_cast<std::uint32_t>(n % 32);
  }
}

}  // namespace

void CertifyStatistics::Merge(const CertifyStatistics& other) {
  compared += other.compared;
  interpolated += other.interpolated;
  fallbacks += other.fallbacks;
  special += other.special;
  differences += other.differences;
  max_fraction_error = std::max(max_fraction_error, other.max_fraction_error);
  nearest = std::min(nearest, other.nearest);
  if (other.first && (!first || other.first->item < first->item)) first = other.first;
}

bool Agrees(const Exact& fast, const Exact& truth, Format format) {
  if (fast.kind != truth.kind) return false;
  if (fast.kind == ResultKind::kNan || fast.kind == ResultKind::kUnspecified) return true;
  if (fast.below != truth.below || fast.prescribed != truth.prescribed ||
      fast.any_zero_sign != truth.any_zero_sign || fast.low_seven_bits != truth.low_seven_bits ||
      fast.has_alternative != truth.has_alternative) {
    return false;
  }
  if (fast.kind != ResultKind::kFinite) return true;
  for (Rounding rounding : kAllRoundings) {
    if (Round(fast, format, rounding) != Round(truth, format, rounding)) return false;
  }
  if (SideOfBoundaries(fast.fraction) != SideOfBoundaries(truth.fraction)) return false;
  if (fast.fraction > kFarOverflow && truth.fraction > kFarOverflow) return true;
  return std::fabs(fast.fraction - truth.fraction) <=
         FractionTolerance(format) * std::max(1.0, truth.fraction);
}

Expected<CertifyTask> CertifyTask::Make(Function function, Format format,
                                        const CertifyOptions& options, const FastPath* path) {
  const FunctionInfo& info = Info(function);
  const bool is_own = path == nullptr;
  if (is_own) path = FindUncertifiedFastPath(function, format);
  if (path == nullptr || !info.Supports(format)) {
    return Fail(ErrorKind::kUnsupported, fmt::format("{} {} has no fast path; MPFR answers it",
                                                     info.name, Traits(format).name));
  }
  CertifyTask task;
  task.function_ = function;
  task.format_ = format;
  task.operands_ = info.operands;
  task.paths_ = {path, FindUncertifiedFastPath(function, format, 1)};
  if (is_own && format == Format::kDouble)
    task.nearest_ = info.results.size() == 1 ? FindDoubleFunction(function) : nullptr;
  task.options_ = options;
  const bool unary = info.Arity() == 1;
  if (options.exhaustive && !unary) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{} has {} operands: too many tuples to go through; leave --exhaustive, "
                    "--from, --to and --stride out and choose --samples",
                    info.name, info.Arity()));
  }
  if (unary && Traits(format).width == 16) task.options_.exhaustive = true;
  task.options_.to = std::min(options.to, AllPatterns(format));
  if (options.exhaustive && format == Format::kDouble && options.from == 0 &&
      task.options_.to == AllPatterns(format) && options.stride == 1) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} double has 2^64 operands: choose some with --from, --to and "
                            "--stride, or --samples",
                            info.name));
  }
  if (options.stride == 0 || (task.options_.exhaustive && options.from > task.options_.to)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("nothing to compare: --from 0x{:x} --to 0x{:x} --stride {}; the "
                            "patterns of {} end at 0x{:x}",
                            options.from, options.to, options.stride, Traits(format).name,
                            AllPatterns(format)));
  }
  if (!task.options_.exhaustive) {
    task.specials_ = SpecialOperands(format, task.operands_.size());
    task.integers_ = SpecialIntegers();
    task.hard_ = HardCases(function, format);
    task.special_tuples_ = 1;
    for (char kind : task.operands_) {
      task.special_tuples_ *= (kind == 'I' ? task.integers_ : task.specials_).size();
    }
  }
  return task;
}

std::uint64_t CertifyTask::Count() const {
  if (options_.exhaustive) return (options_.to - options_.from) / options_.stride + 1;
  return special_tuples_ + HardCount() + options_.samples + options_.Searched();
}

Coverage CertifyTask::coverage() const {
  const bool all = options_.exhaustive && options_.from == 0 &&
                   options_.to == AllPatterns(format_) && options_.stride == 1;
  return all ? Coverage::kExhaustive : Coverage::kSampled;
}

std::string CertifyTask::Describe() const {
  if (coverage() == Coverage::kExhaustive) return fmt::format("all {} operands", Count());
  if (options_.exhaustive) {
    return fmt::format("every {}th of the operands 0x{:x} to 0x{:x}", options_.stride,
                       options_.from, options_.to);
  }
  return fmt::format(
      "{} tuples of special values, {} known hard cases, {} random, {} that are the hardest of {} "
      "(seed {})",
      special_tuples_, HardCount(), options_.samples, options_.Searched(), kSearched,
      options_.seed);
}

void CertifyTask::Operands(std::uint64_t item, Bits* args) const {
  if (options_.exhaustive) {
    args[0] = options_.from + item * options_.stride;
    return;
  }
  if (item < special_tuples_) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const std::vector<Bits>& list = operands_[i] == 'I' ? integers_ : specials_;
      args[i] = list[item % list.size()];
      item /= list.size();
    }
    return;
  }
  item -= special_tuples_;
  if (item < HardCount()) {
    std::copy_n(hard_.begin() + static_cast<std::ptrdiff_t>(item * operands_.size()),
                operands_.size(), args);
    return;
  }
  item -= HardCount();
  if (item < options_.samples) {
    RandomOperands(Mix(options_.seed, 2 * item), args);
  } else {
    SearchedOperands(Mix(options_.seed, 2 * item + 1), args);
  }
}

void CertifyTask::RandomOperands(std::uint64_t stream, Bits* args) const {
  Bits previous = One(format_);
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const std::uint64_t random = Mix(stream, i);
    args[i] =
        operands_[i] == 'I' ? RandomInteger(random) : RandomOperand(format_, random, previous);
    previous = args[i];
  }
}

// Of kSearched random tuples the one whose result lies nearest to a boundary, as the fast path
// sees it: there an error of the approximation would first be seen.
void CertifyTask::SearchedOperands(std::uint64_t stream, Bits* args) const {
  double best = 2;
  for (std::uint64_t i = 0; i < kSearched; ++i) {
    std::array<Bits, kOperands> candidate{};
    std::array<double, kOperands> values{};
    RandomOperands(Mix(stream, i), candidate.data());
    Exact exact;
    double distance = 1;
    if (ToDoubles(candidate.data(), values.data()) &&
        Answer(*paths_[0], format_, values.data(), &exact) && exact.kind == ResultKind::kFinite) {
      distance = DistanceToBoundary(exact.fraction);
      if (distance <= kSettled) distance = 1;
    }
    if (distance < best) {
      best = distance;
      std::copy_n(candidate.begin(), operands_.size(), args);
    }
  }
}

bool CertifyTask::ToDoubles(const Bits* args, double* values) const {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (operands_[i] == 'I') {
      values[i] = static_cast<std::int32_t>(args[i]);
    } else if (!IsFinite(format_, args[i]) || IsZero(format_, args[i])) {
      return false;
    } else {
      values[i] = ToDouble(format_, args[i]);
    }
  }
  return true;
}

void CertifyTask::Compare(std::uint64_t item, const Stretch* stretch, int place,
                          CertifyStatistics* statistics) const {
  std::array<Bits, kOperands> args{};
  std::array<double, kOperands> values{};
  Operands(item, args.data());
  if (!ToDoubles(args.data(), values.data())) {
    ++statistics->special;
    return;
  }
  std::array<Exact, 2> fast, truth;
  const std::size_t results = Info(function_).results.size();
  for (std::size_t r = 0; r < results; ++r) {
    if (!Answer(*paths_[r], format_, values.data(), &fast[r])) {
      ++statistics->fallbacks;
      CompareNearest(item, std::span<const Bits>(args).first(operands_.size()), values.data(),
                     nullptr, statistics);
      return;
    }
  }
  double difference = 0;
  if (stretch != nullptr && stretch->Confirms(place, std::span(fast).first(results), &difference)) {
    ++statistics->compared;
    ++statistics->interpolated;
    statistics->max_fraction_error = std::max(statistics->max_fraction_error, difference);
    return;
  }
  const std::span<const Bits> operands = std::span(args).first(operands_.size());
  EvaluateExact(Operation::Builtin(function_, format_), operands, std::span(truth).first(results),
                Fractions::kCoarse);
  ++statistics->compared;
  CompareNearest(item, operands, values.data(), truth.data(), statistics);
  for (std::size_t r = 0; r < results; ++r) {
    if (!Agrees(fast[r], truth[r], format_)) {
      ++statistics->differences;
      if (!statistics->first) {
        statistics->first = {item, {operands.begin(), operands.end()}, fast[r], truth[r]};
      }
    } else if (fast[r].kind == ResultKind::kFinite && fast[r].fraction < 2) {
      statistics->max_fraction_error =
          std::max(statistics->max_fraction_error, std::fabs(fast[r].fraction - truth[r].fraction));
      const double distance = DistanceToBoundary(truth[r].fraction);
      if (distance > kSettled) statistics->nearest = std::min(statistics->nearest, distance);
    }
  }
}

// The result to nearest, which comes from the first step or from LLVM libc; `truth` may be null.
void CertifyTask::CompareNearest(std::uint64_t item, std::span<const Bits> operands,
                                 const double* values, const Exact* truth,
                                 CertifyStatistics* statistics) const {
  double rounded = 0;
  const double* const columns[kOperands] = {&values[0], &values[1], &values[2]};
  if (nearest_ == nullptr || nearest_(columns, 1, &rounded) == 0) return;
  Exact asked;
  if (truth == nullptr) {
    EvaluateExact(Operation::Builtin(function_, format_), operands, {&asked, 1},
                  Fractions::kCoarse);
    truth = &asked;
  }
  const auto bits = std::bit_cast<Bits>(rounded);
  if (bits == Round(*truth, format_, Rounding::kRte)) return;
  ++statistics->differences;
  if (statistics->first) return;
  const Exact found{.below = bits, .kind = ResultKind::kFinite};
  statistics->first = {item, {operands.begin(), operands.end()}, found, *truth};
}

CertifyStatistics CertifyTask::RunAlone(std::uint64_t begin, std::uint64_t end,
                                        const std::atomic<bool>* stop) const {
  CertifyStatistics statistics;
  std::uint64_t item = begin;
  const auto is_stopped = [&] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
  while (item < end && !is_stopped()) {
    if (!HasStretches()) {
      Compare(item++, nullptr, 0, &statistics);
      continue;
    }
    // All items of a stretch are compared alike, wherever a range begins.
    constexpr Bits kBlock = kNeighbours;
    const Bits operand = options_.from + item, first = operand - operand % kBlock;
    const Bits magnitude = Magnitude(format_, first);
    std::optional<Stretch> stretch;
    if (magnitude != 0 && magnitude < Infinity(format_)) stretch.emplace(function_, first);
    if (stretch) statistics.nearest = std::min(statistics.nearest, stretch->nearest());
    const std::uint64_t last = std::min(end, item + (first + kBlock - operand));
    for (; item < last && !is_stopped(); ++item) {
      const auto place = static_cast<int>(options_.from + item - first);
      Compare(item, stretch ? &*stretch : nullptr, place, &statistics);
    }
  }
  return statistics;
}

// Neighbouring floats, one after the other.
bool CertifyTask::HasStretches() const {
  return options_.exhaustive && options_.stride == 1 && format_ == Format::kFloat;
}

std::optional<CertifyStatistics> CertifyTask::Run(std::uint64_t begin, std::uint64_t end,
                                                  int threads,
                                                  const std::atomic<bool>* stop) const {
  // More parts than threads: an item that MPFR has to tell costs a hundred times another.
  const auto workers = static_cast<std::uint64_t>(std::max(threads, 1));
  const std::uint64_t count = 4 * workers;
  std::vector<CertifyStatistics> parts(count);
  std::atomic<std::uint64_t> next = 0;
  base::RunOnThreads(static_cast<int>(workers), [&](int thread) {
    for (std::uint64_t i; (i = next++) < count;) {
      const std::uint64_t length = end - begin;
      parts[i] = RunAlone(begin + length * i / count, begin + length * (i + 1) / count, stop);
    }
    if (thread != 0) mpfr_free_cache();  // of this thread
  });
  if (stop != nullptr && stop->load()) return std::nullopt;
  CertifyStatistics all;
  for (const CertifyStatistics& part : parts) all.Merge(part);
  return all;
}

}  // namespace assay::numerics
