// For the tests of images: a device in this process that reads and writes by numerics/image, except
// where a test changes what it does.
#pragma once

#include <bit>
#include <cstring>
#include <functional>
#include <vector>

#include "numerics/image/encode.h"
#include "numerics/image/read.h"
#include "oracle/devices/device.h"
#include "oracle/devices/image_request.h"

namespace assay::oracle {

class TestingImages : public Device, public AnswersImages {
 public:
  using Words = std::array<std::uint32_t, 4>;
  // What the device answers to a read instead of `right`.
  using ChangeRead = std::function<Words(const ImageRequest&, const std::byte* texels,
                                         const Words& at, Words right)>;
  // Changes the element that is stored.
  using ChangeWrite =
      std::function<void(const ImageRequest&, const Words& color, std::byte* element)>;

  explicit TestingImages(std::vector<numerics::image::ImageFormat> formats)
      : formats_(std::move(formats)) {
    description_.kind = "testing";
    description_.name = "in process";
  }

  ChangeRead change_read;
  ChangeWrite change_write;
  bool stores_nothing = false;
  bool spills = false;  // a write changes the fourth element, which no work-item writes
  bool is_gpu = false;
  int asked = 0;

  const DeviceDescription& Description() const override { return description_; }
  Expected<void> Prepare(const TaskSpec&) override { return {}; }
  Expected<void> Run(int, std::span<const numerics::ConstColumn>, std::span<const Column>,
                     std::size_t) override {
    return {};
  }

  Expected<void> AskImages(const ImageRequest& request, ImageInputs inputs,
                           ImageOutputs outputs) override {
    ++asked;
    switch (request.op) {
      case ImageOp::kAbilities:
        Abilities(outputs[0]);
        break;
      case ImageOp::kFormats:
        Formats(outputs[0]);
        break;
      case ImageOp::kRead:
        if (!stores_nothing) Read(request, inputs, outputs[0]);
        break;
      case ImageOp::kWrite:
        if (!stores_nothing) Write(request, inputs, outputs[0]);
        break;
      case ImageOp::kQuery:
        if (!stores_nothing) Query(request, outputs[0]);
        break;
    }
    return {};
  }

 private:
  static numerics::image::ImageView View(const ImageRequest& request, const std::byte* texels) {
    return numerics::image::TightView(
        request.format, DimensionsOf(request.shape), IsArray(request.shape),
        {request.size[0], request.size[1], request.size[2]}, request.layers, texels);
  }
  static Words WordsAt(std::span<const std::byte> bytes, std::size_t k) {
    Words words;
    std::memcpy(words.data(), bytes.data() + k * sizeof words, sizeof words);
    return words;
  }

  void Abilities(std::span<std::byte> out) const {
    std::array<std::uint64_t, kAbilityCount> values = {};
    values[static_cast<std::size_t>(ImageAbility::kImageSupport)] = 1;
    values[static_cast<std::size_t>(ImageAbility::kIsGpu)] = is_gpu ? 1 : 0;
    values[static_cast<std::size_t>(ImageAbility::kVersion)] = 300;
    values[static_cast<std::size_t>(ImageAbility::kWrites3D)] = 1;
    std::memcpy(out.data(), values.data(), sizeof values);
  }
  void Formats(std::span<std::byte> out) const {
    std::vector<std::uint32_t> numbers = {static_cast<std::uint32_t>(formats_.size())};
    for (const numerics::image::ImageFormat format : formats_) {
      numbers.push_back(ClNumber(format.order));
      numbers.push_back(ClNumber(format.type));
    }
    std::memcpy(out.data(), numbers.data(), numbers.size() * sizeof numbers[0]);
  }
  void Read(const ImageRequest& request, ImageInputs inputs, std::span<std::byte> out) const {
    const std::byte* texels = inputs[0].data();
    const auto view = View(request, texels);
    const bool scalar = LayoutOf(request.format)->scalar;
    for (std::size_t k = 0; k < request.count; ++k) {
      const Words at = WordsAt(inputs[1], k);
      const numerics::image::ReadResult result =
          request.sampled
              ? ReadSampled(view, request.sampler, {request.integers, {at[0], at[1], at[2], at[3]}},
                            request.type)
              : ReadUnsampled(view, std::bit_cast<std::array<std::int32_t, 4>>(at), request.type);
      Words answer;
      for (std::size_t c = 0; c < 4; ++c) {
        answer[c] = static_cast<std::uint32_t>(result.color[c]);
      }
      if (change_read) answer = change_read(request, texels, at, answer);
      std::memcpy(out.data() + k * sizeof answer, answer.data(),
                  scalar ? sizeof answer[0] : sizeof answer);
    }
  }
  void Write(const ImageRequest& request, ImageInputs inputs, std::span<std::byte> out) const {
    const auto view = View(request, out.data());
    for (std::size_t k = 0; k < request.count; ++k) {
      const Words at = WordsAt(inputs[0], k), color = WordsAt(inputs[1], k);
      const auto place = SelectPlace(view, std::bit_cast<std::array<std::int32_t, 4>>(at)).location;
      std::byte* element = out.data() + (ElementAt(view, place) - out.data());
      EncodeTexel(request.format, {color[0], color[1], color[2], color[3]}, request.type, element);
      if (change_write) change_write(request, color, element);
    }
    if (spills) out[3 * static_cast<std::size_t>(LayoutOf(request.format)->bytes)] ^= std::byte{1};
  }
  static void Query(const ImageRequest& request, std::span<std::byte> out) {
    const int dimensions = DimensionsOf(request.shape);
    const std::uint32_t height = dimensions > 1 ? request.size[1] : 0;
    const std::uint32_t depth = dimensions > 2 ? request.size[2] : 0;
    const std::uint32_t layers = IsArray(request.shape) ? request.layers : 0;
    const std::uint32_t order = ClNumber(request.format.order);
    const std::uint32_t type = ClNumber(request.format.type);
    const std::uint32_t numbers[kQueryCount] = {
        request.size[0],
        height,
        depth,
        layers,
        order,
        type,
        dimensions > 1 ? request.size[0] : 0,
        height,
        depth,
        static_cast<std::uint32_t>(LayoutOf(request.format)->bytes),
        request.size[0],
        height,
        depth,
        layers,
        order,
        type};
    std::memcpy(out.data(), numbers, sizeof numbers);
  }

  std::vector<numerics::image::ImageFormat> formats_;
  DeviceDescription description_;
};

}  // namespace assay::oracle
