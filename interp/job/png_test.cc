// The files of testsuites/images/png, which make_png.py writes without libpng, are what it says.
#include "interp/job/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "base/file.h"

namespace assay::interp {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kWidth = 5, kHeight = 3;
constexpr std::uint64_t kLimit = 1 << 20;

std::string FileOf(const std::string& name) {
  return base::ReadWholeFile(std::string(ASSAY_SOURCE_DIR) + "/testsuites/images/png/" + name)
      .value_or("");
}

// make_png.py's `sample`.
unsigned SampleOf(unsigned x, unsigned y, unsigned c, int bits) {
  return ((x * 50 + y * 20 + c * 7 + 3) * 257 & 0xffff) % (1u << bits);
}

PngImage Decoded(const std::string& name, int channels, int bits) {
  const auto image = DecodePng(FileOf(name), kLimit);
  EXPECT_TRUE(image) << name << ": " << image.error().message;
  if (!image) return {};
  EXPECT_EQ(image->width, kWidth) << name;
  EXPECT_EQ(image->height, kHeight) << name;
  EXPECT_EQ(image->channels, channels) << name;
  EXPECT_EQ(image->bits, bits) << name;
  EXPECT_EQ(image->samples.size(), kWidth * kHeight * static_cast<unsigned>(channels * bits / 8));
  return *image;
}

std::vector<unsigned> SamplesOf(const PngImage& image) {
  std::vector<unsigned> samples;
  const std::size_t bytes = static_cast<std::size_t>(image.bits / 8);
  for (std::size_t i = 0; i + bytes <= image.samples.size(); i += bytes) {
    samples.push_back(static_cast<unsigned>(image.samples[i]));
    if (bytes == 2) samples.back() |= static_cast<unsigned>(image.samples[i + 1]) << 8;
  }
  return samples;
}

template <typename Sample>
std::vector<unsigned> Wanted(unsigned channels, Sample sample) {
  std::vector<unsigned> samples;
  for (unsigned y = 0; y < kHeight; ++y) {
    for (unsigned x = 0; x < kWidth; ++x) {
      for (unsigned c = 0; c < channels; ++c) samples.push_back(sample(x, y, c));
    }
  }
  return samples;
}

TEST(PngTest, SamplesAreTakenAsTheyAre) {
  struct Row {
    const char* name;
    int channels, bits;
  };
  for (const Row& row :
       {Row{"gray_8.png", 1, 8}, Row{"gray_16.png", 1, 16}, Row{"gray_alpha_8.png", 2, 8},
        Row{"rgb_8.png", 3, 8}, Row{"rgb_16.png", 3, 16}, Row{"rgba_8.png", 4, 8},
        Row{"rgba_16.png", 4, 16}, Row{"rgba_8_interlaced.png", 4, 8}}) {
    EXPECT_EQ(
        SamplesOf(Decoded(row.name, row.channels, row.bits)),
        Wanted(static_cast<unsigned>(row.channels),
               [&](unsigned x, unsigned y, unsigned c) { return SampleOf(x, y, c, row.bits); }))
        << row.name;
  }
}

TEST(PngTest, BitsAndPalettesAreExpanded) {
  EXPECT_EQ(SamplesOf(Decoded("gray_1.png", 1, 8)),
            Wanted(1, [](unsigned x, unsigned y, unsigned) { return 255 * SampleOf(x, y, 0, 1); }));
  constexpr unsigned kColors[4][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {10, 20, 30}};
  constexpr unsigned kAlpha[4] = {255, 128, 0, 255};
  EXPECT_EQ(SamplesOf(Decoded("palette_2.png", 3, 8)),
            Wanted(3, [&](unsigned x, unsigned y, unsigned c) {
              return kColors[SampleOf(x, y, 0, 2)][c];
            }));
  EXPECT_EQ(SamplesOf(Decoded("palette_2_alpha.png", 4, 8)),
            Wanted(4, [&](unsigned x, unsigned y, unsigned c) {
              const unsigned index = SampleOf(x, y, 0, 2);
              return c == 3 ? kAlpha[index] : kColors[index][c];
            }));
}

TEST(PngTest, WrongFilesAreErrors) {
  struct Row {
    const char* name;
    const char* message;
  };
  for (const Row& row : {Row{"damaged.png", "damaged PNG"}, Row{"cut_off.png", "ends too early"},
                         Row{"../README.md", "no PNG file"}}) {
    const auto image = DecodePng(FileOf(row.name), kLimit);
    ASSERT_FALSE(image) << row.name;
    EXPECT_EQ(image.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(image.error().message, HasSubstr(row.message)) << row.name;
  }
  EXPECT_FALSE(DecodePng("", kLimit));
  // 2000000000 x 2000000000 elements: refused before anything of that size is allocated.
  const auto large = DecodePng(FileOf("too_large.png"), kLimit);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, ErrorKind::kDevice);
  EXPECT_THAT(large.error().message, HasSubstr("2000000000x2000000000"));
  // Just too little.
  EXPECT_FALSE(DecodePng(FileOf("rgba_8.png"), kWidth * kHeight * 4));
}

TEST(PngTest, AnyPrefixIsAnError) {
  const std::string whole = FileOf("rgba_8.png");
  // The last chunk, IEND, has 12 bytes.
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(DecodePng(std::string_view(whole).substr(0, size), kLimit)) << size;
  }
}

TEST(PngTest, WhatIsWrittenIsReadAgain) {
  for (const char* name :
       {"gray_8.png", "gray_16.png", "gray_alpha_8.png", "rgb_16.png", "rgba_8.png"}) {
    const auto image = DecodePng(FileOf(name), kLimit);
    ASSERT_TRUE(image) << name;
    const auto file = EncodePng(*image, false);
    ASSERT_TRUE(file) << name;
    const auto again = DecodePng(*file, kLimit);
    ASSERT_TRUE(again) << name;
    EXPECT_EQ(again->channels, image->channels);
    EXPECT_EQ(again->bits, image->bits);
    EXPECT_EQ(again->samples, image->samples);
  }
}

}  // namespace
}  // namespace assay::interp
