// The matrix products that an OpenCL device declares: cl_khr_cooperative_matrix, by its draft of
// 2026-01-23 (OpenCL-Docs pull request 1533; the numbers as the conformance suite has them).
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/jobs/matrix_program.h"

namespace assay::oracle {

struct DeclaredMatrixTiles {
  std::string device, driver;
  std::vector<MatrixTile> tiles;
  std::vector<std::string> spirv_extensions;  // as cl_khr_spirv_queries lists them
  std::vector<std::string> left_out;          // those that saturate, or have more than two formats
};

// `selector` as in OpenOpenCl.  Without tiles where the device has no such extension.
Expected<DeclaredMatrixTiles> DeclaredMatrices(const std::string& selector);

}  // namespace assay::oracle
