// A job: a module, buffers, and one or several launches, as a file or command line describes it
// (docs/cli.md, "Jobs").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/expected.h"
#include "base/read_scope.h"
#include "frontend/load.h"
#include "interp/launch/launch.h"
#include "interp/program/host_bytes.h"
#include "interp/program/image.h"
#include "numerics/format.h"

namespace assay::interp {

// An element of a buffer or a scalar argument: "float", "uchar", "half", "int4", "float3" (whose
// elements are 16 bytes apart), "bool" (a byte).
struct ElementType {
  std::string name;         // "float4"
  std::string component;    // "float"
  int components = 1;       // 1, 2, 3, 4, 8, 16
  std::uint32_t bytes = 4;  // stride in a buffer, padding of three components included
};
Expected<ElementType> ParseElementType(std::string_view text);
numerics::ScalarType ScalarOf(const ElementType& type);  // of a component; bool is a byte
// The components of an element in a buffer's bytes, and the element as text: "1.5 (0x3fc00000)".
std::vector<numerics::Bits> ComponentsOf(const ElementType& type, std::span<const std::byte> bytes,
                                         std::uint64_t index);
std::string FormatElement(const ElementType& type, std::span<const numerics::Bits> components);

struct Job;

// A buffer, or an image: its memory is a buffer of its elements.
struct JobBuffer {
  std::string
      name;  // for messages and --print; the argument's position if the argument defines the buffer
  ElementType type;            // of an image: as wide as an element, with a component a channel
  std::uint64_t count = 0;     // elements
  HostBytes bytes;             // count * type.bytes, initialised
  bool uninitialized = false;  // its content is not defined
  bool readable = true;        // by kernels; false: CL_MEM_WRITE_ONLY
  bool writable = true;        // by kernels; false: CL_MEM_READ_ONLY
  std::optional<ImageDescriptor> image = std::nullopt;
  // Of a pipe (interp/job/pipe.h); 0: it is none.
  std::uint64_t max_packets = 0;
  std::uint32_t packet_bytes = 0;

  JobBuffer WithoutBytes() const {
    return {name,     type,     count, {},          uninitialized,
            readable, writable, image, max_packets, packet_bytes};
  }
  std::string_view Kind() const { return image ? "image" : max_packets != 0 ? "pipe" : "buffer"; }
};

struct JobBufferUse {
  std::size_t buffer = 0;    // place in Job::buffers
  std::uint64_t offset = 0;  // in bytes: the start of a sub-buffer
};
// An image in a buffer's memory: image1d_buffer_t, and image2d_t by cl_khr_image2d_from_buffer.
struct JobImageOfBuffer {
  std::size_t buffer = 0;  // place in Job::buffers
  ImageDescriptor image;
};
struct JobNull {};
// A JobBufferUse of an image is the image.
using JobArgument = std::variant<BytesArgument, JobBufferUse, LocalArgument, JobNull,
                                 JobImageOfBuffer, SamplerArgument, QueueArgument>;
// What a session is given for it; `addresses` are those of the job's buffers.
Argument ArgumentOf(const Job& job, const JobArgument& argument,
                    std::span<const Address> addresses);

struct JobLaunch {
  std::string kernel;  // "": the module's only one
  NdRange range;
  std::vector<JobArgument> arguments;
  // Beside the arguments, of numbers: the type that they are given with ("float"); "" of others.
  std::vector<std::string> value_types = {};
};

// The expected content of a buffer after the last launch.
struct BufferExpectation {
  std::size_t buffer = 0;
  std::optional<std::string> sha256;  // lower-case hexadecimal, of all its bytes
  std::optional<HostBytes> bytes;
};

inline constexpr std::uint64_t kMaxJobBytes = std::uint64_t{8} << 30;

struct Job {
  std::string path;                        // of the job file; "" from a command line
  std::uint64_t max_bytes = kMaxJobBytes;  // in all buffers
  std::vector<std::string> modules;        // paths; a job file's are relative to its folder
  std::vector<std::string> data_files;     // files from which buffers and expectations were read
  // Files that a job file, a report or a module names are read from these folders only.  Files that
  // a command line names are read anywhere: `is_data` is false.
  base::ReadScope reads;
  bool is_data = false;
  frontend::LoadOptions load;        // its budget is that of the job's content, too
  std::uint32_t sub_group_size = 0;  // SessionOptions::subgroup_size
  std::string matrix, matrix_text;   // SessionOptions, unless empty
  ForwardProgress forward_progress = ForwardProgress::kUnstated;
  std::vector<JobBuffer> buffers;
  std::uint64_t buffer_bytes = 0;   // of all buffers
  std::vector<JobLaunch> launches;  // in order; they share the buffers
  // Expectations; `findings` are rule ids, and an empty list says that there must be none.
  std::optional<std::vector<Rule>> expected_findings;
  std::vector<BufferExpectation> expected_buffers;
  std::optional<std::string> expected_output;  // printf's
};

// kUsage with the file and the JSON path of the error ("job.json: /args/2/scalar/type: ...").
// kUnsupported for arguments of a kind that is not supported yet, kDevice if a limit is exceeded.
// A job reads files below its own folder, and below those of `reads`.
Expected<Job> ParseJob(std::string_view json, const std::string& path,
                       std::uint64_t max_bytes = kMaxJobBytes, const base::Budget& budget = {},
                       base::ReadScope reads = {});
Expected<Job> LoadJob(const std::string& path, std::uint64_t max_bytes = kMaxJobBytes,
                      const base::Budget& budget = {}, base::ReadScope reads = {});

// Parts of a job from texts and numbers, for files and command lines; kUsage for errors.
// The value: an integer, bits (0x...), true, false, or with a type: "float:2.5".
Expected<void> AddSpecConstant(std::string_view id, std::string_view value,
                               frontend::Specialization* specialization);
// How matrix instructions add: a name (numerics/matrix/multiply.h), or a model file (*.json).
Expected<void> SetMatrix(const std::string& name, Job* job);
// One to three sizes; empty: no local size, no offset.
Expected<NdRange> MakeRange(std::span<const std::uint64_t> global,
                            std::span<const std::uint64_t> local,
                            std::span<const std::uint64_t> offset);

// "read_only", "write_only", "read_write" of a buffer; false for another word.
bool SetAccess(std::string_view access, JobBuffer* buffer);

// Puts the buffer into a memory: allocated and filled, with its access and its undefined bytes.
// Findings use `name` for it.  The buffer's bytes are moved into the memory.
// A pipe is made with its packets.
Expected<Address> PlaceBuffer(Memory* memory, JobBuffer buffer, std::string name);

// One argument of a command line: "float[1024]=range(0,1)", "int4=1,2,3,4", "local(256)", "null",
// "uint[256]=file(data.bin)", "float[16]=random(1,0,1)", "uchar[8]=uninitialized", "bytes(00ff)"; a
// buffer may have "read_only", "write_only" and "offset(4)" before it.  Images and samplers are
// "image2d(640x480,RGBA,UNORM_INT8)=png(in.png)" and "sampler(clamp_to_edge,linear,normalized)".  A
// buffer or image is added to the job; its name is the position of the last launch's next argument.
Expected<JobArgument> ParseArgument(std::string_view text, Job* job);

}  // namespace assay::interp
