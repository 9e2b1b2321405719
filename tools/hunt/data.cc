#include "tools/hunt/data.h"

#include <fmt/format.h>

#include <cstring>

#include "interp/job/image_content.h"
#include "numerics/format.h"
#include "tools/hunt/operations.h"

namespace assay::tools {
namespace {

std::uint64_t Number(HuntRandom* random) {
  const std::uint64_t bits = random->Next();
  switch (random->Below(6)) {
    case 0:
      return bits;
    case 1:
      return bits >> random->Below(64);
    case 2:
      return ~(bits >> random->Below(64));
    case 3:
      return (std::uint64_t{1} << random->Below(64)) + random->Below(3) - 1;
    // The least and the largest of each width.
    case 4:
      return ((std::uint64_t{1} << (7 + 8 * random->Below(8))) - random->Below(2));
    default:
      return random->Below(5) - 2;
  }
}

}  // namespace

interp::JobBuffer HuntInput(HuntBase base, const HuntProgram& program) {
  const std::string type(NameOf(base));
  interp::JobBuffer buffer;
  buffer.name = "in_" + type;
  buffer.type = *interp::ParseElementType(type);
  buffer.count = InputCount(program.items);
  buffer.bytes = interp::HostBytes(buffer.count * buffer.type.bytes);
  HuntRandom random{program.data_seed * 16 + static_cast<std::uint64_t>(base)};
  random.Next();
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    std::byte* const at = buffer.bytes.data() + i * buffer.type.bytes;
    if (IsInteger(base)) {
      const std::uint64_t number = Number(&random);
      std::memcpy(at, &number, buffer.type.bytes);
      continue;
    }
    const double value = (static_cast<double>(random.Below(129)) - 64) / 8;
    const auto narrow = static_cast<float>(value);
    if (base == HuntBase::kFloat) std::memcpy(at, &narrow, sizeof narrow);
    if (base == HuntBase::kDouble) std::memcpy(at, &value, sizeof value);
    if (base == HuntBase::kHalf) {
      const numerics::Bits bits = numerics::FromDouble(numerics::Format::kHalf, value);
      std::memcpy(at, &bits, 2);
    }
  }
  return buffer;
}

interp::JobBuffer HuntImage(const HuntCells& cells, std::uint64_t data_seed) {
  const interp::ImageDescriptor& image = *cells.image;
  interp::JobBuffer buffer;
  buffer.name = cells.name;
  buffer.type = interp::ElementTypeOf(image.format);
  buffer.count = interp::ElementsOf(image);
  buffer.bytes = interp::HostBytes(buffer.count * buffer.type.bytes);
  buffer.image = image;
  HuntRandom random{data_seed * 16 + 15};
  const bool is_half = image.format.type == numerics::image::ChannelType::kHalfFloat;
  const bool is_float = image.format.type == numerics::image::ChannelType::kFloat;
  const std::size_t size = is_half ? 2 : is_float ? 4 : 1;
  for (std::size_t at = 0; at < buffer.bytes.size(); at += size) {
    const double value = (static_cast<double>(random.Below(129)) - 64) / 8;
    const numerics::Bits bits = is_half    ? numerics::FromDouble(numerics::Format::kHalf, value)
                                : is_float ? numerics::FromDouble(numerics::Format::kFloat, value)
                                           : random.Next() & 0xff;
    std::memcpy(buffer.bytes.data() + at, &bits, size);
  }
  return buffer;
}

}  // namespace assay::tools
