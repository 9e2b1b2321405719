// The module assay._assay: what the package in python/assay calls.  Its functions trust their
// arguments, which the package has checked; users call the package.
#include <pybind11/pybind11.h>

#include "assay_version.h"
#include "numerics/truth_version.h"
#include "python/bindings.h"
#include "python/errors.h"

namespace assay::python {
namespace {

const char* ClassOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return "UsageError";
    case ErrorKind::kUnsupported:
      return "UnsupportedError";
    case ErrorKind::kDevice:
      return "LimitError";
    case ErrorKind::kInternal:
      return "InternalError";
  }
  return "InternalError";
}

void Translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Raised& raised) {
    const pybind11::object errors = pybind11::module_::import("assay._errors");
    PyErr_SetString(errors.attr(ClassOf(raised.kind())).ptr(), raised.what());
  }
}

}  // namespace
}  // namespace assay::python

PYBIND11_MODULE(_assay, module) {
  pybind11::register_exception_translator(&assay::python::Translate);
  module.attr("version") = ASSAY_VERSION;
  module.attr("revision") = ASSAY_REVISION;
  module.attr("truth") = assay::numerics::TruthVersion();
  assay::python::BindNumerics(module);
  assay::python::BindRun(module);
  assay::python::BindGolden(module);
  assay::python::BindMatrix(module);
  assay::python::BindMx(module);
}
