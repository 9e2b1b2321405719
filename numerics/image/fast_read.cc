#include "numerics/image/fast_read.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace assay::numerics::image {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 24;
constexpr double kLargestCoordinate = 0x1p30;

// The linear values of the sRGB codes, correctly rounded.
struct SrgbTable {
  std::array<Bits, 256> as_float, as_half;
  std::array<double, 256> as_double;
  SrgbTable() {
    for (std::size_t code = 0; code < 256; ++code) {
      const Enclosure linear = LinearOfSrgb(static_cast<std::uint8_t>(code), 200);
      const ExactComponent component = {.kind = linear.low == linear.high
                                                    ? ExactComponent::Kind::kRational
                                                    : ExactComponent::Kind::kSrgb,
                                        .code = static_cast<std::uint8_t>(code),
                                        .value = linear.low};
      as_float[code] = RoundComponent(component, DataType::kFloat, Rounding::kRte);
      as_half[code] = RoundComponent(component, DataType::kHalf, Rounding::kRte);
      as_double[code] = std::bit_cast<double>(RoundTo(linear.low, Format::kDouble, Rounding::kRte));
    }
  }
};

const SrgbTable& Srgb() {
  static const SrgbTable table;
  return table;
}

double FloatValue(Bits bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

// A half as a double: its bits as those of a float with an exponent too small by 112.
double HalfValue(Bits bits) {
  const float magnitude = std::bit_cast<float>(static_cast<std::uint32_t>((bits & 0x7fff) << 13));
  double value = static_cast<double>(magnitude) * 0x1p112;
  if ((bits & 0x7c00) == 0x7c00) value = (bits & 0x3ff) != 0 ? NAN : INFINITY;
  return (bits & 0x8000) != 0 ? -value : value;
}

Bits FloatBits(float value) { return std::bit_cast<std::uint32_t>(value); }

// a + b and what rounding lost.
double TwoSum(double a, double b, double* lost) {
  const double sum = a + b, b_part = sum - a;
  *lost = (a - (sum - b_part)) + (b - b_part);
  return sum;
}

// floor of a number below 2^62 (std::floor is a call where the processor need not have SSE 4.1).
inline std::int64_t FloorOf(double x) {
  const auto toward_zero = static_cast<std::int64_t>(x);
  return toward_zero - (static_cast<double>(toward_zero) > x ? 1 : 0);
}

std::int64_t Address(AddressMode mode, std::int64_t size, std::int64_t i) {
  if (mode == AddressMode::kClampToEdge) return std::clamp<std::int64_t>(i, 0, size - 1);
  if (mode == AddressMode::kClamp) return std::clamp<std::int64_t>(i, -1, size);
  return i;
}

// sampler.cc's UnnormalizeInFloat; the product of a float and a size is exact in double.
double UnnormalizeInFloat(AddressMode address, std::int64_t size, double s) {
  double part = s;
  if (address == AddressMode::kRepeat) part = s - std::floor(s);
  if (address == AddressMode::kMirroredRepeat) {
    part = std::fabs(s - 2 * std::nearbyint(0.5 * s));
  }
  return static_cast<float>(static_cast<float>(part) * static_cast<double>(size));
}

std::int64_t NearestPlace(AddressMode address, std::int64_t size, std::int64_t i) {
  if (address == AddressMode::kRepeat) return i > size - 1 ? i - size : i;
  if (address == AddressMode::kMirroredRepeat) return std::min(i, size - 1);
  return Address(address, size, i);
}

}  // namespace

FastReader::FastReader(const ImageView& view, const Sampler& sampler, DataType type)
    : view_(view),
      sampler_(sampler),
      type_(type),
      layout_(*LayoutOf(view.format)),
      kind_(KindOf(view.format.type)),
      check_(CheckRead(view.format, type)),
      border_alpha_(BorderAlpha(view.format.order)) {
  const bool small = std::all_of(view.size.begin(), view.size.end(),
                                 [](std::int64_t size) { return size <= kLargestSize; });
  const bool repeats = sampler.address >= AddressMode::kRepeat;
  nearest_ready_ = check_ == Undefined::kNo && small && (sampler.normalized || !repeats);
  linear_ready_ = nearest_ready_ && IsFloating(type);
  for (std::size_t f = 0; f < static_cast<std::size_t>(layout_.fields); ++f) {
    Channel& channel = channels_[f];
    channel.field = layout_.field[f];
    const int width = channel.field.width;
    const bool whole = channel.field.offset % 8 == 0 && (width == 8 || width == 16 || width == 32);
    channel.byte = static_cast<std::uint8_t>(channel.field.offset / 8);
    channel.whole = static_cast<std::uint8_t>(whole ? width : 0);
    channel.srgb = IsSrgb(view.format.order) && channel.field.component != 3;
    const double last = std::ldexp(1.0, width) - 1;
    if (kind_ == ChannelKind::kUnorm && !channel.srgb) channel.divisor = last;
    if (kind_ == ChannelKind::kSnorm) channel.divisor = (last - 1) / 2;
  }
  plan_ready_ = check_ == Undefined::kNo && small && type != DataType::kHalf;
  if (plan_ready_) MakePlan();
}

// The same for ReadColumns, or that there is none.
void FastReader::MakePlan() {
  const std::size_t pitches[3] = {static_cast<std::size_t>(layout_.bytes), view_.row_pitch,
                                  view_.slice_pitch};
  plan_ready_ = std::has_single_bit(pitches[0]) && pitches[0] <= 16 && view_.layers <= kLargestSize;
  plan_.data = view_.data;
  plan_.dimensions = view_.dimensions;
  plan_.arrayed = view_.arrayed;
  plan_.normalized = sampler_.normalized;
  plan_.linear = sampler_.filter == FilterMode::kLinear;
  plan_.address = sampler_.address;
  plan_.layers = static_cast<std::int32_t>(view_.layers);
  plan_.element_bytes = layout_.bytes;
  for (std::size_t d = 0; d < 3; ++d) {
    plan_.size[d] = static_cast<std::int32_t>(view_.size[d]);
    plan_.pitch[d] = static_cast<std::uint32_t>(pitches[d]);
    plan_ready_ = plan_ready_ && plan_.pitch[d] == pitches[d];
  }
  const Color border = BorderOf();
  for (std::size_t c = 0; c < 4; ++c) {
    ReadPlan::Source& source = plan_.source[c];
    const std::int8_t from = layout_.source[c];
    source.is_field = from >= 0;
    source.border = static_cast<std::uint32_t>(border[c]);
    if (from == kOne) source.constant = IsFloating(type_) ? FloatBits(1) : 1;
    if (from < 0) continue;
    const Channel& channel = channels_[static_cast<std::size_t>(from)];
    source.kind = kind_;
    source.srgb = channel.srgb;
    source.word = channel.field.offset / 32;
    source.shift = channel.field.offset % 32;
    source.width = channel.field.width;
    source.divisor = channel.divisor;
    source.border_numerator = border[c] != 0 ? channel.divisor : 0;
    plan_ready_ = plan_ready_ && source.shift + source.width <= 32;
    if (channel.srgb) {
      plan_.srgb_float = Srgb().as_float.data();
      plan_.srgb_double = Srgb().as_double.data();
    }
  }
}

inline std::uint64_t FastReader::Load(const Channel& channel, const std::byte* element) const {
  const std::byte* at = element + channel.byte;
  if (channel.whole == 8) return std::to_integer<std::uint64_t>(*at);
  if (channel.whole == 16) {
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return bits;
  }
  if (channel.whole == 32) {
    std::uint32_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return bits;
  }
  return ReadField(element, channel.field);
}

// What a linear filter sums: the value times the divisor, exact but for sRGB.
inline double FastReader::Numerator(const Channel& channel, std::uint64_t bits) const {
  switch (kind_) {
    case ChannelKind::kUnorm:
      return channel.srgb ? Srgb().as_double[bits] : static_cast<double>(bits);
    case ChannelKind::kSnorm:
      return std::max(static_cast<double>(SignExtend(bits, channel.field.width)), -channel.divisor);
    case ChannelKind::kHalf:
      return HalfValue(bits);
    case ChannelKind::kSigned:
    case ChannelKind::kUnsigned:
    case ChannelKind::kFloat:
      break;
  }
  return FloatValue(bits);
}

inline Bits FastReader::Convert(const Channel& channel, std::uint64_t bits) const {
  switch (kind_) {
    case ChannelKind::kSigned:
      return static_cast<std::uint32_t>(SignExtend(bits, channel.field.width));
    case ChannelKind::kUnsigned:
    case ChannelKind::kFloat:
      return bits;
    case ChannelKind::kHalf:
      if (type_ == DataType::kHalf) return bits;
      if (IsNan(Format::kHalf, bits)) return QuietNan(Format::kFloat);
      return FloatBits(static_cast<float>(HalfValue(bits)));
    case ChannelKind::kUnorm:
    case ChannelKind::kSnorm:
      break;
  }
  if (channel.srgb) return type_ == DataType::kHalf ? Srgb().as_half[bits] : Srgb().as_float[bits];
  const double numerator = Numerator(channel, bits);
  if (type_ == DataType::kHalf) {
    // x / d and a midpoint k / 2^25 of half differ by at least 2^-49 or not at all.
    return FromDouble(Format::kHalf, numerator / channel.divisor);
  }
  return FloatBits(static_cast<float>(numerator) / static_cast<float>(channel.divisor));
}

Color FastReader::ColorOf(const std::byte* element) const {
  const Bits one = IsFloating(type_) ? One(FormatOf(type_)) : 1;
  Color color;
  Bits fields[4];
  for (std::size_t f = 0; f < static_cast<std::size_t>(layout_.fields); ++f) {
    fields[f] = Convert(channels_[f], Load(channels_[f], element));
  }
  for (std::size_t c = 0; c < 4; ++c) {
    const std::int8_t source = layout_.source[c];
    color[c] = source >= 0 ? fields[source] : source == kOne ? one : 0;
  }
  return color;
}

Color FastReader::BorderOf() const {
  const Bits one = IsFloating(type_) ? One(FormatOf(type_)) : 1;
  return {0, 0, 0, border_alpha_ != 0 ? one : 0};
}

// One dimension of a float coordinate; false: read.h has to decide.
inline bool FastReader::LocateFloat(int dimension, double s, Axis* axis) const {
  const std::int64_t size = view_.size[static_cast<std::size_t>(dimension)];
  const double product = sampler_.normalized ? s * static_cast<double>(size) : s;
  if (!(std::fabs(product) < kLargestCoordinate) || !(std::fabs(s) < kLargestCoordinate)) {
    return false;
  }
  const bool linear = sampler_.filter == FilterMode::kLinear;
  const bool rounds = sampler_.normalized && (!linear || sampler_.address != AddressMode::kNone);
  const double u = rounds ? UnnormalizeInFloat(sampler_.address, size, s) : product;
  if (!linear) {
    const std::int64_t i = NearestPlace(sampler_.address, size, FloorOf(u));
    *axis = {.i0 = i, .i1 = i, .a = 0, .exact = true};
    return true;
  }
  double lost = 0;
  const double lower = rounds ? static_cast<float>(u - 0.5) : TwoSum(u, -0.5, &lost);
  const std::int64_t i = FloorOf(lower);
  axis->a = lower - static_cast<double>(i);
  if (rounds) axis->a = static_cast<float>(axis->a);
  axis->exact = lost == 0;
  switch (sampler_.address) {
    case AddressMode::kRepeat:
      axis->i0 = i < 0 ? i + size : i;
      axis->i1 = i + 1 > size - 1 ? i + 1 - size : i + 1;
      break;
    case AddressMode::kMirroredRepeat:
      axis->i0 = std::max<std::int64_t>(i, 0);
      axis->i1 = std::min(i + 1, size - 1);
      break;
    case AddressMode::kNone:
    case AddressMode::kClampToEdge:
    case AddressMode::kClamp:
      axis->i0 = Address(sampler_.address, size, i);
      axis->i1 = Address(sampler_.address, size, i + 1);
      break;
  }
  return true;
}

bool FastReader::Locate(const Coordinates& coordinates, Axis* axes, std::int64_t* layer) const {
  if (coordinates.integers) {
    if (!IsExactSampler(sampler_)) return false;
    for (int d = 0; d < view_.dimensions; ++d) {
      const auto i = static_cast<std::int32_t>(coordinates.at[static_cast<std::size_t>(d)]);
      axes[d].i0 = Address(sampler_.address, view_.size[static_cast<std::size_t>(d)], i);
    }
  } else {
    for (int d = 0; d < view_.dimensions; ++d) {
      if (!LocateFloat(d, FloatValue(coordinates.at[static_cast<std::size_t>(d)]), &axes[d])) {
        return false;
      }
    }
  }
  *layer = 0;
  if (!view_.arrayed) return true;
  const Bits bits = coordinates.at[static_cast<std::size_t>(view_.dimensions)];
  const double index = coordinates.integers ? static_cast<double>(static_cast<std::int32_t>(bits))
                                            : std::nearbyint(FloatValue(bits));
  if (!(std::fabs(index) < 0x1p40)) return false;
  *layer = std::clamp<std::int64_t>(static_cast<std::int64_t>(index), 0, view_.layers - 1);
  return true;
}

// nullptr: outside.
inline const std::byte* FastReader::ElementOf(const Axis* axes, int choice,
                                              std::int64_t layer) const {
  std::array<std::int64_t, 3> at = {};
  for (int d = 0; d < view_.dimensions; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    at[axis] = (choice >> d & 1) != 0 ? axes[d].i1 : axes[d].i0;
    if (at[axis] < 0 || at[axis] >= view_.size[axis]) return nullptr;
  }
  return view_.data + at[0] * layout_.bytes + static_cast<std::size_t>(at[1]) * view_.row_pitch +
         static_cast<std::size_t>(at[2] + layer) * view_.slice_pitch;
}

bool FastReader::TryRead(const Coordinates& coordinates, Color* color) const {
  const bool linear = sampler_.filter == FilterMode::kLinear;
  Axis axes[3];
  std::int64_t layer;
  if (!(linear ? linear_ready_ : nearest_ready_) || !Locate(coordinates, axes, &layer)) {
    return false;
  }
  if (linear) return Filter(axes, layer, color);
  if (const std::byte* element = ElementOf(axes, 0, layer)) {
    *color = ColorOf(element);
    return true;
  }
  *color = BorderOf();
  return sampler_.address != AddressMode::kNone;
}

bool FastReader::SelectElements(const Coordinates& coordinates, Elements* elements) const {
  Axis axes[3];
  std::int64_t layer;
  elements->count = 0;
  if (!nearest_ready_ || !Locate(coordinates, axes, &layer)) return false;
  const int count = sampler_.filter == FilterMode::kLinear ? 1 << view_.dimensions : 1;
  for (int choice = 0; choice < count; ++choice) {
    const std::byte* element = ElementOf(axes, choice, layer);
    if (element != nullptr)
      elements->element[static_cast<std::size_t>(elements->count++)] = element;
  }
  return true;
}

ReadResult FastReader::Read(const Coordinates& coordinates) const {
  ReadResult result;
  if (TryRead(coordinates, &result.color)) return result;
  return ReadSampled(view_, sampler_, coordinates, type_);
}

ReadResult FastReader::ReadUnsampled(const std::array<std::int32_t, 4>& coordinates) const {
  const Place place = SelectPlace(view_, coordinates);
  if (check_ != Undefined::kNo || place.undefined != Undefined::kNo) {
    return image::ReadUnsampled(view_, coordinates, type_);
  }
  Axis axes[3] = {};
  for (std::size_t d = 0; d < 3; ++d) axes[d].i0 = place.location.at[d];
  return {Undefined::kNo, ColorOf(ElementOf(axes, 0, place.location.layer))};
}

std::uint32_t FastReader::ReadColumns(const CoordinateColumns& coordinates, ColorColumns* color,
                                      VectorSet set) const {
  if (!plan_ready_) return 0;
  if (coordinates.sampled) {
    if (!(plan_.linear ? linear_ready_ : nearest_ready_)) return 0;
    if (coordinates.integers && !IsExactSampler(sampler_)) return 0;
  }
  return ColumnReadOf(set)(plan_, coordinates, color);
}

bool FastReader::Filter(const Axis* axes, std::int64_t layer, Color* color) const {
  Weighted taps[8];
  const int count = 1 << view_.dimensions;
  bool outside = false, coarse = true;
  constexpr double kBits[] = {0, 0x1p29, 0x1p14, 0x1p9};
  for (int d = 0; d < view_.dimensions; ++d) {
    const double scaled = axes[d].a * kBits[view_.dimensions];
    coarse = coarse && axes[d].exact && scaled == static_cast<double>(FloorOf(scaled));
  }
  for (int choice = 0; choice < count; ++choice) {
    Weighted& tap = taps[choice];
    tap.element = ElementOf(axes, choice, layer);
    outside = outside || tap.element == nullptr;
    tap.weight = 1;
    for (int d = 0; d < view_.dimensions; ++d) {
      tap.weight *= (choice >> d & 1) != 0 ? axes[d].a : 1 - axes[d].a;
    }
  }
  if (outside && sampler_.address == AddressMode::kNone) return false;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::int8_t source = layout_.source[c];
    if (source == kOne && (!outside || border_alpha_ != 0)) {
      (*color)[c] = One(FormatOf(type_));
    } else if (source == kZero && (!outside || border_alpha_ == 0 || c != 3)) {
      (*color)[c] = 0;
    } else if (!Sum(taps, count, static_cast<int>(c), coarse, &(*color)[c])) {
      return false;
    }
  }
  return true;
}

// One component of the filtered color.
inline bool FastReader::Sum(const Weighted* taps, int count, int component, bool coarse,
                            Bits* result) const {
  const std::int8_t source = layout_.source[static_cast<std::size_t>(component)];
  const Channel constant;
  const Channel& channel = source >= 0 ? channels_[static_cast<std::size_t>(source)] : constant;
  const double border = component == 3 && border_alpha_ != 0 ? channel.divisor : 0;
  if (kind_ == ChannelKind::kUnorm && source >= 0 && !channel.srgb) {
    return SumUnorm(taps, count, channel, border, result);
  }
  double sum = 0, magnitude = 0, losses = 0;
  bool minus = true;
  for (int t = 0; t < count; ++t) {
    double value = border;
    if (taps[t].element != nullptr) {
      value = source >= 0 ? Numerator(channel, Load(channel, taps[t].element)) : 1;
    }
    const double term = taps[t].weight * value;
    double lost;
    sum = TwoSum(sum, term, &lost);
    losses += std::fabs(lost);
    magnitude += std::fabs(term);
    minus = minus && value == 0 && std::signbit(value);
    // The text excludes these whatever their weight.
    if (!std::isfinite(value)) return false;
  }
  if (magnitude == 0) {
    *result = minus ? SignMask(FormatOf(type_)) : 0;
    return true;
  }
  const bool exact = coarse && losses == 0 && channel.divisor == 1 && !channel.srgb;
  return RoundSumOf(sum / channel.divisor, magnitude / std::fabs(sum), exact, result);
}

// Terms that are not negative: the sum is its own magnitude.
inline bool FastReader::SumUnorm(const Weighted* taps, int count, const Channel& channel,
                                 double border, Bits* result) const {
  double sum = 0;
  for (int t = 0; t < count; ++t) {
    const double value =
        taps[t].element != nullptr ? static_cast<double>(Load(channel, taps[t].element)) : border;
    sum += taps[t].weight * value;
  }
  if (sum == 0) {
    *result = 0;
    return true;
  }
  return RoundSumOf(sum / channel.divisor, 1, false, result);
}

// `cancelled`: the sum of the terms' magnitudes over that of the sum.
inline bool FastReader::RoundSumOf(double sum, double cancelled, bool exact, Bits* result) const {
  const Format format = FormatOf(type_);
  if (sum == 0) {
    *result = 0;
    return exact;
  }
  if (!exact) {
    const FormatTraits& traits = Traits(format);
    const int exponent = static_cast<int>(std::bit_cast<Bits>(sum) >> 52 & 0x7ff) - 1023;
    if (exponent < traits.emin() || exponent >= traits.emax) return false;
    // In units of the last place of the double, which is between 2^-53 and 2^-52 of it.
    const double error = 0x1p5 * cancelled;
    if (!(error < 0x1p20)) return false;
    const int dropped = 53 - traits.precision;
    const auto low =
        static_cast<std::int64_t>(std::bit_cast<Bits>(sum) & ((Bits{1} << dropped) - 1));
    const std::int64_t middle = std::int64_t{1} << (dropped - 1);
    if (std::abs(low - middle) <= static_cast<std::int64_t>(error) + 1) return false;
  }
  *result = format == Format::kHalf ? FromDouble(format, sum) : FloatBits(static_cast<float>(sum));
  return true;
}

}  // namespace assay::numerics::image
