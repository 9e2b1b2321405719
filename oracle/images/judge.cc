#include "oracle/images/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "numerics/image/enclosure.h"
#include "numerics/image/fast_read.h"
#include "oracle/images/suite.h"
#include "oracle/images/text.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::image::Color;
using numerics::image::FastReader;
using numerics::image::ReadResult;
using numerics::image::Undefined;

// The parts of a tally that all judges use.
class Recorder {
 public:
  Recorder(std::size_t most, ImageTally* tally) : most_(most), tally_(tally) {}

  void Fail(ImageSighting sighting, ImageFault fault) {
    ++tally_->failures;
    Record(std::move(sighting), fault);
  }
  void NotDeterministic(ImageSighting sighting) {
    ++tally_->not_deterministic;
    Record(std::move(sighting), ImageFault::kNotDeterministic);
  }
  void OutsideFloat(ImageSighting sighting) {
    ++tally_->outside_float;
    sighting.fault = ImageFault::kOutsideFloat;
    Keep(std::move(sighting), &tally_->outside_worst);
  }
  void Suite(bool accepted, const ImageSighting& sighting) {
    ++tally_->suite_asked;
    if (accepted) return;
    ++tally_->suite_failures;
    if (!tally_->suite_first) {
      tally_->suite_first = sighting;
      tally_->suite_first->fault = ImageFault::kNotBySuite;
    }
  }
  void Offer(const ImageSighting& sighting) { Keep(sighting, &tally_->worst); }

 private:
  static void Keep(ImageSighting sighting, std::optional<ImageSighting>* worst) {
    if (!*worst || sighting.error > (*worst)->error) *worst = std::move(sighting);
  }
  void Record(ImageSighting sighting, ImageFault fault) {
    sighting.fault = fault;
    if (tally_->recorded.size() < most_) tally_->recorded.push_back(std::move(sighting));
  }
  std::size_t most_;
  ImageTally* tally_;
};

Color ColorOf(const FourWords& words) { return {words[0], words[1], words[2], words[3]}; }

bool SameComponent(std::uint32_t a, std::uint32_t b, bool floating) {
  return a == b || (floating && IsNan(Format::kFloat, a) && IsNan(Format::kFloat, b));
}

double ErrorOf(std::uint32_t a, std::uint32_t b, numerics::image::DataType type) {
  if (type == numerics::image::DataType::kInt) {
    return std::fabs(static_cast<double>(static_cast<std::int32_t>(a)) -
                     static_cast<double>(static_cast<std::int32_t>(b)));
  }
  if (type == numerics::image::DataType::kUint) {
    return std::fabs(static_cast<double>(a) - static_cast<double>(b));
  }
  const bool nan_a = IsNan(Format::kFloat, a), nan_b = IsNan(Format::kFloat, b);
  if (nan_a && nan_b) return 0;
  if (nan_a || nan_b || IsFinite(Format::kFloat, a) != IsFinite(Format::kFloat, b)) {
    return std::numeric_limits<double>::infinity();
  }
  return static_cast<double>(
      std::labs(OrderedIndex(Format::kFloat, a) - OrderedIndex(Format::kFloat, b)));
}

// One request's reads.
class ReadJudge {
 public:
  ReadJudge(const ImageCase& asked, bool is_gpu, Recorder* recorder, ImageTally* tally)
      : asked_(asked),
        request_(asked.request),
        view_(ViewOf(request_, asked.texels.data())),
        reader_(view_, request_.sampler, request_.type),
        suite_(request_, asked.texels.data(), is_gpu),
        how_(HowText(request_)),
        components_(LayoutOf(request_.format)->scalar ? 1 : 4),
        defined_(!request_.sampled || IsExactSampler(request_.sampler)),
        recorder_(recorder),
        tally_(tally) {}

  void Judge(std::size_t k, const ReadAnswers& answers) {
    const FourWords& at = asked_.at[k];
    const ReadResult exact = Exact(at);
    ++tally_->answers;
    if (defined_) ++tally_->defined;
    ImageSighting sighting = Describe(at, answers.first[k], exact);
    if (answers.unwritten[k]) {
      sighting.error = std::numeric_limits<double>::infinity();
      recorder_->Fail(sighting, ImageFault::kNotWritten);
      recorder_->Suite(false, sighting);
      return;
    }
    Offer(sighting);
    bool conforms = JudgeOne(at, answers.first[k], exact, sighting);
    JudgeBySuite(k, answers.first[k], exact, sighting);
    if (SameColor(answers.first[k], answers.second[k])) return;
    ImageSighting again = Describe(at, answers.second[k], exact);
    again.before = sighting.observed;
    Offer(again);
    conforms = JudgeOne(at, answers.second[k], exact, again) && conforms;
    JudgeBySuite(k, answers.second[k], exact, again);
    if (conforms) recorder_->NotDeterministic(again);
  }

 private:
  ReadResult Exact(const FourWords& at) const {
    if (!request_.sampled) return reader_.ReadUnsampled(IntegersOf(at));
    return reader_.Read(CoordinatesOf(request_, at));
  }
  bool SameColor(const FourWords& a, const FourWords& b) const {
    for (std::size_t c = 0; c < components_; ++c) {
      if (!SameComponent(a[c], b[c], IsFloating(request_.type))) return false;
    }
    return true;
  }
  ImageSighting Describe(const FourWords& at, const FourWords& observed,
                         const ReadResult& exact) const {
    ImageSighting sighting = {.how = how_, .input = CoordinateText(request_, at)};
    FourWords right = {};
    for (std::size_t c = 0; c < components_; ++c) {
      right[c] = static_cast<std::uint32_t>(exact.color[c]);
      sighting.error = std::max(sighting.error, ErrorOf(observed[c], right[c], request_.type));
    }
    sighting.observed = ColorText(request_.type, std::span(observed).first(components_));
    sighting.expected = ColorText(request_.type, std::span(right).first(components_));
    return sighting;
  }

  // Where the text defines no precision, a neighbour of the element is as good as the element.
  void Offer(const ImageSighting& sighting) {
    if (defined_) recorder_->Offer(sighting);
  }

  // By the specification; false where it fails.
  bool JudgeOne(const FourWords& at, const FourWords& observed, const ReadResult& exact,
                const ImageSighting& sighting) {
    if (SameColor(observed, Right(exact))) return true;
    const Color color = ColorOf(observed);
    const bool allowed = Allows(at, color);
    if (allowed) return true;
    if (defined_) {
      recorder_->Fail(sighting, ImageFault::kNotAllowed);
    } else {
      recorder_->OutsideFloat(sighting);
    }
    return !defined_;
  }
  bool Allows(const FourWords& at, const Color& color) const {
    if (!request_.sampled)
      return AllowedOfUnsampled(view_, IntegersOf(at), request_.type).Contains(color);
    const auto coordinates = CoordinatesOf(request_, at);
    if (AllowedOfSampled(view_, request_.sampler, coordinates, request_.type).Contains(color)) {
      return true;
    }
    if (!defined_) return false;
    return AllowsBorderOfSrgb(coordinates, color) || AllowsFlushed(at, color);
  }
  // The border of CL_sRGB with alpha 0 or 1.
  bool AllowsBorderOfSrgb(const numerics::image::Coordinates& coordinates, Color color) const {
    if (request_.format.order != numerics::image::ChannelOrder::kSRGB) return false;
    if (SelectTaps(view_, request_.sampler, coordinates).taps[0].inside) return false;
    if (color[3] != 0 && color[3] != numerics::One(Format::kFloat)) return false;
    color[3] ^= numerics::One(Format::kFloat);
    return AllowedOfSampled(view_, request_.sampler, coordinates, request_.type).Contains(color);
  }
  // With subnormal coordinates as zeros.
  bool AllowsFlushed(FourWords at, const Color& color) const {
    if (request_.integers) return false;
    bool changed = false;
    for (std::uint32_t& coordinate : at) {
      if (!IsSubnormal(Format::kFloat, coordinate)) continue;
      coordinate = 0;
      changed = true;
    }
    return changed &&
           AllowedOfSampled(view_, request_.sampler, CoordinatesOf(request_, at), request_.type)
               .Contains(color);
  }
  // The exact answer is nobody's fault, also where the suite's float arithmetic selects another
  // element.
  void JudgeBySuite(std::size_t k, const FourWords& observed, const ReadResult& exact,
                    const ImageSighting& sighting) {
    if (!asked_.like_suite[k]) return;
    const auto accepted = suite_.AcceptsRead(asked_.at[k], ColorOf(observed));
    if (accepted) recorder_->Suite(*accepted || SameColor(observed, Right(exact)), sighting);
  }
  static FourWords Right(const ReadResult& exact) {
    FourWords right = {};
    for (std::size_t c = 0; c < 4; ++c) right[c] = static_cast<std::uint32_t>(exact.color[c]);
    return right;
  }

  const ImageCase& asked_;
  const ImageRequest& request_;
  numerics::image::ImageView view_;
  FastReader reader_;
  SuiteJudge suite_;
  std::string how_;
  std::size_t components_;
  bool defined_;
  Recorder* recorder_;
  ImageTally* tally_;
};

}  // namespace

ImageVerdict ImageTally::BySpecification() const {
  if (failures > 0) return ImageVerdict::kFail;
  if (not_deterministic > 0) return ImageVerdict::kNotDeterministic;
  return defined > 0 ? ImageVerdict::kPass : ImageVerdict::kNotDefined;
}

ImageVerdict ImageTally::BySuite() const {
  if (suite_failures > 0) return ImageVerdict::kFail;
  if (suite_asked == 0) return ImageVerdict::kNotAsked;
  return not_deterministic > 0 ? ImageVerdict::kNotDeterministic : ImageVerdict::kPass;
}

void JudgeReads(const ImageCase& asked, const ReadAnswers& answers, bool is_gpu,
                std::size_t max_failures, ImageTally* tally) {
  Recorder recorder(max_failures, tally);
  ReadJudge judge(asked, is_gpu, &recorder, tally);
  for (std::size_t k = 0; k < asked.at.size(); ++k) judge.Judge(k, answers);
}

void JudgeQuery(const ImageRequest& request, std::span<const std::uint32_t> answers,
                std::size_t max_failures, ImageTally* tally) {
  const int dimensions = DimensionsOf(request.shape);
  const std::uint32_t height = dimensions > 1 ? request.size[1] : 0;
  const std::uint32_t depth = dimensions > 2 ? request.size[2] : 0;
  const std::uint32_t layers = IsArray(request.shape) ? request.layers : 0;
  const std::uint32_t order = ClNumber(request.format.order), type = ClNumber(request.format.type);
  const std::uint32_t x = dimensions > 1 ? request.size[0] : 0;
  const auto bytes = static_cast<std::uint32_t>(LayoutOf(request.format)->bytes);
  // In the order of ImageQuestion.
  const std::array<std::uint32_t, kQueryCount> expected = {
      request.size[0], height, depth,           layers, order, type,   x,     height,
      depth,           bytes,  request.size[0], height, depth, layers, order, type};
  Recorder recorder(max_failures, tally);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    ++tally->answers;
    ++tally->defined;
    const ImageSighting sighting = {
        .how = HowText(request),
        .input = std::string(QuestionText(static_cast<ImageQuestion>(k))),
        .observed = fmt::format("{}", answers[k]),
        .expected = fmt::format("{}", expected[k]),
        .error = answers[k] == expected[k] ? 0 : std::numeric_limits<double>::infinity()};
    recorder.Suite(answers[k] == expected[k], sighting);
    if (answers[k] != expected[k]) {
      recorder.Offer(sighting);
      recorder.Fail(sighting, ImageFault::kWrongQuery);
    }
  }
}

void JudgeFormats(const ImageAbilities& abilities, ImageShape shape, std::size_t max_failures,
                  ImageTally* tally) {
  using numerics::image::ChannelOrder;
  using numerics::image::FormatList;
  const std::uint64_t version = abilities.Of(ImageAbility::kVersion);
  const FormatList list =
      version >= 200 && version < 300 ? FormatList::kReadOrWrite20 : FormatList::kReadOrWrite;
  Recorder recorder(max_failures, tally);
  for (const bool write : {false, true}) {
    // Writes to 3D images are optional.
    if (write && shape == ImageShape::k3D && abilities.Of(ImageAbility::kWrites3D) == 0) continue;
    const auto& listed = abilities.ListOf(shape, write);
    for (int o = 0; o < numerics::image::kChannelOrders; ++o) {
      for (const auto type : numerics::image::kAllChannelTypes) {
        const numerics::image::ImageFormat format = {static_cast<ChannelOrder>(o), type};
        if (!IsRequired(format, list) || format.order == ChannelOrder::kDepthStencil) continue;
        const bool flat = shape == ImageShape::k2D || shape == ImageShape::k2DArray;
        if (format.order == ChannelOrder::kDepth && !flat) continue;
        // "image write support is not required" (footnote of the list).
        if (write && IsSrgb(format.order)) continue;
        const ImageAbilities::Listed wanted = {ClNumber(format.order), ClNumber(type)};
        const bool found = std::find(listed.begin(), listed.end(), wanted) != listed.end();
        ++tally->answers;
        ++tally->defined;
        const ImageSighting sighting = {
            .how = write ? "CL_MEM_WRITE_ONLY" : "CL_MEM_READ_ONLY",
            .input = FormatText(wanted),
            .observed = found ? "listed" : "not listed",
            .expected = "listed",
            .error = found ? 0 : std::numeric_limits<double>::infinity()};
        recorder.Suite(found, sighting);
        if (!found) recorder.Fail(sighting, ImageFault::kFormatMissing);
      }
    }
  }
}

}  // namespace assay::oracle
