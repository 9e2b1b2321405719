// Verdicts about writes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/image/encode.h"
#include "oracle/images/judge.h"
#include "oracle/images/suite.h"
#include "oracle/images/text.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::image::ChannelKind;
using numerics::image::Color;
using numerics::image::ElementLayout;

// One request's writes.
class WriteJudge {
 public:
  WriteJudge(const ImageCase& asked, std::size_t most, ImageTally* tally)
      : asked_(asked),
        layout_(*LayoutOf(asked.request.format)),
        used_(UsedBits(layout_)),
        bytes_(static_cast<std::size_t>(layout_.bytes)),
        how_(HowText(asked.request)),
        most_(most),
        tally_(tally) {}

  void Judge(const WriteAnswers& answers) {
    std::vector<bool> meant(answers.first.size() / bytes_);
    for (std::size_t k = 0; k < asked_.at.size(); ++k) {
      const std::size_t element = ElementOf(asked_.at[k]);
      meant[element] = true;
      JudgeOne(k, element, answers);
    }
    for (std::size_t element = 0; element < meant.size(); ++element) {
      if (!meant[element]) JudgeUntouched(element, answers);
    }
  }

 private:
  std::size_t ElementOf(const FourWords& at) const {
    const auto view = ViewOf(asked_.request, nullptr);
    std::size_t element = 0, step = 1, next = 0;
    for (; next < static_cast<std::size_t>(view.dimensions); ++next) {
      element += at[next] * step;
      step *= asked_.request.size[next];
    }
    return IsArray(asked_.request.shape) ? element + at[next] * step : element;
  }
  const std::byte* At(const std::vector<std::byte>& texels, std::size_t element) const {
    return texels.data() + element * bytes_;
  }
  bool Same(const std::byte* a, const std::byte* b) const {
    for (std::size_t n = 0; n < bytes_; ++n) {
      if ((a[n] & used_[n]) != (b[n] & used_[n])) return false;
    }
    return true;
  }

  double ErrorOf(const std::byte* observed, const std::byte* expected) const {
    double error = 0;
    const ChannelKind kind = KindOf(asked_.request.format.type);
    for (std::size_t f = 0; f < static_cast<std::size_t>(layout_.fields); ++f) {
      const auto field = layout_.field[f];
      const std::uint64_t a = ReadField(observed, field), b = ReadField(expected, field);
      double distance = std::fabs(static_cast<double>(a) - static_cast<double>(b));
      if (kind == ChannelKind::kSnorm || kind == ChannelKind::kSigned) {
        distance = std::fabs(static_cast<double>(numerics::image::SignExtend(a, field.width)) -
                             static_cast<double>(numerics::image::SignExtend(b, field.width)));
      } else if (kind == ChannelKind::kHalf || kind == ChannelKind::kFloat) {
        const Format format = kind == ChannelKind::kHalf ? Format::kHalf : Format::kFloat;
        const bool nan_a = IsNan(format, a), nan_b = IsNan(format, b);
        distance =
            static_cast<double>(std::labs(OrderedIndex(format, a) - OrderedIndex(format, b)));
        if (nan_a != nan_b) distance = std::numeric_limits<double>::infinity();
        if (nan_a && nan_b) distance = 0;
      }
      error = std::max(error, distance);
    }
    return error;
  }
  ImageSighting Describe(std::size_t k, const std::byte* observed,
                         const std::byte* expected) const {
    return {.how = how_,
            .input = ColorText(asked_.request.type, asked_.colors[k]) + " at " +
                     CoordinateText(asked_.request, asked_.at[k]),
            .observed = FieldsText(layout_, observed),
            .expected = FieldsText(layout_, expected),
            .error = ErrorOf(observed, expected)};
  }
  void Fail(ImageSighting sighting, ImageFault fault) {
    ++tally_->failures;
    Record(std::move(sighting), fault);
  }
  void Record(ImageSighting sighting, ImageFault fault) {
    sighting.fault = fault;
    if (tally_->recorded.size() < most_) tally_->recorded.push_back(std::move(sighting));
  }

  void JudgeOne(std::size_t k, std::size_t element, const WriteAnswers& answers) {
    const FourWords& words = asked_.colors[k];
    const Color color = {words[0], words[1], words[2], words[3]};
    std::array<std::byte, 16> expected = {};
    EncodeTexel(asked_.request.format, color, asked_.request.type, expected.data());
    const std::byte* first = At(answers.first, element);
    const std::byte* second = At(answers.second, element);
    ++tally_->answers;
    ++tally_->defined;
    ImageSighting sighting = Describe(k, first, expected.data());
    if (Same(first, At(answers.before_first, element)) &&
        Same(second, At(answers.before_second, element))) {
      sighting.error = std::numeric_limits<double>::infinity();
      BySuite(false, false, sighting);
      return Fail(sighting, ImageFault::kNotWritten);
    }
    Offer(sighting);
    const bool conforms = Conforms(color, first, expected.data(), sighting);
    BySuite(words, first, sighting);
    if (Same(first, second)) return;
    ImageSighting again = Describe(k, second, expected.data());
    again.before = sighting.observed;
    Offer(again);
    if (Conforms(color, second, expected.data(), again) && conforms && !BothNan(first, second)) {
      ++tally_->not_deterministic;
      Record(again, ImageFault::kNotDeterministic);
    }
    BySuite(words, second, again);
  }
  // NaN may be any NaN, so two of them are one answer.
  bool BothNan(const std::byte* a, const std::byte* b) const {
    const ChannelKind kind = KindOf(asked_.request.format.type);
    if (kind != ChannelKind::kHalf && kind != ChannelKind::kFloat) return false;
    return ErrorOf(a, b) == 0;
  }
  bool Conforms(const Color& color, const std::byte* observed, const std::byte* expected,
                const ImageSighting& sighting) {
    if (Same(observed, expected)) return true;
    const auto allowed = AllowedOfWrite(asked_.request.format, color, asked_.request.type);
    if (allowed.Contains(observed)) return true;
    Fail(sighting, ImageFault::kNotAllowed);
    return false;
  }
  void Offer(const ImageSighting& sighting) {
    if (!tally_->worst || sighting.error > tally_->worst->error) tally_->worst = sighting;
  }
  // The suite writes no INF and NaN.
  void BySuite(const FourWords& color, const std::byte* observed, const ImageSighting& sighting) {
    if (IsFloating(asked_.request.type)) {
      for (const std::uint32_t component : color) {
        if (!IsFinite(Format::kFloat, component)) return;
      }
    }
    const auto accepts = [&](bool toward_zero) {
      return SuiteAcceptsWrite(asked_.request.format, asked_.request.type, color, observed,
                               toward_zero);
    };
    BySuite(accepts(false), accepts(true), sighting);
  }
  void BySuite(bool by_rte, bool by_rtz, const ImageSighting& sighting) {
    ++tally_->suite_asked;
    if (!by_rtz) ++tally_->suite_rtz_failures;
    if (by_rte) return;
    ++tally_->suite_failures;
    if (!tally_->suite_first) {
      tally_->suite_first = sighting;
      tally_->suite_first->fault = ImageFault::kNotBySuite;
    }
  }

  void JudgeUntouched(std::size_t element, const WriteAnswers& answers) {
    for (const bool second : {false, true}) {
      const std::byte* before = At(second ? answers.before_second : answers.before_first, element);
      const std::byte* after = At(second ? answers.second : answers.first, element);
      if (Same(before, after)) continue;
      const ImageSighting sighting = {.how = how_,
                                      .input = "element number " + std::to_string(element),
                                      .observed = FieldsText(layout_, after),
                                      .expected = FieldsText(layout_, before),
                                      .error = std::numeric_limits<double>::infinity()};
      BySuite(false, false, sighting);
      return Fail(sighting, ImageFault::kWrittenBeside);
    }
  }

  const ImageCase& asked_;
  ElementLayout layout_;
  std::array<std::byte, 16> used_;
  std::size_t bytes_;
  std::string how_;
  std::size_t most_;
  ImageTally* tally_;
};

}  // namespace

void JudgeWrites(const ImageCase& asked, const WriteAnswers& answers, std::size_t max_failures,
                 ImageTally* tally) {
  WriteJudge(asked, max_failures, tally).Judge(answers);
  // The suite finds out how a device rounds to half, and then expects that.
  if (tally->suite_rtz_failures < tally->suite_failures &&
      KindOf(asked.request.format.type) == ChannelKind::kHalf) {
    tally->suite_failures = tally->suite_rtz_failures;
    if (tally->suite_failures == 0) tally->suite_first.reset();
  }
}

}  // namespace assay::oracle
