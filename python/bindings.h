// The parts of the module _assay, one file each.
#pragma once

#include <pybind11/pybind11.h>

namespace assay::python {

void BindNumerics(pybind11::module_& module);
void BindRun(pybind11::module_& module);
void BindGolden(pybind11::module_& module);
void BindMatrix(pybind11::module_& module);
void BindMx(pybind11::module_& module);

}  // namespace assay::python
