// Sources and modules that several of frontend's tests use.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "frontend/load.h"

namespace assay::frontend {

// A folder of the test's own, where the compile cache lies too, so that no test meets another's.
class ScratchFolder {
 public:
  ScratchFolder() {
    // As compilers name it: TempDir() ends with a slash.
    std::string name =
        (std::filesystem::path(testing::TempDir()) / "assay-frontend-XXXXXX").string();
    path_ = mkdtemp(name.data());
    setenv("XDG_CACHE_HOME", (path_ / "cache").c_str(), 1);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string Write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline Expected<LoadedModule> LoadPath(const std::string& path, const LoadOptions& options = {}) {
  const std::string paths[] = {path};
  return LoadModule(std::span<const std::string>(paths), options);
}

// A kernel that uses most features of the front end.
inline constexpr std::string_view kKernelSource = R"(typedef struct {
  char a;
  float3 v;
  double d[2];
} Item;
typedef struct __attribute__((packed)) {
  char a;
  int b;
} Packed;
__constant int table[4] = {1, 2, 3, 4};
float helper(float x, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) {
    if (i & 1) sum += x; else sum *= native_sin(x);
  }
  return sum;
}
__kernel void saxpy(__global float* y, __global const float* x, float a) {
  size_t i = get_global_id(0);
  y[i] = fma(a, x[i], y[i]) + helper(a, table[i & 3]);
}
__kernel __attribute__((reqd_work_group_size(8, 2, 1)))
void local_sum(__global int* out, __local int* scratch, __global Item* s, __global Packed* p) {
  __local int fixed[16];
  int l = get_local_id(0);
  scratch[l] = out[l];
  fixed[l] = p->b;
  barrier(CLK_LOCAL_MEM_FENCE);
  s[l].v = (float3)(scratch[l], 1, 2);
  switch (l) {
    case 0: out[0] = 3; break;
    case 5: out[1] = fixed[2]; break;
    default: atomic_add(out, 2);
  }
  printf("hi %d\n", l);
}
)";

// The head of a module for OpenCL, in the text form.
inline constexpr std::string_view kPreamble = R"(; SPIR-V
; Version: 1.2
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int8
OpCapability Int16
OpCapability Int64
%std = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
)";

// A function of a boolean and an integer, up to its blocks.
inline constexpr std::string_view kFunctionHead = R"(%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%type = OpTypeFunction %void %bool %uint
%f = OpFunction %void None %type
%c = OpFunctionParameter %bool
%u = OpFunctionParameter %uint
)";

inline std::string WithPreamble(std::string_view body) {
  return std::string(kPreamble) + std::string(body);
}

inline Expected<std::shared_ptr<const Module>> TryBuild(std::string_view body,
                                                        const Specialization& specialization = {}) {
  auto binary = LoadText(WithPreamble(body), "test.spvasm");
  if (!binary) return tl::unexpected(binary.error());
  return BuildModule(*binary, specialization);
}

inline std::shared_ptr<const Module> Build(std::string_view body,
                                           const Specialization& specialization = {}) {
  auto module = TryBuild(body, specialization);
  EXPECT_TRUE(module) << module.error().message;
  return module ? *module : nullptr;
}

// The id that OpName calls `name`.
inline Id Named(const Module& module, std::string_view name) {
  for (const Name& entry : module.names) {
    if (entry.text == name && entry.member == kNone) return entry.target;
  }
  ADD_FAILURE() << "nothing is called " << name;
  return 0;
}

inline const Type& TypeNamed(const Module& module, std::string_view name) {
  return *module.types.Find(Named(module, name));
}

}  // namespace assay::frontend
