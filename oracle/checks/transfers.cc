// @transfers: commands of the host that read, write, copy, fill and map memory objects.
//
// OpenCL API 5.2 and 5.3.  What must come is computed byte by byte by the
// formulas of these clauses (transfers_model.cc).
#include "oracle/checks/transfers.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::oracle {
namespace {

using Command = TransferCommand;

std::string ClauseOf(Command command) {
  return fmt::format("OpenCL API {}, {}", command >= Command::kReadImage ? "5.3" : "5.2",
                     TransferCommandName(command));
}

bool IsOnHost(Command command, bool destination) {
  switch (command) {
    case Command::kReadBuffer:
    case Command::kReadBufferRect:
    case Command::kMapBufferRead:
    case Command::kReadImage:
    case Command::kMapImageRead:
      return destination;
    case Command::kWriteBuffer:
    case Command::kWriteBufferRect:
    case Command::kMapBufferWrite:
    case Command::kMapBufferInvalidate:
    case Command::kWriteImage:
    case Command::kMapImageWrite:
    case Command::kMapImageInvalidate:
      return !destination;
    case Command::kCopyBuffer:
    case Command::kFillBuffer:
    case Command::kCopyBufferRect:
    case Command::kCopyImage:
    case Command::kFillImage:
    case Command::kCopyImageToBuffer:
    case Command::kCopyBufferToImage:
      return false;
  }
  return false;
}

bool IsMap(Command command) {
  return (command >= Command::kMapBufferRead && command <= Command::kMapBufferInvalidate) ||
         command >= Command::kMapImageRead;
}

// ---- Buffers ----

// A command on parts of objects that are there.
TransferStep LinearStep(TransferMaker* maker, Command command, std::uint32_t from,
                        std::uint32_t to) {
  TransferStep step{.command = command, .from = {.object = from}, .to = {.object = to}};
  const std::uint64_t here = maker->request().objects[from].size;
  const std::uint64_t there = maker->request().objects[to].size;
  std::uint64_t unit = 1;
  if (command == Command::kFillBuffer) {
    unit = std::uint64_t{1} << maker->Number(0, 7);
    step.pattern = maker->Bytes(unit);
    step.from = step.to;
  }
  const std::uint64_t most = std::min(here, there) / unit;
  step.region[0] = unit * maker->Number(1, most);
  if (step.pattern.empty()) step.from.origin[0] = maker->Number(0, here - step.region[0]);
  step.to.origin[0] = unit * maker->Number(0, (there - step.region[0]) / unit);
  step.blocking = maker->Number(0, 1) == 0;
  return step;
}

std::uint32_t AddSide(TransferMaker* maker, Command command, bool destination, std::uint64_t size) {
  return IsOnHost(command, destination) ? maker->AddHost(size) : maker->AddBuffer(size);
}

TransferRequest LinearRequest(TransferMaker maker, Command command) {
  const std::uint32_t from = AddSide(&maker, command, false, maker.Number(256, 3000));
  const std::uint32_t to = AddSide(&maker, command, true, maker.Number(256, 3000));
  maker.request().steps.push_back(LinearStep(&maker, command, from, to));
  return maker.request();
}

TransferRequest WithinRequest(TransferMaker maker) {
  const std::uint32_t buffer = maker.AddBuffer(maker.Number(256, 3000));
  const std::uint64_t size = maker.request().objects[buffer].size;
  const std::uint64_t middle = maker.Number(1, size - 1);
  TransferStep step{.command = Command::kCopyBuffer,
                    .from = {.object = buffer},
                    .to = {.object = buffer},
                    .region = {maker.Number(1, std::min(middle, size - middle)), 1, 1}};
  step.from.origin[0] = maker.Number(0, middle - step.region[0]);
  step.to.origin[0] = middle + maker.Number(0, size - middle - step.region[0]);
  if (maker.Number(0, 1) == 0) std::swap(step.from, step.to);
  maker.request().steps.push_back(step);
  return maker.request();
}

// Rows and slices that hold the region where it begins, as far as they are given at all.
void ChoosePitches(TransferMaker* maker, const TransferStep& step, TransferPlace* place) {
  if (maker->Number(0, 3) == 0) return;
  place->row_pitch = place->origin[0] + step.region[0] + maker->Number(0, 20);
  if (maker->Number(0, 3) == 0) return;
  place->slice_pitch = place->row_pitch * (place->origin[1] + step.region[1] + maker->Number(0, 3));
}

TransferStep RectangleStep(TransferMaker* maker, Command command) {
  TransferStep step{.command = command,
                    .region = {maker->Number(1, 30), maker->Number(1, 7), maker->Number(1, 5)}};
  for (TransferPlace* place : {&step.from, &step.to}) {
    place->origin = {maker->Number(0, 12), maker->Number(0, 4), maker->Number(0, 3)};
    ChoosePitches(maker, step, place);
  }
  step.blocking = maker->Number(0, 1) == 0;
  return step;
}

// What the region needs, or a little more.  Behind host memory is room in which a driver shows that
// it writes too much.
std::uint64_t SizeFor(TransferMaker* maker, const TransferStep& step, const TransferPlace& place) {
  const bool host = maker->request().objects[place.object].kind == TransferObject::Kind::kHost;
  return ReachOf(maker->request(), step, place) +
         (host ? 256 : maker->Number(0, 2) * maker->Number(0, 40));
}

TransferRequest RectangleRequest(TransferMaker maker, Command command) {
  TransferStep step = RectangleStep(&maker, command);
  for (const bool destination : {false, true}) {
    TransferPlace& place = destination ? step.to : step.from;
    place.object = AddSide(&maker, command, destination, 1);
    if (!destination) step.to.object = place.object;
    maker.request().objects[place.object].size = SizeFor(&maker, step, place);
  }
  maker.request().steps.push_back(step);
  return maker.request();
}

// Slices of one buffer that do not overlap, with the same pitches.
TransferRequest RectangleWithinRequest(TransferMaker maker) {
  TransferStep step = RectangleStep(&maker, Command::kCopyBufferRect);
  const std::uint64_t row =
      std::max(step.from.origin[0], step.to.origin[0]) + step.region[0] + maker.Number(0, 9);
  const std::uint64_t slice = row * (std::max(step.from.origin[1], step.to.origin[1]) +
                                     step.region[1] + maker.Number(0, 2));
  for (TransferPlace* place : {&step.from, &step.to}) {
    place->row_pitch = row;
    place->slice_pitch = slice;
  }
  step.to.origin[2] = step.from.origin[2] + step.region[2] + maker.Number(0, 1);
  if (maker.Number(0, 1) == 0) std::swap(step.from, step.to);
  step.from.object = step.to.object = maker.AddBuffer(1);
  maker.request().objects[0].size =
      std::max(ReachOf(maker.request(), step, step.from), ReachOf(maker.request(), step, step.to));
  maker.request().steps.push_back(step);
  return maker.request();
}

// ---- Images ----

// Pitches of host memory: whole elements, and for a 1D array one row in a slice.
void ChooseHostPitches(TransferMaker* maker, const TransferStep& step, const TransferObject& image,
                       TransferPlace* host) {
  if (maker->Number(0, 1) == 0) return;
  host->row_pitch = (step.region[0] + maker->Number(0, 5)) * image.element;
  const bool volumes = image.shape == ImageShape::k2DArray || image.shape == ImageShape::k3D;
  if (image.shape == ImageShape::k1DArray) host->slice_pitch = host->row_pitch;
  if (volumes && maker->Number(0, 1) == 0) {
    host->slice_pitch = host->row_pitch * (step.region[1] + maker->Number(0, 3));
  }
}

// One image, and on the other side host memory or a buffer that is as large as it must be.
TransferRequest ImageRequestOf(TransferMaker maker, Command command, ImageShape shape) {
  const std::uint32_t image = maker.AddImage(shape, maker.Format());
  TransferStep step{.command = command};
  step.blocking = maker.Number(0, 1) == 0;
  const bool fills = command == Command::kFillImage;
  const bool into = fills || command == Command::kCopyBufferToImage || IsOnHost(command, false);
  TransferPlace& place = into ? step.to : step.from;
  TransferPlace& other = into ? step.from : step.to;
  maker.ChooseRegion(image, &step, &place);
  if (fills) {
    other = place;
    step.pattern = maker.Color(maker.request().objects[image].format);
  } else {
    const std::uint64_t element = maker.request().objects[image].element;
    other.object = AddSide(&maker, command, !into, 1);
    other.origin[0] = element * maker.Number(0, 3);
    const bool has_pitches = IsOnHost(command, !into) && !IsMap(command);
    if (has_pitches) ChooseHostPitches(&maker, step, maker.request().objects[image], &other);
    maker.request().objects[other.object].size = SizeFor(&maker, step, other);
  }
  maker.request().steps.push_back(step);
  return maker.request();
}

TransferRequest CopyImageRequest(TransferMaker maker, ImageShape from, ImageShape to) {
  const numerics::image::ImageFormat format = maker.Format();
  TransferStep step{.command = Command::kCopyImage};
  step.from.object = maker.AddImage(from, format);
  step.to.object = maker.AddImage(to, format);
  maker.ChooseRegions(&step);
  maker.request().steps.push_back(step);
  return maker.request();
}

// The left part of an image to the right one, or the other way.
TransferRequest CopyWithinImageRequest(TransferMaker maker, ImageShape shape) {
  TransferStep step{.command = Command::kCopyImage};
  maker.ChooseRegion(maker.AddImage(shape, maker.Format()), &step, &step.from);
  const std::uint64_t width = maker.request().objects[0].extent[0];
  const std::uint64_t middle = width / 2;
  step.region[0] = maker.Number(1, middle);
  step.to = step.from;
  step.from.origin[0] = maker.Number(0, middle - step.region[0]);
  step.to.origin[0] = middle + maker.Number(0, width - middle - step.region[0]);
  if (maker.Number(0, 1) == 0) std::swap(step.from, step.to);
  maker.request().steps.push_back(step);
  return maker.request();
}

// ---- Several commands ----

constexpr Command kLinearCommands[] = {Command::kReadBuffer,         Command::kWriteBuffer,
                                       Command::kCopyBuffer,         Command::kFillBuffer,
                                       Command::kMapBufferRead,      Command::kMapBufferWrite,
                                       Command::kMapBufferInvalidate};

// Commands in order on the same few objects: each one sees what those before it did.
TransferRequest ChainRequest(TransferMaker maker, bool sub_buffers, std::uint64_t align) {
  const std::uint32_t host = maker.AddHost(2048);
  const std::uint32_t buffers[] = {maker.AddBuffer(4 * align + maker.Number(0, 99)),
                                   maker.AddBuffer(4 * align + maker.Number(0, 99))};
  std::vector<std::uint32_t> first = {buffers[0]}, second = {buffers[1]};
  if (sub_buffers) {
    // Parts of one buffer may overlap, as they are not on both sides of a copy.
    for (int k = 0; k < 2; ++k) {
      const std::uint64_t origin = align * maker.Number(0, 2);
      first.push_back(maker.AddSubBuffer(buffers[0], origin, maker.Number(129, 2 * align)));
    }
    second.push_back(maker.AddSubBuffer(buffers[1], align, maker.Number(129, align)));
  }
  for (int k = 0; k < 8; ++k) {
    const Command command = kLinearCommands[maker.Number(0, std::size(kLinearCommands) - 1)];
    std::uint32_t from = first[maker.Number(0, first.size() - 1)];
    std::uint32_t to = second[maker.Number(0, second.size() - 1)];
    if (maker.Number(0, 1) == 0) std::swap(from, to);
    if (IsOnHost(command, false)) from = host;
    if (IsOnHost(command, true)) to = host;
    TransferStep step = LinearStep(&maker, command, from, to);
    // The host must not touch memory that a command may still use.
    step.blocking = true;
    maker.request().steps.push_back(step);
  }
  return maker.request();
}

// ---- Rows ----

using MakeRequest = std::function<TransferRequest(TransferMaker)>;

Expected<void> RunCases(CheckRun& run, const std::string& row, const MakeRequest& make) {
  const std::uint64_t cases = run.options().Of(12, 200, 4000);
  for (std::uint64_t k = 0; k < cases; ++k) {
    const std::uint64_t seed = run.options().seed;
    if (auto ran = RunTransfer(run, make(TransferMaker(seed, row, k)), CheckHash(seed, k)); !ran) {
      return ran;
    }
  }
  return {};
}

void Add(std::vector<Check>* checks, const std::string& name, const std::string& clause,
         const std::string& lacks, const MakeRequest& make) {
  const std::string row = "transfers_" + name;
  checks->push_back({.list = CheckList::kTransfers,
                     .name = row,
                     .clause = clause,
                     .lacks = lacks,
                     .run = [row, make](CheckRun& run) { return RunCases(run, row, make); }});
}

void AddBufferRows(const DeviceFacts& facts, std::vector<Check>* checks) {
  struct Row {
    const char* name;
    Command command;
  };
  constexpr Row kLinear[] = {{"read_buffer", Command::kReadBuffer},
                             {"write_buffer", Command::kWriteBuffer},
                             {"copy_buffer", Command::kCopyBuffer},
                             {"fill_buffer", Command::kFillBuffer},
                             {"map_buffer_read", Command::kMapBufferRead},
                             {"map_buffer_write", Command::kMapBufferWrite},
                             {"map_buffer_invalidate", Command::kMapBufferInvalidate}};
  for (const Row& row : kLinear) {
    Add(checks, row.name, ClauseOf(row.command), "", [command = row.command](TransferMaker maker) {
      return LinearRequest(std::move(maker), command);
    });
  }
  constexpr Row kRectangles[] = {{"read_buffer_rect", Command::kReadBufferRect},
                                 {"write_buffer_rect", Command::kWriteBufferRect},
                                 {"copy_buffer_rect", Command::kCopyBufferRect}};
  for (const Row& row : kRectangles) {
    Add(checks, row.name, ClauseOf(row.command), "", [command = row.command](TransferMaker maker) {
      return RectangleRequest(std::move(maker), command);
    });
  }
  Add(checks, "copy_within_buffer", ClauseOf(Command::kCopyBuffer), "", WithinRequest);
  Add(checks, "copy_rect_within_buffer", ClauseOf(Command::kCopyBufferRect), "",
      RectangleWithinRequest);
  const std::uint64_t align =
      std::max<std::uint64_t>(facts.Number(DeviceQuery::kMemBaseAddrAlign) / 8, 256);
  Add(checks, "chain", "OpenCL API 5.2", "",
      [align](TransferMaker maker) { return ChainRequest(std::move(maker), false, align); });
  Add(checks, "sub_buffers", "OpenCL API 5.2.1, clCreateSubBuffer", "",
      [align](TransferMaker maker) { return ChainRequest(std::move(maker), true, align); });
}

void AddImageRows(const std::string& lacks, ImageShape shape, std::vector<Check>* checks) {
  struct Row {
    const char* name;
    Command command;
  };
  constexpr Row kRows[] = {{"read_image", Command::kReadImage},
                           {"write_image", Command::kWriteImage},
                           {"fill_image", Command::kFillImage},
                           {"map_image_read", Command::kMapImageRead},
                           {"map_image_write", Command::kMapImageWrite},
                           {"map_image_invalidate", Command::kMapImageInvalidate},
                           {"image_to_buffer", Command::kCopyImageToBuffer},
                           {"buffer_to_image", Command::kCopyBufferToImage}};
  const std::string_view name = ImageShapeName(shape);
  for (const Row& row : kRows) {
    Add(checks, fmt::format("{}_{}", row.name, name), ClauseOf(row.command), lacks,
        [command = row.command, shape](TransferMaker maker) {
          return ImageRequestOf(std::move(maker), command, shape);
        });
  }
  Add(checks, fmt::format("copy_image_{}", name), ClauseOf(Command::kCopyImage), lacks,
      [shape](TransferMaker maker) { return CopyImageRequest(std::move(maker), shape, shape); });
  Add(checks, fmt::format("copy_within_image_{}", name), ClauseOf(Command::kCopyImage), lacks,
      [shape](TransferMaker maker) { return CopyWithinImageRequest(std::move(maker), shape); });
}

}  // namespace

void AddTransferChecks(const DeviceFacts& facts, std::vector<Check>* checks) {
  AddBufferRows(facts, checks);
  const std::string lacks =
      facts.Number(DeviceQuery::kImageSupport) != 0 ? "" : "CL_DEVICE_IMAGE_SUPPORT: 0";
  for (const ImageShape shape : kImageShapes) AddImageRows(lacks, shape, checks);
  Add(checks, "copy_image_of_other_shape", ClauseOf(Command::kCopyImage), lacks,
      [](TransferMaker maker) {
        const ImageShape from = kImageShapes[maker.Number(0, kImageShapes.size() - 1)];
        const ImageShape to = kImageShapes[maker.Number(0, kImageShapes.size() - 1)];
        return CopyImageRequest(std::move(maker), from, to);
      });
  AddTransferErrorChecks(facts, checks);
}

}  // namespace assay::oracle
