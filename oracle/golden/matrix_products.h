// Golden vectors of whole matrix products d = a b + c: the exact results, and what each promise
// accepts (docs/golden.md, "Matrix products").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/expected.h"
#include "numerics/matrix/model.h"

namespace assay::oracle {

inline constexpr std::string_view kGoldenMatrixSchema = "assay-golden-matrix/1";

// The formats and the shape of matrix_f16_f32_16x8x16 (input, accumulator, m, n and k) as an exact
// model.  Nothing: the text begins with another word than matrix_.  kUsage for unknown formats and
// sizes that are not 1 to 512.
std::optional<Expected<numerics::matrix::Model>> MatrixProductOf(std::string_view name);
std::string MatrixProductName(const numerics::matrix::Model& model);

// JSON with one product a line, which ends in its SHA-256 (file.h).  The operands are random tiles
// (numerics/matrix/random_tiles.h).
std::string EncodeGoldenMatrix(const numerics::matrix::Model& model, std::uint64_t seed,
                               std::size_t tiles, const std::string& tool,
                               const std::string& command);

// The content that the operands in a file of this schema give; nothing: it is of another schema.
std::optional<Expected<std::string>> MatrixAgain(std::string_view content);

}  // namespace assay::oracle
