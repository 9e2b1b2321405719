// OpenCL devices and the interpreter as matrix devices of docs/pipe-protocol.md.
#pragma once

#include <string>

#include "base/expected.h"

namespace assay::oracle {

struct MatrixDeviceOptions {
  bool interpreter = false;
  std::string opencl;               // else "PLATFORM[:INDEX]"
  std::string matrix, matrix_text;  // the interpreter's arithmetic (SessionOptions); empty: exact
};

// Serves the protocol on two descriptors until the input ends.  An OpenCL device's instructions are
// the variants that it declares for its default sub-group size (cl_khr_cooperative_matrix, draft of
// 2026-01-23); kUnsupported where it declares none.
Expected<void> ServeMatrixDevice(const MatrixDeviceOptions& options, int in_fd, int out_fd);

}  // namespace assay::oracle
