// A job of one launch, as files.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"
#include "interp/job/job.h"

namespace assay::tools {

// FOLDER/STEM.cl with `text`, STEM.json, and a file for each buffer and for each that is expected.
// The job's module is the text, or STEM.spv, where the job has that; the caller writes it.
// Returns their paths; the folder is made.
Expected<std::vector<std::string>> WriteJobFiles(const std::string& folder, const std::string& stem,
                                                 const std::string& text, const interp::Job& job);

}  // namespace assay::tools
