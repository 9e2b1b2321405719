// The right answers, by glibc and the processor.
#include <cfenv>
#include <cmath>
#include <limits>
#include <string_view>

#include "testsuites/hostile/icd/fault.h"
#include "testsuites/hostile/icd/kernel_code.h"

namespace assay::hostile {
namespace {

int HostMode(std::string_view name) {
  if (name == "rtz") return FE_TOWARDZERO;
  if (name == "rtp") return FE_UPWARD;
  if (name == "rtn") return FE_DOWNWARD;
  return FE_TONEAREST;
}

class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

int DefaultMode() { return Has("rounds_to_zero") ? FE_TOWARDZERO : FE_TONEAREST; }

// Functions of the double's precision: what they give is rounded once more for float and half,
// which stays far within the limits.
struct Unary {
  std::string_view name;
  double (*function)(double);
};
constexpr Unary kUnary[] = {
    {"exp", std::exp},     {"exp2", std::exp2}, {"log", std::log},     {"sin", std::sin},
    {"cos", std::cos},     {"tan", std::tan},   {"sqrt", std::sqrt},   {"cbrt", std::cbrt},
    {"floor", std::floor}, {"ceil", std::ceil}, {"trunc", std::trunc}, {"rint", std::nearbyint},
    {"round", std::round}, {"fabs", std::fabs}, {"tanh", std::tanh},   {"asin", std::asin},
};
struct Binary {
  std::string_view name;
  double (*function)(double, double);
};
constexpr Binary kBinary[] = {
    {"pow", std::pow},   {"hypot", std::hypot},       {"fmod", std::fmod},
    {"fmax", std::fmax}, {"copysign", std::copysign}, {"atan2", std::atan2},
};

// Operators are the processor's own, in the type itself and in the mode that it declares.
template <typename T>
T Operator(std::string_view name, T x, T y, T z) {
  if (name == "add") return x + y;
  if (name == "sub") return x - y;
  if (name == "mul") return x * y;
  if (name == "div") return x / y;
  return std::fma(x, y, z);
}

Compute OperatorOf(const std::string& name, std::span<const Type> inputs) {
  const bool known =
      name == "add" || name == "sub" || name == "mul" || name == "div" || name == "fma";
  const Type type = inputs[0];
  if (!known || type == Type::kHalf) return nullptr;
  return [name, type](std::span<const Bits> args, std::span<Bits> results) {
    const RoundingMode mode(name == "fma" ? FE_TONEAREST : DefaultMode());
    const long double x = ValueOf(type, args[0]), y = ValueOf(type, args[1]);
    const long double z = args.size() > 2 ? ValueOf(type, args[2]) : 0;
    results[0] =
        type == Type::kFloat
            ? BitsOf(type, Operator<float>(name, static_cast<float>(x), static_cast<float>(y),
                                           static_cast<float>(z)))
            : BitsOf(type, Operator<double>(name, static_cast<double>(x), static_cast<double>(y),
                                            static_cast<double>(z)));
  };
}

// Functions with two results, or with an int among the operands.
Compute OtherOf(const std::string& name, Type type) {
  auto value = [type](Bits bits) { return static_cast<double>(ValueOf(type, bits)); };
  if (name == "sincos") {
    return [=](std::span<const Bits> args, std::span<Bits> results) {
      results[0] = BitsOf(type, std::sin(ValueOf(type, args[0])));
      results[1] = BitsOf(type, std::cos(ValueOf(type, args[0])));
    };
  }
  if (name == "frexp") {
    return [=](std::span<const Bits> args, std::span<Bits> results) {
      int exponent = 0;
      const double x = value(args[0]);
      results[0] = BitsOf(type, std::frexp(x, &exponent));
      results[1] = BitsOf(Type::kInt, std::isfinite(x) ? exponent : 0);
    };
  }
  if (name == "ldexp") {
    return [=](std::span<const Bits> args, std::span<Bits> results) {
      const long double x = ValueOf(type, args[0]);
      results[0] = BitsOf(type, std::ldexp(x, static_cast<int>(ValueOf(Type::kInt, args[1]))));
    };
  }
  return nullptr;
}

long double RoundedToInteger(long double value, std::string_view mode) {
  if (mode == "rte") return std::nearbyint(value);
  if (mode == "rtp") return std::ceil(value);
  if (mode == "rtn") return std::floor(value);
  return std::trunc(value);  // conversions to integers: the default is rtz
}

// "convert_int", "convert_uchar_sat_rtp", "vstore_half_rtz", "vload_half".
Compute ConversionOf(const std::string& name, Type from, Type to) {
  if (!name.starts_with("convert_") && !name.starts_with("vstore_half") &&
      !name.starts_with("vload_half")) {
    return nullptr;
  }
  const bool saturate = name.find("_sat") != std::string::npos;
  const std::string last = name.substr(name.rfind('_') + 1);
  const std::string mode = last.starts_with("rt") ? last : "";
  if (IsFloating(to)) {
    const int host = mode.empty() ? DefaultMode() : HostMode(mode);
    return [=](std::span<const Bits> args, std::span<Bits> results) {
      const RoundingMode set(host);
      results[0] = BitsOf(to, ValueOf(from, args[0]));
    };
  }
  return [=](std::span<const Bits> args, std::span<Bits> results) {
    const long double exact = ValueOf(from, args[0]);
    long double value = std::isnan(exact) ? 0 : RoundedToInteger(exact, mode);
    // Without _sat integers wrap; of other values anything may come.
    if (!saturate && !IsFloating(from)) {
      results[0] = args[0];
      if (value < 0) results[0] = static_cast<Bits>(static_cast<std::int64_t>(value));
      const std::size_t unused = 64 - 8 * SizeOf(to);
      results[0] = results[0] << unused >> unused;
      return;
    }
    if (value < Least(to)) value = Least(to);
    if (value > Most(to)) value = Most(to);
    results[0] = BitsOf(to, value);
  };
}

}  // namespace

Compute FunctionOf(const std::string& function, std::span<const Type> inputs,
                   std::span<const Type> outputs) {
  if (Compute conversion = ConversionOf(function, inputs[0], outputs[0])) return conversion;
  const Type type = inputs[0];
  if (!IsFloating(type)) return nullptr;
  if (Compute made = OperatorOf(function, inputs)) return made;
  if (Compute made = OtherOf(function, type)) return made;
  for (const Unary& row : kUnary) {
    if (row.name != function) continue;
    return [type, call = row.function](std::span<const Bits> args, std::span<Bits> results) {
      results[0] = BitsOf(type, call(static_cast<double>(ValueOf(type, args[0]))));
    };
  }
  for (const Binary& row : kBinary) {
    if (row.name != function) continue;
    return [type, call = row.function](std::span<const Bits> args, std::span<Bits> results) {
      results[0] = BitsOf(type, call(static_cast<double>(ValueOf(type, args[0])),
                                     static_cast<double>(ValueOf(type, args[1]))));
    };
  }
  return nullptr;
}

}  // namespace assay::hostile
