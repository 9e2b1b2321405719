#include "interp/execute/subgroup_columns.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "frontend/grammar.h"
#include "numerics/format.h"

namespace assay::interp {
namespace {

using frontend::GroupOperation;
using frontend::Op;
using Function = SubgroupFunction;

constexpr std::uint32_t kMostScalars = 32;  // two values of 16 components

// Copies of the operands: registers of results may be the same ones.
template <typename T>
struct Copies {
  alignas(64) T lanes[kMostScalars][kMaxLanes];
  explicit Copies(const SubgroupColumns& columns) {
    for (std::uint32_t i = 0; i < columns.call.values * columns.call.parts; ++i) {
      std::memcpy(lanes[i], columns.batch.Register<T>(columns.sync.operands[i]),
                  columns.batch.lanes * sizeof(T));
    }
  }
};

// A number as its bits.
template <typename T>
struct NumberOf {
  using Type = T;
};
template <>
struct NumberOf<float> {
  using Type = std::uint32_t;
};
template <>
struct NumberOf<double> {
  using Type = std::uint64_t;
};

// A NaN that was computed has always the same bits.
template <typename T>
T WithCanonicalNan(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) {
      const auto format = sizeof(T) == 4 ? FormatOf(Kind::kF32) : FormatOf(Kind::kF64);
      using Bits = typename NumberOf<T>::Type;
      return std::bit_cast<T>(static_cast<Bits>(numerics::QuietNan(format)));
    }
  }
  return value;
}

// `K` sub-groups of `count` lanes side by side, because each addition waits for the one before it.
// Where `count` is a constant, the compiler makes vector instructions of some of it.
template <int K, typename T, typename Count, typename F>
void FoldSome(GroupOperation operation, T identity, const T* const* in, T* const* out, Count count,
              const F& combine) {
  T total[K];
  for (int k = 0; k < K; ++k) total[k] = in[k][0];
  if (operation == GroupOperation::kReduce) {
    for (std::uint32_t i = 1; i < count; ++i) {
      for (int k = 0; k < K; ++k) total[k] = combine(total[k], in[k][i]);
    }
    for (int k = 0; k < K; ++k) {
      // What one work-item gives is moved, and not computed.
      const T value = count > 1 ? WithCanonicalNan(total[k]) : total[k];
      for (std::uint32_t i = 0; i < count; ++i) out[k][i] = value;
    }
    return;
  }
  const bool exclusive = operation == GroupOperation::kExclusiveScan;
  for (int k = 0; k < K; ++k) out[k][0] = exclusive ? identity : total[k];
  for (std::uint32_t i = 1; i < count; ++i) {
    for (int k = 0; k < K; ++k) {
      const T sum = WithCanonicalNan(combine(total[k], in[k][i]));
      out[k][i] = exclusive ? total[k] : sum;
      total[k] = sum;
    }
  }
}

template <typename T, typename F>
void Fold(const SubgroupColumns& columns, T identity, const F& combine) {
  const Copies<T> copies(columns);
  const auto operation = static_cast<GroupOperation>(columns.call.operation);
  constexpr int kSide = 4;
  for (std::uint32_t part = 0; part < columns.call.parts; ++part) {
    const T* in[kSide];
    T* out[kSide];
    int side = 0;
    std::uint32_t counts = 0;  // of those that stand in `in`
    const auto flush = [&] {
      switch (side) {
        case 4:
          if (counts == 16) {
            FoldSome<4>(operation, identity, in, out, std::integral_constant<std::uint32_t, 16>(),
                        combine);
          } else {
            FoldSome<4>(operation, identity, in, out, counts, combine);
          }
          break;
        case 3:
          FoldSome<3>(operation, identity, in, out, counts, combine);
          break;
        case 2:
          FoldSome<2>(operation, identity, in, out, counts, combine);
          break;
        case 1:
          FoldSome<1>(operation, identity, in, out, counts, combine);
          break;
        default:
          break;
      }
      side = 0;
    };
    T* const result = columns.batch.Register<T>(columns.sync.results[part]);
    EachSubgroup(columns, [&](std::uint32_t first, std::uint32_t count) {
      if (side == kSide || (side != 0 && counts != count)) flush();
      counts = count;
      in[side] = copies.lanes[part] + first;
      out[side++] = result + first;
    });
    flush();
  }
}

// In the order of floats, with -0 before +0.
template <typename Bits>
Bits OrderKey(Bits bits) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  return (bits & kSign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | kSign);
}
template <typename Bits>
bool IsNanBits(Bits bits) {
  constexpr Bits kInfinity = static_cast<Bits>(sizeof(Bits) == 4 ? 0x7f800000 : 0x7ff0000000000000);
  return (bits & ~(Bits{1} << (sizeof(Bits) * 8 - 1))) > kInfinity;
}

// Minima and maxima are of bits, so that subnormal numbers are what they are in every mode.
template <typename Bits>
bool CombineFloats(const SubgroupColumns& columns) {
  using F = std::conditional_t<sizeof(Bits) == 4, float, double>;
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  constexpr Bits kInfinity = static_cast<Bits>(sizeof(Bits) == 4 ? 0x7f800000 : 0x7ff0000000000000);
  switch (columns.call.combine) {
    case Op::kGroupFAdd:
      Fold<F>(columns, F{0}, [](F a, F b) { return a + b; });
      return true;
    case Op::kGroupFMulKHR:
      Fold<F>(columns, F{1}, [](F a, F b) { return a * b; });
      return true;
    case Op::kGroupFMin:
      Fold<Bits>(columns, kInfinity, [](Bits a, Bits b) {
        if (IsNanBits(a)) return b;
        return !IsNanBits(b) && OrderKey(b) < OrderKey(a) ? b : a;
      });
      return true;
    case Op::kGroupFMax:
      Fold<Bits>(columns, kInfinity | kSign, [](Bits a, Bits b) {
        if (IsNanBits(a)) return b;
        return !IsNanBits(b) && OrderKey(b) > OrderKey(a) ? b : a;
      });
      return true;
    default:
      return false;
  }
}

template <typename U>
bool CombineIntegers(const SubgroupColumns& columns) {
  using S = std::make_signed_t<U>;
  constexpr U kAll = static_cast<U>(-1);
  switch (columns.call.combine) {
    case Op::kGroupIAdd:
      Fold<U>(columns, 0, [](U a, U b) { return static_cast<U>(a + b); });
      return true;
    case Op::kGroupIMulKHR:
      Fold<U>(columns, 1, [](U a, U b) { return static_cast<U>(a * b); });
      return true;
    case Op::kGroupUMin:
      Fold<U>(columns, kAll, [](U a, U b) { return b < a ? b : a; });
      return true;
    case Op::kGroupUMax:
      Fold<U>(columns, 0, [](U a, U b) { return b > a ? b : a; });
      return true;
    case Op::kGroupSMin:
      Fold<U>(columns, kAll >> 1,
              [](U a, U b) { return static_cast<S>(b) < static_cast<S>(a) ? b : a; });
      return true;
    case Op::kGroupSMax:
      Fold<U>(columns, (kAll >> 1) + 1,
              [](U a, U b) { return static_cast<S>(b) > static_cast<S>(a) ? b : a; });
      return true;
    case Op::kGroupBitwiseAndKHR:
      Fold<U>(columns, kAll, [](U a, U b) { return static_cast<U>(a & b); });
      return true;
    case Op::kGroupBitwiseOrKHR:
      Fold<U>(columns, 0, [](U a, U b) { return static_cast<U>(a | b); });
      return true;
    case Op::kGroupBitwiseXorKHR:
      Fold<U>(columns, 0, [](U a, U b) { return static_cast<U>(a ^ b); });
      return true;
    default:
      return false;
  }
}

template <typename T>
void Move(const SubgroupColumns& columns, const ColumnSources& sources, std::uint64_t open) {
  const Copies<T> copies(columns);
  for (std::uint32_t part = 0; part < columns.call.parts; ++part) {
    T* const result = columns.batch.Register<T>(columns.sync.results[part]);
    EachSubgroup(columns, [&](std::uint32_t first, std::uint32_t count) {
      for (std::uint32_t lane = first; lane < first + count; ++lane) {
        result[lane] =
            sources.lane[lane] < 0
                ? static_cast<T>(open)
                : copies.lanes[sources.value[lane] * columns.call.parts + part][sources.lane[lane]];
      }
    });
  }
}

template <typename T>
bool IsUniform(const SubgroupColumns& columns, const T* values) {
  bool same = true;
  EachSubgroup(columns, [&](std::uint32_t first, std::uint32_t count) {
    T differs = 0;
    for (std::uint32_t i = 1; i < count; ++i) {
      differs = static_cast<T>(differs | (values[first + i] ^ values[first]));
    }
    same = same && differs == 0;
  });
  return same;
}

}  // namespace

bool AreUniform(const SubgroupColumns& columns, std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t i = first; i < end; ++i) {
    const std::uint32_t at = columns.sync.operands[i];
    bool same = false;
    switch (BytesOf(columns.sync.operand_kinds[i])) {
      case 1:
        same = IsUniform(columns, columns.batch.Register<std::uint8_t>(at));
        break;
      case 2:
        same = IsUniform(columns, columns.batch.Register<std::uint16_t>(at));
        break;
      case 4:
        same = IsUniform(columns, columns.batch.Register<std::uint32_t>(at));
        break;
      default:
        same = IsUniform(columns, columns.batch.Register<std::uint64_t>(at));
        break;
    }
    if (!same) return false;
  }
  return true;
}

bool CombineColumns(const SubgroupColumns& columns) {
  if (columns.call.function != Function::kCombine || columns.call.extras != 0) return false;
  switch (columns.sync.kind) {
    case Kind::kI32:
      return CombineIntegers<std::uint32_t>(columns);
    case Kind::kI64:
      return CombineIntegers<std::uint64_t>(columns);
    case Kind::kF32:
      return CombineFloats<std::uint32_t>(columns);
    case Kind::kF64:
      return CombineFloats<std::uint64_t>(columns);
    default:
      return false;
  }
}

bool VoteColumns(const SubgroupColumns& columns) {
  const Function function = columns.call.function;
  if ((function != Function::kAll && function != Function::kAny && function != Function::kBallot) ||
      columns.call.parts != 1 || columns.sync.kind != Kind::kBool) {
    return false;
  }
  std::uint64_t yes = 0;
  const auto* values = columns.batch.Register<std::uint8_t>(columns.sync.operands[0]);
  for (std::uint32_t i = 0; i < columns.batch.lanes; ++i) {
    yes |= std::uint64_t{values[i] != 0} << i;
  }
  EachSubgroup(columns, [&](std::uint32_t first, std::uint32_t count) {
    const std::uint64_t all = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    const std::uint64_t mine = yes >> first & all;
    for (std::uint32_t i = 0; i < columns.call.results; ++i) {
      const std::uint32_t at = columns.sync.results[i];
      if (function != Function::kBallot) {
        std::memset(columns.batch.Register<std::uint8_t>(at) + first,
                    function == Function::kAll ? mine == all : mine != 0, count);
        continue;
      }
      // Four words, of which a batch has no more than two.
      const auto word = static_cast<std::uint32_t>(i % 4 < 2 ? mine >> (i % 4 * 32) : 0);
      auto* const result = columns.batch.Register<std::uint32_t>(at) + first;
      for (std::uint32_t lane = 0; lane < count; ++lane) result[lane] = word;
    }
  });
  return true;
}

void MoveColumns(const SubgroupColumns& columns, const ColumnSources& sources, std::uint64_t open) {
  switch (BytesOf(columns.sync.kind)) {
    case 1:
      return Move<std::uint8_t>(columns, sources, open);
    case 2:
      return Move<std::uint16_t>(columns, sources, open);
    case 4:
      return Move<std::uint32_t>(columns, sources, open);
    default:
      return Move<std::uint64_t>(columns, sources, open);
  }
}

}  // namespace assay::interp
