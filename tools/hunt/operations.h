// The operations that random programs have, as rows: what is written, on which types, by which
// clause it has one result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/hunt/program.h"

namespace assay::tools {

// What a device has, as its compiler's macros say.
struct HuntDevice {
  std::string standard = "CL3.0";  // of -cl-std
  bool has_doubles = true;
  bool has_longs = true;
  bool has_collectives = true;  // work_group_reduce_add and its kin
  bool has_subgroups = true;
  bool has_generic = true;  // pointers without an address space
  bool has_blocks = true;
  bool has_halves = false;  // cl_khr_fp16
  bool has_images = false;  // of the full profile
  bool has_pipes = false;
  bool keeps_subnormal_floats = true, keeps_subnormal_halves = true;  // CL_FP_DENORM
  bool is_embedded = false;                                           // its profile
  // Whether subnormal numbers stay what they are in arithmetic.
  bool KeepsSubnormals(HuntBase base) const {
    return base == HuntBase::kFloat  ? keeps_subnormal_floats
           : base == HuntBase::kHalf ? keeps_subnormal_halves
                                     : true;
  }
  bool IsAtLeast2() const { return standard != "CL1.2"; }
};

// --kinds.
enum class HuntKind : std::uint8_t {
  kIntegers,
  kFloats,
  kFunctions,
  kHalves,
  kControl,
  kMemory,
  kLayout,
  kLocal,
  kGroups,
  kSubgroups,
  kAtomics,
  kImages,
  kPipes,
};
struct HuntKindRow {
  HuntKind kind;
  std::string_view name;
};
std::span<const HuntKindRow> HuntKinds();

struct HuntOperation {
  std::string_view name;
  // $0.. operands; $T the result's type, $B its component, $U and $S with that signedness, $M its
  // bits less one, $H half its bits, $X and $N its largest and least value, $I a lane of operand 0,
  // $L lanes of it as many as the result has.
  std::string_view form;
  // i integers, u and s those with that signedness, w int and uint, g integers of more than a byte,
  // k int alone, e int and long, f float and double, o float alone, H half.
  char result = 'i';
  // * all, 1 scalars, v vectors, p powers of two from 2 on, q from 4 on, h up to 8 without 3,
  // g up to 4, x 3 and 4, and 2, 3, 4.
  char widths = '*';
  // One letter an operand.  T the result's type, U and S with that signedness, E its component,
  // A an integer type of that width, R an integer type of the same size, K an int, Q some scalar
  // integer (all Q alike), 2 a vector of a power of two (all alike), V some vector of signed
  // integers, 3 some vector of the same component, X twice as wide, Y half as wide, h components of
  // half the size, u the same unsigned, F float beside int and double beside long, D one of both.
  // With special values (infinities, NaN, zeros of both signs, subnormal numbers where they are
  // kept or the result is judged): Z the result's type, z one of floating point (all z alike), O
  // the other one of float and double, y as F, G of the result's component and of up to four.  J is
  // an int of the result's width; w is from 0 to 1, + from 1 to 2, - from -2 to -1.
  std::string_view operands;
  HuntKind kind = HuntKind::kIntegers;
  std::string_view clause;  // of OpenCL C
  bool is_root = false;     // whose result is no operand of others
  bool needs_2 = false;     // OpenCL C 2.0
  // The oracle judges the results, by `name`; the second is of the result's type (T) or of its
  // ints (k), or there is none (0).
  bool is_judged = false;
  char second = 0;
};

std::span<const HuntOperation> HuntOperations();
// Of them those of floating point, and those that are judged.
std::span<const HuntOperation> FloatOperations();
std::span<const HuntOperation> JudgedOperations();

// The types that an operation has results of, on a device.
std::vector<HuntType> TypesOf(const HuntOperation& operation, const HuntDevice& device);
bool Takes(const HuntOperation& operation, HuntType type);

struct HuntRandom {
  std::uint64_t state = 0;
  std::uint64_t Next();  // splitmix64
  std::uint64_t Below(std::uint64_t bound) { return bound == 0 ? 0 : Next() % bound; }
  bool Chance(std::uint64_t one_in) { return Below(one_in) == 0; }
};

enum class HuntOperand : std::uint8_t {
  kPlain,
  kSpecial,   // of floating point
  kExponent,  // of ldexp
  kWeight,    // from 0 to 1
  kPositive,  // from 1 to 2
  kNegative,  // from -2 to -1
};
// The operation with operands that `make` makes.
HuntExpr Instance(const HuntOperation& operation, HuntType type, const HuntDevice& device,
                  HuntRandom* random, const std::function<HuntExpr(HuntType, HuntOperand)>& make);

// A constant of a type, of one component's value; floats are value / 8.
HuntExpr HuntConstant(HuntType type, std::int64_t value);

}  // namespace assay::tools
