// The buffers, images, pipes and samplers of a job (interp/job/job.h) on an OpenCL device.
//
// A device need not support every image format of a job: such an image is not there, and the
// launches that need it are left out by who launches.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "interp/job/job.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_loader.h"

namespace assay::oracle {

// kDevice with the call's name and the code where the status is an error.
Expected<void> CheckOpenCl(std::string_view device, cl_int status, std::string_view call);
// The same for a call that makes an object, which has to be there without an error.
Expected<void> CheckOpenClObject(std::string_view device, cl_int status, const void* object,
                                 std::string_view call);

// How kernels use an image, as far as is known: of OpenCL C it is not.
struct ImageUse {
  bool only_read = false;         // by all kernels: it may be CL_MEM_READ_ONLY
  bool read_and_written = false;  // by one kernel: the access qualifier read_write
};

// It owns the objects that it creates.  The job, the context and the queue outlive it.
class JobMemory {
 public:
  JobMemory(const interp::Job& job, std::shared_ptr<const OpenClApi> api, std::string device)
      : job_(job), api_(std::move(api)), device_(std::move(device)) {}
  ~JobMemory() { Release(); }
  JobMemory(const JobMemory&) = delete;
  JobMemory& operator=(const JobMemory&) = delete;

  // `uses` is for each of the job's.
  void Use(cl_context context, cl_command_queue queue, std::vector<ImageUse> uses) {
    context_ = context;
    queue_ = queue;
    uses_ = std::move(uses);
  }
  // All buffers, images and pipes of the job with their initial content, in place of those before.
  // An image whose format the device does not support is not made (Missing).
  Expected<void> Create();
  void Release();

  // Why the device has no object for the job's image of this number, whose format it does not
  // support: "CL_RG CL_HALF_FLOAT: not supported for images that kernels read"; "" where it has
  // one.
  const std::string& Missing(std::size_t number) const { return missing_.at(number); }

  // What a kernel is given for the job's buffer, image or pipe of this number.
  cl_mem Object(std::size_t number) const {
    return images_.at(number) != nullptr ? images_.at(number) : buffers_.at(number);
  }
  // An image in the memory of a buffer, and a sampler; they live until Release.  Null, with the
  // reason, is an image whose format the device does not support.
  Expected<cl_mem> View(const interp::JobImageOfBuffer& view, const ImageUse& use,
                        std::string* missing);
  Expected<cl_sampler> Sampler(const interp::SamplerArgument& sampler);

  // The content of each of the job's; empty of a pipe and of what is not there.
  Expected<std::vector<std::vector<std::byte>>> Read() const;

 private:
  Expected<void> CreateOne(const interp::JobBuffer& buffer);
  Expected<cl_mem> CreatePipe(const interp::JobBuffer& pipe) const;
  // Null, with the reason, where the device does not support the format.  In the memory of a
  // buffer, or with bytes of its own that are the initial ones.
  Expected<cl_mem> CreateImage(const interp::ImageDescriptor& image, cl_mem memory,
                               const std::byte* initial, const ImageUse& use,
                               std::string* missing) const;
  Expected<bool> Supports(const cl_image_format& format, cl_mem_object_type type,
                          cl_mem_flags access) const;
  cl_int ReadInto(std::size_t number, std::byte* to) const;
  Expected<std::vector<std::byte>> ReadOne(std::size_t number) const;

  const interp::Job& job_;
  std::shared_ptr<const OpenClApi> api_;
  std::string device_;  // its name, for messages
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::vector<ImageUse> uses_;
  // For each of the job's: of an image the image, and null or the buffer that its memory is.
  std::vector<cl_mem> buffers_, images_;
  std::vector<std::string> missing_;  // for each of the job's
  std::vector<cl_mem> views_;         // images in memory of buffers
  std::vector<cl_sampler> samplers_;
};

}  // namespace assay::oracle
