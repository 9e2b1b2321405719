// Images and coordinates for the tests of reads.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "numerics/image/format.h"
#include "numerics/image/sampler.h"
#include "numerics/image/texel.h"

namespace assay::numerics::image {

inline Bits F(float value) { return std::bit_cast<std::uint32_t>(value); }

inline DataType TypeOf(ImageFormat format) {
  const ChannelKind kind = KindOf(format.type);
  return kind == ChannelKind::kSigned     ? DataType::kInt
         : kind == ChannelKind::kUnsigned ? DataType::kUint
                                          : DataType::kFloat;
}

// A coordinate of a kind that matters: ordinary, on a texel's edge or center, tiny, large, no
// number.
inline float AnyCoordinate(std::mt19937& random, std::int64_t size, bool normalized) {
  const float scale = normalized ? 1.0F : static_cast<float>(size);
  const auto texel = static_cast<float>(static_cast<int>(random() % 64) - 16);
  switch (random() % 8) {
    case 0:
      return (texel + 0.5F) / (normalized ? static_cast<float>(size) : 1);
    case 1:
      return texel / (normalized ? static_cast<float>(size) : 1);
    case 2:
      return std::ldexp(static_cast<float>(random()) * (random() % 2 == 0 ? 1.0F : -1.0F),
                        -static_cast<int>(random() % 180));
    case 3: {
      const auto bits = static_cast<std::uint32_t>(random());
      return std::bit_cast<float>(bits);
    }
    default:
      return std::uniform_real_distribution<float>(-1.5F * scale, 2.5F * scale)(random);
  }
}

struct Subject {
  std::vector<std::byte> memory;
  ImageView view;
};

inline Subject RandomImage(std::mt19937& random, ImageFormat format) {
  Subject subject;
  const int dimensions = 1 + static_cast<int>(random() % 3);
  const bool arrayed = dimensions < 3 && random() % 3 == 0;
  std::array<std::int64_t, 3> size = {1, 1, 1};
  for (int d = 0; d < dimensions; ++d)
    size[static_cast<std::size_t>(d)] = 1 + static_cast<int>(random() % 12);
  const std::int64_t layers = arrayed ? 1 + static_cast<int>(random() % 4) : 1;
  const auto bytes =
      static_cast<std::size_t>(LayoutOf(format)->bytes * size[0] * size[1] * size[2] * layers);
  subject.memory.resize(bytes);
  const bool smooth = random() % 2 == 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    subject.memory[i] = static_cast<std::byte>(
        smooth && i >= 16 ? std::to_integer<unsigned>(subject.memory[i - 16]) + random() % 2
                          : random());
  }
  subject.view = TightView(format, dimensions, arrayed, size, layers, subject.memory.data());
  return subject;
}

}  // namespace assay::numerics::image
