// @transfers: commands that must be refused, and that leave everything as it was.
//
// OpenCL API 5.2 and 5.3, the errors of each command.
#include <fmt/format.h>

#include <functional>

#include "oracle/checks/transfers.h"

namespace assay::oracle {
namespace {

using Command = TransferCommand;

constexpr std::int64_t kMemCopyOverlap = -8, kImageFormatMismatch = -9, kInvalidValue = -30;
constexpr std::uint64_t kSize = 512;

// A step that is right but for one number.
struct Refused {
  TransferStep step;
  std::int64_t status;
};

std::vector<Refused> LinearMistakes(std::uint32_t host, std::uint32_t first, std::uint32_t second) {
  const auto step = [](Command command, std::uint32_t from, std::uint32_t to, std::uint64_t at,
                       std::uint64_t there, std::uint64_t size) {
    return TransferStep{.command = command,
                        .from = {.object = from, .origin = {at, 0, 0}},
                        .to = {.object = to, .origin = {there, 0, 0}},
                        .region = {size, 1, 1}};
  };
  std::vector<Refused> mistakes = {
      {step(Command::kReadBuffer, first, host, kSize - 7, 0, 8), kInvalidValue},
      {step(Command::kReadBuffer, first, host, 0, 0, kSize + 1), kInvalidValue},
      {step(Command::kWriteBuffer, host, second, 0, kSize, 1), kInvalidValue},
      {step(Command::kCopyBuffer, first, second, kSize - 3, 0, 4), kInvalidValue},
      {step(Command::kCopyBuffer, first, second, 0, kSize - 3, 4), kInvalidValue},
      {step(Command::kCopyBuffer, first, first, 0, 15, 16), kMemCopyOverlap},
      {step(Command::kCopyBuffer, first, first, 40, 40, 8), kMemCopyOverlap},
      {step(Command::kMapBufferRead, first, host, 1, 0, kSize), kInvalidValue},
      {step(Command::kMapBufferRead, first, host, 0, 0, 0), kInvalidValue}};
  struct Fill {
    std::size_t pattern;
    std::uint64_t offset, size;
  };
  for (const Fill& fill : {Fill{3, 0, 12}, Fill{4, 2, 8}, Fill{4, 4, 10}, Fill{256, 0, 256},
                           Fill{16, kSize - 16, 32}}) {
    TransferStep wrong = step(Command::kFillBuffer, first, first, 0, fill.offset, fill.size);
    wrong.pattern.assign(fill.pattern, 0x5a);
    mistakes.push_back({wrong, kInvalidValue});
  }
  return mistakes;
}

// Which of a command's numbers is wrong.
enum class Mistake : std::uint8_t { kBounds, kEmpty, kPitches, kCopies };

TransferStep Rectangle(Command command, std::uint32_t from, std::uint32_t to) {
  return {.command = command,
          .from = {.object = from, .row_pitch = 16, .slice_pitch = 64},
          .to = {.object = to, .row_pitch = 16, .slice_pitch = 64},
          .region = {8, 3, 2}};
}

// The same mistake in the three commands.
void AddToEach(std::uint32_t host, std::uint32_t first, std::uint32_t second,
               const std::function<void(TransferStep*)>& spoil, std::vector<Refused>* mistakes) {
  for (const Command command :
       {Command::kReadBufferRect, Command::kWriteBufferRect, Command::kCopyBufferRect}) {
    TransferStep step = Rectangle(command, command == Command::kWriteBufferRect ? host : first,
                                  command == Command::kReadBufferRect ? host : second);
    spoil(&step);
    mistakes->push_back({step, kInvalidValue});
  }
}

std::vector<Refused> RectangleMistakes(Mistake mistake, std::uint32_t host, std::uint32_t first,
                                       std::uint32_t second) {
  std::vector<Refused> mistakes;
  const auto each = [&](const std::function<void(TransferStep*)>& spoil) {
    AddToEach(host, first, second, spoil, &mistakes);
  };
  TransferStep step = Rectangle(Command::kCopyBufferRect, first, second);
  switch (mistake) {
    case Mistake::kEmpty:
      for (std::size_t k = 0; k < 3; ++k) {
        each([k](TransferStep* wrong) { wrong->region[k] = 0; });
      }
      break;
    case Mistake::kPitches:
      for (const auto& [row, slice] : {std::pair{7U, 64U}, {16U, 47U}, {16U, 65U}}) {
        each([row = row, slice = slice](TransferStep* wrong) {
          wrong->from.row_pitch = row;
          wrong->from.slice_pitch = slice;
        });
        each([row = row, slice = slice](TransferStep* wrong) {
          wrong->to.row_pitch = row;
          wrong->to.slice_pitch = slice;
        });
      }
      break;
    case Mistake::kBounds:
      step.from.origin = {0, 0, 7};
      mistakes.push_back({step, kInvalidValue});
      std::swap(step.from.origin, step.to.origin);
      mistakes.push_back({step, kInvalidValue});
      break;
    case Mistake::kCopies:
      step.to.object = first;
      step.region = {8, 2, 1};
      step.to.origin = {4, 1, 0};
      mistakes.push_back({step, kMemCopyOverlap});
      step.to = {.object = first, .origin = {0, 0, 3}, .row_pitch = 32, .slice_pitch = 64};
      mistakes.push_back({step, kInvalidValue});
      break;
  }
  return mistakes;
}

// One command of each mistake: the request has its objects, and nothing may come of it.
Expected<void> RunMistakes(CheckRun& run, const TransferRequest& objects,
                           const std::vector<Refused>& mistakes) {
  for (std::size_t k = 0; k < mistakes.size(); ++k) {
    TransferRequest request = objects;
    request.steps = {mistakes[k].step};
    if (auto ran =
            RunTransfer(run, request, CheckHash(run.options().seed, k), {mistakes[k].status});
        !ran) {
      return ran;
    }
  }
  return {};
}

struct BufferObjects {
  explicit BufferObjects(std::uint64_t seed) : maker(seed, "transfers_errors_buffers", 0) {}
  TransferMaker maker;
  // Larger than any mistake, so that a driver that does not refuse it stays in bounds.
  std::uint32_t host = maker.AddHost(8 * kSize);
  std::uint32_t first = maker.AddBuffer(kSize), second = maker.AddBuffer(kSize);
};

Expected<void> RunLinearMistakes(CheckRun& run) {
  BufferObjects objects(run.options().seed);
  return RunMistakes(run, objects.maker.request(),
                     LinearMistakes(objects.host, objects.first, objects.second));
}

Expected<void> RunRectangleMistakes(CheckRun& run, Mistake mistake) {
  BufferObjects objects(run.options().seed);
  return RunMistakes(run, objects.maker.request(),
                     RectangleMistakes(mistake, objects.host, objects.first, objects.second));
}

// Two images of one format and one of another one, all of one size.
struct ImageObjects {
  ImageObjects(std::uint64_t seed, ImageShape shape) : maker(seed, "transfers_errors_images", 0) {
    const numerics::image::ImageFormat other = {.order = format.order,
                                                .type = numerics::image::ChannelType::kSignedInt8};
    host = maker.AddHost(1 << 16);
    image = maker.AddImage(shape, format);
    same = maker.AddImage(shape, format);
    signed_image = maker.AddImage(shape, other);
    auto& objects = maker.request().objects;
    for (const std::uint32_t k : {same, signed_image}) {
      objects[k].extent = objects[image].extent;
      objects[k].size = objects[image].size;
    }
  }
  numerics::image::ImageFormat format = {.order = numerics::image::ChannelOrder::kRGBA,
                                         .type = numerics::image::ChannelType::kUnsignedInt8};
  TransferMaker maker;
  std::uint32_t host = 0, image = 0, same = 0, signed_image = 0;
};

// Beyond the last element, and in dimensions that the image does not have.
std::vector<Refused> ImageMistakes(ImageObjects* objects, Mistake mistake) {
  const auto extent = objects->maker.request().objects[objects->image].extent;
  std::vector<Refused> mistakes;
  for (const Command command : {Command::kReadImage, Command::kWriteImage, Command::kCopyImage,
                                Command::kFillImage, Command::kMapImageRead}) {
    const bool reads = command == Command::kReadImage || command == Command::kMapImageRead;
    TransferStep step{
        .command = command,
        .from = {.object = command == Command::kWriteImage ? objects->host : objects->image},
        .to = {.object = reads ? objects->host : objects->same}};
    if (command == Command::kFillImage) {
      step.from = step.to;
      step.pattern = objects->maker.Color(objects->format);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      TransferStep wrong = step;
      wrong.region[k] = mistake == Mistake::kEmpty ? 0 : extent[k] + 1;
      mistakes.push_back({wrong, kInvalidValue});
      if (mistake == Mistake::kEmpty) continue;
      wrong = step;
      (reads ? wrong.from : wrong.to).origin[k] = extent[k];
      mistakes.push_back({wrong, kInvalidValue});
    }
  }
  return mistakes;
}

Expected<void> RunImageMistakes(CheckRun& run, ImageShape shape, Mistake mistake) {
  ImageObjects objects(run.options().seed, shape);
  if (mistake != Mistake::kCopies) {
    const std::vector<Refused> mistakes = ImageMistakes(&objects, mistake);
    return RunMistakes(run, objects.maker.request(), mistakes);
  }
  const TransferStep other{.command = Command::kCopyImage,
                           .from = {.object = objects.image},
                           .to = {.object = objects.signed_image}};
  TransferStep overlap = other;
  overlap.to = overlap.from;
  return RunMistakes(run, objects.maker.request(),
                     {{other, kImageFormatMismatch}, {overlap, kMemCopyOverlap}});
}

}  // namespace

void AddTransferErrorChecks(const DeviceFacts& facts, std::vector<Check>* checks) {
  const auto add = [&](std::string name, const char* clause, std::string lacks, auto run) {
    checks->push_back({.list = CheckList::kTransfers,
                       .name = "transfers_errors_" + std::move(name),
                       .clause = clause,
                       .lacks = std::move(lacks),
                       .run = std::move(run)});
  };
  constexpr char kBuffers[] = "OpenCL API 5.2, errors of the commands";
  constexpr char kImages[] = "OpenCL API 5.3, errors of the commands";
  const std::string no_images =
      facts.Number(DeviceQuery::kImageSupport) != 0 ? "" : "CL_DEVICE_IMAGE_SUPPORT: 0";
  constexpr std::pair<Mistake, const char*> kMistakes[] = {{Mistake::kBounds, "bounds"},
                                                           {Mistake::kEmpty, "empty"},
                                                           {Mistake::kPitches, "pitches"},
                                                           {Mistake::kCopies, "copies"}};
  add("buffers", kBuffers, "", RunLinearMistakes);
  for (const auto& [mistake, name] : kMistakes) {
    add(fmt::format("rect_{}", name), kBuffers, "",
        [mistake = mistake](CheckRun& run) { return RunRectangleMistakes(run, mistake); });
  }
  for (const auto& [mistake, name] : kMistakes) {
    if (mistake == Mistake::kPitches) continue;
    for (const ImageShape shape : kImageShapes) {
      add(fmt::format("image_{}_{}", name, ImageShapeName(shape)), kImages, no_images,
          [mistake = mistake, shape](CheckRun& run) {
            return RunImageMistakes(run, shape, mistake);
          });
    }
  }
}

}  // namespace assay::oracle
