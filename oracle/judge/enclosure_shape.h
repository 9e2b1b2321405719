// Where a built-in takes its largest and smallest values in a box of operands.  Internal to
// enclosure.cc.
#pragma once

#include <array>
#include <span>

#include "numerics/operation.h"
#include "oracle/judge/enclosure.h"

namespace assay::oracle {

struct BoxShape {
  enum class Kind : std::uint8_t {
    kCorners,    // at its corners: the function is monotonic in each operand
    kEnumerate,  // nothing is known: every point of the box must be asked, if they are few
    kBounded,    // anywhere, within `bounds`
    kOpen,       // without bounds, for the reason in `open`
  };
  Kind kind = Kind::kEnumerate;
  Open open = Open::kWide;
  // Values of the function that it takes inside of the box beside those at the corners; for sin and
  // cos.  A magnitude, exact in every format.
  bool has_top = false, has_bottom = false;
  // The operands for the corners, where others than the box's give the extremes: the magnitudes.
  bool of_magnitudes = false;
  // kBounded: of each result, as doubles that are numbers of the format or lie outside of it.
  std::array<std::array<double, 2>, 2> bounds{};
};

// `args` of one item; at least one is no point, and none is anything.
BoxShape ShapeOf(const numerics::Operation& operation, std::span<const numerics::ScalarType> types,
                 std::span<const Range> args);

}  // namespace assay::oracle
