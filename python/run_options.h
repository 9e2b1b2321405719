// The options of a run as Python gives them.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/run/options.h"

namespace assay::python {

// The names that RunOptionsOf knows; python/assay/_run.py says what they mean.
std::vector<std::string> RunOptionNames();
// TypeError for another name, and for a value of another type.
std::unique_ptr<tools::RunOptions> RunOptionsOf(const pybind11::dict& given);

}  // namespace assay::python
