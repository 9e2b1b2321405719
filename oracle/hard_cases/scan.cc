#include "oracle/hard_cases/scan.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/threads.h"
#include "numerics/evaluate.h"
#include "oracle/inputs/random.h"

namespace assay::oracle {
namespace {

using numerics::BatchEvaluator;
using numerics::Bits;
using numerics::ConstColumn;
using numerics::Exact;
using numerics::HardKind;
using numerics::Operation;
using numerics::ScalarType;

constexpr std::size_t kChunk = 1 << 12;
constexpr int kIntegerBits = 16;  // of an int operand where every pair is tried
constexpr HardKind kKinds[] = {HardKind::kMidpoint, HardKind::kNumber};

// Operand columns and results of one chunk.
class Batch {
 public:
  Batch(const Operation& operation, std::size_t size)
      : types_(operation.ArgumentTypes()),
        count_(static_cast<std::size_t>(operation.ResultCount())),
        results_(size * count_) {
    for (ScalarType type : types_) bytes_.emplace_back(size * numerics::SizeOf(type));
    for (std::size_t i = 0; i < types_.size(); ++i) {
      columns_.push_back({numerics::Slot{types_[i], 1}, bytes_[i].data()});
    }
  }
  void Set(std::size_t item, std::size_t operand, Bits bits) {
    numerics::StoreElement(types_[operand], bytes_[operand].data(), item, bits);
  }
  void Evaluate(const BatchEvaluator& evaluator, std::size_t size) {
    evaluator.Evaluate(columns_, 0, size, results_.data());
  }
  const Exact& operator[](std::size_t item) const { return results_[item * count_]; }
  Bits At(std::size_t item, std::size_t operand) const {
    return numerics::LoadElement(types_[operand], bytes_[operand].data(), item);
  }
  HardArguments ArgumentsAt(std::size_t item) const {
    HardArguments args{};
    for (std::size_t i = 0; i < types_.size(); ++i) args[i] = At(item, i);
    return args;
  }

 private:
  std::vector<ScalarType> types_;
  std::size_t count_;
  std::vector<Exact> results_;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<ConstColumn> columns_;
};

// IsFlat of collect.h by the fast path: for millions of operands, of which few become
// cases.
class FlatTest {
 public:
  FlatTest(const Operation& operation, const BatchEvaluator& evaluator)
      : evaluator_(evaluator),
        batch_(operation, 2),
        types_(operation.ArgumentTypes()),
        format_(operation.format) {}

  bool Along(std::size_t index, const HardArguments& args, HardKind kind) {
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < types_.size(); ++i) batch_.Set(side, i, args[i]);
      Bits beside = 0;
      if (!NeighbourOf(types_[index], args[index], side == 0 ? -1 : 1, &beside)) return false;
      batch_.Set(side, index, beside);
    }
    batch_.Evaluate(evaluator_, 2);
    return IsNear(batch_[0], kind, format_) && IsNear(batch_[1], kind, format_);
  }

  bool AlongAny(const HardArguments& args, HardKind kind) {
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (Along(i, args, kind)) return true;
    }
    return false;
  }

 private:
  const BatchEvaluator& evaluator_;
  Batch batch_;
  std::vector<ScalarType> types_;
  numerics::Format format_;
};

// Bits of the last operand, which varies fastest.
int LastBits(const Operation& operation) {
  const ScalarType type = operation.ArgumentTypes().back();
  return IsFloating(type) ? numerics::WidthOf(type) : kIntegerBits;
}

// One thread's walk over consecutive patterns of the last operand.
class Walk {
 public:
  explicit Walk(const Operation& operation)
      : operation_(operation),
        evaluator_(operation),
        flat_test_(operation, evaluator_),
        batch_(operation, kChunk + 2),
        last_(static_cast<std::size_t>(operation.ArgumentCount()) - 1),
        bits_(LastBits(operation)),
        is_integer_(!IsFloating(operation.ArgumentTypes().back())) {}

  void Chunk(std::uint64_t chunk, HardCollector* collector) {
    const std::uint64_t first = chunk * kChunk, mask = (std::uint64_t{1} << bits_) - 1;
    for (std::size_t i = 0; i < kChunk + 2; ++i) {
      if (last_ == 1) batch_.Set(i, 0, first >> bits_);
      const Bits pattern = ((first & mask) + i - 1) & mask;
      // An int: sign-extended.
      const Bits integer = static_cast<std::uint32_t>(static_cast<std::int16_t>(pattern));
      batch_.Set(i, last_, is_integer_ ? integer : pattern);
    }
    batch_.Evaluate(evaluator_, kChunk + 2);
    for (std::size_t i = 1; i <= kChunk; ++i) {
      // Two comparisons turn most away: neither near 1/2 nor near 0 or 1, or exact or no number.
      const double fraction = batch_[i].fraction, from_half = std::fabs(fraction - 0.5);
      if (fraction == 0 || std::fabs(from_half - 0.25) < 0.25 - kFarthest) [[likely]]
        continue;
      for (HardKind kind : kKinds) {
        const double distance = HardDistance(batch_[i], kind, operation_.format);
        if (distance < kFarthest) Consider(i, kind, distance, collector);
      }
    }
    for (HardKind kind : kKinds) FlushFlat(kind, collector);
  }

 private:
  void Consider(std::size_t i, HardKind kind, double distance, HardCollector* collector) {
    const bool flat = distance < kFlatDistance && IsNear(batch_[i - 1], kind, operation_.format) &&
                      IsNear(batch_[i + 1], kind, operation_.format);
    if (!flat && distance > collector->Limit(kind)) return;
    if (flat) {
      KeepFlat(i, kind, distance, collector);
      return;
    }
    const HardArguments args = batch_.ArgumentsAt(i);
    if (last_ == 1 && flat_test_.Along(0, args, kind)) {
      // The limit depends on the thread and is never below this.
      if (distance <= HardCollector::kBlur) collector->OfferFlat(kind, args, distance);
    } else {
      collector->Offer(kind, args, distance);
    }
  }

  // Most operands of many functions are flat: the collector sees one a chunk and binade.
  void KeepFlat(std::size_t i, HardKind kind, double distance, HardCollector* collector) {
    Flat& flat = flat_[static_cast<std::size_t>(kind)];
    const Bits binade = batch_.At(i, 0) >> numerics::Traits(operation_.format).mantissa_bits();
    if (flat.is_set && flat.binade != binade) FlushFlat(kind, collector);
    distance = std::max(distance, HardCollector::kBlur);
    if (flat.is_set && flat.distance <= distance) return;
    flat = {.is_set = true, .binade = binade, .item = i, .distance = distance};
  }

  void FlushFlat(HardKind kind, HardCollector* collector) {
    Flat& flat = flat_[static_cast<std::size_t>(kind)];
    if (flat.is_set) collector->OfferFlat(kind, batch_.ArgumentsAt(flat.item), flat.distance);
    flat.is_set = false;
  }

  // The nearest flat operand of the chunk so far, the first of equals.
  struct Flat {
    bool is_set = false;
    Bits binade = 0;
    std::size_t item = 0;
    double distance = 0;
  };
  std::array<Flat, 2> flat_;
  const Operation& operation_;
  BatchEvaluator evaluator_;
  FlatTest flat_test_;
  Batch batch_;
  std::size_t last_;
  int bits_;
  bool is_integer_;
};

// Operands at which algebra makes results come near: few significant bits, next to powers of two.
Bits SimpleOperand(ItemStream& stream, ScalarType type) {
  if (!IsFloating(type)) return static_cast<std::uint32_t>(stream.Between(-12, 12));
  const numerics::Format format = FormatOf(type);
  const numerics::FormatTraits& traits = numerics::Traits(format);
  const int exponent = traits.emax + stream.Between(-8, 8);
  Bits bits = static_cast<Bits>(exponent) << traits.mantissa_bits();
  switch (stream.Below(3)) {
    case 0:  // next to a power of two
      bits += static_cast<Bits>(static_cast<std::int64_t>(stream.Between(-4, 4)));
      break;
    case 1:  // three bits behind the point
      bits |= stream.Below(8) << (traits.mantissa_bits() - 3);
      break;
    default:
      bits |= stream.Next() & numerics::MantissaMask(format);
  }
  return stream.Coin() ? bits : numerics::Negate(format, bits);
}

// One thread's work on drawn operands.
class Sampler {
 public:
  Sampler(const Operation& operation, std::uint64_t seed)
      : operation_(operation),
        random_(operation, seed),
        key_(StreamKey(operation, seed) + 1),
        evaluator_(operation),
        flat_test_(operation, evaluator_),
        batch_(operation, kChunk),
        types_(operation.ArgumentTypes()) {}

  void Chunk(std::uint64_t first, std::size_t size, HardCollectors* collectors) {
    for (std::size_t i = 0; i < size; ++i) Draw(first + i, i);
    batch_.Evaluate(evaluator_, size);
    for (std::size_t i = 0; i < size; ++i) {
      for (HardKind kind : kKinds) {
        const double distance = HardDistance(batch_[i], kind, operation_.format);
        if (distance < kFarthest) [[unlikely]]
          Consider(batch_.ArgumentsAt(i), kind, distance, collectors);
      }
    }
  }

 private:
  void Consider(const HardArguments& args, HardKind kind, double distance,
                HardCollectors* collectors) {
    HardCollector& collector = (*collectors)[HasSimpleOperand(operation_, args) ? 1 : 0];
    if (distance > collector.Limit(kind)) return;
    if (!flat_test_.AlongAny(args, kind)) {
      collector.Offer(kind, args, distance);
    } else if (distance <= HardCollector::kBlur) {  // as in Walk
      collector.OfferFlat(kind, args, distance);
    }
  }

  void Draw(std::uint64_t item, std::size_t at) {
    Arguments args{};
    if (item % 4 == 0) {
      ItemStream stream(key_, item);
      for (std::size_t i = 0; i < types_.size(); ++i) args[i] = SimpleOperand(stream, types_[i]);
    } else {
      random_.Draw(item, args);
    }
    for (std::size_t i = 0; i < types_.size(); ++i) batch_.Set(at, i, args[i]);
  }

  const Operation& operation_;
  RandomArguments random_;
  std::uint64_t key_;
  BatchEvaluator evaluator_;
  FlatTest flat_test_;
  Batch batch_;
  std::vector<ScalarType> types_;
};

// Gives each thread a part of its own, which is merged when the thread is done.
template <typename Part, typename Merge>
class Merged {
 public:
  Merged(Part empty, Merge merge) : empty_(std::move(empty)), merge_(std::move(merge)) {}
  std::shared_ptr<Part> New() {
    return {new Part(empty_), [this](Part* part) {
              const std::lock_guard lock(mutex_);
              merge_(*part);
              delete part;
            }};
  }

 private:
  const Part empty_;
  Merge merge_;
  std::mutex mutex_;
};

}  // namespace

bool RunOnThreads(std::uint64_t count, int threads, const HardSearchHooks& hooks,
                  const std::function<std::function<void(std::uint64_t)>()>& start) {
  std::atomic<std::uint64_t> next = 0, done = 0;
  const auto stopped = [&] { return hooks.stop != nullptr && hooks.stop->load(); };
  const auto loop = [&](bool tells) {
    const std::function<void(std::uint64_t)> work = start();
    for (std::uint64_t i; !stopped() && (i = next++) < count;) {
      work(i);
      ++done;
      if (tells && hooks.progress) hooks.progress(done, count);
    }
  };
  base::RunOnThreads(threads, [&](int thread) { loop(thread == 0); });
  return !stopped();
}

std::uint64_t EverythingCount(const Operation& operation) {
  const int bits = LastBits(operation);
  const int first = operation.ArgumentCount() == 1 ? 0 : WidthOf(operation.ArgumentTypes()[0]);
  // Who asks about more than could be tried gets a number that is too large.
  constexpr int kMost = 63;
  return std::uint64_t{1} << std::min(bits + first, kMost);
}

bool ScanEverything(const Operation& operation, const HardSearchOptions& options,
                    const HardSearchHooks& hooks, HardCollector* collector) {
  Merged merged(HardCollector(operation),
                [&](const HardCollector& part) { collector->Merge(part); });
  return RunOnThreads(EverythingCount(operation) / kChunk, options.threads, hooks, [&] {
    return [walk = std::make_shared<Walk>(operation), part = merged.New()](std::uint64_t chunk) {
      walk->Chunk(chunk, part.get());
    };
  });
}

bool ScanSamples(const Operation& operation, std::uint64_t count, const HardSearchOptions& options,
                 const HardSearchHooks& hooks, HardCollectors* collectors) {
  const HardCollector empty(operation);
  Merged merged(HardCollectors{empty, empty}, [&](const HardCollectors& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) (*collectors)[i].Merge(parts[i]);
  });
  const std::uint64_t chunks = (count + kChunk - 1) / kChunk;
  return RunOnThreads(chunks, options.threads, hooks, [&] {
    return [&, sampler = std::make_shared<Sampler>(operation, options.seed),
            part = merged.New()](std::uint64_t chunk) {
      const std::uint64_t first = chunk * kChunk;
      sampler->Chunk(first, std::min<std::uint64_t>(kChunk, count - first), part.get());
    };
  });
}

}  // namespace assay::oracle
