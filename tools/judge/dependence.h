// What the results of a kernel depend on beside its memory and its arguments, found in the
// instructions of the functions that it can reach.
//
// A driver is accused only where nothing is found: every instruction is one of a list of those
// whose results the specification determines bit by bit, or one of which an envelope run says what
// is allowed: floating-point numbers, images, atomic operations.  What is neither counts as open.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "frontend/module.h"

namespace assay::tools {

struct Dependence {
  // Why conforming devices may have different results, beside what envelopes know.
  std::set<std::string> results;
  // Devices may have several results, and an envelope run says which.
  bool needs_envelope = false;
  // Why the interpreter may have executed something else than the device, so that its findings
  // need not be those of the launch.
  std::set<std::string> execution;
  // The same, of which nothing remains if nothing is found: "pointers that are read from memory".
  std::set<std::string> findings;
  // The kernel asks for the local size or uses what depends on it.
  bool on_local_size = false;
  // It uses sub-groups, whose size and work-items are the device's affair.
  bool on_subgroups = false;
  // Addresses are stored in memory that is compared, and devices have others.
  bool stores_pointers = false;
};

Dependence DependenceOf(const frontend::Module& module, std::string_view kernel);

}  // namespace assay::tools
