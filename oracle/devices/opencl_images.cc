#include "oracle/devices/opencl_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "oracle/devices/image_kernels.h"
#include "oracle/devices/poison.h"

namespace assay::oracle {
namespace {

constexpr std::size_t kColor = 16;  // bytes of a color and of a coordinate
constexpr std::size_t kGuardColors = 64;

cl_image_format FormatNumbers(numerics::image::ImageFormat format) {
  return {ClNumber(format.order), ClNumber(format.type)};
}

// The whole image, as copies take it.
std::array<std::size_t, 3> RegionOf(const ImageRequest& request) {
  std::array<std::size_t, 3> region = {request.size[0], request.size[1], request.size[2]};
  if (request.shape == ImageShape::k1DArray) region[1] = request.layers;
  if (request.shape == ImageShape::k2DArray) region[2] = request.layers;
  return region;
}

cl_addressing_mode AddressingMode(numerics::image::AddressMode mode) {
  constexpr cl_addressing_mode kModes[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE,
                                           CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                           CL_ADDRESS_MIRRORED_REPEAT};
  return kModes[static_cast<int>(mode)];
}

using SamplerHandle = std::shared_ptr<_cl_sampler>;

Expected<SamplerHandle> CreateSampler(const OpenClQueue& queue,
                                      const numerics::image::Sampler& sampler) {
  cl_int status = CL_SUCCESS;
  cl_sampler made = queue.api->clCreateSampler(
      queue.context, sampler.normalized ? CL_TRUE : CL_FALSE, AddressingMode(sampler.address),
      sampler.filter == numerics::image::FilterMode::kLinear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
      &status);
  if (auto checked = queue.CheckObject(status, made, "clCreateSampler"); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  return SamplerHandle(made, [api = queue.api](cl_sampler used) { api->clReleaseSampler(used); });
}

// Sets a kernel's arguments in order.
class KernelArguments {
 public:
  KernelArguments(const OpenClQueue& queue, cl_kernel kernel) : queue_(queue), kernel_(kernel) {}
  template <typename T>
  KernelArguments& Add(const T& value) {
    if (status_ == CL_SUCCESS) {
      status_ = queue_.api->clSetKernelArg(kernel_, next_++, sizeof value, &value);
    }
    return *this;
  }
  Expected<void> Check() const { return queue_.Check(status_, "clSetKernelArg"); }

 private:
  const OpenClQueue& queue_;
  cl_kernel kernel_;
  cl_uint next_ = 0;
  cl_int status_ = CL_SUCCESS;
};

}  // namespace

cl_mem_object_type ObjectType(ImageShape shape) {
  constexpr cl_mem_object_type kTypes[] = {
      CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
      CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,  CL_MEM_OBJECT_IMAGE3D};
  return kTypes[static_cast<int>(shape)];
}

Expected<std::vector<cl_image_format>> SupportedFormats(const OpenClQueue& queue,
                                                        cl_mem_flags flags, ImageShape shape) {
  cl_uint count = 0;
  const auto ask = [&](cl_uint entries, cl_image_format* list, cl_uint* number) {
    return queue.Check(queue.api->clGetSupportedImageFormats(
                           queue.context, flags, ObjectType(shape), entries, list, number),
                       "clGetSupportedImageFormats");
  };
  if (auto asked = ask(0, nullptr, &count); !asked) return tl::unexpected<Error>(asked.error());
  if (count > kMostFormats) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: clGetSupportedImageFormats says that there are {} formats",
                            queue.name, count));
  }
  std::vector<cl_image_format> formats(count);
  if (count == 0) return formats;
  if (auto asked = ask(count, formats.data(), nullptr); !asked) {
    return tl::unexpected<Error>(asked.error());
  }
  return formats;
}

Expected<void> OpenClImages::Ask(const ImageRequest& request, ImageInputs inputs,
                                 ImageOutputs outputs) {
  ++launches_;
  auto asked = Expected<void>();
  switch (request.op) {
    case ImageOp::kAbilities:
      return Abilities(outputs);
    case ImageOp::kFormats:
      return Formats(request, outputs);
    case ImageOp::kRead:
      asked = Read(request, inputs, outputs);
      break;
    case ImageOp::kWrite:
      asked = Write(request, inputs, outputs);
      break;
    case ImageOp::kQuery:
      asked = Query(request, outputs);
      break;
  }
  // Also after an error: nothing may still be at work on the objects.
  const cl_int finished = queue_.api->clFinish(queue_.queue);
  return asked ? queue_.Check(finished, "clFinish") : asked;
}

Expected<void> OpenClImages::Abilities(ImageOutputs outputs) const {
  std::array<std::uint64_t, kAbilityCount> answers = {};
  const auto set = [&](ImageAbility ability, std::uint64_t value) {
    answers[static_cast<std::size_t>(ability)] = value;
  };
  const auto ask = [&]<typename T>(ImageAbility ability, cl_device_info what, T value) {
    if (queue_.api->clGetDeviceInfo(info_.device, what, sizeof value, &value, nullptr) ==
        CL_SUCCESS) {
      set(ability, value);
    }
  };
  ask(ImageAbility::kImageSupport, CL_DEVICE_IMAGE_SUPPORT, cl_bool{0});
  ask(ImageAbility::kMax2DWidth, CL_DEVICE_IMAGE2D_MAX_WIDTH, std::size_t{0});
  ask(ImageAbility::kMax2DHeight, CL_DEVICE_IMAGE2D_MAX_HEIGHT, std::size_t{0});
  ask(ImageAbility::kMax3DWidth, CL_DEVICE_IMAGE3D_MAX_WIDTH, std::size_t{0});
  ask(ImageAbility::kMax3DHeight, CL_DEVICE_IMAGE3D_MAX_HEIGHT, std::size_t{0});
  ask(ImageAbility::kMax3DDepth, CL_DEVICE_IMAGE3D_MAX_DEPTH, std::size_t{0});
  ask(ImageAbility::kMaxArraySize, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, std::size_t{0});
  ask(ImageAbility::kMaxBufferSize, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, std::size_t{0});
  ask(ImageAbility::kMaxSamplers, CL_DEVICE_MAX_SAMPLERS, cl_uint{0});
  ask(ImageAbility::kMaxReadArgs, CL_DEVICE_MAX_READ_IMAGE_ARGS, cl_uint{0});
  ask(ImageAbility::kMaxWriteArgs, CL_DEVICE_MAX_WRITE_IMAGE_ARGS, cl_uint{0});
  set(ImageAbility::kIsGpu, (info_.type & CL_DEVICE_TYPE_GPU) != 0 ? 1 : 0);
  set(ImageAbility::kWrites3D, info_.writes_3d_images ? 1 : 0);
  set(ImageAbility::kVersion, static_cast<std::uint64_t>(info_.version));
  std::memcpy(outputs[0].data(), answers.data(), outputs[0].size());
  return {};
}

Expected<void> OpenClImages::Formats(const ImageRequest& request, ImageOutputs outputs) const {
  const auto formats =
      SupportedFormats(queue_, request.write ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY, request.shape);
  if (!formats) return tl::unexpected<Error>(formats.error());
  std::vector<std::uint32_t> answers = {static_cast<std::uint32_t>(formats->size())};
  for (const cl_image_format& format : *formats) {
    answers.push_back(format.image_channel_order);
    answers.push_back(format.image_channel_data_type);
  }
  std::memcpy(outputs[0].data(), answers.data(), answers.size() * sizeof answers[0]);
  return {};
}

Expected<OpenClImages::Image> OpenClImages::Create(const ImageRequest& request,
                                                   cl_mem_flags access) const {
  Image image;
  cl_image_desc description = {};
  description.image_type = ObjectType(request.shape);
  description.image_width = request.size[0];
  description.image_height = DimensionsOf(request.shape) > 1 ? request.size[1] : 0;
  description.image_depth = DimensionsOf(request.shape) > 2 ? request.size[2] : 0;
  description.image_array_size = IsArray(request.shape) ? request.layers : 0;
  if (request.shape == ImageShape::k1DBuffer) {
    auto buffer = queue_.CreateBuffer(access, TexelBytes(request), nullptr);
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    image.buffer = *buffer;
    description.buffer = buffer->get();
  }
  const cl_image_format format = FormatNumbers(request.format);
  cl_int status = CL_SUCCESS;
  cl_mem made =
      queue_.api->clCreateImage(queue_.context, access, &format, &description, nullptr, &status);
  if (auto checked = queue_.CheckObject(status, made, "clCreateImage"); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  image.image =
      BufferHandle(made, [api = queue_.api](cl_mem used) { api->clReleaseMemObject(used); });
  return image;
}

Expected<void> OpenClImages::Upload(const ImageRequest& request, const Image& image,
                                    std::span<const std::byte> texels) const {
  if (image.buffer) {
    return queue_.Check(
        queue_.api->clEnqueueWriteBuffer(queue_.queue, image.buffer.get(), CL_TRUE, 0,
                                         texels.size(), texels.data(), 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
  }
  const std::size_t origin[3] = {};
  const auto region = RegionOf(request);
  return queue_.Check(
      queue_.api->clEnqueueWriteImage(queue_.queue, image.image.get(), CL_TRUE, origin,
                                      region.data(), 0, 0, texels.data(), 0, nullptr, nullptr),
      "clEnqueueWriteImage");
}

Expected<void> OpenClImages::Download(const ImageRequest& request, const Image& image,
                                      std::span<std::byte> texels) const {
  if (image.buffer) return ReadInto(image.buffer.get(), 0, texels);
  const std::size_t origin[3] = {};
  const auto region = RegionOf(request);
  return queue_.Check(
      queue_.api->clEnqueueReadImage(queue_.queue, image.image.get(), CL_TRUE, origin,
                                     region.data(), 0, 0, texels.data(), 0, nullptr, nullptr),
      "clEnqueueReadImage");
}

Expected<void> OpenClImages::ReadInto(cl_mem buffer, std::size_t offset,
                                      std::span<std::byte> to) const {
  return queue_.Check(queue_.api->clEnqueueReadBuffer(queue_.queue, buffer, CL_TRUE, offset,
                                                      to.size(), to.data(), 0, nullptr, nullptr),
                      "clEnqueueReadBuffer");
}

Expected<BufferHandle> OpenClImages::InputBuffer(std::span<const std::byte> data) const {
  auto buffer = queue_.CreateBuffer(CL_MEM_READ_ONLY, std::max(data.size(), kColor), nullptr);
  if (!buffer) return buffer;
  auto written =
      queue_.Check(queue_.api->clEnqueueWriteBuffer(queue_.queue, buffer->get(), CL_TRUE, 0,
                                                    data.size(), data.data(), 0, nullptr, nullptr),
                   "clEnqueueWriteBuffer");
  if (!written) return tl::unexpected<Error>(written.error());
  return buffer;
}

// Depth images and writes to 3D images are a part of the language from OpenCL C 2.0 on.
std::string OpenClImages::BuildOptions(const ImageRequest& request) const {
  const bool newer =
      IsDepth(request) || (request.op == ImageOp::kWrite && request.shape == ImageShape::k3D);
  if (!newer || info_.c_standard < 200) return "";
  return info_.c_standard >= 300 ? "-cl-std=CL3.0" : "-cl-std=CL2.0";
}

Expected<OpenClImages::Built> OpenClImages::Build(const ImageRequest& request,
                                                  const std::string& source) const {
  cl_int status = CL_SUCCESS;
  const char* text = source.c_str();
  cl_program program =
      queue_.api->clCreateProgramWithSource(queue_.context, 1, &text, nullptr, &status);
  if (auto made = queue_.CheckObject(status, program, "clCreateProgramWithSource"); !made) {
    return tl::unexpected<Error>(made.error());
  }
  Built built;
  built.program =
      ProgramHandle(program, [api = queue_.api](cl_program used) { api->clReleaseProgram(used); });
  status = queue_.api->clBuildProgram(program, 1, &info_.device, BuildOptions(request).c_str(),
                                      nullptr, nullptr);
  if (status != CL_SUCCESS) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: clBuildProgram: {}\n{}", queue_.name, OpenClErrorName(status),
                            OpenClBuildLog(*queue_.api, program, info_.device)));
  }
  cl_kernel kernel = queue_.api->clCreateKernel(program, "ask", &status);
  if (auto made = queue_.CheckObject(status, kernel, "clCreateKernel"); !made) {
    return tl::unexpected<Error>(made.error());
  }
  built.kernel =
      KernelHandle(kernel, [api = queue_.api](cl_kernel used) { api->clReleaseKernel(used); });
  return built;
}

Expected<cl_kernel> OpenClImages::KernelOf(const ImageRequest& request) {
  const ImageKernel wanted = ImageKernelFor(request);
  auto found = built_.find(wanted.source);
  if (found == built_.end()) {
    auto built = Build(request, wanted.source);
    if (!built) return tl::unexpected<Error>(built.error());
    found = built_.emplace(wanted.source, std::move(*built)).first;
  }
  return found->second.kernel.get();
}

Expected<void> OpenClImages::Launch(cl_kernel kernel, std::size_t count) const {
  const std::size_t global = std::max<std::size_t>(count, 1);
  auto launched =
      queue_.Check(queue_.api->clEnqueueNDRangeKernel(queue_.queue, kernel, 1, nullptr, &global,
                                                      nullptr, 0, nullptr, nullptr),
                   "clEnqueueNDRangeKernel");
  if (!launched) return launched;
  return queue_.Check(queue_.api->clFinish(queue_.queue), "clFinish");
}

Expected<void> OpenClImages::Read(const ImageRequest& request, ImageInputs inputs,
                                  ImageOutputs outputs) {
  const auto kernel = KernelOf(request);
  if (!kernel) return tl::unexpected<Error>(kernel.error());
  auto image = Create(request, CL_MEM_READ_ONLY);
  if (!image) return tl::unexpected<Error>(image.error());
  if (auto sent = Upload(request, *image, inputs[0]); !sent) return sent;
  const auto at = InputBuffer(inputs[1]);
  if (!at) return tl::unexpected<Error>(at.error());
  SamplerHandle sampler;
  if (request.sampled) {
    auto made = CreateSampler(queue_, request.sampler);
    if (!made) return tl::unexpected<Error>(made.error());
    sampler = *made;
  }
  // Guard, answers, guard; all of them hold poison.
  const std::size_t guard = kGuardColors * kColor, size = outputs[0].size();
  std::vector<std::byte> zone(2 * guard + size);
  const Poison poison(Poison::Key{.seed = launches_, .first_item = request.count});
  poison.Fill(zone);
  std::copy(outputs[0].begin(), outputs[0].end(), zone.begin() + static_cast<long>(guard));
  const auto out =
      queue_.CreateBuffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, zone.size(), zone.data());
  if (!out) return tl::unexpected<Error>(out.error());
  KernelArguments arguments(queue_, *kernel);
  arguments.Add(image->image.get());
  if (request.sampled) arguments.Add(sampler.get());
  arguments.Add(at->get()).Add(out->get()).Add(static_cast<cl_uint>(kGuardColors));
  arguments.Add(static_cast<cl_uint>(request.count));
  if (auto set = arguments.Check(); !set) return set;
  if (auto launched = Launch(*kernel, request.count); !launched) return launched;
  std::vector<std::byte> found(zone.size());
  // Something else than what has to come, for a read that does nothing.
  std::transform(zone.begin(), zone.end(), found.begin(), [](std::byte byte) { return ~byte; });
  std::copy(outputs[0].begin(), outputs[0].end(), found.begin() + static_cast<long>(guard));
  if (auto got = ReadInto(out->get(), 0, found); !got) return got;
  const auto same = [&](std::size_t begin) {
    return std::equal(found.begin() + static_cast<long>(begin),
                      found.begin() + static_cast<long>(begin + guard),
                      zone.begin() + static_cast<long>(begin));
  };
  if (!same(0) || !same(guard + size)) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: the memory beside the answers of a read does not hold what was "
                            "written there: the kernel stored where it must not, or a write or a "
                            "read was lost",
                            queue_.name));
  }
  std::copy_n(found.begin() + static_cast<long>(guard), size, outputs[0].begin());
  return {};
}

Expected<void> OpenClImages::Write(const ImageRequest& request, ImageInputs inputs,
                                   ImageOutputs outputs) {
  const auto kernel = KernelOf(request);
  if (!kernel) return tl::unexpected<Error>(kernel.error());
  auto image = Create(request, CL_MEM_WRITE_ONLY);
  if (!image) return tl::unexpected<Error>(image.error());
  if (auto sent = Upload(request, *image, outputs[0]); !sent) return sent;
  const auto at = InputBuffer(inputs[0]);
  if (!at) return tl::unexpected<Error>(at.error());
  const auto colors = InputBuffer(inputs[1]);
  if (!colors) return tl::unexpected<Error>(colors.error());
  KernelArguments arguments(queue_, *kernel);
  arguments.Add(image->image.get()).Add(at->get()).Add(colors->get());
  arguments.Add(static_cast<cl_uint>(request.count));
  if (auto set = arguments.Check(); !set) return set;
  if (auto launched = Launch(*kernel, request.count); !launched) return launched;
  return Download(request, *image, outputs[0]);
}

Expected<void> OpenClImages::Query(const ImageRequest& request, ImageOutputs outputs) {
  const auto kernel = KernelOf(request);
  if (!kernel) return tl::unexpected<Error>(kernel.error());
  auto image = Create(request, CL_MEM_READ_ONLY);
  if (!image) return tl::unexpected<Error>(image.error());
  const auto out = queue_.CreateBuffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, outputs[0].size(),
                                       outputs[0].data());
  if (!out) return tl::unexpected<Error>(out.error());
  KernelArguments arguments(queue_, *kernel);
  arguments.Add(image->image.get()).Add(out->get());
  if (auto set = arguments.Check(); !set) return set;
  if (auto launched = Launch(*kernel, 1); !launched) return launched;
  if (auto got = ReadInto(out->get(), 0, outputs[0]); !got) return got;
  const auto ask = [&](ImageQuestion question, cl_image_info what, std::size_t words) {
    std::uint32_t answer[2] = {};  // a size_t or the two numbers of a format
    const cl_int status =
        queue_.api->clGetImageInfo(image->image.get(), what, sizeof answer, answer, nullptr);
    if (status == CL_SUCCESS) {
      std::memcpy(outputs[0].data() + static_cast<std::size_t>(question) * sizeof answer[0], answer,
                  words * sizeof answer[0]);
    }
    return queue_.Check(status, "clGetImageInfo");
  };
  for (const auto& [question, what] :
       {std::pair{ImageQuestion::kHostElementSize, CL_IMAGE_ELEMENT_SIZE},
        {ImageQuestion::kHostWidth, CL_IMAGE_WIDTH},
        {ImageQuestion::kHostHeight, CL_IMAGE_HEIGHT},
        {ImageQuestion::kHostDepth, CL_IMAGE_DEPTH},
        {ImageQuestion::kHostLayers, CL_IMAGE_ARRAY_SIZE}}) {
    if (auto asked = ask(question, static_cast<cl_image_info>(what), 1); !asked) return asked;
  }
  return ask(ImageQuestion::kHostOrder, CL_IMAGE_FORMAT, 2);
}

}  // namespace assay::oracle
