// One operation that a device is asked to compute: a built-in in one format, or a conversion.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "numerics/format.h"
#include "numerics/functions.h"
#include "numerics/rounding.h"

namespace assay::numerics {

// Operands (three of fma, each a vector of up to four for the geometric functions) and results
// (two of sincos, or a vector of four) of one evaluation, flattened component by component.
inline constexpr int kMaxArguments = 12;
inline constexpr int kMaxResults = 4;

// One operand or result: `components` consecutive scalars (1, or n of a geometric function).
struct Slot {
  ScalarType type = ScalarType::kFloat;
  int components = 1;
  bool operator==(const Slot&) const = default;
};

enum class OperationKind : std::uint8_t {
  kBuiltin,     // a row of the table in functions.def
  kConvert,     // convert_TO[_sat][_rounding](FROM), OpenCL C 6.4.3
  kVloadHalf,   // vload_half: half in memory to float
  kVstoreHalf,  // vstore_half[_rounding]: float or double to half in memory
};

struct Operation {
  OperationKind kind = OperationKind::kBuiltin;

  // kBuiltin
  Function function{};
  Format format = Format::kFloat;
  int components = 1;  // n of a geometric function: 1 to 4 (3 and 4 for cross)

  // kConvert, kVloadHalf, kVstoreHalf
  ScalarType from = ScalarType::kFloat;
  ScalarType to = ScalarType::kFloat;
  std::optional<Rounding> suffix;  // nothing: the default mode of the destination
  bool saturate = false;

  static Operation Builtin(Function function, Format format, int components = 1);
  static Operation Convert(ScalarType from, ScalarType to, std::optional<Rounding> suffix = {},
                           bool saturate = false);
  static Operation VloadHalf();  // to float
  static Operation VstoreHalf(ScalarType from, std::optional<Rounding> suffix = {});

  std::vector<Slot> Inputs() const;
  std::vector<Slot> Outputs() const;
  // The scalars of all inputs or outputs, component by component.
  std::vector<ScalarType> ArgumentTypes() const;
  std::vector<ScalarType> ResultTypes() const;
  int ArgumentCount() const;
  int ResultCount() const;

  // "sin", "convert_int_sat_rte", "vstore_half_rtz": what users type and reports print.
  std::string Name() const;
  // The format column of the report: "float"; for conversions the source type.
  std::string FormatName() const;

  bool operator==(const Operation&) const = default;
};

// The inverse of Name and FormatName; the error lists near misses.
Expected<Operation> OperationFromName(std::string_view name, std::string_view format);

// Every conversion between two scalar types with each rounding suffix and _sat, and every
// vload_half and vstore_half.
std::vector<Operation> AllConversions();

}  // namespace assay::numerics
