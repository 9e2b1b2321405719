// What the results of a kernel depend on beside its memory and its arguments, found in the
// instructions of the functions that it can reach.
//
// A driver is accused only where nothing is found: every instruction is one of a list of those
// whose results the specification determines bit by bit, or computes floating-point numbers, of
// which an envelope run says what is allowed.  What is neither counts as open.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "frontend/module.h"

namespace assay::tools {

struct Dependence {
  // Why conforming devices may have different results, beside floating-point numbers.
  std::set<std::string> results;
  // The operations on floating-point numbers, by which results are ranges.
  std::set<std::string> float_operations;
  bool has_floats = false;
  // Why the interpreter may have executed something else than the device, so that its findings
  // need not be those of the launch: "the size of sub-groups".
  std::set<std::string> execution;
  // The kernel asks for the local size or uses what depends on it.
  bool on_local_size = false;
};

Dependence DependenceOf(const frontend::Module& module, std::string_view kernel);

}  // namespace assay::tools
