// The arithmetic of a matrix engine as about ten numbers.
//
// An instruction computes d[i][j] = c[i][j] + sum over k of a[i][k] * b[k][j].  It adds the
// products in blocks: the exact products of a block and the accumulator are aligned to the largest
// exponent among them, what is below the kept bits is removed from each, and the sum of what
// remains is rounded to the accumulator's format.  Sources: Fasi, Higham, Mikaitis, Pranesh,
// "Numerical behavior of NVIDIA tensor cores" (2021); Khattak and Mikaitis, arXiv 2512.07004.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "numerics/small_float/convert.h"

namespace assay::numerics::matrix {

// How d follows from the products.
enum class Arithmetic : std::uint8_t {
  kFused,       // as above, by the other members
  kExact,       // the exact sum, rounded once to nearest even
  kSequential,  // a chain of correctly rounded fma in order of k, beginning with c
  kTree,        // each product rounded; neighbours added in pairs, and c last; to nearest even
  kInteger,     // two's complement, modulo 2^32
};
inline constexpr std::string_view kArithmeticNames[] = {"fused", "exact", "ieee-sequential",
                                                        "ieee-tree", "integer"};

// Which products form a block, of an instruction with more than one.
enum class Grouping : std::uint8_t {
  kConsecutive,  // block b has k = b * block, b * block + 1, ...
  kInterleaved,  // block b of n has k = b, b + n, b + 2 n, ...
  // Block b of n has the pairs b, b + n, b + 2 n, ... of neighbours: k = 2 b, 2 b + 1, ...
  kPairs,
};
inline constexpr std::string_view kGroupingNames[] = {"consecutive", "interleaved", "pairs"};

// Where c enters.
enum class Addend : std::uint8_t {
  kFused,  // a term of the first block
  // The first block begins with zero; c is added to the last block's result, rounded to nearest
  // even by IEEE 754.  Compilers make such an instruction from others.
  kLast,
};
inline constexpr std::string_view kAddendNames[] = {"fused", "last"};

// The exponent by which a product is aligned.
enum class ProductExponent : std::uint8_t {
  kSum,         // the sum of the factors' exponents; a subnormal factor has that of the smallest
                // normal number
  kNormalized,  // that of the product's leading bit
};
inline constexpr std::string_view kProductExponentNames[] = {"sum", "normalized"};

// What is removed below the kept bits.
enum class Truncation : std::uint8_t { kTowardZero, kDown };
inline constexpr std::string_view kTruncationNames[] = {"toward-zero", "down"};

// The sign of a zero result.
enum class ZeroSign : std::uint8_t {
  kPositive,  // of every one, also where a negative sum is rounded to zero
  kIeee,      // negative if all terms are negative zeros, or if a negative sum is rounded to zero
};
inline constexpr std::string_view kZeroSignNames[] = {"positive", "ieee"};

// Of one instruction, or of one pair of formats.
struct Model {
  std::string name;         // of the instruction, such as "f16-f32"
  std::string input;        // format of a and b: a float of up to 19 bits, s8, u8, s4, u4
  std::string accumulator;  // format of c and d: f32, f16, s32, u32
  int m = 0, n = 0, k = 0;  // the instruction's shape
  Arithmetic arithmetic = Arithmetic::kFused;

  int block = 0;  // products in one fused addition; divides k
  Grouping grouping = Grouping::kConsecutive;
  Addend addend = Addend::kFused;
  ProductExponent product_exponent = ProductExponent::kSum;
  int alignment_bits = 0;  // bits kept below 2^(the largest exponent), 0 to 40
  Truncation truncation = Truncation::kTowardZero;
  int minimum_exponent = 0;  // the largest exponent counts as at least this
  int result_bits = 0;       // mantissa bits of a result; those below are zero
  small_float::Rounding result_rounding = small_float::Rounding::kTowardZero;  // or nearest even
  bool subnormal_inputs = true;   // false: they count as zeros
  bool subnormal_results = true;  // false: they become zeros
  ZeroSign zero_sign = ZeroSign::kPositive;
  std::uint32_t nan = 0;  // the bits of every NaN result

  bool operator==(const Model&) const = default;
};

// A device's file: {"schema": "assay-matrix-model/1", "device": ..., "instructions": [...]}.
struct ModelFile {
  std::string device;
  std::vector<Model> instructions;
};

// kUsage with `place` (a file, or a name) and the member that is missing or wrong.
Expected<ModelFile> ParseModelFile(std::string_view text, std::string_view place);
nlohmann::ordered_json ModelToJson(const Model& model);

// kUsage if a number is out of range or the formats do not fit together.
Expected<void> CheckModel(const Model& model, std::string_view place);

bool IsInput(std::string_view format);
bool IsAccumulator(std::string_view format);
// 0: it is no integer.
int IntegerBits(std::string_view format);

// Bytes of an element in memory, one for 4 bits; 0 for an unknown format.
int ElementBytes(std::string_view format);

}  // namespace assay::numerics::matrix
