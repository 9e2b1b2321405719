// The errors of a function by place: on the number line, and in the plane of two operands.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <utility>

#include "numerics/format.h"
#include "numerics/functions.h"

namespace assay::oracle {

// Inputs of one place, and the largest error among them.
struct ErrorAt {
  std::uint64_t inputs = 0;
  double max_ulp = 0;
  int width = 0;  // the vector width in which max_ulp was seen, the smallest on ties; 0: unknown

  void Add(std::uint64_t counted, double ulp, int seen_in) {
    inputs += counted;
    if (ulp > max_ulp || (ulp == max_ulp && ulp > 0 && seen_in < width)) {
      max_ulp = ulp;
      width = seen_in;
    }
  }
  void Merge(const ErrorAt& other) { Add(other.inputs, other.max_ulp, other.width); }
  bool IsEmpty() const { return inputs == 0 && max_ulp == 0; }
};

struct BinadeStatistics {
  std::uint64_t inputs = 0;
  double max_ulp = 0;
  // Of positive and of negative first operands; both empty in reports of earlier versions.
  std::array<ErrorAt, 2> signs{};

  void Merge(const BinadeStatistics& other);
};
using Binades = std::map<int, BinadeStatistics>;  // by exponent of the first operand

// The magnitude of an operand as a power of two; nothing for zero, infinity and NaN.
struct OperandPlace {
  int exponent = 0;
  bool negative = false;
};
std::optional<OperandPlace> PlaceOf(numerics::ScalarType type, numerics::Bits bits);

// Numbers the places of a type, without a branch: every input is asked.
class PlaceNumbers {
 public:
  explicit PlaceNumbers(numerics::ScalarType type);
  std::size_t Count() const { return count_; }  // each number is smaller
  std::size_t Of(numerics::Bits bits) const {
    if (mantissa_bits_ < 0) return OfInteger(bits);
    // Sign and exponent as they stand.  Zero counts as infinity: both have no place.
    return static_cast<std::size_t>(((bits & magnitude_mask_) == 0 ? infinity_ : bits) >>
                                    mantissa_bits_);
  }
  std::optional<OperandPlace> PlaceAt(std::size_t number) const;

 private:
  std::size_t OfInteger(numerics::Bits bits) const;

  numerics::ScalarType type_;
  int mantissa_bits_ = -1;  // -1: an integer type
  numerics::Bits magnitude_mask_ = 0, infinity_ = 0;
  std::size_t count_ = 0;
};

// The plane of the two operands of a function: kPlaneSteps steps of magnitude to either side of
// zero, -kPlaneSteps to -1 and 1 to kPlaneSteps.
inline constexpr int kPlaneSteps = 16;
struct Exponents {
  int low = 0, high = 0;
};
Exponents ExponentsOf(numerics::ScalarType type);
int PlaneStep(const Exponents& range, const OperandPlace& place);
using ErrorPlane = std::map<std::pair<int, int>, ErrorAt>;  // by steps of both operands

// [[exponent, inputs, largest error, [inputs, error, width], [inputs, error, width]], ...]: of all,
// of positive and of negative operands; the last two are missing where they are not known.
nlohmann::ordered_json ToJson(const Binades& binades);
// [[step, step, inputs, largest error, width], ...]
nlohmann::ordered_json ToJson(const ErrorPlane& plane);
// The reverse.  Throw as nlohmann::json does, and std::out_of_range.
Binades BinadesFromJson(const nlohmann::ordered_json& json);
ErrorPlane PlaneFromJson(const nlohmann::ordered_json& json);

}  // namespace assay::oracle
