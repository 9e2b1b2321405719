// What is wrong with a read or write of an image: rules, and their messages.
#pragma once

#include <string>
#include <string_view>

#include "interp/execute/batch.h"
#include "interp/execute/images.h"
#include "interp/rules/rule.h"
#include "numerics/image/undefined.h"

namespace assay::interp {

struct ImageFault {
  Rule rule{};
  bool leaves_open = false;  // the value is undefined, and not the behaviour
  std::string_view text;     // a sentence
};

ImageFault FaultOf(numerics::image::Undefined undefined, bool writes);
// A level that the image does not have; or levels read with coordinates that are not normalized.
ImageFault LevelFault(bool is_unnormalized);
// A sample or location outside of a multisample image.
ImageFault SampleFault();

// "image 'in' (2d 4x4 CL_RGBA CL_UNORM_INT8) at (5, 3): ...".
std::string DescribeFault(const Batch& batch, const PreparedImage& image, const ImageFault& fault,
                          const std::string& location);
void ReportFault(Batch& batch, const FlatInstruction& instruction, int lane,
                 const PreparedImage& image, const ImageFault& fault, const std::string& location);
// A value that names no image of the launch.
void ReportNoImage(Batch& batch, const FlatInstruction& instruction, int lane);
// The same image is another argument, too, and one of them may be written.
void ReportConflict(Batch& batch, const FlatInstruction& instruction, int lane,
                    const PreparedImage& image);

// Whether accesses to the memory are recorded.
bool IsWatchedForRaces(const Batch& batch, const Region& region);

}  // namespace assay::interp
