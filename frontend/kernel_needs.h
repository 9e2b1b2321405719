// The features that each kernel of a module needs and that assay does not execute.
//
// A module can have kernels that need images, sub-groups or an extension that assay lacks, beside
// kernels that need none of them.  A kernel is refused only for what it reaches itself: the
// functions that it calls, and the types, constants and variables that these use.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/expected.h"
#include "frontend/module.h"

namespace assay::frontend {

class KernelNeeds {
 public:
  explicit KernelNeeds(const Module& module);

  // kUnsupported with one line for each thing that the kernel needs and that is not executed.
  Expected<void> Check(const EntryPoint& kernel) const;

 private:
  // The instructions of a module-level id: a function with its body, a type, a constant or a
  // variable with its decorations.
  struct Node {
    std::vector<Id> uses;               // other ids that it names
    std::vector<std::string> refusals;  // "type TypeImage is not supported: ..."
  };

  std::string module_name_;
  std::unordered_map<Id, Node> nodes_;  // empty where nothing of the module is refused
};

}  // namespace assay::frontend
