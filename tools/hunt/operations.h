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
  bool IsAtLeast2() const { return standard != "CL1.2"; }
};

// --kinds.
enum class HuntKind : std::uint8_t {
  kIntegers,
  kFloats,
  kControl,
  kMemory,
  kLayout,
  kLocal,
  kGroups,
  kSubgroups,
  kAtomics,
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
  // k int alone, e int and long, f floating point.
  char result = 'i';
  // * all, 1 scalars, v vectors, p powers of two from 2 on, q from 4 on, h up to 8 without 3, and
  // 2, 3, 4.
  char widths = '*';
  // One letter an operand.  T the result's type, U and S with that signedness, E its component,
  // A an integer type of that width, R an integer type of the same size, K an int, Q some scalar
  // integer (all Q alike), 2 a vector of a power of two (all alike), V some vector of signed
  // integers, 3 some vector of the same component, X twice as wide, Y half as wide, h components of
  // half the size, u the same unsigned, F float beside int and double beside long, D one of both.
  std::string_view operands;
  HuntKind kind = HuntKind::kIntegers;
  std::string_view clause;  // of OpenCL C
  bool is_root = false;     // whose result is no operand of others
  bool needs_2 = false;     // OpenCL C 2.0
};

std::span<const HuntOperation> HuntOperations();

// The types that an operation has results of, on a device.
std::vector<HuntType> TypesOf(const HuntOperation& operation, const HuntDevice& device);
bool Takes(const HuntOperation& operation, HuntType type);

struct HuntRandom {
  std::uint64_t state = 0;
  std::uint64_t Next();  // splitmix64
  std::uint64_t Below(std::uint64_t bound) { return bound == 0 ? 0 : Next() % bound; }
  bool Chance(std::uint64_t one_in) { return Below(one_in) == 0; }
};

// The operation with operands that `make` makes.
HuntExpr Instance(const HuntOperation& operation, HuntType type, const HuntDevice& device,
                  HuntRandom* random, const std::function<HuntExpr(HuntType)>& make);

// A constant of a type, of one component's value; floats are value / 8.
HuntExpr HuntConstant(HuntType type, std::int64_t value);

}  // namespace assay::tools
