// PNG files as the content of images, and images as PNG files.
//
// A PNG file is a plane: the rows of an image, of a layer or of a slice.  Several planes lie below
// one another in one file, or each has its own.  Samples are stored as they are in channels of as
// many bits; channels of more bits or of floats get the same fraction of the highest value.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "interp/job/image_content.h"
#include "interp/job/png.h"

namespace assay::interp {

// Reads the request's files, and sets what it leaves open: size, order and type.
Expected<std::vector<PngImage>> ReadPngs(ImageRequest* request, std::uint64_t limit);

// kUsage for files of another size, or whose samples do not fit the format.
Expected<Content> PngContent(const ImageDescriptor& image, std::span<const PngImage> files,
                             std::span<const std::string> paths);

}  // namespace assay::interp
