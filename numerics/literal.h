// Numbers as users write them: decimal, C hexadecimal floats and raw bits; reading and printing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "numerics/format.h"
#include "numerics/operation.h"

namespace assay::numerics {

// For floating-point types: decimal ("1.5", "-2e-3"), a C hexadecimal float ("0x1.8p+0"; the 'p' is
// what makes it one), raw bits ("0x3fc00000", at most the type's width), "inf", "nan", each
// but raw bits with an optional sign.  Rounded to nearest even once; a number that would round to
// infinity is an error.  For integer types: decimal or raw bits.  Result: zero-extended bits.
Expected<Bits> ParseLiteral(ScalarType type, std::string_view text);

// The operands of an operation, one text each; the error names how many it takes of which types.
Expected<std::vector<Bits>> ParseOperands(const Operation& operation,
                                          const std::vector<std::string>& texts);

// The parts of "1,2,3"; there is one more than there are commas.
std::vector<std::string> SplitAtCommas(std::string_view text);

// "0x3fc00000": as many digits as the type has bits for.
std::string FormatBits(ScalarType type, Bits bits);
std::string FormatBits(Format format, Bits bits);

// "0x1.8p+0", "-0x0p+0", "0x1p-149", "inf", "nan": exact, normalised to one digit before the point.
std::string FormatHexFloat(Format format, Bits bits);

// The fewest significant digits whose nearest decimal reads back as the same number: "1.5",
// "1e-45", "inf", "nan"; integers in full.
std::string FormatDecimal(ScalarType type, Bits bits);
std::string FormatDecimal(Format format, Bits bits);

}  // namespace assay::numerics
