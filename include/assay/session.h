// Kernels executed exactly, as a host program uses a device: a module, a session with buffers, and
// launches with their findings.
//
//   auto module = assay::api::Module::Compile(source, "saxpy.cl");
//   auto session = assay::api::Session::Make(*module);
//   auto buffer = session->Allocate(4096, "x");
//   auto launch = session->Run("saxpy", {.global = {1024}}, arguments);
//   for (const assay::api::Finding& finding : launch->findings) Tell(finding.message);
//
// A launch is a function of the module, the memory, the arguments and the options: neither threads
// nor the machine change a bit of its result, unless the kernel's behavior is undefined.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/numerics.h"
#include "assay/result.h"

namespace assay::api {
inline namespace v1 {

struct CompileOptions {
  std::string build_options;          // as for clBuildProgram
  std::string compiler;               // "clang-15", "clang-22"; "": the default one
  std::vector<std::string> readable;  // folders that #include may read
};

// A program in SPIR-V, validated and decoded.
class Module {
 public:
  // OpenCL C.  `name` is for findings and messages; findings have its whole path.
  static Result<Module> Compile(std::string_view source, std::string name,
                                const CompileOptions& options = {});
  // SPIR-V.
  static Result<Module> FromBytes(std::span<const std::byte> bytes, std::string name);
  // Files of OpenCL C (.cl), SPIR-V binary or text; several are linked.
  static Result<Module> Load(std::span<const std::string> paths,
                             const CompileOptions& options = {});

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  explicit Module(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

struct SessionOptions {
  std::string detect = "all";  // detectors, as for `assay run --detect`
  Rounding rounding = Rounding::kRte;
  bool flush_to_zero = false;
  std::uint64_t max_memory = std::uint64_t{8} << 30;  // bytes
  std::uint64_t placement_seed = 0;  // at which multiples of their alignment objects begin
};

// Sizes of one to three dimensions; no local size: one is chosen.
struct Range {
  std::vector<std::uint64_t> global;
  std::vector<std::uint64_t> local;
  std::vector<std::uint64_t> offset;
};

struct Buffer {
  std::uint64_t address = 0;  // 0: a null pointer
};
struct Bytes {
  std::vector<std::byte> bytes;  // of the parameter's type
};
struct LocalMemory {
  std::uint64_t bytes = 0;
};
using Argument = std::variant<Bytes, Buffer, LocalMemory>;

// A number or structure as the parameter's bytes.
template <typename T>
Bytes Value(const T& value) {
  Bytes bytes{std::vector<std::byte>(sizeof value)};
  std::memcpy(bytes.bytes.data(), &value, sizeof value);
  return bytes;
}

struct LaunchOptions {
  int threads = 0;                     // 0: one a core
  std::uint64_t seed = 0;              // 0: work-items run in order; else they take turns
  std::uint64_t max_instructions = 0;  // 0: no limit
  double timeout_seconds = 0;
  std::size_t max_findings = 100;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::string_view)> output;  // printf's; empty: Launch::output has it
};

struct Finding {
  std::string rule;           // "memory-out-of-bounds": `assay explain` says more
  std::string finding_class;  // "undefined-behavior", "undefined-value", ...
  std::string message;
  std::string source;       // "/home/me/saxpy.cl:4:8"; "" where it is not known
  std::string instruction;  // of SPIR-V
  std::array<std::uint64_t, 3> global_id = {0, 0, 0};  // of the first work-item
  std::vector<std::string> history;                    // other places that take part
  std::uint64_t count = 1;
};

struct Launch {
  bool completed = false;
  std::string end;      // "completed", "time-limit", "deadlock", ...
  std::string message;  // a sentence, if it did not complete
  std::vector<Finding> findings;
  std::string output;
  std::uint64_t instructions = 0;
};

// A module with its own memory.  One thread at a time.
class Session {
 public:
  static Result<Session> Make(const Module& module, const SessionOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  std::vector<std::string> KernelNames() const;
  // The types of a kernel's parameters: "float*", "uint".
  Result<std::vector<std::string>> ParameterTypes(std::string_view kernel) const;

  // Zeroed.  Findings use the name.
  Result<Buffer> Allocate(std::uint64_t bytes, std::string name);
  // Its memory, also for the host; empty for no buffer.
  std::span<std::byte> Contents(Buffer buffer);
  // An access by a kernel from now on is a finding.
  Result<std::monostate> Release(Buffer buffer);

  Result<Launch> Run(std::string_view kernel, const Range& range,
                     std::span<const Argument> arguments, const LaunchOptions& options = {});

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace assay::api
