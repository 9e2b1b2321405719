// The functions of OpenCL C and SPIR-V, correctly rounded, and the error of anybody's answers.
//
//   auto sine = assay::api::Function::Find("sin", "float");
//   if (!sine) return Tell(sine.error().message);
//   sine->Evaluate({{{x}}}, {{y}}, count);               // y[i]: sin(x[i]), correctly rounded
//   sine->UlpErrors({{{x}}}, {{z}}, {{errors}}, count);  // of the answers z
//
// Arrays are little-endian and contiguous: of a slot with n components, item after item, n elements
// each.  Nothing is copied.  All objects may be used by several threads at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"

namespace assay::api {
inline namespace v1 {

// The scalar types of OpenCL C.
enum class Element : std::uint8_t {
  kChar,
  kUchar,
  kShort,
  kUshort,
  kInt,
  kUint,
  kLong,
  kUlong,
  kHalf,
  kBfloat16,
  kFloat,
  kDouble,
};
std::string_view NameOf(Element element);  // as in OpenCL C: "float"
std::size_t SizeOf(Element element);       // in bytes

enum class Rounding : std::uint8_t {
  kRte,  // to nearest, ties to even
  kRtz,  // toward zero
  kRtp,  // toward positive infinity
  kRtn,  // toward negative infinity
};

// An operand or a result: `components` consecutive elements an item.
struct Slot {
  Element element = Element::kFloat;
  int components = 1;
};

// An array of operands; `repeats`: of one item, which every item has.
struct Column {
  const void* data = nullptr;
  bool repeats = false;
};

struct Work {
  int threads = 0;  // 0: one a core
  // If it is set, the work is left where it is: the functions return false.
  const std::atomic<bool>* stop = nullptr;
};

// The error is rounded up, or has the sign of (answer - exact value).
enum class ErrorSign : std::uint8_t { kMagnitude, kSigned };
// How exactly the error is known: to 2^-22 ulp for formats up to float, or to 2^-40 ulp, which
// takes MPFR at every operand.  For double it is always the latter.
enum class ErrorDigits : std::uint8_t { kFast, kAll };

class Function {
 public:
  // A built-in ("sin", "fma", "dot", with the format "half", "bfloat16", "float" or "double";
  // "float3" for a vector) or a conversion ("convert_int_sat_rte", with the type that is
  // converted).  kUsage names what was probably meant.
  static Result<Function> Find(std::string_view name, std::string_view format);

  const std::string& name() const;
  const std::string& format() const;
  const std::vector<Slot>& operands() const;
  const std::vector<Slot>& results() const;

  // results[r] receives result r of each item.  NaN is the canonical quiet NaN; a result that the
  // specification leaves open is NaN (an integer: 0).
  bool Evaluate(std::span<const Column> operands, std::span<void* const> results, std::size_t count,
                Rounding rounding = Rounding::kRte, const Work& work = {}) const;

  // errors[r]: an element for each component of result r, in ulp as OpenCL C 7.4 defines it.  0
  // where a NaN or an infinity is right, +infinity where a NaN or an infinity is wrong, NaN for an
  // integer result and where the specification leaves the value open.  The sign of a zero does not
  // count.
  bool UlpErrors(std::span<const Column> operands, std::span<const void* const> answers,
                 std::span<double* const> errors, std::size_t count,
                 ErrorSign sign = ErrorSign::kMagnitude, ErrorDigits digits = ErrorDigits::kFast,
                 const Work& work = {}) const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  explicit Function(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

struct FunctionInfo {
  std::string name;
  std::string function_class;  // "operator", "math", "half", "native", "common", "geometric"
  // A letter each: F a number, I an int, U an unsigned integer as wide as the number, V a vector.
  std::string operands, results;
  std::vector<std::string> formats;  // "half", "bfloat16", "float", "double"
  std::string expression;            // in OpenCL C over x, y and z: "x + y"; "": name(x, y, z)
};
// Every built-in of the numerical compliance chapter.
std::vector<FunctionInfo> AllFunctions();

}  // namespace v1
}  // namespace assay::api
