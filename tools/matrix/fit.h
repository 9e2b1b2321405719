// Finds the numbers of a matrix model that explain a device's answers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "numerics/matrix/model.h"

namespace assay::tools {

// Random tiles with a device's results.
struct Samples {
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> tiles = {};
  std::vector<std::uint32_t> results = {};  // tile after tile, row by row
};

struct Fit {
  numerics::matrix::Model model;
  std::size_t dots = 0;       // elements compared
  std::size_t different = 0;  // of them, those that the model does not explain
  // Other values of a number that explain the samples as well: "alignment_bits" to {"24", "26"}.
  std::map<std::string, std::vector<std::string>> undetermined = {};
  // For each number, the fewest samples that refute another value of it.
  std::map<std::string, std::size_t> refuting = {};
};

struct FitOptions {
  int threads = 1;
  std::function<bool()> is_over = {};  // true: the best model so far is enough
};

// `start` has the name, the formats and the shape; its other numbers do not matter unless
// `from_start`, when only single numbers are changed.
Fit FitModel(const numerics::matrix::Model& start, const Samples& samples, bool from_start,
             const FitOptions& options);

// How many results of the samples the model does not explain; stops beyond `limit`.
std::size_t Differences(const numerics::matrix::Model& model, const Samples& samples,
                        std::size_t limit);

}  // namespace assay::tools
