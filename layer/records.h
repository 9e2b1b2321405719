// What the layer keeps of each object.  What the driver can be asked for (flags, formats) is asked
// when a launch is captured, and not kept here, but for the sizes of buffers: the application said
// them.
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layer/choose.h"

namespace assay::layer {

struct Module {
  std::string bytes;  // OpenCL C, or SPIR-V
  bool is_il = false;
};

// What an executable was made of.  It does not change once it is made.
struct Build {
  std::vector<Module> modules;                               // several: they are linked
  std::vector<std::pair<std::string, std::string>> headers;  // of clCompileProgram: name and text
  std::string options;
  std::map<cl_uint, std::vector<std::byte>> spec_constants;
  std::string refused;  // why no job can be made of it; "": one can
  std::string digest;   // of all that; equal for equal programs
};

struct ProgramRecord {
  std::mutex mutex;  // of all members
  Module module;
  std::string refused;           // why its content is not known ("a program from a binary")
  bool is_known_binary = false;  // of a binary whose build is known; it does not change
  std::map<cl_uint, std::vector<std::byte>> spec_constants;
  std::shared_ptr<const Build> build;  // of the last clBuildProgram, clCompileProgram or link
};

struct MemoryRecord {
  cl_mem handle = nullptr;
  std::shared_ptr<MemoryRecord> parent;  // of a sub-buffer, and of an image of a buffer
  std::atomic<bool> is_alive = true;     // has the application still a reference
  std::atomic<bool> is_written = false;  // can anything have been stored there
  // As the application made a buffer, or a part of one; no size: it is not known.
  std::optional<std::size_t> bytes;
  std::size_t offset = 0;
};
struct SamplerRecord {
  cl_sampler handle = nullptr;
  std::atomic<bool> is_alive = true;
};

struct Argument {
  enum class Kind { kUnset, kValue, kLocal, kSvm, kUnseen };
  Kind kind = Kind::kUnset;
  std::vector<std::byte> bytes;  // of a value
  std::uint64_t local_bytes = 0;
  const void* svm = nullptr;
  // The object whose handle the bytes are; it may still be a number that only looks like one.
  std::shared_ptr<MemoryRecord> memory;
  std::shared_ptr<SamplerRecord> sampler;
};

struct KernelRecord {
  std::string name;
  std::shared_ptr<const Build> build;       // null: not known
  std::shared_ptr<LaunchCounter> launches;  // of all kernels of this name and program
  std::mutex mutex;                         // of the members below
  std::vector<Argument> arguments;
  bool has_exec_info = false;  // clSetKernelExecInfo: it follows pointers to SVM
};

struct QueueRecord {
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  std::atomic<std::uint64_t> commands = 0;  // enqueued by the application
  std::atomic<std::uint64_t> finished = 0;  // as many of them are known to have ended
};

struct UserEventRecord {
  std::atomic<bool> is_complete = false;
};

struct SvmRecord {
  cl_context context = nullptr;
  std::size_t bytes = 0;
  cl_svm_mem_flags flags = 0;
};

}  // namespace assay::layer
