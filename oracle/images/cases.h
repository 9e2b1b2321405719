// The requests of a row: images, coordinates and colors.
//
// A request is a function of row, level and seed alone, so a row that is asked for by its name
// gives its figures again.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "oracle/devices/image_request.h"
#include "oracle/images/row.h"
#include "oracle/inputs/inputs.h"

namespace assay::oracle {

using FourWords = std::array<std::uint32_t, 4>;

struct ImageCase {
  ImageRequest request;
  std::vector<std::byte> texels;  // kRead: the content.  kWrite: nothing
  std::vector<FourWords> at;      // coordinates, one a read or write
  std::vector<FourWords> colors;  // kWrite
  // Of reads: the conformance suite makes such coordinates (suite.h).
  std::vector<bool> like_suite;
};

std::vector<ImageCase> CasesOf(const ImageRow& row, Level level, std::uint64_t seed);

// The view of a case's image.
numerics::image::ImageView ViewOf(const ImageRequest& request, const std::byte* texels);
numerics::image::Coordinates CoordinatesOf(const ImageRequest& request, const FourWords& at);
std::array<std::int32_t, 4> IntegersOf(const FourWords& at);

// The content of an image: every code of channels that have fewer codes than the image has
// elements, else the ends and random ones.  `finite`: no INF, NaN or subnormal, and nothing whose
// sum with others could overflow.
std::vector<std::byte> Texels(const ImageRequest& request, bool finite, std::uint64_t key);
// The coordinates of reads with a sampler; every one is defined by the text.
void AddCoordinates(std::size_t count, std::uint64_t key, ImageCase* asked);
// Colors that are written: ends, ties between codes, values out of range, random.
FourWords ColorFor(const ImageRequest& request, std::size_t number, std::uint64_t key);

}  // namespace assay::oracle
