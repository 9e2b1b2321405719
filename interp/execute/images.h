// Images as a thread reads and writes them.
//
// A value of an image type names an argument of the launch, one of a sampled image a sampler, too
// (launch_state.h).  What an instruction does with one of them is prepared when it comes to it
// first: views of the levels, and the fast readers and writers of numerics/image.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/execute/launch_state.h"
#include "numerics/image/fast_read.h"
#include "numerics/image/fast_write.h"

namespace assay::interp {

// The part of the value of a sampled image.
constexpr std::uint64_t ImageOf(std::uint64_t value) { return value & 0xffffffff; }
constexpr std::uint64_t SamplerOf(std::uint64_t value) { return value >> 32; }

// An image, perhaps through a sampler, as one instruction uses it.
struct PreparedImage {
  std::uint64_t value = 0;
  const LaunchState::Image* image = nullptr;
  std::byte* data = nullptr;  // of the image's address
  SamplerDescriptor sampler;
  numerics::image::DataType type = numerics::image::DataType::kFloat;
  numerics::image::ElementLayout layout;
  // By level, or of a multisample image by sample.
  std::vector<numerics::image::ImageView> views;
  std::vector<numerics::image::FastReader> readers;
  std::optional<numerics::image::FastWriter> writer;
};

class Images {
 public:
  explicit Images(const LaunchState& launch);
  // Null for a value that names no image, or no sampler where the instruction has one.
  const PreparedImage* Find(const ImageCall& call, std::uint64_t place, std::uint64_t value);

 private:
  std::unique_ptr<PreparedImage> Prepare(const ImageCall& call, std::uint64_t value) const;

  const LaunchState& launch_;
  // By place in Program::image_calls; most instructions use one image.
  std::vector<std::vector<std::unique_ptr<PreparedImage>>> prepared_;
};

// What a value names, for a debugger: "2d 64x64 CL_RGBA CL_UNORM_INT8"; empty: nothing.
std::string DescribeImageValue(const LaunchState& launch, std::uint64_t value);
std::string DescribeSamplerValue(const LaunchState& launch, std::uint64_t value);

}  // namespace assay::interp
