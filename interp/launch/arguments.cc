// Arguments of launches.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <variant>

#include "interp/launch/session_state.h"
#include "numerics/image/format.h"

namespace assay::interp {

namespace {

std::vector<std::byte> AsBytes(std::uint64_t value) {
  std::vector<std::byte> bytes(8);
  std::memcpy(bytes.data(), &value, 8);
  return bytes;
}

// Gives a launch one argument after the other.
class Binder {
 public:
  Binder(Memory* memory, const KernelInfo& info, LaunchState* launch,
         std::vector<Address>* temporary)
      : memory_(*memory), info_(info), launch_(*launch), temporary_(*temporary) {}

  Expected<void> Bind(std::size_t i, const Argument& argument) {
    switch (info_.parameters[i].kind) {
      case ParameterKind::kValue:
      case ParameterKind::kByVal:
        return BindValue(i, std::get_if<BytesArgument>(&argument));
      case ParameterKind::kGlobal:
      case ParameterKind::kConstant:
        return BindBuffer(i, std::get_if<BufferArgument>(&argument));
      case ParameterKind::kLocal:
        return BindLocal(i, std::get_if<LocalArgument>(&argument));
      case ParameterKind::kImage:
        return BindImage(i, std::get_if<ImageArgument>(&argument));
      case ParameterKind::kSampler:
        return BindSampler(i, std::get_if<SamplerArgument>(&argument));
    }
    return {};
  }

  // A buffer that is given as global memory, too, may be written.
  void Finish() {
    for (LaunchState::Image& image : launch_.images) {
      for (const LaunchState::Image& other : launch_.images) {
        if (&other == &image || other.address != image.address || !(other.image == image.image)) {
          continue;
        }
        if (other.access != ImageAccess::kReadOnly || image.access != ImageAccess::kReadOnly) {
          image.conflict = other.parameter;
        }
      }
      const std::uint64_t place = image.address >> memory_.layout().place_bits;
      image.is_buffer = buffers_.contains(memory_.regions()[place].address);
    }
    std::erase_if(launch_.constant_buffers,
                  [&](Address buffer) { return writable_.contains(buffer); });
  }

 private:
  tl::unexpected<Error> Wrong(std::size_t i, std::string_view wanted) const {
    const ParameterInfo& parameter = info_.parameters[i];
    return Fail(ErrorKind::kUsage,
                fmt::format("argument {}{} of kernel {} ({}) must be {}", i,
                            parameter.name.empty() ? "" : " '" + parameter.name + "'", info_.name,
                            parameter.type, wanted));
  }

  Expected<void> BindValue(std::size_t i, const BytesArgument* bytes) {
    const ParameterInfo& parameter = info_.parameters[i];
    if (bytes == nullptr) {
      return Wrong(i, fmt::format("a value of {} bytes", parameter.bytes));
    }
    if (bytes->bytes.size() != parameter.bytes) {
      return Wrong(
          i, fmt::format("a value of {} bytes, not of {}", parameter.bytes, bytes->bytes.size()));
    }
    if (parameter.kind == ParameterKind::kValue) {
      launch_.parameters.push_back(bytes->bytes);
      return {};
    }
    auto address = memory_.Allocate(parameter.bytes, AddressSpace::kConstant,
                                    fmt::format("argument {}", i), false, parameter.alignment);
    if (!address) return tl::unexpected(address.error());
    temporary_.push_back(*address);
    std::ranges::copy(bytes->bytes, memory_.Bytes(*address).begin());
    launch_.parameters.push_back(AsBytes(*address));
    return {};
  }

  Expected<void> BindBuffer(std::size_t i, const BufferArgument* buffer) {
    if (buffer == nullptr) return Wrong(i, "a buffer or null");
    launch_.parameters.push_back(AsBytes(buffer->address));
    const std::uint64_t place = buffer->address >> memory_.layout().place_bits;
    if (place == 0 || place >= memory_.regions().size()) return {};
    const Address begin = memory_.regions()[place].address;
    buffers_.insert(begin);
    const bool is_constant = info_.parameters[i].kind == ParameterKind::kConstant;
    (is_constant ? launch_.constant_buffers : writable_).insert(begin);
    return {};
  }

  Expected<void> BindLocal(std::size_t i, const LocalArgument* local) {
    const ParameterInfo& parameter = info_.parameters[i];
    if (local == nullptr) return Wrong(i, "a size of local memory");
    auto address =
        memory_.Reserve(local->bytes, AddressSpace::kLocal,
                        parameter.name.empty() ? fmt::format("argument {}", i) : parameter.name,
                        parameter.alignment);
    if (!address) return tl::unexpected(address.error());
    temporary_.push_back(*address);
    launch_.local_objects.push_back({*address, local->bytes, 0});
    launch_.parameters.push_back(AsBytes(*address));
    return {};
  }

  // What is wrong with an image for its parameter; "" if it fits (API, clSetKernelArg).
  static std::string Misfit(const ImageType& type, const ImageDescriptor& image) {
    if (image.shape != type.shape) return fmt::format("a {} image", ImageShapeName(type.shape));
    const auto order = image.format.order;
    using numerics::image::ChannelOrder;
    const bool depth = order == ChannelOrder::kDepth || order == ChannelOrder::kDepthStencil;
    if (type.depth && !depth) return "an image with channel order CL_DEPTH";
    if (!type.depth && depth) return "an image with another channel order: it has no depth";
    if (!type.multisampled && image.samples > 1) return "an image with one sample";
    return "";
  }

  Expected<void> BindImage(std::size_t i, const ImageArgument* image) {
    const ImageType& type = info_.parameters[i].image;
    if (image == nullptr) {
      return Wrong(i, fmt::format("a {} image", ImageShapeName(type.shape)));
    }
    if (const std::string misfit = Misfit(type, image->image); !misfit.empty()) {
      return Wrong(i, fmt::format("{}, not {}", misfit, DescribeImage(image->image)));
    }
    if (auto good = CheckImage(image->image); !good) {
      return Wrong(i, fmt::format("an image that may exist: {}", good.error().message));
    }
    const std::uint64_t place = image->address >> memory_.layout().place_bits;
    const Region* region =
        place == 0 || place >= memory_.regions().size() ? nullptr : &memory_.regions()[place];
    const std::uint64_t bytes = ImageBytes(image->image);
    if (region == nullptr || region->host == nullptr || image->address < region->address ||
        image->address - region->address > region->bytes ||
        region->bytes - (image->address - region->address) < bytes) {
      return Wrong(i, fmt::format("in memory that has its {} bytes", bytes));
    }
    if (type.access != ImageAccess::kReadOnly) {
      if (!region->writable) return Wrong(i, "an image that kernels may write");
      writable_.insert(region->address);
    }
    if (type.access != ImageAccess::kWriteOnly && !region->readable) {
      return Wrong(i, "an image that kernels may read");
    }
    launch_.images.push_back({image->address, image->image, type.access, static_cast<int>(i)});
    launch_.parameters.push_back(AsBytes(launch_.images.size()));
    return {};
  }

  Expected<void> BindSampler(std::size_t i, const SamplerArgument* sampler) {
    if (sampler == nullptr) return Wrong(i, "a sampler");
    if (auto good = CheckSampler(sampler->sampler); !good) {
      return Wrong(i, fmt::format("a sampler that may exist: {}", good.error().message));
    }
    launch_.samplers.push_back(sampler->sampler);
    launch_.parameters.push_back(AsBytes(kLiteralSamplers + launch_.samplers.size()));
    return {};
  }

  Memory& memory_;
  const KernelInfo& info_;
  LaunchState& launch_;
  std::vector<Address>& temporary_;
  std::unordered_set<Address> buffers_;
  std::unordered_set<Address> writable_;  // buffers that are given as global memory, too
};

// What a launch has to give, where it gives another number of arguments.
tl::unexpected<Error> WrongCount(const KernelInfo& info, std::size_t given) {
  std::string list;
  for (const ParameterInfo& parameter : info.parameters) {
    list += fmt::format("{}{}{}{}", list.empty() ? ": " : ", ", parameter.name,
                        parameter.name.empty() ? "" : " ", parameter.type);
  }
  const std::size_t wanted = info.parameters.size();
  return Fail(ErrorKind::kUsage,
              fmt::format("kernel {} takes {} argument{}, and {} {} given{}", info.name, wanted,
                          wanted == 1 ? "" : "s", given, given == 1 ? "is" : "are", list));
}

}  // namespace

Expected<void> Session::State::BindArguments(const LaunchRequest& request, const KernelInfo& info,
                                             LaunchState* launch, std::vector<Address>* temporary) {
  if (request.arguments.size() != info.parameters.size()) {
    return WrongCount(info, request.arguments.size());
  }
  Binder binder(memory.get(), info, launch, temporary);
  for (std::size_t i = 0; i < info.parameters.size(); ++i) {
    if (auto good = binder.Bind(i, request.arguments[i]); !good) return good;
  }
  binder.Finish();
  return {};
}

}  // namespace assay::interp
