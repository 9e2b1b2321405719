// Images and samplers in kernels.  Values are those of the formulas of OpenCL C chapter 8, by hand;
// testsuites/opcodes compares many more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "interp/testing/launch.h"
#include "numerics/image/encode.h"

namespace assay::interp {
namespace {

namespace ni = numerics::image;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Made {
  TestSession session;
  Made(const std::string& source, const SessionOptions& options = {}) {
    auto made = TestSession::FromC(source, options);
    EXPECT_TRUE(made) << made.error().message;
    if (made) session = std::move(*made);
  }
  ImageArgument Image(const ImageDescriptor& image, std::vector<std::uint8_t> bytes = {}) {
    const std::uint64_t size = ImageBytes(image);
    auto address = session.memory().Allocate(size, AddressSpace::kGlobal, "image");
    EXPECT_TRUE(address);
    bytes.resize(size);
    std::memcpy(session.memory().Bytes(*address).data(), bytes.data(), size);
    return {*address, image};
  }
  std::vector<std::uint8_t> Bytes(const ImageArgument& image) {
    std::vector<std::uint8_t> bytes(ImageBytes(image.image));
    std::memcpy(bytes.data(), session.memory().Bytes(image.address).data(), bytes.size());
    return bytes;
  }
  LaunchResult Run(std::vector<Argument> arguments, std::uint64_t items = 1) {
    auto result = session.Launch(std::move(arguments), items);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : LaunchResult{};
  }
};

std::vector<std::string> RulesOf(const LaunchResult& result) {
  std::vector<std::string> rules;
  for (const Finding& finding : result.findings) rules.emplace_back(NameOf(finding.rule));
  return rules;
}

constexpr ni::ImageFormat kRgba8 = {ni::ChannelOrder::kRGBA, ni::ChannelType::kUnormInt8};

SamplerArgument Sampler(ni::AddressMode address, ni::FilterMode filter, bool normalized) {
  return {{.sampler = {address, filter, normalized}, .mip = {}}};
}

TEST(Images, AreReadWithoutSampler) {
  Made made(R"(
kernel void k(read_only image2d_t image, global float4* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, (int2)(i % 2, i / 2));
})");
  const ImageArgument image = made.Image({.format = kRgba8, .size = {2, 2, 1}},
                                         {0, 51, 102, 255, 255, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8});
  const BufferArgument out = made.session.Buffer<float>(std::vector<float>(16));
  EXPECT_THAT(made.Run({image, out}, 4).findings, IsEmpty());
  const auto is = made.session.Read<float>(out);
  EXPECT_THAT(std::vector<float>(is.begin(), is.begin() + 8),
              ElementsAre(0, 0.2f, 0.4f, 1, 1, 0, 0, 0));
  EXPECT_EQ(is[8], 1 / 255.0f);
  EXPECT_EQ(is[15], 8 / 255.0f);
}

TEST(Images, AreFiltered) {
  Made made(R"(
kernel void k(read_only image1d_t image, sampler_t s, global float* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, s, i * 0.25f).x;
})");
  const ImageArgument image =
      made.Image({.shape = ImageShape::k1D,
                  .format = {ni::ChannelOrder::kR, ni::ChannelType::kUnormInt8},
                  .size = {2, 1, 1}},
                 {0, 255});
  const BufferArgument out = made.session.Buffer<float>(std::vector<float>(5));
  // Elements at 0.25 and 0.75 of normalized coordinates.
  made.Run({image, Sampler(ni::AddressMode::kClampToEdge, ni::FilterMode::kLinear, true), out}, 5);
  EXPECT_THAT(made.session.Read<float>(out), ElementsAre(0, 0, 0.5f, 1, 1));
  made.Run({image, Sampler(ni::AddressMode::kRepeat, ni::FilterMode::kLinear, true), out}, 5);
  EXPECT_THAT(made.session.Read<float>(out), ElementsAre(0.5f, 0, 0.5f, 1, 0.5f));
  made.Run({image, Sampler(ni::AddressMode::kClamp, ni::FilterMode::kNearest, false), out}, 5);
  EXPECT_THAT(made.session.Read<float>(out), ElementsAre(0, 0, 0, 0, 1));
}

TEST(Images, HaveLiteralSamplersAndCalls) {
  Made made(R"(
constant sampler_t program = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
float f(read_only image2d_t image, sampler_t s, float x) {
  return read_imagef(image, s, (float2)(x, 0.5f)).x;
}
kernel void k(read_only image2d_t image, sampler_t argument, global float* out) {
  const sampler_t local_one = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
  out[0] = f(image, program, 1.75f);
  out[1] = f(image, local_one, 1.0f);
  out[2] = f(image, argument, 1.0f);
})");
  const ImageArgument image = made.Image(
      {.format = {ni::ChannelOrder::kR, ni::ChannelType::kUnormInt8}, .size = {2, 1, 1}}, {0, 255});
  const BufferArgument out = made.session.Buffer<float>(std::vector<float>(3));
  made.Run({image, Sampler(ni::AddressMode::kClamp, ni::FilterMode::kNearest, false), out});
  EXPECT_THAT(made.session.Read<float>(out), ElementsAre(1, 0.5f, 1));
}

TEST(Images, AreWritten) {
  Made made(R"(
kernel void k(write_only image2d_array_t image) {
  int i = get_global_id(0);
  write_imagef(image, (int4)(i, 0, 1, 0), (float4)(i * 0.5f, 1, 2, -1));
})");
  const ImageArgument image =
      made.Image({.shape = ImageShape::k2DArray, .format = kRgba8, .size = {3, 1, 1}, .layers = 2});
  EXPECT_THAT(made.Run({image}, 3).findings, IsEmpty());
  EXPECT_THAT(made.Bytes(image), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0,
                                             128, 255, 255, 0, 255, 255, 255, 0));
}

TEST(Images, AreAsked) {
  Made made(R"(
kernel void k(read_only image2d_array_t a, read_only image3d_t b, read_only image1d_buffer_t c,
              global int* out) {
  out[0] = get_image_width(a);
  out[1] = get_image_height(a);
  out[2] = get_image_array_size(a);
  out[3] = get_image_depth(b);
  out[4] = get_image_dim(b).y;
  out[5] = get_image_width(c);
  out[6] = get_image_channel_data_type(a) == CLK_UNORM_INT8;
  out[7] = get_image_channel_data_type(c);
})");
  const BufferArgument out = made.session.Buffer<int>(std::vector<int>(8));
  const ImageArgument a =
      made.Image({.shape = ImageShape::k2DArray, .format = kRgba8, .size = {3, 5, 1}, .layers = 2});
  const ImageArgument b =
      made.Image({.shape = ImageShape::k3D, .format = kRgba8, .size = {3, 4, 7}});
  const ImageArgument c = made.Image({.shape = ImageShape::k1DBuffer,
                                      .format = {ni::ChannelOrder::kR, ni::ChannelType::kFloat},
                                      .size = {11, 1, 1}});
  made.Run({a, b, c, out});
  EXPECT_THAT(made.session.Read<int>(out), ElementsAre(3, 5, 2, 7, 4, 11, 1, 0x10DE));
}

// clang-22 leaves two functions as calls.
TEST(Images, FunctionsThatAreNoInstructionsAreExecuted) {
  if (!frontend::HasCompiler(frontend::Compiler::kClang22)) GTEST_SKIP() << "clang-22 is missing";
  const std::string source = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(read_only image2d_t image, sampler_t s, global float* out) {
  out[0] = read_imageh(image, s, (float2)(0.75f, 0.5f)).x;
  out[1] = get_image_channel_order(image) == CLK_RGBA;
})";
  auto compiled = frontend::CompileSource(source, "kernel.cl", "",
                                          {.compiler = frontend::Compiler::kClang22,
                                           .options_from = frontend::OptionsFrom::kCommandLine,
                                           .use_cache = false});
  ASSERT_TRUE(compiled) << compiled.error().message;
  auto session = TestSession::FromBinary(compiled->binary, {});
  ASSERT_TRUE(session) << session.error().message;
  const ImageDescriptor descriptor{.format = kRgba8, .size = {2, 1, 1}};
  auto address = session->memory().Allocate(8, AddressSpace::kGlobal, "image");
  ASSERT_TRUE(address);
  session->memory().Bytes(*address)[4] = std::byte{255};
  const BufferArgument out = session->Buffer<float>(std::vector<float>(2));
  const auto result =
      session->Launch({ImageArgument{*address, descriptor},
                       Sampler(ni::AddressMode::kClamp, ni::FilterMode::kNearest, true), out});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(session->Read<float>(out), ElementsAre(1, 1));
}

TEST(Images, OutsideIsFound) {
  const std::string source = R"(
kernel void k(read_only image2d_t in, write_only image2d_t image, global float* out) {
  int i = get_global_id(0);
  float4 c = read_imagef(in, (int2)(i, 0));
  if (i < 2) out[i] = c.x;
  write_imagef(image, (int2)(i, 0), (float4)(1));
})";
  const SessionOptions options{.detectors = DetectorSet::All()};
  Made made(source, options);
  const ImageArgument in = made.Image({.format = kRgba8, .size = {2, 2, 1}});
  const ImageArgument out = made.Image({.format = kRgba8, .size = {3, 2, 1}});
  const BufferArgument buffer = made.session.Buffer<float>(std::vector<float>(4));
  EXPECT_THAT(RulesOf(made.Run({in, out, buffer}, 3)), IsEmpty()) << "the value is not used";
  EXPECT_THAT(RulesOf(made.Run({in, in, buffer}, 2)),
              ElementsAre("image-two-arguments", "image-two-arguments"));
  const LaunchResult result = made.Run({in, out, buffer}, 4);
  EXPECT_THAT(RulesOf(result), ElementsAre("image-write-outside"));
  EXPECT_THAT(result.findings.at(0).message, HasSubstr("at (3, 0)"));
}

TEST(Images, UndefinedElementsAreFound) {
  Made made(R"(
kernel void k(read_only image2d_t in, sampler_t s, global float* out) {
  int i = get_global_id(0);
  float4 c = read_imagef(in, s, (float2)(i + 0.75f, 0.5f));
  if (i != 1) c.x = 0;
  if (c.x > 0.5f) out[i] = 1;
})",
            {.detectors = DetectorSet::All()});
  const ImageArgument in = made.Image({.format = kRgba8, .size = {4, 1, 1}});
  ASSERT_TRUE(made.session.memory().MakeUndefined(in.address));
  const BufferArgument buffer = made.session.Buffer<float>(std::vector<float>(4));
  EXPECT_THAT(
      RulesOf(made.Run(
          {in, Sampler(ni::AddressMode::kClamp, ni::FilterMode::kLinear, false), buffer}, 4)),
      ElementsAre("uninitialized-value"));
}

TEST(Images, WhatAWorkItemWroteNeedsAFence) {
  const auto rules = [](const std::string& between) {
    Made made(
        "kernel void k(read_write image2d_t image, global float* out) {\n"
        "int2 at = (int2)(get_global_id(0), 0);\n"
        "write_imagef(image, at, (float4)(1));\n" +
            between + "\n" + "out[at.x] = read_imagef(image, at).x;\n}\n",
        {.detectors = DetectorSet::All()});
    const ImageArgument image = made.Image({.format = kRgba8, .size = {4, 1, 1}});
    const BufferArgument buffer = made.session.Buffer<float>(std::vector<float>(4));
    return RulesOf(made.Run({image, buffer}, 4));
  };
  EXPECT_THAT(rules(""), ElementsAre("image-fence"));
  EXPECT_THAT(rules("barrier(CLK_GLOBAL_MEM_FENCE);"), ElementsAre("image-fence"));
  EXPECT_THAT(rules("barrier(CLK_IMAGE_MEM_FENCE);"), IsEmpty());
  EXPECT_THAT(rules("atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, "
                    "memory_scope_work_item);"),
              IsEmpty());
  EXPECT_THAT(rules("atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, "
                    "memory_scope_device);"),
              ElementsAre("image-fence-scope"));
}

TEST(Images, RacesAreFound) {
  const auto rules = [](const std::string& between) {
    Made made(
        "kernel void k(read_write image2d_t image, global float* out) {\n"
        "int i = get_global_id(0);\n"
        "write_imagef(image, (int2)(i, 0), (float4)(i * 0.25f));\n" +
            between + "\n" + "out[i] = read_imagef(image, (int2)(3 - i, 0)).x;\n}\n",
        {.detectors = DetectorSet::All()});
    const ImageArgument image = made.Image({.format = kRgba8, .size = {4, 1, 1}});
    const BufferArgument buffer = made.session.Buffer<float>(std::vector<float>(4));
    return RulesOf(made.Run({image, buffer}, 4));
  };
  EXPECT_THAT(rules(""), ElementsAre("race-nonatomic"));
  EXPECT_THAT(rules("barrier(CLK_GLOBAL_MEM_FENCE);"), ElementsAre("race-fence-flags"));
  EXPECT_THAT(rules("barrier(CLK_IMAGE_MEM_FENCE);"), IsEmpty());
}

TEST(Images, NothingOrdersABufferAndItsImage) {
  Made made(R"(
kernel void k(write_only image1d_buffer_t image, global float* data, global float* out) {
  int i = get_global_id(0);
  write_imagef(image, i, (float4)(i));
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE);
  out[i] = data[3 - i];
})",
            {.detectors = DetectorSet::All()});
  const ImageArgument image = made.Image({.shape = ImageShape::k1DBuffer,
                                          .format = {ni::ChannelOrder::kR, ni::ChannelType::kFloat},
                                          .size = {4, 1, 1}});
  const BufferArgument out = made.session.Buffer<float>(std::vector<float>(4));
  EXPECT_THAT(RulesOf(made.Run({image, BufferArgument{image.address}, out}, 4)),
              ElementsAre("image-buffer-overlap"));
}

TEST(Images, MustFitTheirParameters) {
  Made made("kernel void k(read_only image2d_t image, sampler_t s) {}\n");
  const ImageArgument image = made.Image({.format = kRgba8, .size = {2, 2, 1}});
  const SamplerArgument sampler = Sampler(ni::AddressMode::kClamp, ni::FilterMode::kNearest, false);
  const auto error = [&](std::vector<Argument> arguments) {
    auto result = made.session.Launch(std::move(arguments));
    return result ? std::string() : result.error().message;
  };
  EXPECT_EQ(error({image, sampler}), "");
  EXPECT_THAT(error({sampler, sampler}), HasSubstr("argument 0"));
  EXPECT_THAT(error({image, image}), HasSubstr("must be a sampler"));
  EXPECT_THAT(error({BufferArgument{image.address}, sampler}), HasSubstr("must be a 2d image"));
  ImageArgument other = image;
  other.image.shape = ImageShape::k2DArray;
  EXPECT_THAT(error({other, sampler}), HasSubstr("must be a 2d image, not 2d_array 2x2"));
  other = image;
  other.image.size[0] = 0;
  EXPECT_THAT(error({other, sampler}), HasSubstr("the width of a 2d image must be 1 to"));
  other.image.size[0] = 70000;
  EXPECT_THAT(error({other, sampler}), HasSubstr("the width of a 2d image must be 1 to"));
  other.image.size[0] = 4096;
  EXPECT_THAT(error({other, sampler}), HasSubstr("memory that has its 32768 bytes"));
  other = image;
  other.image.format.order = ni::ChannelOrder::kDepth;
  EXPECT_THAT(error({other, sampler}), HasSubstr("another channel order"));
  other = image;
  other.image.samples = 2;
  EXPECT_THAT(error({other, sampler}), HasSubstr("one sample"));
}

}  // namespace
}  // namespace assay::interp
