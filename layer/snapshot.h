// The memory that a launch's arguments name, read from the device.
#pragma once

#include <CL/cl_icd.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/expected.h"
#include "layer/records.h"

namespace assay::layer {

// A buffer, a shared allocation or an image.  An argument that is a part of one (a sub-buffer) has
// the whole of it, and an offset in the job.
struct Captured {
  std::string name;                      // "b0", or of an image the argument's place: "image2"
  std::shared_ptr<MemoryRecord> memory;  // null: shared virtual memory
  void* svm = nullptr;
  std::size_t bytes = 0;
  cl_mem_flags flags = 0;
  bool is_image = false;
  bool is_written = true;              // had the application a way to give it a content
  std::size_t region[3] = {0, 0, 0};   // of an image
  nlohmann::ordered_json description;  // of an image, as in a job
  std::vector<std::byte> before, after;
};

// All errors are reasons for which the launch is not captured: sentences for people.
class Snapshot {
 public:
  Snapshot(const KernelRecord& kernel, cl_kernel handle, cl_command_queue queue, cl_context context)
      : kernel_(kernel), handle_(handle), queue_(queue), context_(context) {}

  // Finds out what the arguments are.  kUnsupported where one is of a kind that no job has.
  Expected<void> Describe(std::uint64_t max_bytes);
  // Reads all memory; no command of the application may be running.
  Expected<void> ReadBefore() { return Read(&Captured::before); }
  Expected<void> ReadAfter() { return Read(&Captured::after); }

  // The job's "args", where the content of an image is to be added.
  const nlohmann::ordered_json& arguments() const { return arguments_; }
  const std::vector<Captured>& memory() const { return memory_; }
  // What may change the memory beside the launch: "the host has mapped argument 2".
  const std::vector<std::string>& doubts() const { return doubts_; }

 private:
  Expected<nlohmann::ordered_json> Describe(cl_uint index, const Argument& argument);
  Expected<nlohmann::ordered_json> DescribeBuffer(cl_uint index,
                                                  std::shared_ptr<MemoryRecord> memory);
  // Of a buffer, which is captured once.
  Expected<std::string> NameOfBuffer(cl_uint index, const std::shared_ptr<MemoryRecord>& memory,
                                     cl_mem_flags flags);
  Expected<nlohmann::ordered_json> DescribeImageOfBuffer(cl_uint index, const Captured& image);
  Expected<nlohmann::ordered_json> DescribeImage(cl_uint index, const Captured& image);
  Expected<nlohmann::ordered_json> DescribeSvm(cl_uint index, const void* pointer);
  bool IsPointer(cl_uint index) const;
  Expected<void> Read(std::vector<std::byte> Captured::*to);
  cl_int ReadOne(const Captured& one, std::byte* to) const;
  cl_int ReadByCopy(const Captured& one, std::byte* to) const;

  const KernelRecord& kernel_;
  cl_kernel handle_;
  cl_command_queue queue_;
  cl_context context_;
  nlohmann::ordered_json arguments_ = nlohmann::ordered_json::array();
  std::vector<Captured> memory_;
  std::vector<std::string> doubts_;
};

}  // namespace assay::layer
