// assay validate --functions @matrix: every instruction that a matrix device declares
// (docs/validation.md, "Matrices").
#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "tools/matrix/device.h"

namespace assay::tools {

enum class MatrixVerdict : std::uint8_t {
  kPass,              // integers: all are exact.  Floats: all are those of the model that was given
  kFail,              // integers: some are not exact.  Floats: some are not those of the model
  kOpen,              // floats without a model: no text limits them
  kNotDeterministic,  // the same operands gave other results
  kNotMeasured,
};
std::string_view MatrixVerdictName(MatrixVerdict verdict);

// A result, and what it is compared with.
struct MatrixPlace {
  std::uint64_t tile = 0;
  std::size_t row = 0, column = 0;
  std::uint32_t device = 0, expected = 0;
};

struct MatrixRow {
  MatrixInstruction instruction;
  MatrixVerdict verdict = MatrixVerdict::kNotMeasured;
  std::string message;       // why it was not measured
  std::size_t dots = 0;      // results
  std::size_t wrong = 0;     // that are not what the verdict asks for
  std::size_t outside = 0;   // of numerics/matrix/product_range.h
  std::size_t unsteady = 0;  // that differed when asked again
  double worst_ulp = 0;      // against the exact sum
  std::optional<MatrixPlace> first_wrong, first_outside, worst;
  std::vector<std::string> same_as;  // the models that give the same bits
  std::string digest;                // of the results (numerics/matrix/random_tiles.h)
  std::string before;                // the digest of the baseline, if it has the row
  bool HasChanged() const { return !before.empty() && !digest.empty() && before != digest; }
};

struct MatrixValidation {
  std::vector<std::string> names = {"@matrix"};  // or matrix_NAME, with * for any part of a name
  std::uint64_t seed = 1;
  std::size_t tiles = 64;
  std::string model, model_text;  // as FindModel's; empty: no model is asked for
  std::string baseline;           // the text of an earlier report; empty: none
  int threads = 1;
  double timeout = 60;
};

struct MatrixReport {
  std::string device, driver, compiler;
  std::string option;  // selects the device again
  std::uint64_t seed = 1;
  std::size_t tiles = 0;
  std::string model;
  std::vector<MatrixRow> rows;
  std::vector<std::string> left_out;  // what the device has and the protocol has no format for
  bool interrupted = false;
};

bool IsMatrixName(std::string_view name);

// kUsage where a name is none of the device's, or the baseline is no report of other operands.
Expected<MatrixReport> ValidateMatrices(MatrixDevice& device, const MatrixValidation& options,
                                        const std::atomic<bool>& stop);

std::string MatrixTable(const MatrixReport& report);
nlohmann::ordered_json MatrixReportToJson(const MatrixReport& report);

}  // namespace assay::tools
