#include "interp/execute/image_faults.h"

#include <fmt/format.h>

#include "interp/execute/execute.h"
#include "interp/execute/race_view.h"

namespace assay::interp {

using numerics::image::Undefined;

namespace {

Rule RuleOf(Undefined undefined, bool writes) {
  switch (undefined) {
    case Undefined::kNo:
    case Undefined::kCoordinateNotFinite:
      return Rule::kImageCoordinate;
    case Undefined::kCoordinateBeyondInt:
    case Undefined::kNotFiniteToNormalized:
      return Rule::kImageConversion;
    case Undefined::kOutside:
      return writes ? Rule::kImageWriteOutside : Rule::kImageReadOutside;
    case Undefined::kLayerOutside:
      return writes ? Rule::kImageWriteOutside : Rule::kImageLayer;
    case Undefined::kRepeatUnnormalized:
      return Rule::kImageRepeat;
    case Undefined::kIntegerCoordinate:
      return Rule::kImageIntegerCoordinate;
    case Undefined::kLinearOfIntegers:
      return Rule::kImageLinearInteger;
    case Undefined::kLinearOfInfinityOrNan:
      return Rule::kImageFilterNan;
    case Undefined::kWrongResultType:
    case Undefined::kHalfOfFloat:
    case Undefined::kWrongWriteType:
      return Rule::kImageChannelType;
    case Undefined::kLevelOfDetailNotFinite:
      return Rule::kImageLevel;
  }
  return Rule::kImageCoordinate;
}

}  // namespace

ImageFault FaultOf(Undefined undefined, bool writes) {
  const Rule rule = RuleOf(undefined, writes);
  const bool leaves_open = RowOf(rule).finding_class == FindingClass::kUndefinedValue;
  return {rule, leaves_open && !writes, numerics::image::Explain(undefined)};
}

ImageFault LevelFault(bool is_unnormalized) {
  return {Rule::kImageLevel, false,
          is_unnormalized
              ? "an image with several levels is read through a sampler whose coordinates are not "
                "normalized (OpenCL C 6.15.15.2)"
              : "the image does not have this level (OpenCL C 6.15.15.4)"};
}

ImageFault SampleFault() {
  return {Rule::kImageSample, true,
          "a location outside of the multisample image, or a sample that it does not have "
          "(OpenCL C 6.15.15.3)"};
}

std::string DescribeFault(const Batch& batch, const PreparedImage& image, const ImageFault& fault,
                          const std::string& location) {
  const Region* region = batch.FindRegion(image.image->address);
  return fmt::format("image '{}' ({}) at {}: {}",
                     batch.worker->launch().memory->NameOf(region->object),
                     DescribeImage(image.image->image), location, fault.text);
}

void ReportFault(Batch& batch, const FlatInstruction& in, int lane, const PreparedImage& image,
                 const ImageFault& fault, const std::string& location) {
  const auto detector = RowOf(fault.rule).detector;
  if (detector && !batch.program->detectors.Has(*detector)) return;
  if (batch.worker->CountAgain(fault.rule, in.place)) return;
  batch.worker->Report(batch, in.place, lane, fault.rule,
                       DescribeFault(batch, image, fault, location));
}

void ReportNoImage(Batch& batch, const FlatInstruction& in, int lane) {
  if (batch.worker->CountAgain(Rule::kMemoryWild, in.place)) return;
  batch.worker->Report(batch, in.place, lane, Rule::kMemoryWild,
                       "an image or sampler that is no argument of the kernel");
}

void ReportConflict(Batch& batch, const FlatInstruction& in, int lane, const PreparedImage& image) {
  const LaunchState::Image& is = *image.image;
  if (!batch.program->detectors.Has(Detector::kImages) ||
      batch.worker->CountAgain(Rule::kImageTwoArguments, in.place)) {
    return;
  }
  const LaunchState& launch = batch.worker->launch();
  const Region* region = batch.FindRegion(is.address);
  batch.worker->Report(
      batch, in.place, lane, Rule::kImageTwoArguments,
      fmt::format("image '{}' ({}) is argument {} and argument {} of the kernel, which may be "
                  "only if it is read_only as both",
                  launch.memory->NameOf(region->object), DescribeImage(is.image), is.parameter,
                  is.conflict));
}

bool IsWatchedForRaces(const Batch& batch, const Region& region) {
  return batch.race->cells[region.address >> batch.place_bits].write != nullptr;
}

}  // namespace assay::interp
