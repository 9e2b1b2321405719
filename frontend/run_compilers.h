// The compilers' programs on one source: clang, and for clang-15 the translator to SPIR-V, with
// what has to be mended between them.  Which compiler is tried, and the cache, are opencl_c.cc's.
#pragma once

#include "base/expected.h"
#include "base/run_tool.h"
#include "frontend/compile_cache.h"
#include "frontend/compile_job.h"

namespace assay::frontend {

// The module that the job's source becomes, and what the compilers said.
Expected<CacheEntry> RunCompilers(const CompileJob& job, const base::TemporaryFolder& temporary);

}  // namespace assay::frontend
