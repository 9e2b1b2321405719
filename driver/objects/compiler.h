// Building programs.  Nothing here uses the driver's lock or objects.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontend/build/requests.h"
#include "frontend/module.h"

namespace assay::driver {

struct BuildResult {
  cl_int code = CL_SUCCESS;  // CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS, ...
  std::string log;
  std::vector<frontend::Word> words;                   // SPIR-V
  std::vector<frontend::SpecConstant> spec_constants;  // of IL
};

// OpenCL C to a module that is complete.
BuildResult BuildSource(const std::string& source, const std::string& name,
                        const std::string& options);
// ... that may have imports.  `headers`: include names and texts.
BuildResult CompileSource(const std::string& source, const std::string& name,
                          const std::string& options,
                          const std::vector<std::pair<std::string, std::string>>& headers);
// SPIR-V that an application gives; CL_INVALID_VALUE where it is none, or not valid.
BuildResult CheckIl(const std::vector<std::byte>& il, const std::string& name,
                    const frontend::Specialization& specialization);
BuildResult Link(const std::vector<std::vector<frontend::Word>>& modules,
                 const std::string& options);

}  // namespace assay::driver
