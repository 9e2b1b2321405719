// Conversions and functions that are computed for whole batches give what numerics gives for each
// operand by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "interp/testing/launch.h"
#include "numerics/convert.h"

namespace assay::interp {
namespace {

using numerics::Rounding;
using numerics::ScalarType;

constexpr std::size_t kCount = 2048;

// Any bits, numbers of all sizes, small whole ones and their halves, and the ends of the integers.
template <typename T>
std::vector<T> Operands(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(kCount);
  for (T& value : values) {
    const std::uint64_t bits = random();
    const auto small = static_cast<int>(bits >> 8 & 63) - 32;
    switch (bits & 7) {
      case 0:
        std::memcpy(&value, &bits, sizeof value);
        break;
      case 1:
        value = static_cast<T>(small);
        break;
      case 2:
        value = static_cast<T>(small) / 2;
        break;
      case 3:
        value = std::ldexp(T(1), small * 2) * (small % 2 == 0 ? 1 : -1);
        break;
      case 4:
        value = std::nextafter(std::ldexp(T(1), small + 32), T(0)) * (small % 2 == 0 ? 1 : -1);
        break;
      case 5:
        value = small < -16  ? std::numeric_limits<T>::infinity()
                : small < 0  ? T(-0.0)
                : small < 16 ? std::numeric_limits<T>::denorm_min() * T(small)
                             : std::numeric_limits<T>::max();
        break;
      default:
        value = static_cast<T>(static_cast<std::int64_t>(bits) >> 20) * T(0x1p-40);
    }
  }
  return values;
}

std::vector<std::byte> OutputOf(const std::string& source, const std::vector<std::byte>& in,
                                std::size_t bytes, const SessionOptions& options,
                                std::size_t count = kCount) {
  auto session = TestSession::FromC(source, options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto operands = session->Buffer(in);
  const auto out = session->Buffer(std::vector<std::byte>(bytes));
  const auto result = session->Launch({operands, out}, count, {}, 64);
  EXPECT_TRUE(result) << result.error().message;
  return session->Read<std::byte>(out);
}

// The instruction of the type's own kernel: those of even work-items alone, and of all.
template <typename T>
void ExpectFunction(const std::string& expression, const std::string& result = "T") {
  const std::string type = std::is_same_v<T, float> ? "float" : "double";
  const std::string source =
      "#define T " + type + "\nkernel void k(global T* in, global " + result +
      "* out) {\n  size_t i = get_global_id(0);\n  T x = in[i], y = in[i * 7 % 2048], "
      "z = in[i * 5 % 2048], p = 0; int n = (int)(i * 2654435761u) >> (i % 31), e = 0;\n"
      "  if (i % 3 == 0) out[i] = " +
      expression + ";\n  " + result + " r = " + expression +
      ";\n  if (i % 3 != 0) out[i] = r;\n}\n";
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto values = Operands<T>(seed);
    // Most batches have operands that are not easy: those that are, too.
    std::vector<T> tame(kCount);
    for (std::size_t i = 0; i < kCount; ++i) tame[i] = T(1) + T(i * 37 % 2048) / 1024 * T(seed);
    for (const std::vector<T>& operands : {values, tame}) {
      std::vector<std::byte> in(kCount * sizeof(T));
      std::memcpy(in.data(), operands.data(), in.size());
      const std::size_t bytes = kCount * (result == "int" ? 4 : sizeof(T));
      const auto seen = OutputOf(source, in, bytes, {});
      const auto expected = OutputOf(source, in, bytes, {.records_math = true});
      EXPECT_EQ(seen, expected) << type << ": " << expression;
    }
  }
}

TEST(HandlersExact, Functions) {
  for (const char* const expression : {"fdim(x, y)",
                                       "maxmag(x, y)",
                                       "minmag(x, y)",
                                       "nextafter(x, y)",
                                       "logb(x)",
                                       "fract(x, &p)",
                                       "fract(x, &p) * 0 + p",
                                       "modf(x, &p)",
                                       "modf(x, &p) * 0 + p",
                                       "frexp(x, &e)",
                                       "frexp(x, &e) * 0 + e",
                                       "mix(x, y, z)",
                                       "smoothstep(x, y, z)",
                                       "smoothstep(fmin(x, y), fmax(x, y), z)",
                                       "ldexp(x, n)",
                                       "ldexp(x, n % 64)",
                                       "pown(x, n)",
                                       "pown(x, n % 32)",
                                       "sincos(x, &p)",
                                       "sincos(x, &p) * 0 + p",
                                       "clamp(x, fmin(y, z), fmax(y, z))"}) {
    ExpectFunction<float>(expression);
    ExpectFunction<double>(expression);
  }
  ExpectFunction<float>("native_divide(x, y)");
  ExpectFunction<float>("half_divide(x, y)");
  ExpectFunction<float>("ilogb(x)", "int");
  ExpectFunction<double>("ilogb(x)", "int");
}

// Subnormal operands that are flushed pass through the choices as they do through fmin and fmax.
template <typename T>
void ExpectClamp(const SessionOptions& options) {
  const std::string type = std::is_same_v<T, float> ? "float" : "double";
  const auto source = [&](const std::string& expression, const std::string& suffix) {
    return "#define T " + type + suffix + "\n#define E " + type +
           "\nkernel void k(global E* in, global T* out) {\n  size_t i = get_global_id(0);\n"
           "  T x = in[i], y = in[i * 7 % 2048], z = in[i * 5 % 2048];\n"
           "  T low = fmin(y, z), high = fmax(y, z);\n" +
           (suffix.empty() ? "" : "  x.y = in[(i + 9) % 2048]; x.z = in[(i + 99) % 2048];\n") +
           "  if (i % 5 == 1) out[i] = " + expression + ";\n  else out[i] = " + expression +
           ";\n}\n";
  };
  const auto values = Operands<T>(6);
  std::vector<std::byte> in(kCount * sizeof(T));
  std::memcpy(in.data(), values.data(), in.size());
  for (const std::string suffix : {"", "4"}) {
    const std::size_t bytes = kCount * sizeof(T) * (suffix.empty() ? 1 : 4);
    EXPECT_EQ(OutputOf(source("clamp(x, low, high)", suffix), in, bytes, options),
              OutputOf(source("fmin(fmax(x, low), high)", suffix), in, bytes, options))
        << type << suffix << ", flushes: " << options.flush_to_zero;
  }
  // Subnormal numbers between the bounds stay what they are.
  const std::vector<T> small(kCount, std::nextafter(std::numeric_limits<T>::min(), T(0)));
  std::memcpy(in.data(), small.data(), in.size());
  const std::string between =
      "kernel void k(global " + type + "* in, global " + type +
      "* out) {\n  size_t i = get_global_id(0);\n  out[i] = clamp(in[i], (" + type + ")-1, (" +
      type + ")1);\n}\n";
  EXPECT_EQ(OutputOf(between, in, in.size(), options), in) << type;
}

TEST(HandlersExact, ClampOfSubnormalNumbers) {
  for (const bool flushes : {false, true}) {
    ExpectClamp<float>({.flush_to_zero = flushes});
    ExpectClamp<double>({.flush_to_zero = flushes});
  }
}

struct Type {
  ScalarType type;
  std::string name;
};
const Type kIntegers[] = {{ScalarType::kChar, "char"},   {ScalarType::kUchar, "uchar"},
                          {ScalarType::kShort, "short"}, {ScalarType::kUshort, "ushort"},
                          {ScalarType::kInt, "int"},     {ScalarType::kUint, "uint"},
                          {ScalarType::kLong, "long"},   {ScalarType::kUlong, "ulong"}};
const Type kFloats[] = {
    {ScalarType::kHalf, "half"}, {ScalarType::kFloat, "float"}, {ScalarType::kDouble, "double"}};
const std::pair<Rounding, std::string> kRoundings[] = {{Rounding::kRte, "_rte"},
                                                       {Rounding::kRtz, "_rtz"},
                                                       {Rounding::kRtp, "_rtp"},
                                                       {Rounding::kRtn, "_rtn"}};

void ExpectConversion(const Type& from, const Type& to, const std::string& suffix,
                      Rounding rounding, bool saturate, const std::vector<std::byte>& in) {
  const std::string function = "convert_" + to.name + suffix;
  // Some work-items by themselves.
  const std::string source =
      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global " + from.name +
      "* in, global " + to.name +
      "* out) {\n  size_t i = get_global_id(0);\n  if (i % 5 == 1) out[i] = " + function +
      "(in[i]);\n  else out[i] = " + function + "(in[i]);\n}\n";
  const std::size_t from_bytes = numerics::SizeOf(from.type), to_bytes = numerics::SizeOf(to.type);
  const std::size_t count = in.size() / from_bytes;
  const auto seen = OutputOf(source, in, count * to_bytes, {}, count);
  ASSERT_EQ(seen.size(), count * to_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    numerics::Bits operand = 0, result = 0;
    std::memcpy(&operand, in.data() + i * from_bytes, from_bytes);
    std::memcpy(&result, seen.data() + i * to_bytes, to_bytes);
    ASSERT_EQ(result, numerics::Convert(from.type, to.type, operand, rounding, saturate))
        << function << " of " << from.name << " " << std::hex << operand;
  }
}

TEST(HandlersExact, Saturation) {
  std::mt19937_64 random(4);
  std::vector<std::byte> in(kCount * 8);
  for (std::size_t i = 0; i < kCount; ++i) {
    // Of all sizes.
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(random()) >> i % 64);
    std::memcpy(in.data() + i * 8, &bits, 8);
  }
  for (const Type& from : kIntegers) {
    std::vector<std::byte> narrow(kCount * numerics::SizeOf(from.type));
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::size_t bytes = numerics::SizeOf(from.type);
      std::memcpy(narrow.data() + i * bytes, in.data() + i * 8, bytes);
    }
    for (const Type& to : kIntegers) {
      ExpectConversion(from, to, "_sat", Rounding::kRtz, true, narrow);
    }
  }
}

template <typename T>
void ExpectRounding(const Type& from) {
  const auto values = Operands<T>(5);
  std::vector<std::byte> in(kCount * sizeof(T));
  std::memcpy(in.data(), values.data(), in.size());
  for (const Type& to : kIntegers) {
    for (const auto& [rounding, suffix] : kRoundings) {
      ExpectConversion(from, to, "_sat" + suffix, rounding, true, in);
      if (rounding != Rounding::kRtz) ExpectConversion(from, to, suffix, rounding, false, in);
    }
  }
}

TEST(HandlersExact, RoundedToIntegers) {
  ExpectRounding<float>({ScalarType::kFloat, "float"});
  ExpectRounding<double>({ScalarType::kDouble, "double"});
}

// All numbers of 16 bits, as `T`.
template <typename T>
std::vector<std::byte> AllOf16Bits() {
  std::vector<std::byte> in(0x10000 * sizeof(T));
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto value = static_cast<T>(i);
    std::memcpy(in.data() + i * sizeof(T), &value, sizeof value);
  }
  return in;
}
TEST(HandlersExact, HalvesRoundedToIntegers) {
  const auto in = AllOf16Bits<std::uint16_t>();
  for (const Type& to : kIntegers) {
    for (const auto& [rounding, suffix] : kRoundings) {
      ExpectConversion(kFloats[0], to, "_sat" + suffix, rounding, true, in);
      if (rounding != Rounding::kRtz) {
        ExpectConversion(kFloats[0], to, suffix, rounding, false, in);
      }
    }
  }
}

void ExpectDirections(const Type& from, const Type& to, const std::vector<std::byte>& in) {
  for (const auto& [rounding, suffix] : kRoundings) {
    ExpectConversion(from, to, suffix, rounding, false, in);
  }
}
// Integers of all sizes, and those beside the middle of two floats and beside powers of two.
TEST(HandlersExact, IntegersRoundedToFloats) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> values(4 * kCount);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = random();
    const auto shift = static_cast<int>(bits & 63);
    const std::uint64_t beside = (random() & 3) - 1;
    switch (i % 4) {
      case 0:
        values[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(random()) >> shift);
        break;
      case 1:
        values[i] = (std::uint64_t{1} << shift) + beside;
        break;
      case 2:  // 25 or 54 digits
        values[i] = ((random() | 1) >> (bits >> 6 & 1 ? 10 : 39) << (shift % 39)) + beside;
        break;
      default:
        values[i] = 0 - ((std::uint64_t{1} << shift) + beside);
    }
  }
  for (const Type& from : kIntegers) {
    const std::size_t bytes = numerics::SizeOf(from.type);
    std::vector<std::byte> in(values.size() * bytes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      // The upper end, too, of what is narrower.
      const std::uint64_t value = i % 3 == 0 ? values[i] >> (64 - 8 * bytes) : values[i];
      std::memcpy(in.data() + i * bytes, &value, bytes);
    }
    if (bytes == 2) in = AllOf16Bits<std::uint16_t>();
    for (const Type& to : kFloats) ExpectDirections(from, to, in);
  }
}

// Numbers beside those of the narrower format, and in the middle of two.
template <typename T>
void ExpectNarrower(const Type& from, const Type& to, int digits, int least, int most) {
  std::mt19937_64 random(8);
  std::vector<T> values = Operands<T>(9);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    const T significand = static_cast<T>(bits >> (64 - digits - 1) | 1);
    const int exponent =
        least - 3 + static_cast<int>(random() % static_cast<unsigned>(most - least + 6));
    const T value = std::ldexp(significand, exponent - digits) * (i % 2 == 0 ? 1 : -1);
    values.push_back(i % 3 == 0   ? value
                     : i % 3 == 1 ? std::nextafter(value, T(0))
                                  : std::nextafter(value, 2 * value));
  }
  values.resize(values.size() / 64 * 64);
  std::vector<std::byte> in(values.size() * sizeof(T));
  std::memcpy(in.data(), values.data(), in.size());
  ExpectDirections(from, to, in);
}
TEST(HandlersExact, FloatsRoundedToNarrowerOnes) {
  ExpectNarrower<double>(kFloats[2], kFloats[1], 24, -150, 128);
  ExpectNarrower<double>(kFloats[2], kFloats[0], 11, -26, 16);
  ExpectNarrower<float>(kFloats[1], kFloats[0], 11, -26, 16);
}

// Halves are converted eight at a time: every one of them, and every float between two of them.
TEST(HandlersExact, Halves) {
  const std::string widens =
      "kernel void k(global ushort* in, global float* out) {\n  size_t i = get_global_id(0);\n"
      "  if (i % 5 == 1) out[i] = vload_half(i, (global half*)in);\n"
      "  else out[i] = vload_half(i, (global half*)in);\n}\n";
  const std::string narrows =
      "kernel void k(global float* in, global ushort* out) {\n  size_t i = get_global_id(0);\n"
      "  if (i % 5 == 1) vstore_half(in[i], i, (global half*)out);\n"
      "  else vstore_half(in[i], i, (global half*)out);\n}\n";
  for (std::uint32_t first = 0; first < 0x10000; first += kCount) {
    std::vector<std::byte> halves(kCount * 2), floats(kCount * 4);
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const auto half = static_cast<std::uint16_t>(first + i);
      std::memcpy(halves.data() + i * 2, &half, 2);
    }
    auto seen = OutputOf(widens, halves, kCount * 4, {});
    for (std::uint32_t i = 0; i < kCount; ++i) {
      std::uint32_t result = 0;
      std::memcpy(&result, seen.data() + i * 4, 4);
      ASSERT_EQ(result, numerics::Convert(ScalarType::kHalf, ScalarType::kFloat, first + i,
                                          Rounding::kRte, false));
      result += (first + i) % 3 * 0x0fff + (first + i) % 2;
      std::memcpy(floats.data() + i * 4, &result, 4);
    }
    seen = OutputOf(narrows, floats, kCount * 2, {});
    for (std::uint32_t i = 0; i < kCount; ++i) {
      std::uint32_t operand = 0;
      std::uint16_t result = 0;
      std::memcpy(&operand, floats.data() + i * 4, 4);
      std::memcpy(&result, seen.data() + i * 2, 2);
      ASSERT_EQ(result, numerics::Convert(ScalarType::kFloat, ScalarType::kHalf, operand,
                                          Rounding::kRte, false))
          << std::hex << operand;
    }
  }
}

}  // namespace
}  // namespace assay::interp
