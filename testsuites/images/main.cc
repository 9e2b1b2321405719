// Prints what numerics/image computes for images of every format, sampler and image type, one JSON
// object a line, for images_test.py to compare with its own evaluation.
//
// usage: image_cases SEED PART PARTS      the cases whose number is PART modulo PARTS

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "numerics/image/enclosure.h"
#include "numerics/image/encode.h"
#include "numerics/image/fast_read.h"
#include "numerics/image/read.h"

namespace assay::numerics::image {
namespace {

constexpr const char* kTypeNames[] = {"float", "half", "int", "uint"};

struct Printer {
  std::mt19937 random;
  unsigned part, parts, number = 0;
  bool Take() { return number++ % parts == part; }
};

// ---- JSON
// -----------------------------------------------------------------------------------------

std::string Hex(const std::byte* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{:02x}", std::to_integer<unsigned>(bytes[i]));
  return text;
}

std::string FormatText(ImageFormat format) {
  return fmt::format("\"order\":\"{}\",\"type\":\"{}\"", Name(format.order), Name(format.type));
}

std::string ColorText(const Color& color) {
  return fmt::format("[{},{},{},{}]", color[0], color[1], color[2], color[3]);
}

std::string SetText(const AllowedSet& set) {
  if (set.anything) return "\"anything\"";
  return fmt::format("[{:d},{:d},{:d},{:d},{},{}]", set.by_analogy, set.nan, set.positive_zero,
                     set.negative_zero, set.low, set.high);
}

std::string TexelText(const AllowedTexel& texel) {
  return fmt::format("[{},{},{},{}]", SetText(texel.component[0]), SetText(texel.component[1]),
                     SetText(texel.component[2]), SetText(texel.component[3]));
}

std::string AllowedText(const AllowedRead& allowed) {
  std::string choices;
  for (const AllowedTexel& choice : allowed.choices) {
    choices += (choices.empty() ? "" : ",") + TexelText(choice);
  }
  return fmt::format("{{\"undefined\":\"{}\",\"precise\":{},\"choices\":[{}]}}",
                     Name(allowed.undefined), allowed.precision_defined, choices);
}

std::string ResultText(const ReadResult& result) {
  return fmt::format("{{\"undefined\":\"{}\",\"color\":{}}}", Name(result.undefined),
                     ColorText(result.color));
}

std::string TapsText(const Taps& taps) {
  std::string text;
  for (const Tap& tap : taps.taps) {
    text += fmt::format("{}[{},{},{},{},{},\"{}\"]", text.empty() ? "" : ",", tap.location.at[0],
                        tap.location.at[1], tap.location.at[2], tap.location.layer, tap.inside,
                        tap.weight.get_str());
  }
  return "[" + text + "]";
}

std::string ViewText(const ImageView& view, std::size_t bytes) {
  return fmt::format(
      "{},\"dimensions\":{},\"arrayed\":{},\"size\":[{},{},{}],\"layers\":{},\"row_pitch\":{},"
      "\"slice_pitch\":{},\"data\":\"{}\"",
      FormatText(view.format), view.dimensions, view.arrayed, view.size[0], view.size[1],
      view.size[2], view.layers, view.row_pitch, view.slice_pitch, Hex(view.data, bytes));
}

// ---- Inputs
// ---------------------------------------------------------------------------------------

// Bits of a float or half that are worth a test: any, near 0, between -2 and 2, at the ends, no
// number.
Bits AnyFloating(std::mt19937& random, Format format) {
  const Bits any = random() & (SignMask(format) | MagnitudeMask(format));
  const auto few = static_cast<double>(static_cast<int>(random() % 4097) - 2048);
  switch (random() % 12) {
    case 0:
      return any;
    case 10:  // neighbors: half their sum is a tie
      return One(format) + random() % 4;
    case 11:  // a tie of half among them
      return One(format) + ((random() % 8) << (format == Format::kFloat ? 12 : 0));
    case 1:
      return any & (SignMask(format) | 0x3f);
    case 2: {
      const Bits ends[] = {
          0,          SignMask(format), Infinity(format), QuietNan(format) | 5, MaxFinite(format),
          One(format)};
      return ends[random() % 6];
    }
    case 3:
      return FromDouble(format, few / 255 + std::ldexp(few, -40));
    case 4:
      return FromDouble(format, few / 65535);
    case 5:
      return FromDouble(format, static_cast<double>(random() % 511) / 510);
    default:
      return FromDouble(format, few / 1024);
  }
}

float AnyCoordinate(std::mt19937& random, std::int64_t size, bool normalized) {
  const auto width = static_cast<float>(size);
  const auto texel = static_cast<float>(static_cast<int>(random() % 24) - 8);
  switch (random() % 9) {
    case 0:
      return (texel + 0.5F) / (normalized ? width : 1);
    case 1:
      return texel / (normalized ? width : 1);
    case 2:
      return std::nextafterf(texel / (normalized ? width : 1),
                             random() % 2 == 0 ? -100.0F : 100.0F);
    case 3:
      return std::ldexp(static_cast<float>(random()) - 0x1p31F, -static_cast<int>(random() % 180));
    case 4:
      return random() % 4 == 0 ? std::bit_cast<float>(static_cast<std::uint32_t>(random()))
                               : 0.25F * texel;
    case 5:
      if (random() % 4 == 0) return random() % 2 == 0 ? NAN : -INFINITY;
      [[fallthrough]];
    default:
      return std::uniform_real_distribution<float>(-1.5F, 2.5F)(random) * (normalized ? 1 : width);
  }
}

void FillElements(std::mt19937& random, ImageFormat format, std::vector<std::byte>* memory) {
  for (std::byte& byte : *memory) byte = static_cast<std::byte>(random());
  const ChannelKind kind = KindOf(format.type);
  if (random() % 4 == 0 || (kind != ChannelKind::kHalf && kind != ChannelKind::kFloat)) return;
  const Format floating = kind == ChannelKind::kHalf ? Format::kHalf : Format::kFloat;
  const std::size_t width = kind == ChannelKind::kHalf ? 2 : 4;
  const bool finite = random() % 6 != 0;
  const unsigned style = random() % 12;  // 0: zeros of both signs; 1: -0 alone; 2: neighbors of 1
  for (std::size_t i = 0; i + width <= memory->size(); i += width) {
    Bits bits = AnyFloating(random, floating);
    if (style < 2) bits = style == 1 || random() % 2 == 0 ? SignMask(floating) : 0;
    if (style == 2) bits = One(floating) + random() % 4;
    while (finite && !IsFinite(floating, bits)) bits = AnyFloating(random, floating);
    for (std::size_t b = 0; b < width; ++b)
      (*memory)[i + b] = static_cast<std::byte>(bits >> 8 * b);
  }
}

DataType AnyType(std::mt19937& random, ImageFormat format) {
  if (random() % 16 == 0) return static_cast<DataType>(random() % 4);
  const ChannelKind kind = KindOf(format.type);
  if (kind == ChannelKind::kSigned) return DataType::kInt;
  if (kind == ChannelKind::kUnsigned) return DataType::kUint;
  return random() % 3 == 0 ? DataType::kHalf : DataType::kFloat;
}

// ---- Cases
// ----------------------------------------------------------------------------------------

void PrintFormats() {
  for (int o = 0; o < kChannelOrders; ++o) {
    for (ChannelType type : kAllChannelTypes) {
      const ImageFormat format = {static_cast<ChannelOrder>(o), type};
      const auto layout = LayoutOf(format);
      fmt::print(
          "{{\"case\":\"format\",{},\"numbers\":[{},{}],\"valid\":{},\"bytes\":{},\"border\":{}}}"
          "\n",
          FormatText(format), ClNumber(format.order), ClNumber(type),
          Check(format) == FormatCheck::kValid, layout ? layout->bytes : 0,
          BorderAlpha(format.order));
    }
  }
}

void PrintTexels(Printer& printer, ImageFormat format) {
  const auto bytes = static_cast<std::size_t>(LayoutOf(format)->bytes);
  for (int n = 0; n < 24; ++n) {
    std::vector<std::byte> element(bytes);
    FillElements(printer.random, format, &element);
    if (n < 2) element.assign(bytes, n == 0 ? std::byte{0} : std::byte{0xff});
    const DataType type = AnyType(printer.random, format);
    if (!printer.Take() || CheckRead(format, type) == Undefined::kWrongResultType) continue;
    std::string colors;
    for (Rounding rounding : kAllRoundings) {
      Color color;
      const ExactTexel texel = DecodeTexel(format, element.data());
      for (std::size_t c = 0; c < 4; ++c)
        color[c] = RoundComponent(texel.component[c], type, rounding);
      colors += (colors.empty() ? "" : ",") + ColorText(color);
    }
    fmt::print(
        "{{\"case\":\"texel\",{},\"element\":\"{}\",\"as\":\"{}\",\"colors\":[{}],\"sampled\":{},"
        "\"unsampled\":{}}}\n",
        FormatText(format), Hex(element.data(), bytes), kTypeNames[static_cast<int>(type)], colors,
        TexelText(AllowedOfTexel(format, element.data(), type, {.sampler = true})),
        TexelText(AllowedOfTexel(format, element.data(), type, {.sampler = false})));
  }
}

void PrintWrites(Printer& printer, ImageFormat format) {
  for (int n = 0; n < 24; ++n) {
    const DataType type = AnyType(printer.random, format);
    Color color;
    for (Bits& bits : color) {
      bits = IsFloating(type)            ? AnyFloating(printer.random, FormatOf(type))
             : printer.random() % 2 == 0 ? static_cast<std::uint32_t>(printer.random() % 600 - 300)
                                         : static_cast<std::uint32_t>(printer.random());
    }
    if (!printer.Take()) continue;
    std::byte element[16];
    EncodeTexel(format, color, type, element);
    const AllowedElement allowed = AllowedOfWrite(format, color, type);
    std::string fields;
    for (std::size_t f = 0; f < static_cast<std::size_t>(allowed.layout.fields); ++f) {
      const ChannelField field = allowed.layout.field[f];
      fields += fmt::format("{}[{},{},{}]", fields.empty() ? "" : ",", field.offset, field.width,
                            SetText(allowed.field[f]));
    }
    fmt::print(
        "{{\"case\":\"write\",{},\"as\":\"{}\",\"color\":{},\"element\":\"{}\",\"undefined\":\"{}"
        "\",\"fields\":[{}]}}\n",
        FormatText(format), kTypeNames[static_cast<int>(type)], ColorText(color),
        Hex(element, static_cast<std::size_t>(allowed.layout.bytes)), Name(allowed.undefined),
        fields);
  }
}

struct Subject {
  std::vector<std::byte> memory;
  ImageView view;
};

// shape: 1D, 1D array, 2D, 2D array, 3D.
Subject MakeImage(std::mt19937& random, ImageFormat format, int shape) {
  const int dimensions = shape / 2 + 1;
  const bool arrayed = shape % 2 == 1;
  std::array<std::int64_t, 3> size = {1, 1, 1};
  const int limit = dimensions == 3 ? 4 : dimensions == 2 ? 7 : 19;
  for (int d = 0; d < dimensions; ++d) {
    size[static_cast<std::size_t>(d)] =
        1 + static_cast<int>(random() % static_cast<unsigned>(limit));
  }
  Subject subject;
  subject.view = TightView(format, dimensions, arrayed, size,
                           arrayed ? 1 + static_cast<int>(random() % 3) : 1, nullptr);
  ImageView& view = subject.view;
  if (random() % 3 == 0) {
    view.row_pitch += static_cast<std::size_t>(LayoutOf(format)->bytes);
    view.slice_pitch = view.row_pitch * static_cast<std::size_t>(size[1]) + 16;
  }
  subject.memory.resize(view.slice_pitch * static_cast<std::size_t>(size[2] * view.layers));
  FillElements(random, format, &subject.memory);
  view.data = subject.memory.data();
  return subject;
}

Coordinates AnyCoordinates(std::mt19937& random, const ImageView& view, const Sampler& sampler) {
  Coordinates at = {.integers = random() % 8 == 0};
  for (std::size_t c = 0; c < 4; ++c) {
    const bool layer = view.arrayed && c == static_cast<std::size_t>(view.dimensions);
    const std::int64_t size = layer ? view.layers : c < 3 ? view.size[c] : 4;
    at.at[c] = at.integers ? static_cast<std::uint32_t>(random() % 24 - 4)
                           : std::bit_cast<std::uint32_t>(
                                 AnyCoordinate(random, size, sampler.normalized && !layer));
  }
  return at;
}

// The results of the reads of columns that are decided, one for each set of vector instructions.
std::string ColumnResults(const FastReader& reader, const Coordinates& at, bool sampled) {
  std::uint32_t columns[4][kReadLanes];
  CoordinateColumns coordinates = {.integers = at.integers, .sampled = sampled};
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::uint32_t& lane : columns[c]) lane = static_cast<std::uint32_t>(at.at[c]);
    coordinates.at[c] = columns[c];
  }
  std::string text;
  for (VectorSet set : {VectorSet::kSse2, VectorSet::kAvx2, VectorSet::kAvx512}) {
    if (!HasVectorSet(set)) continue;
    ColorColumns color;
    const std::uint32_t decided = reader.ReadColumns(coordinates, &color, set);
    for (int lane = 0; lane < kReadLanes; lane += kReadLanes - 1) {
      if ((decided >> lane & 1) == 0) continue;
      ReadResult result;
      for (std::size_t c = 0; c < 4; ++c) result.color[c] = color.component[c][lane];
      text += (text.empty() ? "" : ",") + ResultText(result);
    }
  }
  return "[" + text + "]";
}

void PrintRead(const Subject& subject, const Sampler& sampler, const Coordinates& at,
               DataType type) {
  const ImageView& view = subject.view;
  const FastReader reader(view, sampler, type);
  std::string results;
  for (Rounding rounding : kAllRoundings) {
    results +=
        (results.empty() ? "" : ",") + ResultText(ReadSampled(view, sampler, at, type, rounding));
  }
  fmt::print(
      "{{\"case\":\"read\",{},\"address\":{},\"linear\":{},\"normalized\":{},\"integers\":{},"
      "\"at\":{},\"as\":\"{}\","
      "\"results\":[{}],\"fast\":{},\"columns\":{},\"taps\":{},\"allowed\":{}}}\n",
      ViewText(view, subject.memory.size()), static_cast<int>(sampler.address),
      sampler.filter == FilterMode::kLinear, sampler.normalized, at.integers, ColorText(at.at),
      kTypeNames[static_cast<int>(type)], results, ResultText(reader.Read(at)),
      ColumnResults(reader, at, true), TapsText(SelectTaps(view, sampler, at)),
      AllowedText(AllowedOfSampled(view, sampler, at, type)));
}

void PrintReads(Printer& printer, ImageFormat format) {
  for (int shape = 0; shape < 5; ++shape) {
    for (int s = 0; s < 20; ++s) {
      const Sampler sampler = {static_cast<AddressMode>(s % 5), static_cast<FilterMode>(s / 5 % 2),
                               s / 10 == 1};
      const bool take = printer.Take();
      if (!take) continue;
      const Subject subject = MakeImage(printer.random, format, shape);
      const Coordinates at = AnyCoordinates(printer.random, subject.view, sampler);
      PrintRead(subject, sampler, at, AnyType(printer.random, format));
    }
    if (!printer.Take()) continue;
    const Subject subject = MakeImage(printer.random, format, shape);
    std::array<std::int32_t, 4> at;
    for (std::int32_t& c : at) c = static_cast<std::int32_t>(printer.random() % 5) - 1;
    const DataType type = AnyType(printer.random, format);
    const FastReader reader(subject.view, {}, type);
    Coordinates operands = {.integers = true};
    for (std::size_t c = 0; c < 4; ++c) operands.at[c] = static_cast<std::uint32_t>(at[c]);
    fmt::print(
        "{{\"case\":\"unsampled\",{},\"at\":[{},{},{},{}],\"as\":\"{}\",\"result\":{},\"fast\":{},"
        "\"columns\":{},\"allowed\":{}}}\n",
        ViewText(subject.view, subject.memory.size()), at[0], at[1], at[2], at[3],
        kTypeNames[static_cast<int>(type)], ResultText(ReadUnsampled(subject.view, at, type)),
        ResultText(reader.ReadUnsampled(at)), ColumnResults(reader, operands, false),
        AllowedText(AllowedOfUnsampled(subject.view, at, type)));
  }
}

void PrintMips(Printer& printer, ImageFormat format) {
  for (int n = 0; n < 12; ++n) {
    if (!printer.Take()) continue;
    std::mt19937& random = printer.random;
    std::vector<Subject> subjects;
    subjects.push_back(MakeImage(random, format, n % 5));
    while (random() % 3 != 0 && subjects.size() < 4) {
      const ImageView& before = subjects.back().view;
      std::array<std::int64_t, 3> size = before.size;
      for (std::int64_t& side : size) side = MipSize(side, 1);
      Subject next;
      next.view =
          TightView(format, before.dimensions, before.arrayed, size, before.layers, nullptr);
      next.memory.resize(next.view.slice_pitch * static_cast<std::size_t>(size[2] * before.layers));
      FillElements(random, format, &next.memory);
      subjects.push_back(std::move(next));
    }
    std::string text;
    std::vector<ImageView> views;
    for (Subject& subject : subjects) {
      subject.view.data = subject.memory.data();
      views.push_back(subject.view);
      text += (text.empty() ? "{" : ",{") + ViewText(subject.view, subject.memory.size()) + "}";
    }
    const Sampler sampler = {static_cast<AddressMode>(1 + random() % 4),
                             static_cast<FilterMode>(random() % 2), true};
    const MipFilter filter = {.mode = static_cast<FilterMode>(random() % 4 != 0),
                              .lod_min = static_cast<float>(random() % 3) / 2,
                              .lod_max = random() % 2 == 0 ? 0x1.fffffep127F : 1.75F};
    const float lods[] = {static_cast<float>(random() % 9) / 4, INFINITY, NAN,
                          std::ldexp(static_cast<float>(random()), -31)};
    const float lod = lods[random() % 12 < 8 ? 0 : random() % 4];
    const Coordinates at = AnyCoordinates(random, views[0], sampler);
    const DataType type = AnyType(random, format);
    std::string results;
    for (Rounding rounding : kAllRoundings) {
      results += (results.empty() ? "" : ",") +
                 ResultText(ReadMipmapped(views, sampler, filter, at, lod, type, rounding));
    }
    fmt::print(
        "{{\"case\":\"mip\",\"levels\":[{}],\"address\":{},\"linear\":{},\"normalized\":true,"
        "\"integers\":{},"
        "\"at\":{},\"as\":\"{}\",\"between\":{},\"lod\":{},\"lod_min\":{},\"lod_max\":{},"
        "\"results\":[{}]}}\n",
        text, static_cast<int>(sampler.address), sampler.filter == FilterMode::kLinear, at.integers,
        ColorText(at.at), kTypeNames[static_cast<int>(type)], filter.mode == FilterMode::kLinear,
        std::bit_cast<std::uint32_t>(lod), std::bit_cast<std::uint32_t>(filter.lod_min),
        std::bit_cast<std::uint32_t>(filter.lod_max), results);
  }
}

int Main(unsigned seed, unsigned part, unsigned parts) {
  Printer printer = {.random = std::mt19937(seed), .part = part, .parts = parts};
  PrintFormats();
  for (int o = 0; o < kChannelOrders; ++o) {
    for (ChannelType type : kAllChannelTypes) {
      const ImageFormat format = {static_cast<ChannelOrder>(o), type};
      if (!LayoutOf(format)) continue;
      PrintTexels(printer, format);
      PrintWrites(printer, format);
      PrintReads(printer, format);
      PrintMips(printer, format);
    }
  }
  return 0;
}

}  // namespace
}  // namespace assay::numerics::image

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: image_cases SEED PART PARTS\n", stderr);
    return 2;
  }
  const auto number = [&](int i) {
    return static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10));
  };
  return assay::numerics::image::Main(number(1), number(2), number(3));
}
