// `assay serve`: drives a device for a parent process.
#pragma once

#include <memory>

#include "base/expected.h"
#include "numerics/format.h"
#include "oracle/devices/device.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

// Opens the device of --interpreter.
using InterpreterOpener = Expected<std::unique_ptr<oracle::Device>> (*)(numerics::Rounding);

// `interpreter`: null where the program has no interpreter, and so no such option.
CLI::App* AddServe(CLI::App& app, int* exit_code, InterpreterOpener interpreter);

}  // namespace assay::tools
