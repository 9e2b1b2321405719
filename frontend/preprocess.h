// Finds the files that a source reads, with the preprocessor, before the source is compiled.
// Internal to the compilation of OpenCL C.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"
#include "frontend/compile_job.h"
#include "frontend/opencl_c.h"

namespace assay::frontend {

// Empty for a source that reads nothing.
struct Preprocessed {
  std::string text;
  std::vector<FileDigest> included;
};

// Whether the source, or an option, may read files or depend on the time of day.  Starting a
// compiler takes as long as compiling a small kernel, so most are spared it.
bool NeedsPreprocessing(const CompileJob& job);

// kUsage where the source has errors, or reads files that it may not read.
Expected<Preprocessed> Preprocess(const CompileJob& job, const base::TemporaryFolder& temporary);

// The headers that come with a compiler are in here.
std::string ResourceFolder(const std::string& clang);

Expected<std::vector<FileDigest>> DigestsOf(const std::vector<std::string>& paths);

}  // namespace assay::frontend
