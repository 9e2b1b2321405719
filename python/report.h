// The result of a run as Python sees it.
#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <string>
#include <vector>

#include "interp/program/envelope.h"
#include "tools/run/report.h"

namespace assay::python {

struct Report {
  tools::RunReport run;
  std::string output;                                       // printf's
  std::map<std::size_t, interp::EnvelopeRecord> envelopes;  // by place of the buffer
};

void BindReport(pybind11::module_& module);

}  // namespace assay::python
