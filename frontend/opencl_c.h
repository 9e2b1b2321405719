// Compiles OpenCL C to SPIR-V with clang and llvm-spirv, with a cache.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/confine.h"
#include "base/expected.h"
#include "base/read_scope.h"
#include "frontend/build_options.h"
#include "frontend/compilers.h"
#include "frontend/loader.h"

namespace assay::frontend {

// A header that is no file: `source` is what an #include of `name` ("sub/x.h") reads.
struct EmbeddedHeader {
  std::string name;
  std::string source;
};

struct CompileOptions {
  std::optional<Compiler> compiler;  // nothing: DefaultCompiler()
  // The options of clBuildProgram (OpenCL API, 5.8.6), split at spaces; quotes and backslashes
  // keep them together.  They come last and so win: -O2, -cl-std=CL2.0, -D NAME=1, -I folder.
  // A relative -I is relative to the source file's folder.
  std::string build_options;
  OptionsFrom options_from = OptionsFrom::kData;
  // Where #include and #embed may read, beside the source's own folder.
  base::ReadScope reads;
  // They come before files; the first of several of one name counts.  kUsage for a name that is
  // absolute or empty.
  std::vector<EmbeddedHeader> headers;
  // In place of build_options: options that are read already.
  std::optional<BuildOptions> read_options;
  // Keeps what clGetKernelArgInfo tells in the module (kernel_info.h).
  bool argument_info = false;
  base::ResourceLimits limits;  // of all programs that take part: --timeout, --max-memory
  bool use_cache = true;
};

// A file that a result depends on.
struct FileDigest {
  std::string path;
  std::string sha256;
  bool operator==(const FileDigest&) const = default;
};

struct Compiled {
  Binary binary;                     // not validated yet
  std::string messages;              // the compilers' warnings, also where the cache answered
  std::vector<FileDigest> included;  // what the source includes, without the compiler's own headers
  bool from_cache = false;
};

// kUsage with the compiler's messages for a program with errors, or where the compiler is missing;
// kDevice where the compiler crashes or exceeds a limit.  It runs confined (base/confine.h): of the
// user's files it sees only the source's folder and the files that the options and `reads` name.
Expected<Compiled> CompileFile(const std::string& path, const CompileOptions& options);
// `folder` is where #include looks first; `name` is for messages and debug information.  Without a
// folder, #include reads nothing but `headers` and what the options name.
Expected<Compiled> CompileSource(const std::string& source, const std::string& name,
                                 const std::string& folder, const CompileOptions& options);

// What compiles where nobody says which compiler: the first one that is installed and, if it has no
// translator and others are installed, makes a module of a small kernel.  kUsage: none is
// installed.
Expected<Compiler> DefaultCompiler();

}  // namespace assay::frontend
