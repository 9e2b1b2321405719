#include "numerics/rounded.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "numerics/double_path.h"
#include "numerics/fast_path.h"
#include "numerics/geometric_columns.h"
#include "numerics/shape.h"

namespace assay::numerics {
namespace {

constexpr std::size_t kChunk = 64;

// The functions half_sin, half_cos and half_tan are undefined beyond 2^16, where devices compute
// on.
Operation Computed(Operation operation) {
  const bool is_half = operation.kind == OperationKind::kBuiltin &&
                       Info(operation.function).cls == FunctionClass::kHalf;
  if (is_half) operation.function = BaseOf(operation.function);
  return operation;
}

// Signaling NaNs may behave as quiet ones (OpenCL C 6.15.2, fmin), and the devices' do.
Bits Quieted(Format format, Bits bits) {
  return IsNan(format, bits) ? bits | QuietNan(format) : bits;
}

Bits Flushed(Format format, Bits bits) {
  return IsSubnormal(format, bits) ? bits & SignMask(format) : bits;
}

// A zero, infinite or NaN float is not for a fast path.
bool IsOrdinary(std::uint32_t bits) {
  return Magnitude(Format::kFloat, bits) - 1 < Infinity(Format::kFloat) - 1;
}
// The same where the float is subnormal, or beyond the range: a result of 2^300 may be any that is
// at least that much, and one of 2^-300 any that is at most that much (fast_path.h).
bool RoundToEnds(double approximation, Bits error, float* result) {
  const double magnitude = std::fabs(approximation);
  if (std::isnan(approximation)) {
    *result = std::bit_cast<float>(static_cast<std::uint32_t>(QuietNan(Format::kFloat)));
    return true;
  }
  if (!(magnitude > 0 && magnitude <= std::numeric_limits<double>::max())) return false;
  double rounded = std::numeric_limits<double>::infinity();
  if (magnitude < 0x1p128) {
    if (magnitude >= 0x1p-126) return false;
    // In units of the least float; the scaled number and its distance are exact.
    const double scaled = magnitude < 0x1p-200 ? 0 : magnitude * 0x1p149;
    const double nearest = std::nearbyint(scaled);
    const double doubt = scaled * static_cast<double>(error) * 0x1p-51;
    if (0.5 - std::fabs(scaled - nearest) <= doubt) return false;
    rounded = nearest * 0x1p-149;
  } else if (magnitude < 0x1p129) {
    return false;
  }
  *result = static_cast<float>(std::copysign(rounded, approximation));
  return true;
}

// The float nearest to the number that `approximation` is within `error` units of its last place
// of; false where that is not certain.
inline bool RoundFloat(double approximation, Bits error, float* result) {
  const auto bits = std::bit_cast<std::uint64_t>(approximation);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  // A normal float that does not overflow when it is rounded up.
  if (exponent < -126 || exponent > 126) return RoundToEnds(approximation, error, result);
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
  // One for each result, where functions of double answer most inputs.
  std::vector<DoubleFunction> doubles;
  // Set where a geometric function of float or double is computed in columns.
  GeometricColumns geometric = nullptr;
  GeometricDoubles geometric_doubles = nullptr;
  // Of one operand: the results at 0, -0, infinity, -infinity, 1, -1 and NaN, one row a result.
  // Empty: no fast way needs them. At 1 many functions are zero, which no fast way knows.
  std::vector<std::array<Bits, 7>> specials;

  Impl(const Operation& of, Rounding mode, bool flush)
      : operation(Computed(of)),
        rounding(mode),
        flush_to_zero(flush),
        evaluator(operation),
        inputs(operation.Inputs()),
        argument_types(operation.ArgumentTypes()),
        result_types(operation.ResultTypes()) {
    FindDoubles();
    const bool all_float = std::all_of(argument_types.begin(), argument_types.end(),
                                       [](ScalarType type) { return type == ScalarType::kFloat; });
    if (operation.kind != OperationKind::kBuiltin || result_types[0] != ScalarType::kFloat ||
        !all_float || rounding != Rounding::kRte || flush_to_zero) {
      return;
    }
    if (Info(operation.function).IsGeometric()) {
      geometric = GeometricColumnsOf(operation.function, operation.components, ChosenVectorSet());
      return;
    }
    if (result_types.size() != 1 || argument_types.size() > 3) return;
    path = FindFastPath(operation.function, Format::kFloat);
    // An approximation without an error is the value itself, and any midpoint counts.
    if (path == nullptr) return;
    error = internal::ErrorUnits(path->relative_error) + 1;
    if (argument_types.size() == 1) EvaluateSpecials();
  }

  // The place of an operand in `specials`; 7: it is not there.
  static std::size_t SpecialOf(Format format, Bits bits) {
    if (IsNan(format, bits)) return 6;
    const Bits magnitude = Magnitude(format, bits);
    const std::size_t place = magnitude == 0                  ? 0
                              : magnitude == Infinity(format) ? 2
                              : magnitude == One(format)      ? 4
                                                              : 7;
    return place + (place < 7 && IsNegative(format, bits) ? 1 : 0);
  }
  void EvaluateSpecials() {
    const Format format = operation.format;
    const Bits operands[] = {0,
                             SignMask(format),
                             Infinity(format),
                             Infinity(format) | SignMask(format),
                             One(format),
                             One(format) | SignMask(format),
                             QuietNan(format)};
    specials.resize(result_types.size());
    for (std::size_t i = 0; i < std::size(operands); ++i) {
      Bits operand = 0;
      std::array<Bits, kMaxResults> values = {};
      std::array<void*, kMaxResults> results;
      for (std::size_t r = 0; r < kMaxResults; ++r) results[r] = &values[r];
      StoreElement(argument_types[0], &operand, 0, operands[i]);
      const void* const arguments[] = {&operand};
      EvaluateChunk(arguments, results.data(), 0, 1);
      for (std::size_t r = 0; r < result_types.size(); ++r) {
        specials[r][i] = LoadElement(result_types[r], results[r], 0);
      }
    }
  }

  void FindDoubles() {
    if (operation.kind != OperationKind::kBuiltin || operation.format != Format::kDouble ||
        rounding != Rounding::kRte || flush_to_zero) {
      return;
    }
    if (Info(operation.function).IsGeometric()) {
      geometric_doubles =
          GeometricDoublesOf(operation.function, operation.components, ChosenVectorSet());
      return;
    }
    for (std::size_t r = 0; r < result_types.size(); ++r) {
      doubles.push_back(FindDoubleFunction(operation.function, static_cast<int>(r)));
    }
    if (doubles.front() == nullptr || doubles.back() == nullptr) doubles.clear();
    if (!doubles.empty() && argument_types.size() == 1) EvaluateSpecials();
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
          if (IsFloating(type)) bits = Quieted(FormatOf(type), bits);
          if (flush_to_zero && IsFloating(type)) bits = Flushed(FormatOf(type), bits);
          StoreElement(type, storage.data() + used, i * components + c, bits);
        }
      }
      used += components * count * 8;
    }
    // Not all of them are made where few are needed.
    alignas(Exact) std::array<std::byte, sizeof(Exact) * kMaxResults * kChunk> memory;
    auto* const exact = reinterpret_cast<Exact*>(memory.data());
    std::uninitialized_default_construct_n(exact, count * result_types.size());
    evaluator.Evaluate(std::span(columns).first(inputs.size()), 0, count, exact);
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

  // Items [first, first + kGeometricLanes). What is not decided is computed by way of exact values,
  // and before a result is written: its column may be that of an operand.
  template <typename T, typename Columns>
  void EvaluateGeometric(Columns columns, const void* const* arguments, void* const* results,
                         std::size_t first, std::size_t count) const {
    alignas(64) T operands[kMaxArguments][kGeometricLanes];
    alignas(64) T values[kMaxResults][kGeometricLanes];
    std::array<const T*, kMaxArguments> from;
    std::array<T*, kMaxResults> to;
    for (std::size_t a = 0; a < argument_types.size(); ++a) {
      from[a] = static_cast<const T*>(arguments[a]) + first;
      if (count == kGeometricLanes) continue;
      std::memcpy(operands[a], from[a], count * sizeof(T));
      std::fill(operands[a] + count, operands[a] + kGeometricLanes, T(0));
      from[a] = operands[a];
    }
    for (std::size_t r = 0; r < result_types.size(); ++r) to[r] = values[r];
    const std::uint32_t decided = columns(from.data(), to.data());
    if (count == kGeometricLanes && decided == (1u << kGeometricLanes) - 1) {
      for (std::size_t r = 0; r < result_types.size(); ++r) {
        std::memcpy(static_cast<T*>(results[r]) + first, values[r], sizeof values[r]);
      }
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if ((decided >> i & 1) == 0) {
        EvaluateChunk(arguments, results, first + i, 1);
        continue;
      }
      for (std::size_t r = 0; r < result_types.size(); ++r) {
        static_cast<T*>(results[r])[first + i] = values[r][i];
      }
    }
  }
  template <typename T, typename Columns>
  void EvaluateGeometric(Columns columns, const void* const* arguments, void* const* results,
                         std::size_t count) const {
    constexpr std::size_t kStep = kGeometricLanes;
    for (std::size_t first = 0; first < count; first += kStep) {
      EvaluateGeometric<T>(columns, arguments, results, first, std::min(kStep, count - first));
    }
  }

  // One that a fast way leaves open.
  void EvaluateItem(const void* const* arguments, void* const* results, std::size_t i) const {
    if (!specials.empty()) {
      const Bits operand = LoadElement(argument_types[0], arguments[0], i);
      const std::size_t special = SpecialOf(operation.format, operand);
      if (special < specials[0].size()) {
        for (std::size_t r = 0; r < result_types.size(); ++r) {
          StoreElement(result_types[r], results[r], i, specials[r][special]);
        }
        return;
      }
    }
    EvaluateChunk(arguments, results, i, 1);
  }

  // Items [first, first + count), count <= kChunk. What is left open is computed by way of exact
  // values, and before a result is written: its column may be that of an operand.
  void EvaluateDoubles(const void* const* arguments, void* const* results, std::size_t first,
                       std::size_t count) const {
    std::array<std::array<double, kChunk>, 3> converted;
    std::array<std::array<double, kChunk>, 2> values;
    std::array<const double*, 3> operands;
    for (std::size_t a = 0; a < argument_types.size(); ++a) {
      if (argument_types[a] == ScalarType::kDouble) {
        operands[a] = static_cast<const double*>(arguments[a]) + first;
        continue;
      }
      const auto* const integers = static_cast<const std::int32_t*>(arguments[a]) + first;
      for (std::size_t i = 0; i < count; ++i) converted[a][i] = integers[i];
      operands[a] = converted[a].data();
    }
    std::uint64_t decided = ~std::uint64_t{0};
    for (std::size_t r = 0; r < doubles.size(); ++r) {
      decided &= doubles[r](operands.data(), count, values[r].data());
    }
    const std::uint64_t all = ~std::uint64_t{0} >> (kChunk - count);
    for (std::uint64_t rest = all & ~decided; rest != 0; rest &= rest - 1) {
      EvaluateItem(arguments, results, first + static_cast<std::size_t>(std::countr_zero(rest)));
    }
    for (std::size_t r = 0; r < doubles.size(); ++r) {
      if (result_types[r] == ScalarType::kDouble) {
        Store(values[r].data(), decided, count, static_cast<double*>(results[r]) + first);
      } else {
        Store(values[r].data(), decided, count, static_cast<std::int32_t*>(results[r]) + first);
      }
    }
  }

  template <typename T>
  static void Store(const double* values, std::uint64_t decided, std::size_t count, T* results) {
    for (std::size_t i = 0; i < count; ++i) {
      if ((decided >> i & 1) != 0) results[i] = static_cast<T>(values[i]);
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
        EvaluateItem(arguments, results, i);
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
  if (!impl.doubles.empty()) {
    for (std::size_t first = 0; first < count; first += kChunk) {
      impl.EvaluateDoubles(arguments, results, first, std::min(kChunk, count - first));
    }
    return;
  }
  if (impl.geometric != nullptr) {
    return impl.EvaluateGeometric<float>(impl.geometric, arguments, results, count);
  }
  if (impl.geometric_doubles != nullptr) {
    return impl.EvaluateGeometric<double>(impl.geometric_doubles, arguments, results, count);
  }
  for (std::size_t first = 0; first < count; first += kChunk) {
    impl.EvaluateChunk(arguments, results, first, std::min(kChunk, count - first));
  }
}

}  // namespace assay::numerics
