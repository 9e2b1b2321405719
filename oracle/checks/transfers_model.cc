// What commands that move memory do, byte by byte, and random ones.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "numerics/image/encode.h"
#include "oracle/checks/transfers.h"
#include "oracle/devices/opencl_loader.h"
#include "oracle/devices/poison.h"

namespace assay::oracle {
namespace {

using Kind = TransferObject::Kind;

bool IsFill(TransferCommand command) {
  return command == TransferCommand::kFillBuffer || command == TransferCommand::kFillImage;
}

// Where an element of a region lies in the content of an object.
struct Lattice {
  std::uint32_t object = 0;  // whose content it is
  std::uint64_t base = 0, row = 0, slice = 0;
  std::uint64_t At(std::uint64_t y, std::uint64_t z) const { return base + z * slice + y * row; }
};

std::uint64_t ElementOf(const TransferRequest& request, const TransferStep& step) {
  return std::max(request.objects[step.from.object].element,
                  request.objects[step.to.object].element);
}

Lattice LatticeOf(const TransferRequest& request, const TransferStep& step,
                  const TransferPlace& place) {
  const TransferObject& object = request.objects[place.object];
  const std::uint64_t element = ElementOf(request, step);
  Lattice lattice{.object = place.object};
  if (object.kind == Kind::kImage) {
    lattice.row = object.extent[0] * element;
    lattice.slice = object.extent[1] * lattice.row;
    lattice.base = place.origin[0] * element;
  } else {
    lattice.row = place.row_pitch != 0 ? place.row_pitch : step.region[0] * element;
    lattice.slice = place.slice_pitch != 0 ? place.slice_pitch : step.region[1] * lattice.row;
    lattice.base = place.origin[0];
  }
  lattice.base += place.origin[2] * lattice.slice + place.origin[1] * lattice.row;
  if (object.kind == Kind::kSubBuffer) {
    lattice.base += object.origin;
    lattice.object = object.parent;
  }
  return lattice;
}

// A row of a fill: the pattern, or the element of its color, again and again.
std::vector<std::byte> FillRow(const TransferRequest& request, const TransferStep& step) {
  std::vector<std::byte> pattern(step.pattern.size());
  std::memcpy(pattern.data(), step.pattern.data(), pattern.size());
  if (step.command == TransferCommand::kFillImage) {
    const TransferObject& image = request.objects[step.to.object];
    const numerics::image::ChannelKind kind = numerics::image::KindOf(image.format.type);
    numerics::image::DataType type = numerics::image::DataType::kFloat;
    if (kind == numerics::image::ChannelKind::kSigned) type = numerics::image::DataType::kInt;
    if (kind == numerics::image::ChannelKind::kUnsigned) type = numerics::image::DataType::kUint;
    numerics::image::Color color = {};
    for (std::size_t k = 0; k < color.size(); ++k) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, step.pattern.data() + k * sizeof bits, sizeof bits);
      color[k] = bits;
    }
    pattern.resize(image.element);
    numerics::image::EncodeTexel(image.format, color, type, pattern.data());
  }
  std::vector<std::byte> row(step.region[0] * ElementOf(request, step));
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = pattern[k % pattern.size()];
  return row;
}

std::string PlaceText(const TransferRequest& request, const TransferPlace& place) {
  std::string text =
      fmt::format("{} at ({})", ObjectText(request, place.object), fmt::join(place.origin, ", "));
  if (place.row_pitch != 0 || place.slice_pitch != 0) {
    text += fmt::format(" with pitches {} and {}", place.row_pitch, place.slice_pitch);
  }
  return text;
}

}  // namespace

void ApplyTransfer(const TransferRequest& request, const TransferStep& step,
                   std::vector<std::vector<std::byte>>* contents) {
  const Lattice from = LatticeOf(request, step, step.from), to = LatticeOf(request, step, step.to);
  const auto row_bytes = static_cast<std::ptrdiff_t>(step.region[0] * ElementOf(request, step));
  const bool exchanges = step.command == TransferCommand::kMapBufferWrite ||
                         step.command == TransferCommand::kMapImageWrite;
  const std::vector<std::byte> filled =
      IsFill(step.command) ? FillRow(request, step) : std::vector<std::byte>();
  for (std::uint64_t z = 0; z < step.region[2]; ++z) {
    for (std::uint64_t y = 0; y < step.region[1]; ++y) {
      std::byte* there = (*contents)[to.object].data() + to.At(y, z);
      std::byte* here = (*contents)[from.object].data() + from.At(y, z);
      if (!filled.empty()) {
        std::copy(filled.begin(), filled.end(), there);
      } else if (exchanges) {
        std::swap_ranges(here, here + row_bytes, there);
      } else {
        std::memmove(there, here, static_cast<std::size_t>(row_bytes));
      }
    }
  }
}

std::uint64_t ReachOf(const TransferRequest& request, const TransferStep& step,
                      const TransferPlace& place) {
  const Lattice lattice = LatticeOf(request, step, place);
  return lattice.At(step.region[1] - 1, step.region[2] - 1) +
         step.region[0] * ElementOf(request, step);
}

std::string ObjectText(const TransferRequest& request, std::uint32_t object) {
  const TransferObject& described = request.objects[object];
  constexpr std::string_view kStores[] = {"", ", CL_MEM_ALLOC_HOST_PTR", ", CL_MEM_USE_HOST_PTR"};
  const std::string_view store = kStores[static_cast<int>(described.store)];
  switch (described.kind) {
    case Kind::kHost:
      return fmt::format("host memory {} ({} bytes)", object, described.size);
    case Kind::kBuffer:
      return fmt::format("buffer {} ({} bytes{})", object, described.size, store);
    case Kind::kSubBuffer:
      return fmt::format("sub-buffer {} ({} bytes from byte {} of buffer {})", object,
                         described.size, described.origin, described.parent);
    case Kind::kImage:
      return fmt::format("image {} ({}, {}, {}, {}{})", object, ImageShapeName(described.shape),
                         fmt::join(described.extent, "x"), Name(described.format.order),
                         Name(described.format.type), store);
  }
  return "";
}

std::string TransferText(const TransferRequest& request, const TransferStep& step) {
  constexpr std::string_view kUses[] = {" for reading", " for writing", " for new contents"};
  std::string text(TransferCommandName(step.command));
  if (text.starts_with("clEnqueueMap")) {
    const auto first = step.command >= TransferCommand::kMapImageRead
                           ? TransferCommand::kMapImageRead
                           : TransferCommand::kMapBufferRead;
    text += kUses[static_cast<int>(step.command) - static_cast<int>(first)];
  }
  text += fmt::format(", region ({})", fmt::join(step.region, ", "));
  if (!IsFill(step.command)) text += ", from " + PlaceText(request, step.from);
  text += ", to " + PlaceText(request, step.to);
  if (!step.pattern.empty()) text += fmt::format(", of {:02x}", fmt::join(step.pattern, " "));
  return step.blocking ? text : text + ", not blocking";
}

TransferMaker::TransferMaker(std::uint64_t seed, const std::string& row, std::uint64_t number)
    : seed_(CheckHash(seed, number)) {
  for (const char letter : row) seed_ = CheckHash(seed_, static_cast<unsigned char>(letter));
}

std::uint64_t TransferMaker::Number(std::uint64_t first, std::uint64_t last) {
  return first + CheckHash(seed_, ++asked_) % (last - first + 1);
}

std::uint32_t TransferMaker::AddHost(std::uint64_t size) {
  request_.objects.push_back({.kind = Kind::kHost, .size = size});
  return static_cast<std::uint32_t>(request_.objects.size() - 1);
}

std::uint32_t TransferMaker::AddBuffer(std::uint64_t size) {
  const std::uint32_t added = AddHost(size);
  request_.objects[added].kind = Kind::kBuffer;
  request_.objects[added].store = static_cast<TransferObject::Store>(Number(0, 2));
  return added;
}

std::uint32_t TransferMaker::AddSubBuffer(std::uint32_t buffer, std::uint64_t origin,
                                          std::uint64_t size) {
  const std::uint32_t added = AddHost(size);
  request_.objects[added].kind = Kind::kSubBuffer;
  request_.objects[added].parent = buffer;
  request_.objects[added].origin = origin;
  return added;
}

std::uint32_t TransferMaker::AddImage(ImageShape shape, numerics::image::ImageFormat format) {
  TransferObject image{.kind = Kind::kImage,
                       .store = static_cast<TransferObject::Store>(Number(0, 2)),
                       .shape = shape,
                       .format = format,
                       .extent = {1, 1, 1}};
  image.element = static_cast<std::uint64_t>(LayoutOf(format)->bytes);
  const auto dimensions = static_cast<std::size_t>(DimensionsOf(shape));
  for (std::size_t k = 0; k < dimensions; ++k) {
    image.extent[k] = Number(2, dimensions == 1 ? 40 : 24 / dimensions);
  }
  if (IsArray(shape)) image.extent[dimensions] = Number(2, 6);
  image.size = image.extent[0] * image.extent[1] * image.extent[2] * image.element;
  request_.objects.push_back(image);
  return static_cast<std::uint32_t>(request_.objects.size() - 1);
}

numerics::image::ImageFormat TransferMaker::Format() {
  using numerics::image::ChannelOrder;
  using numerics::image::ChannelType;
  constexpr ChannelOrder kOrders[] = {ChannelOrder::kRGBA, ChannelOrder::kRG, ChannelOrder::kR};
  constexpr ChannelType kTypes[] = {ChannelType::kUnormInt8,     ChannelType::kUnsignedInt8,
                                    ChannelType::kSignedInt8,    ChannelType::kUnormInt16,
                                    ChannelType::kSignedInt16,   ChannelType::kUnsignedInt16,
                                    ChannelType::kUnsignedInt32, ChannelType::kSignedInt32,
                                    ChannelType::kHalfFloat,     ChannelType::kFloat};
  // Each second one has four channels: older devices have no others.
  const std::uint64_t order = Number(0, 3);
  return {.order = kOrders[order < 2 ? 0 : order - 1],
          .type = kTypes[Number(0, std::size(kTypes) - 1)]};
}

std::vector<std::uint8_t> TransferMaker::Bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(Number(0, 255));
  return bytes;
}

std::vector<std::uint8_t> TransferMaker::Color(numerics::image::ImageFormat format) {
  using numerics::image::ChannelKind;
  std::array<std::uint32_t, 4> color = {};
  const numerics::image::ChannelField field = LayoutOf(format)->field[0];
  for (std::uint32_t& part : color) {
    const auto small = static_cast<std::int32_t>(Number(0, 255)) - 128;
    switch (KindOf(format.type)) {
      case ChannelKind::kUnorm:
      case ChannelKind::kSnorm:
        part = std::bit_cast<std::uint32_t>(static_cast<float>(Number(0, 1)));
        break;
      case ChannelKind::kSigned:
        part = static_cast<std::uint32_t>(small * (field.width > 8 ? 200 : 1));
        break;
      case ChannelKind::kUnsigned:
        part = static_cast<std::uint32_t>(small + 128) * (field.width > 8 ? 250 : 1);
        break;
      case ChannelKind::kHalf:
      case ChannelKind::kFloat:
        part = std::bit_cast<std::uint32_t>(static_cast<float>(small) / 8);
        break;
    }
  }
  std::vector<std::uint8_t> bytes(sizeof color);
  std::memcpy(bytes.data(), color.data(), bytes.size());
  return bytes;
}

void TransferMaker::ChooseRegion(std::uint32_t image, TransferStep* step, TransferPlace* place) {
  place->object = image;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::uint64_t extent = request_.objects[image].extent[k];
    step->region[k] = Number(1, extent);
    place->origin[k] = Number(0, extent - step->region[k]);
  }
}

void TransferMaker::ChooseRegions(TransferStep* step) {
  const TransferObject& from = request_.objects[step->from.object];
  const TransferObject& to = request_.objects[step->to.object];
  for (std::size_t k = 0; k < 3; ++k) {
    step->region[k] = Number(1, std::min(from.extent[k], to.extent[k]));
    // Are rows of a 2D image the images of a 1D array?  No text says it.
    const bool rows =
        k == 1 && (from.shape == ImageShape::k1DArray) != (to.shape == ImageShape::k1DArray);
    if (rows) step->region[k] = 1;
    step->from.origin[k] = Number(0, from.extent[k] - step->region[k]);
    step->to.origin[k] = Number(0, to.extent[k] - step->region[k]);
  }
}

Expected<void> RunTransfer(CheckRun& run, const TransferRequest& request, std::uint64_t seed,
                           const std::vector<std::int64_t>& statuses) {
  std::vector<std::vector<std::byte>> contents, inputs;
  for (const TransferObject& object : request.objects) {
    contents.emplace_back();
    if (object.kind == Kind::kSubBuffer) continue;
    contents.back().resize(object.size);
    Poison(Poison::Key{.seed = seed, .first_item = contents.size()}).Fill(contents.back());
    inputs.push_back(contents.back());
  }
  const auto answers = run.AskTransfers(request, inputs);
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto found = NumbersOf<std::int64_t>((*answers)[0]);
  if (std::all_of(found.begin(), found.end(),
                  [](std::int64_t status) { return status == kFormatNotSupported; })) {
    return {};
  }
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < request.steps.size(); ++k) {
    texts.push_back(TransferText(request, request.steps[k]));
    const bool must_fail = k < statuses.size();
    const std::int64_t due = must_fail ? statuses[k] : CL_SUCCESS;
    const bool right = found[k] == due;
    run.Expect(right, texts.back(), OpenClErrorName(static_cast<cl_int>(found[k])),
               OpenClErrorName(static_cast<cl_int>(due)));
    // What a command does that failed is not compared.
    if (!right) return {};
    if (!must_fail) ApplyTransfer(request, request.steps[k], &contents);
  }
  std::size_t next = 1;
  for (std::size_t k = 0; k < contents.size(); ++k) {
    if (request.objects[k].kind == Kind::kSubBuffer) continue;
    const std::vector<std::byte>& got = (*answers)[next++];
    const auto [wrong, due] = std::mismatch(got.begin(), got.end(), contents[k].begin());
    run.Answer(wrong == got.end(), [&] {
      return CheckSighting{
          .input = fmt::format("{}", fmt::join(texts, "; then ")),
          .observed = fmt::format("byte {} of {} is {:#04x}", wrong - got.begin(),
                                  ObjectText(request, static_cast<std::uint32_t>(k)),
                                  static_cast<unsigned>(*wrong)),
          .expected = fmt::format("{:#04x}", static_cast<unsigned>(*due)),
          .options = ""};
    });
  }
  return {};
}

}  // namespace assay::oracle
