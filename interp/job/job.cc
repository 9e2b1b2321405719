#include "interp/job/job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "interp/job/buffer_content.h"
#include "interp/job/pipe.h"
#include "numerics/literal.h"
#include "numerics/matrix/multiply.h"

namespace assay::interp {

Expected<void> SetMatrix(const std::string& name, Job* job) {
  job->matrix = name;
  if (!name.ends_with(".json")) {
    const auto names = numerics::matrix::ModelNames();
    if (std::ranges::find(names, name) != names.end()) return {};
    return Fail(ErrorKind::kUsage,
                fmt::format("there is no matrix arithmetic '{}'; it is one of {}, or a model file "
                            "(*.json)",
                            name, fmt::join(names, ", ")));
  }
  auto text = base::ReadWholeFile(name);
  if (!text) return tl::unexpected(text.error());
  if (auto model = numerics::matrix::ParseModelFile(*text, name); !model) {
    return tl::unexpected(model.error());
  }
  job->matrix_text = *std::move(text);
  job->data_files.push_back(name);
  return {};
}

Expected<void> AddSpecConstant(std::string_view id, std::string_view value,
                               frontend::Specialization* specialization) {
  const auto number = numerics::ParseLiteral(numerics::ScalarType::kUint, id);
  if (!number) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is no SpecId: write a whole number", id));
  }
  Expected<numerics::Bits> bits = 0;
  const std::size_t colon = value.find(':');
  if (value == "true" || value == "false") {
    bits = value == "true" ? 1 : 0;
  } else if (colon != std::string_view::npos) {
    const auto type = ParseElementType(value.substr(0, colon));
    if (!type) return tl::unexpected(type.error());
    if (type->components != 1) {
      return Fail(ErrorKind::kUsage, fmt::format("{} is no type of a specialization constant: "
                                                 "each component has a SpecId of its own",
                                                 type->name));
    }
    bits = ParseComponent(*type, value.substr(colon + 1));
  } else {
    bits = numerics::ParseLiteral(
        value.starts_with('-') ? numerics::ScalarType::kLong : numerics::ScalarType::kUlong, value);
    if (!bits) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("'{}' is no integer, true or false; a floating-point constant is "
                              "given with its type, as in float:2.5, or by its bits, as in "
                              "0x40200000",
                              value));
    }
  }
  if (!bits) return tl::unexpected(bits.error());
  if (!specialization->emplace(static_cast<std::uint32_t>(*number), *bits).second) {
    return Fail(ErrorKind::kUsage, fmt::format("specialization constant {} is given twice", id));
  }
  return {};
}

bool SetAccess(std::string_view access, JobBuffer* buffer) {
  if (access != "read_only" && access != "write_only" && access != "read_write") return false;
  buffer->readable = access != "write_only";
  buffer->writable = access != "read_only";
  return true;
}

Argument ArgumentOf(const Job& job, const JobArgument& argument,
                    std::span<const Address> addresses) {
  if (const auto* bytes = std::get_if<BytesArgument>(&argument)) return *bytes;
  if (const auto* local = std::get_if<LocalArgument>(&argument)) return *local;
  if (const auto* sampler = std::get_if<SamplerArgument>(&argument)) return *sampler;
  if (const auto* queue = std::get_if<QueueArgument>(&argument)) return *queue;
  if (const auto* view = std::get_if<JobImageOfBuffer>(&argument)) {
    return ImageArgument{addresses[view->buffer], view->image};
  }
  if (const auto* use = std::get_if<JobBufferUse>(&argument)) {
    const auto& image = job.buffers.at(use->buffer).image;
    if (image) return ImageArgument{addresses[use->buffer], *image};
    if (job.buffers[use->buffer].max_packets != 0) return PipeArgument{addresses[use->buffer]};
    return BufferArgument{addresses[use->buffer] + use->offset};
  }
  return BufferArgument{0};
}

Expected<Address> PlaceBuffer(Memory* memory, JobBuffer buffer, std::string name) {
  if (buffer.max_packets != 0) return PlacePipe(memory, buffer, std::move(name));
  auto address = memory->Adopt(std::move(buffer.bytes), AddressSpace::kGlobal, std::move(name));
  if (!address) return address;
  if (!buffer.readable || !buffer.writable) {
    memory->Restrict(*address, buffer.readable, buffer.writable);
  }
  if (buffer.uninitialized) {
    if (auto good = memory->MakeUndefined(*address); !good) return tl::unexpected(good.error());
  }
  return address;
}

Expected<NdRange> MakeRange(std::span<const std::uint64_t> global,
                            std::span<const std::uint64_t> local,
                            std::span<const std::uint64_t> offset) {
  NdRange range;
  if (global.empty() || global.size() > range.global.size()) {
    return Fail(ErrorKind::kUsage, "an index space has one to three dimensions");
  }
  for (const auto& [name, sizes] : {std::pair{"local", local}, std::pair{"offset", offset}}) {
    if (sizes.empty() || sizes.size() == global.size()) continue;
    return Fail(ErrorKind::kUsage,
                fmt::format("the {} size has {} dimension{}, the global size has {}", name,
                            sizes.size(), sizes.size() == 1 ? "" : "s", global.size()));
  }
  range.dimensions = static_cast<int>(global.size());
  std::copy(global.begin(), global.end(), range.global.begin());
  std::copy(offset.begin(), offset.end(), range.offset.begin());
  if (!local.empty()) {
    range.local = {1, 1, 1};
    std::copy(local.begin(), local.end(), range.local->begin());
  }
  return range;
}

}  // namespace assay::interp
