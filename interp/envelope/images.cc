// Reads and writes of images.
#include "interp/execute/images.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "interp/envelope/envelope.h"
#include "interp/envelope/image_taps.h"
#include "interp/envelope/row_range.h"
#include "interp/envelope/texel_ranges.h"
#include "interp/execute/lane_bits.h"
#include "interp/execute/register_bits.h"

namespace assay::interp {

namespace ni = numerics::image;

using oracle::Open;
using oracle::Range;

namespace {

constexpr std::size_t kImageOperand = 0, kFirstCoordinate = 1;
// Of the largest element that a linear filter selects: what the conformance tests take for none.
constexpr double kFilterError = 0x1p-7;

ColorRanges Unknown(Open why) {
  ColorRanges color;
  color.fill(Range::Anything(why));
  return color;
}

ColorRanges HullOfColors(ni::DataType type, const ColorRanges& a, const ColorRanges& b) {
  ColorRanges hull;
  for (std::size_t c = 0; c < hull.size(); ++c) hull[c] = Hull(ScalarOf(type), a[c], b[c]);
  return hull;
}

// The weighted sum of one component of elements, or of all that lie between them.
class Filtered {
 public:
  explicit Filtered(numerics::Format format) : format_(format) {}
  void Add(const Range& value, double weight) {
    const bool is_number = value.IsPoint() || value.kind == Range::Kind::kNumbers;
    if (!is_number || !numerics::IsFinite(format_, value.low) ||
        !numerics::IsFinite(format_, value.high)) {
      is_open_ = true;
      return;
    }
    const double low = numerics::ToDouble(format_, value.low);
    const double high = numerics::ToDouble(format_, value.high);
    sum_low_ += weight * low;
    sum_high_ += weight * high;
    least_ = has_some_ ? std::min(least_, low) : low;
    most_ = has_some_ ? std::max(most_, high) : high;
    has_some_ = true;
  }
  Range Take(bool is_weighted, double slack, double absolute) const {
    if (is_open_ || !has_some_) return Range::Anything(Open::kNoLimit);
    const double magnitude = std::max(std::fabs(least_), std::fabs(most_));
    const double error = magnitude * (kFilterError + slack) + absolute;
    const auto index = [&](double value) {
      return numerics::OrderedIndex(format_, numerics::FromDouble(format_, value));
    };
    return oracle::NumbersBetween(format_ == numerics::Format::kHalf ? numerics::ScalarType::kHalf
                                                                     : numerics::ScalarType::kFloat,
                                  index((is_weighted ? sum_low_ : least_) - error) - 1,
                                  index((is_weighted ? sum_high_ : most_) + error) + 1);
  }

 private:
  numerics::Format format_;
  bool is_open_ = false, has_some_ = false;
  double sum_low_ = 0, sum_high_ = 0, least_ = 0, most_ = 0;
};

}  // namespace

// An image as one instruction uses it, with what is known of its elements.
struct Envelope::EnvelopeImage {
  std::uint64_t value = 0;
  const PreparedImage* image = nullptr;
  TexelRanges texels;
};

Envelope::EnvelopeImage* Envelope::ImageFor(std::uint64_t place, std::uint64_t value) {
  const ImageCall& call = worker_.launch().program->image_calls[place];
  if (images_.empty()) images_.resize(worker_.launch().program->image_calls.size());
  auto& known = images_[place];
  for (const auto& one : known) {
    if (one->value == value) return one.get();
  }
  const PreparedImage* image = worker_.images().Find(call, place, value);
  if (image == nullptr) return nullptr;
  known.push_back(std::make_shared<EnvelopeImage>(EnvelopeImage{
      value, image, TexelRanges(image->image->image.format, image->type, call.sampled)}));
  return known.back().get();
}

EnvelopeRecord* Envelope::RecordOfImage(const EnvelopeImage& of) const {
  return records_.Find(of.image->image->address >> worker_.launch().memory->layout().place_bits);
}

FieldRanges Envelope::FieldsAt(const EnvelopeImage& of, const EnvelopeRecord* record,
                               const std::byte* element) const {
  FieldRanges fields;
  const ni::ElementLayout& layout = of.texels.layout();
  const auto at = static_cast<std::uint64_t>(element - of.image->data) + OffsetOf(of);
  for (std::size_t f = 0; f < static_cast<std::size_t>(layout.fields); ++f) {
    const ni::ChannelField& field = layout.field[f];
    if (of.texels.IsBytes(field)) {
      const std::uint32_t first = field.offset / 8u, bytes = field.width / 8u;
      fields[f] = RangeAt({.record = const_cast<EnvelopeRecord*>(record),
                           .at = at + first,
                           .bytes = element + first,
                           .is_valid = true},
                          bytes);
      continue;
    }
    fields[f] = Range::Point(ni::ReadField(element, field));
    for (int i = 0; record != nullptr && i < layout.bytes; ++i) {
      if (record->tags[at + static_cast<std::uint64_t>(i)] != 0) {
        fields[f] = Range::Anything(Open::kOperand);
      }
    }
  }
  return fields;
}

std::uint64_t Envelope::OffsetOf(const EnvelopeImage& of) const {
  const Memory& memory = *worker_.launch().memory;
  const Address address = of.image->image->address;
  return address - memory.regions()[address >> memory.layout().place_bits].address;
}

// The color of one element, or of what is outside.
ColorRanges Envelope::ColorAt(EnvelopeImage& of, const EnvelopeRecord* record,
                              const ni::ImageView& view, const ni::Location& where, bool sampled) {
  if (ni::IsInside(view, where)) {
    return of.texels.Read(FieldsAt(of, record, ni::ElementAt(view, where)));
  }
  const bool is_defined = sampled && of.image->sampler.sampler.address != ni::AddressMode::kNone;
  return is_defined ? of.texels.Border() : Unknown(Open::kNoLimit);
}

ColorRanges Envelope::ColorOf(EnvelopeImage& of, const ImageTaps& taps, const ni::ImageView& view,
                              bool sampled) {
  const EnvelopeRecord* record = RecordOfImage(of);
  const auto& axes = taps.axes;
  const ni::DataType type = of.texels.type();
  std::array<Filtered, 4> filtered = {Filtered(ni::FormatOf(type)), Filtered(ni::FormatOf(type)),
                                      Filtered(ni::FormatOf(type)), Filtered(ni::FormatOf(type))};
  std::optional<ColorRanges> hull;
  const std::int64_t elements = axes[0].count * axes[1].count * axes[2].count * taps.layers;
  for (std::int64_t i = 0; i < elements; ++i) {
    ni::Location where;
    double weight = 1;
    std::int64_t rest = i;
    for (std::size_t d = 0; d < static_cast<std::size_t>(view.dimensions); ++d) {
      const std::int64_t chosen = rest % axes[d].count;
      rest /= axes[d].count;
      where.at[d] = axes[d].first + chosen;
      if (sampled) {
        where.at[d] = Addressed(of.image->sampler.sampler.address, view.size[d], where.at[d]);
      }
      weight *= chosen == 1 ? axes[d].weight : 1 - axes[d].weight;
    }
    where.layer = taps.first_layer + rest;
    const ColorRanges color = ColorAt(of, record, view, where, sampled);
    if (!taps.is_linear) {
      hull = hull ? HullOfColors(type, *hull, color) : color;
      continue;
    }
    for (std::size_t c = 0; c < color.size(); ++c) filtered[c].Add(color[c], weight);
  }
  if (!taps.is_linear) return hull.value_or(Unknown(Open::kNoLimit));
  double slack = 0;
  for (const ImageTaps::Axis& axis : axes) slack += 4 * axis.slack;
  ColorRanges color;
  for (std::size_t c = 0; c < color.size(); ++c) {
    color[c] = filtered[c].Take(taps.is_weighted, slack, of.texels.FilterSlack());
  }
  return color;
}

// What one lane reads; `is_filtered`: the specification says nothing of the precision.
ColorRanges Envelope::ColorOfLane(Batch& batch, const ImageCall& call, EnvelopeImage& of,
                                  std::span<const ShadowOperand> operands, int lane,
                                  bool* is_filtered) {
  const PreparedImage& image = *of.image;
  std::size_t view = 0;
  if (call.sampled && (image.views.size() != 1 || call.gradient != 0)) {
    return Unknown(Open::kNoLimit);  // of mipmaps
  }
  if (!call.sampled && call.levels + call.samples != 0) {
    const Range which = Get(batch, operands[kFirstCoordinate + call.coordinates], lane);
    if (!which.IsPoint() || which.low >= image.views.size()) return Unknown(Open::kOperand);
    view = static_cast<std::size_t>(which.low);
  }
  std::array<Range, 4> at;
  for (std::size_t i = 0; i < call.coordinates; ++i) {
    at[i] = AsKind(Get(batch, operands[kFirstCoordinate + i], lane), !call.integers,
                   call.integers ? Kind::kI32 : Kind::kF32);
    if (at[i].kind == Range::Kind::kAnything) return Unknown(Open::kOperand);
  }
  const auto taps = FindTaps(image.views[view], call.sampled ? &image.sampler.sampler : nullptr,
                             call.integers, std::span<const Range>(at).first(call.coordinates));
  if (!taps) return Unknown(Open::kWide);
  *is_filtered = taps->is_linear;
  return ColorOf(of, *taps, image.views[view], call.sampled);
}

void Envelope::ReadImage(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                         std::uint64_t lanes) {
  const ImageCall& call = batch.program->image_calls[in.immediate];
  const std::span<const ShadowOperand> operands(batch.program->shadow_operands.data() + step.first,
                                                step.operand_count);
  const ShadowOperand* results = operands.data() + step.operand_count;
  worker_.Spend(16 * static_cast<std::uint64_t>(CountLanes(lanes)));
  std::uint64_t filtered = 0, unknown = 0;
  Open why = Open::kNot;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Range value = Get(batch, operands[kImageOperand], lane);
    EnvelopeImage* of = value.IsPoint() ? ImageFor(in.immediate, value.low) : nullptr;
    bool is_filtered = false;
    const ColorRanges color = of == nullptr
                                  ? Unknown(Open::kOperand)
                                  : ColorOfLane(batch, call, *of, operands, lane, &is_filtered);
    if (is_filtered) filtered |= std::uint64_t{1} << lane;
    for (std::uint32_t r = 0; r < step.result_count; ++r) {
      Set(batch, results[r], lane, color[r]);
      if (color[r].kind != Range::Kind::kAnything || color[r].open == Open::kOperand) continue;
      unknown |= std::uint64_t{1} << lane;
      why = color[r].open;
    }
  }
  if (unknown != 0) TellOpen(batch, in.place, unknown, why, "a read of an image");
  if (filtered == 0) return;
  records_.is_undecided = true;
  Tell(batch, in.place, filtered, Rule::kEnvelopeOpen, [] {
    return std::string(
        "the specification states no precision of a linear filter (OpenCL C 8.2): the range is "
        "that of the conformance tests, and nothing is decided outside of it");
  });
}

// The element as it is stored in the lanes whose path is known, and in others anything.
void Envelope::StoreElement(const EnvelopeImage& of, const FieldRanges* fields,
                            const std::byte* element) {
  const ni::ElementLayout& layout = of.texels.layout();
  const auto at = static_cast<std::uint64_t>(element - of.image->data) + OffsetOf(of);
  EnvelopeRecord* record = RecordOfImage(of);
  const auto is_point = [](const Range& range) { return range.IsPoint(); };
  const auto count = static_cast<std::size_t>(layout.fields);
  const bool is_known =
      fields != nullptr && std::all_of(fields->begin(), fields->begin() + count, is_point);
  if (record == nullptr) {
    if (is_known) return;
    const Memory& memory = *worker_.launch().memory;
    const std::uint64_t place = of.image->image->address >> memory.layout().place_bits;
    record = &records_.Ensure(place, memory.regions()[place].bytes);
  }
  if (!is_known) records_.has_some = true;
  bool are_bytes = fields != nullptr;
  for (std::size_t f = 0; f < count; ++f) are_bytes &= of.texels.IsBytes(layout.field[f]);
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(layout.bytes); ++i) {
    const bool is_open = !is_known && !are_bytes;
    record->Store(at + i, 1, is_open ? EnvelopeTag::kAnything : EnvelopeTag::kPoint, 0, 0);
  }
  if (is_known || !are_bytes) return;
  for (std::size_t f = 0; f < count; ++f) {
    const ni::ChannelField& field = layout.field[f];
    const Range& range = (*fields)[f];
    record->Store(at + field.offset / 8u, field.width / 8u, TagOf(range), range.low, range.high);
  }
}

void Envelope::WriteImage(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  const ImageCall& call = batch.program->image_calls[in.immediate];
  const std::span<const ShadowOperand> operands(batch.program->shadow_operands.data() + step.first,
                                                step.operand_count);
  const std::size_t first_color = call.Operands() - call.components;
  worker_.Spend(16 * static_cast<std::uint64_t>(CountLanes(batch.active)));
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    bool is_lost = (batch.envelope->lost >> lane & 1) != 0;
    for (std::size_t i = 0; i < first_color && !is_lost; ++i) {
      if (Get(batch, operands[i], lane).IsPoint()) continue;
      TellAccess(batch, in.place, lane);
      is_lost = true;
    }
    const auto nominal = [&](std::size_t operand) {
      return Read(batch.registers, operands[operand].offset, operands[operand].bytes, lane);
    };
    EnvelopeImage* of = ImageFor(in.immediate, nominal(kImageOperand));
    if (of == nullptr) continue;
    const std::size_t view =
        call.levels + call.samples != 0 ? nominal(kFirstCoordinate + call.coordinates) : 0;
    if (view >= of->image->views.size()) continue;
    std::array<std::int32_t, 4> at = {};
    for (std::size_t i = 0; i < call.coordinates; ++i) {
      at[i] = static_cast<std::int32_t>(nominal(kFirstCoordinate + i));
    }
    const ni::Place place = ni::SelectPlace(of->image->views[view], at);
    if (place.undefined != ni::Undefined::kNo) continue;
    const std::byte* element = ni::ElementAt(of->image->views[view], place.location);
    if (is_lost) {
      StoreElement(*of, nullptr, element);
      continue;
    }
    const bool is_float = ni::IsFloating(call.type);
    ColorRanges color = Unknown(Open::kOperand);
    for (std::size_t c = 0; c < call.components; ++c) {
      color[c] = AsKind(Get(batch, operands[first_color + c], lane), is_float, step.kind);
    }
    const FieldRanges fields = of->texels.Written(color);
    StoreElement(*of, &fields, element);
  }
}

}  // namespace assay::interp
