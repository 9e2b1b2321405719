#include "numerics/rounded.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "numerics/fast_path.h"

namespace assay::numerics {
namespace {

constexpr std::size_t kChunk = 64;

Bits Flushed(Format format, Bits bits) {
  return IsSubnormal(format, bits) ? bits & SignMask(format) : bits;
}

// A zero, infinite or NaN float is not for a fast path.
bool IsOrdinary(std::uint32_t bits) {
  return Magnitude(Format::kFloat, bits) - 1 < Infinity(Format::kFloat) - 1;
}

// The float nearest to the number that `approximation` is within `error` units of its last place
// of; false where that is not certain.
inline bool RoundFloat(double approximation, Bits error, float* result) {
  const auto bits = std::bit_cast<std::uint64_t>(approximation);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  // A normal float that does not overflow when it is rounded up.
  if (exponent < -126 || exponent > 126) return false;
  constexpr Bits kLow = (Bits{1} << 29) - 1;
  constexpr Bits kMiddle = Bits{1} << 28;
  if ((((bits & kLow) - kMiddle + error) & kLow) <= 2 * error) return false;
  *result = static_cast<float>(approximation);
  return true;
}

}  // namespace

struct RoundedEvaluator::Impl {
  Operation operation;
  Rounding rounding = Rounding::kRte;
  bool flush_to_zero = false;
  BatchEvaluator evaluator;
  std::vector<Slot> inputs;
  std::vector<ScalarType> argument_types;
  std::vector<ScalarType> result_types;
  // Set where one double answers most inputs: float operands, one float result, rte.
  const FastPath* path = nullptr;
  Bits error = 0;

  Impl(const Operation& of, Rounding mode, bool flush)
      : operation(of),
        rounding(mode),
        flush_to_zero(flush),
        evaluator(of),
        inputs(of.Inputs()),
        argument_types(of.ArgumentTypes()),
        result_types(of.ResultTypes()) {
    const bool all_float = std::all_of(argument_types.begin(), argument_types.end(),
                                       [](ScalarType type) { return type == ScalarType::kFloat; });
    if (operation.kind != OperationKind::kBuiltin || Info(operation.function).IsGeometric() ||
        result_types.size() != 1 || result_types[0] != ScalarType::kFloat || !all_float ||
        argument_types.size() > 3 || rounding != Rounding::kRte || flush_to_zero) {
      return;
    }
    path = FindFastPath(operation.function, Format::kFloat);
    // An approximation without an error is the value itself, and any midpoint counts.
    if (path != nullptr) error = internal::ErrorUnits(path->relative_error) + 1;
  }

  // Items [first, first + count) by way of exact values; count <= kChunk.
  void EvaluateChunk(const void* const* arguments, void* const* results, std::size_t first,
                     std::size_t count) const {
    alignas(8) std::array<std::byte, kMaxArguments * kChunk * 8> storage;
    std::array<ConstColumn, kMaxArguments> columns;
    std::size_t used = 0;
    std::size_t argument = 0;
    for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
      const ScalarType type = inputs[slot].type;
      const auto components = static_cast<std::size_t>(inputs[slot].components);
      columns[slot] = {inputs[slot], storage.data() + used};
      for (std::size_t c = 0; c < components; ++c, ++argument) {
        for (std::size_t i = 0; i < count; ++i) {
          Bits bits = LoadElement(type, arguments[argument], first + i);
          if (flush_to_zero && IsFloating(type)) bits = Flushed(FormatOf(type), bits);
          StoreElement(type, storage.data() + used, i * components + c, bits);
        }
      }
      used += components * count * 8;
    }
    std::array<Exact, kMaxResults * kChunk> exact;
    evaluator.Evaluate(std::span(columns).first(inputs.size()), 0, count, exact.data());
    for (std::size_t r = 0; r < result_types.size(); ++r) {
      const ScalarType type = result_types[r];
      for (std::size_t i = 0; i < count; ++i) {
        const Exact& value = exact[i * result_types.size() + r];
        Bits bits = 0;
        if (IsFloating(type)) {
          bits = Round(value, FormatOf(type), rounding);
          if (flush_to_zero) bits = Flushed(FormatOf(type), bits);
        } else if (value.kind == ResultKind::kInteger) {
          bits = value.below;
        }
        StoreElement(type, results[r], first + i, bits);
      }
    }
  }

  template <typename Call>
  void EvaluateFast(const void* const* arguments, void* const* results, std::size_t count,
                    std::size_t arity, const Call& call) const {
    const auto* a = static_cast<const float*>(arguments[0]);
    const auto* b = static_cast<const float*>(arguments[arity > 1 ? 1 : 0]);
    const auto* c = static_cast<const float*>(arguments[arity > 2 ? 2 : 0]);
    auto* result = static_cast<float*>(results[0]);
    for (std::size_t i = 0; i < count; ++i) {
      float rounded;
      if (IsOrdinary(std::bit_cast<std::uint32_t>(a[i])) &&
          IsOrdinary(std::bit_cast<std::uint32_t>(b[i])) &&
          IsOrdinary(std::bit_cast<std::uint32_t>(c[i])) &&
          RoundFloat(call(a[i], b[i], c[i]), error, &rounded)) {
        result[i] = rounded;
      } else {
        EvaluateChunk(arguments, results, i, 1);
      }
    }
  }
};

RoundedEvaluator::RoundedEvaluator(const Operation& operation, Rounding rounding,
                                   bool flush_to_zero)
    : impl_(std::make_unique<Impl>(operation, rounding, flush_to_zero)) {}
RoundedEvaluator::~RoundedEvaluator() = default;
RoundedEvaluator::RoundedEvaluator(RoundedEvaluator&&) noexcept = default;

void RoundedEvaluator::Evaluate(const void* const* arguments, void* const* results,
                                std::size_t count) const {
  const Impl& impl = *impl_;
  if (impl.path != nullptr) {
    const FastPath& path = *impl.path;
    if (path.unary != nullptr) {
      return impl.EvaluateFast(arguments, results, count, 1,
                               [&](double x, double, double) { return path.unary(x); });
    }
    if (path.binary != nullptr) {
      return impl.EvaluateFast(arguments, results, count, 2,
                               [&](double x, double y, double) { return path.binary(x, y); });
    }
    return impl.EvaluateFast(arguments, results, count, 3,
                             [&](double x, double y, double z) { return path.ternary(x, y, z); });
  }
  for (std::size_t first = 0; first < count; first += kChunk) {
    impl.EvaluateChunk(arguments, results, first, std::min(kChunk, count - first));
  }
}

}  // namespace assay::numerics
