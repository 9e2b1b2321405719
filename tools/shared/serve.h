// `assay serve`: drives a device for a parent process.
#pragma once

#include <memory>
#include <string>

#include "base/expected.h"
#include "numerics/format.h"
#include "oracle/devices/device.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

// Opens the device of --interpreter.
using InterpreterOpener = Expected<std::unique_ptr<oracle::Device>> (*)(numerics::Rounding);

// Serves the matrix instructions of an OpenCL device, "PLATFORM[:INDEX]", or of the interpreter
// (docs/pipe-protocol.md, "Matrix devices").
using MatrixService = Expected<void> (*)(bool interpreter, const std::string& opencl, int in,
                                         int out);

// `interpreter` and `matrix`: null where the program has no interpreter, and so no such options.
CLI::App* AddServe(CLI::App& app, int* exit_code, InterpreterOpener interpreter,
                   MatrixService matrix = nullptr);

}  // namespace assay::tools
