// What a device's compiler predefines of the macros that decide which code of a program is
// compiled.
#pragma once

#include <CL/cl_icd.h>

#include <map>
#include <string>
#include <utility>

#include "base/macros.h"
#include "layer/includes.h"
#include "layer/records.h"

namespace assay::layer {

struct DriverMacros {
  base::MacroAnswers answers;
  std::string missing;  // why there are none; "": there are
};

// The driver builds and runs a small program, once for the same question.
class MacroQuestions {
 public:
  // `includes` are those of the build.
  const DriverMacros& Ask(cl_device_id device, const Build& build, const Includes& includes);

 private:
  std::map<std::pair<cl_device_id, std::string>, DriverMacros> answers_;  // by device and question
};

}  // namespace assay::layer
