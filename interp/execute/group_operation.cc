#include "interp/execute/group_operation.h"

#include <bit>
#include <limits>

#include "interp/execute/execute.h"
#include "interp/execute/lane_bits.h"

namespace assay::interp {

using frontend::GroupOperation;
using frontend::Op;

namespace {

using half = _Float16;

template <typename F, typename Bits>
std::uint64_t FloatSum(std::uint64_t a, std::uint64_t b) {
  const F sum = static_cast<F>(std::bit_cast<F>(static_cast<Bits>(a)) +
                               std::bit_cast<F>(static_cast<Bits>(b)));
  return sum == sum ? std::bit_cast<Bits>(sum)
                    : numerics::QuietNan(FormatOf(FloatKind(sizeof(F) * 8)));
}
template <typename F, typename Bits>
std::uint64_t FloatProduct(std::uint64_t a, std::uint64_t b) {
  const F product = static_cast<F>(std::bit_cast<F>(static_cast<Bits>(a)) *
                                   std::bit_cast<F>(static_cast<Bits>(b)));
  return product == product ? std::bit_cast<Bits>(product)
                            : numerics::QuietNan(FormatOf(FloatKind(sizeof(F) * 8)));
}

std::uint64_t Add(Kind kind, std::uint64_t a, std::uint64_t b) {
  if (kind == Kind::kF16) return FloatSum<half, std::uint16_t>(a, b);
  if (kind == Kind::kF32) return FloatSum<float, std::uint32_t>(a, b);
  if (kind == Kind::kF64) return FloatSum<double, std::uint64_t>(a, b);
  return (a + b) & MaskOf(kind);
}
std::uint64_t Multiply(Kind kind, std::uint64_t a, std::uint64_t b) {
  if (kind == Kind::kF16) return FloatProduct<half, std::uint16_t>(a, b);
  if (kind == Kind::kF32) return FloatProduct<float, std::uint32_t>(a, b);
  if (kind == Kind::kF64) return FloatProduct<double, std::uint64_t>(a, b);
  return (a * b) & MaskOf(kind);
}

std::int64_t Signed(Kind kind, std::uint64_t a) {
  const int shift = 64 - BitsOf(kind);
  return static_cast<std::int64_t>(a << shift) >> shift;
}

// Of two numbers; of a number and a NaN the number (SPV_EXT_shader_atomic_float_min_max).
std::uint64_t FloatLess(Kind kind, std::uint64_t a, std::uint64_t b, bool minimum) {
  const numerics::Format format = FormatOf(kind);
  if (numerics::IsNan(format, a)) return b;
  if (numerics::IsNan(format, b)) return a;
  const bool less = numerics::OrderedIndex(format, b) < numerics::OrderedIndex(format, a);
  const bool greater = numerics::OrderedIndex(format, b) > numerics::OrderedIndex(format, a);
  return (minimum ? less : greater) ? b : a;
}

std::uint64_t Combine(Op opcode, Kind kind, std::uint64_t a, std::uint64_t b) {
  switch (opcode) {
    case Op::kGroupIAdd:
    case Op::kGroupFAdd:
      return Add(kind, a, b);
    case Op::kGroupIMulKHR:
    case Op::kGroupFMulKHR:
      return Multiply(kind, a, b);
    case Op::kGroupFMin:
      return FloatLess(kind, a, b, true);
    case Op::kGroupFMax:
      return FloatLess(kind, a, b, false);
    case Op::kGroupUMin:
      return b < a ? b : a;
    case Op::kGroupUMax:
      return b > a ? b : a;
    case Op::kGroupSMin:
      return Signed(kind, b) < Signed(kind, a) ? b : a;
    case Op::kGroupSMax:
      return Signed(kind, b) > Signed(kind, a) ? b : a;
    case Op::kGroupAll:
    case Op::kGroupBitwiseAndKHR:
    case Op::kGroupLogicalAndKHR:
      return a & b;
    case Op::kGroupAny:
    case Op::kGroupBitwiseOrKHR:
    case Op::kGroupLogicalOrKHR:
      return a | b;
    default:  // kGroupBitwiseXorKHR, kGroupLogicalXorKHR
      return a ^ b;
  }
}

// SPIR-V 3.52.21: what an exclusive scan gives the first work-item.
std::uint64_t Identity(Op opcode, Kind kind) {
  switch (opcode) {
    case Op::kGroupIMulKHR:
      return 1;
    case Op::kGroupFMulKHR:
      return numerics::One(FormatOf(kind));
    case Op::kGroupFMin:
      return numerics::Infinity(FormatOf(kind));
    case Op::kGroupFMax:
      return numerics::Infinity(FormatOf(kind)) | numerics::SignMask(FormatOf(kind));
    case Op::kGroupUMin:
    case Op::kGroupBitwiseAndKHR:
    case Op::kGroupLogicalAndKHR:
      return MaskOf(kind);
    case Op::kGroupSMin:
      return MaskOf(kind) >> 1;
    case Op::kGroupSMax:
      return (MaskOf(kind) >> 1) + 1;
    default:
      return 0;
  }
}

// Replaces the values by their total, or by those of all up to or before each.
template <typename F>
void Fold(GroupOperation operation, std::uint64_t identity, std::span<std::uint64_t> values,
          const F& combine) {
  std::uint64_t total = values[0];
  if (operation == GroupOperation::kReduce) {
    for (std::size_t i = 1; i < values.size(); ++i) total = combine(total, values[i]);
    for (std::uint64_t& value : values) value = total;
    return;
  }
  const bool exclusive = operation == GroupOperation::kExclusiveScan;
  // The first value itself: adding the identity would turn -0 into +0.
  if (exclusive) values[0] = identity;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const std::uint64_t sum = combine(total, values[i]);
    values[i] = exclusive ? total : sum;
    total = sum;
  }
}

}  // namespace

void ApplyGroupOperation(Op opcode, GroupOperation operation, Kind kind,
                         std::span<std::uint64_t> values) {
  if (values.empty()) return;
  if (opcode == Op::kGroupAll || opcode == Op::kGroupAny) operation = GroupOperation::kReduce;
  if (kind == Kind::kF32 && opcode == Op::kGroupFAdd) {
    return Fold(operation, 0, values, FloatSum<float, std::uint32_t>);
  }
  if (kind == Kind::kI32 && opcode == Op::kGroupIAdd) {
    return Fold(operation, 0, values,
                [](std::uint64_t a, std::uint64_t b) { return (a + b) & 0xffffffff; });
  }
  Fold(operation, Identity(opcode, kind), values,
       [=](std::uint64_t a, std::uint64_t b) { return Combine(opcode, kind, a, b); });
}

std::uint64_t AfterAtomic(Op opcode, Kind kind, std::uint64_t old, std::uint64_t operand,
                          std::uint64_t comparand) {
  switch (opcode) {
    case Op::kAtomicLoad:
      return old;
    case Op::kAtomicStore:
    case Op::kAtomicExchange:
      return operand;
    case Op::kAtomicCompareExchange:
    case Op::kAtomicCompareExchangeWeak:
      return old == comparand ? operand : old;
    case Op::kAtomicIIncrement:
      return old + 1;
    case Op::kAtomicIDecrement:
      return old - 1;
    case Op::kAtomicIAdd:
      return old + operand;
    case Op::kAtomicISub:
      return old - operand;
    case Op::kAtomicSMin:
      return Combine(Op::kGroupSMin, kind, old, operand);
    case Op::kAtomicUMin:
      return Combine(Op::kGroupUMin, kind, old, operand);
    case Op::kAtomicSMax:
      return Combine(Op::kGroupSMax, kind, old, operand);
    case Op::kAtomicUMax:
      return Combine(Op::kGroupUMax, kind, old, operand);
    case Op::kAtomicAnd:
      return old & operand;
    case Op::kAtomicOr:
      return old | operand;
    case Op::kAtomicXor:
      return old ^ operand;
    case Op::kAtomicFAddEXT:
      return Add(kind, old, operand);
    case Op::kAtomicFMinEXT:
      return FloatLess(kind, old, operand, true);
    case Op::kAtomicFMaxEXT:
      return FloatLess(kind, old, operand, false);
    case Op::kAtomicFlagTestAndSet:
      return 1;
    default:  // kAtomicFlagClear
      return 0;
  }
}

std::uint64_t ApplyAtomic(Op opcode, Kind kind, std::byte* bytes, std::uint64_t operand,
                          std::uint64_t comparand) {
  const std::uint64_t old = ReadBits(bytes, BytesOf(kind));
  if (opcode == Op::kAtomicLoad) return old;
  WriteBits(bytes, BytesOf(kind), AfterAtomic(opcode, kind, old, operand, comparand));
  return old;
}

namespace {

template <typename T>
std::uint64_t ApplySharedAtomicTo(Op opcode, Kind kind, std::byte* bytes, std::uint64_t operand,
                                  std::uint64_t comparand) {
  if (reinterpret_cast<std::uintptr_t>(bytes) % sizeof(T) != 0) {
    return ApplyAtomic(opcode, kind, bytes, operand, comparand);
  }
  T* const place = reinterpret_cast<T*>(bytes);
  T old = __atomic_load_n(place, __ATOMIC_SEQ_CST);
  if (opcode == Op::kAtomicLoad) return old;
  for (;;) {
    const T now = static_cast<T>(AfterAtomic(opcode, kind, old, operand, comparand));
    if (__atomic_compare_exchange_n(place, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      return old;
    }
  }
}

}  // namespace

std::uint64_t ApplySharedAtomic(Op opcode, Kind kind, std::byte* bytes, std::uint64_t operand,
                                std::uint64_t comparand) {
  switch (BytesOf(kind)) {
    case 1:
      return ApplySharedAtomicTo<std::uint8_t>(opcode, kind, bytes, operand, comparand);
    case 2:
      return ApplySharedAtomicTo<std::uint16_t>(opcode, kind, bytes, operand, comparand);
    case 4:
      return ApplySharedAtomicTo<std::uint32_t>(opcode, kind, bytes, operand, comparand);
    default:
      return ApplySharedAtomicTo<std::uint64_t>(opcode, kind, bytes, operand, comparand);
  }
}

}  // namespace assay::interp
