// Reads, writes and queries of images.
//
// OpenCL C 6.15.15 and chapter 8, evaluated by numerics/image.  What the text leaves undefined
// becomes an undefined value, or is a finding at once where the behaviour is undefined.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "interp/execute/default_environment.h"
#include "interp/execute/execute.h"
#include "interp/execute/image_faults.h"
#include "interp/program/handlers.h"

namespace assay::interp {

namespace ni = numerics::image;

namespace {

using Query = ImageCall::Query;

// An instruction as a batch executes it.
class ImageInstruction {
 public:
  ImageInstruction(Batch& batch, const FlatInstruction& in)
      : batch_(batch),
        in_(in),
        call_(batch.program->image_calls[in.immediate]),
        registers_(&batch.program->extra[in.extra + 1]),
        results_(registers_ + call_.Operands() + 1),
        images_(batch.worker->images()) {
    std::uint32_t next = 1;
    coordinates_ = next;
    next += call_.coordinates;
    level_ = next;
    next += call_.levels;
    gradients_ = next;
    next += 2u * call_.gradient;
    sample_ = next;
    next += call_.samples;
    color_ = next;
  }

  void Read() {
    UseOperands();
    const std::uint64_t done = ReadTogether();
    const bool watched = batch_.tainted || batch_.undefined != nullptr || batch_.race != nullptr;
    Each(watched ? batch_.active : batch_.active & ~done,
         [this, done](const PreparedImage& image, int lane) {
           if ((done >> lane & 1) == 0) return ReadLane(image, lane);
           ClearRecord(lane);
           WatchRead(image, 0, lane);
         });
  }
  void Write() {
    UseOperands();
    Each(batch_.active, [this](const PreparedImage& image, int lane) { WriteLane(image, lane); });
  }
  void AnswerQuery() {
    Each(batch_.active, [this](const PreparedImage& image, int lane) { QueryLane(image, lane); });
  }

 private:
  std::uint32_t Word(std::uint32_t operand, int lane) const {
    return batch_.Register<std::uint32_t>(registers_[operand])[lane];
  }
  float Float(std::uint32_t operand, int lane) const {
    return std::bit_cast<float>(Word(operand, lane));
  }

  // Calls `does` for each of these lanes, with its image.
  template <typename Does>
  void Each(std::uint64_t lanes, const Does& does) {
    const auto* value = batch_.Register<std::uint64_t>(registers_[0]);
    const PreparedImage* image = nullptr;
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (image == nullptr || image->value != value[lane]) {
        image = images_.Find(call_, in_.immediate, value[lane]);
      }
      if (image == nullptr) {
        ReportNoImage(batch_, in_, lane);
        SetColor({}, lane);
        continue;
      }
      if (image->image->conflict >= 0) ReportConflict(batch_, in_, lane, *image);
      does(*image, lane);
    }
  }

  // What leads to an element decides which one it is.
  void UseOperands() const {
    if (!batch_.tainted) return;
    for (std::uint32_t i = 0; i < color_; ++i) {
      const std::uint32_t offset = registers_[i];
      if (batch_.any_undefined[offset >> 6] == 0) continue;
      batch_.worker->definedness()->Use(
          batch_, in_.place, offset, i == 0 ? 8 : 4, batch_.active,
          i == 0 ? "the choice of an image" : "the location in an image", false);
    }
  }

  std::array<std::int32_t, 4> Integers(int lane) const {
    std::array<std::int32_t, 4> at = {};
    for (std::uint32_t i = 0; i < call_.coordinates; ++i) {
      at[i] = static_cast<std::int32_t>(Word(coordinates_ + i, lane));
    }
    return at;
  }
  ni::Coordinates Sampled(int lane) const {
    ni::Coordinates coordinates;
    coordinates.integers = call_.integers;
    for (std::uint32_t i = 0; i < call_.coordinates; ++i) {
      coordinates.at[i] = Word(coordinates_ + i, lane);
    }
    return coordinates;
  }

  void SetColor(const ni::Color& color, int lane) {
    if (call_.query == Query::kNone && call_.type == ni::DataType::kHalf) {
      for (std::uint32_t c = 0; !call_.writes && c < call_.components; ++c) {
        batch_.Register<std::uint16_t>(results_[c])[lane] = static_cast<std::uint16_t>(color[c]);
      }
      return;
    }
    for (std::uint32_t c = 0; !call_.writes && c < call_.components; ++c) {
      batch_.Register<std::uint32_t>(results_[c])[lane] = static_cast<std::uint32_t>(color[c]);
    }
  }

  // --- reads ---

  void ReadLane(const PreparedImage& image, int lane) {
    const std::size_t view = ViewOf(image, lane);
    ni::ReadResult result;
    if (view >= image.views.size()) {
      SetColor({}, lane);
      ClearRecord(lane);
      return LeaveOpen(image, lane, call_.samples != 0 ? SampleFault() : LevelFault(false));
    }
    if (!call_.sampled) {
      result = image.readers[view].ReadUnsampled(Integers(lane));
    } else if (image.views.size() == 1) {
      result = image.readers[0].Read(Sampled(lane));
    } else {
      result = ni::ReadMipmapped(image.views, image.sampler.sampler, image.sampler.mip,
                                 Sampled(lane), LevelOfDetail(image, lane), image.type);
    }
    SetColor(result.color, lane);
    ClearRecord(lane);
    if (result.undefined != ni::Undefined::kNo) {
      const bool outside = result.undefined == ni::Undefined::kOutside ||
                           result.undefined == ni::Undefined::kLayerOutside;
      LeaveOpen(image, lane,
                call_.samples != 0 && outside ? SampleFault() : FaultOf(result.undefined, false));
      return;
    }
    if (image.views.size() > 1 && call_.sampled && !image.sampler.sampler.normalized) {
      LeaveOpen(image, lane, LevelFault(true));
    }
    WatchRead(image, view, lane);
  }

  // The image that all active lanes read, if it has one view; else null.
  const PreparedImage* FindCommon() {
    const auto* value = batch_.Register<std::uint64_t>(registers_[0]);
    const std::uint64_t first = value[std::countr_zero(batch_.active)];
    std::uint64_t differs = 0;
    for (std::uint32_t i = 0; i < batch_.lanes; ++i) {
      differs |= (batch_.active >> i & 1) != 0 ? value[i] ^ first : 0;
    }
    if (differs != 0) return nullptr;
    const PreparedImage* image = images_.Find(call_, in_.immediate, first);
    if (image == nullptr || image->image->conflict >= 0 || image->views.size() != 1) return nullptr;
    const ni::ImageView& view = image->views[0];
    const int coordinates = view.dimensions + (view.arrayed ? 1 : 0);
    return static_cast<int>(call_.coordinates) < coordinates ? nullptr : image;
  }

  // Reads by columns; returns the lanes that have their results.
  std::uint64_t ReadTogether() {
    if (!call_.sampled && (call_.samples != 0 || call_.levels != 0)) return 0;
    const PreparedImage* image = FindCommon();
    if (image == nullptr) return 0;
    std::uint64_t done = 0;
    for (std::uint32_t first = 0; first < batch_.lanes; first += ni::kReadLanes) {
      const auto active = static_cast<std::uint32_t>(batch_.active >> first & 0xffff);
      if (active == 0) continue;
      ni::CoordinateColumns columns{.integers = call_.integers || !call_.sampled,
                                    .sampled = call_.sampled};
      for (std::uint32_t i = 0; i < call_.coordinates; ++i) {
        columns.at[i] = batch_.Register<std::uint32_t>(registers_[coordinates_ + i]) + first;
      }
      ni::ColorColumns color;
      const std::uint32_t decided =
          image->readers[0].ReadColumns(columns, &color, vector_set_) & active;
      for (std::uint32_t c = 0; c < call_.components; ++c) {
        SetColumn(color.component[c], decided, batch_.Register<std::uint32_t>(results_[c]) + first);
      }
      done |= std::uint64_t{decided} << first;
    }
    return done;
  }

  // The lanes of `mask`, of kReadLanes.
  static void SetColumn(const std::uint32_t* column, std::uint32_t mask, std::uint32_t* result) {
    if (mask == 0xffff) {
      std::memcpy(result, column, ni::kReadLanes * sizeof *result);
      return;
    }
    for (; mask != 0; mask &= mask - 1) {
      const int lane = std::countr_zero(mask);
      result[lane] = column[lane];
    }
  }

  // Of a read without a sampler: which level or sample; not one of them where there is no such.
  std::size_t ViewOf(const PreparedImage& image, int lane) const {
    if (call_.sampled) return 0;
    if (call_.samples != 0) return Word(sample_, lane);
    if (call_.levels == 0) return 0;
    // An image without samples is what a multisample one has no levels for.
    return image.image->image.samples > 1 && Word(level_, lane) != 0 ? image.views.size()
                                                                     : Word(level_, lane);
  }

  float LevelOfDetail(const PreparedImage& image, int lane) const {
    if (call_.levels != 0) return Float(level_, lane);
    if (call_.gradient == 0) return 0;
    std::array<float, 3> x = {}, y = {};
    for (std::uint32_t i = 0; i < call_.gradient; ++i) {
      x[i] = Float(gradients_ + i, lane);
      y[i] = Float(gradients_ + call_.gradient + i, lane);
    }
    return ni::LevelOfDetail(image.views[0], image.sampler.sampler.normalized,
                             std::span(x).first(call_.gradient),
                             std::span(y).first(call_.gradient));
  }

  // The results of a lane are defined so far.
  void ClearRecord(int lane) const {
    if (!batch_.tainted) return;
    for (std::uint32_t c = 0; c < call_.components; ++c) {
      if (batch_.any_undefined[results_[c] >> 6] == 0) continue;
      if (call_.type == ni::DataType::kHalf) {
        batch_.Undefined<std::uint16_t>(results_[c])[lane] = 0;
      } else {
        batch_.Undefined<std::uint32_t>(results_[c])[lane] = 0;
      }
    }
  }

  std::uint32_t ColorBytes() const { return call_.type == ni::DataType::kHalf ? 2 : 4; }

  void LeaveOpen(const PreparedImage& image, int lane, const ImageFault& fault) {
    Worker& worker = *batch_.worker;
    if (!batch_.program->detectors.Has(Detector::kImages)) return;
    if (!fault.leaves_open || worker.definedness() == nullptr) {
      return ReportFault(batch_, in_, lane, image, fault, DescribeLocation(lane));
    }
    const std::string what = DescribeFault(batch_, image, fault, DescribeLocation(lane));
    for (std::uint32_t c = 0; c < call_.components; ++c) {
      worker.definedness()->LeftOpen(batch_, in_.place, results_[c], ColorBytes(), lane, fault.rule,
                                     what);
    }
  }

  // "(3, 4)".
  std::string DescribeLocation(int lane) const {
    std::string text;
    for (std::uint32_t i = 0; i < call_.coordinates; ++i) {
      if (i != 0) text += ", ";
      if (call_.integers) {
        text += fmt::format("{}", static_cast<std::int32_t>(Word(coordinates_ + i, lane)));
      } else {
        text += fmt::format("{}", Float(coordinates_ + i, lane));
      }
    }
    text = fmt::format("({})", text);
    if (call_.samples != 0) text += fmt::format(", sample {}", Word(sample_, lane));
    if (call_.levels == 0) return text;
    return text + (call_.sampled ? fmt::format(", level of detail {}", Float(level_, lane))
                                 : fmt::format(", level {}", Word(level_, lane)));
  }

  // --- what is said of the elements that were read ---

  void WatchRead(const PreparedImage& image, std::size_t view, int lane) {
    if (batch_.undefined == nullptr && batch_.race == nullptr) return;
    const Region& region = *batch_.FindRegion(image.image->address);
    const bool has_record = batch_.undefined != nullptr && region.shadow != nullptr &&
                            region.shadow->undefined.load(std::memory_order_relaxed) != nullptr;
    const bool has_cells = batch_.race != nullptr && IsWatchedForRaces(batch_, region);
    if (!has_record && !has_cells) return;
    if (!call_.sampled) {
      const ni::Place place = ni::SelectPlace(image.views[view], Integers(lane));
      return WatchElement(image, ElementOf(image, image.views[view], place.location), lane);
    }
    if (image.views.size() == 1) return WatchTaps(image, 0, lane);
    const ni::MipLevels levels = ni::SelectLevels(static_cast<int>(image.views.size()),
                                                  image.sampler.mip, LevelOfDetail(image, lane));
    WatchTaps(image, static_cast<std::size_t>(levels.first), lane);
    if (levels.second != levels.first && levels.weight != 0) {
      WatchTaps(image, static_cast<std::size_t>(levels.second), lane);
    }
  }

  void WatchTaps(const PreparedImage& image, std::size_t level, int lane) {
    const ni::Coordinates at = Sampled(lane);
    ni::Elements elements;
    if (image.readers[level].SelectElements(at, &elements)) {
      for (const std::byte* element : elements.All()) WatchElement(image, element, lane);
      return;
    }
    const ni::ImageView& view = image.views[level];
    for (const ni::Tap& tap : ni::SelectTaps(view, image.sampler.sampler, at).taps) {
      if (tap.inside) WatchElement(image, ElementOf(image, view, tap.location), lane);
    }
  }

  // ni::ElementAt without asking for the layout again.
  static const std::byte* ElementOf(const PreparedImage& image, const ni::ImageView& view,
                                    const ni::Location& location) {
    const auto slice = static_cast<std::size_t>(location.at[2] + location.layer);
    return view.data + location.at[0] * image.layout.bytes +
           static_cast<std::size_t>(location.at[1]) * view.row_pitch + slice * view.slice_pitch;
  }

  void WatchElement(const PreparedImage& image, const std::byte* element, int lane) {
    const Address address = image.image->address + static_cast<std::uint64_t>(element - image.data);
    const auto bytes = static_cast<std::uint64_t>(image.layout.bytes);
    if (batch_.race != nullptr) {
      TrackAccess(batch_, in_, lane, address, bytes, AccessKind::kLoad, false);
    }
    const std::byte* record = UndefinedAt(batch_, lane, address);
    static constexpr std::array<std::byte, 16> kDefined = {};
    if (record == nullptr || std::memcmp(record, kDefined.data(), bytes) == 0) return;
    for (std::uint32_t c = 0; c < call_.components; ++c) {
      const std::int8_t source = image.layout.source[c];
      if (source < 0) continue;
      const ni::ChannelField field = image.layout.field[static_cast<std::size_t>(source)];
      const std::uint64_t undefined = ni::ReadField(record, field);
      if (undefined == 0) continue;
      batch_.worker->definedness()->LoadedElement(
          batch_, in_.place, results_[c], ColorBytes(), lane, address + field.offset / 8,
          undefined << field.offset % 8, (field.offset % 8 + std::uint32_t{field.width} + 7) / 8);
    }
  }

  // --- writes ---

  void WriteLane(const PreparedImage& image, int lane) {
    const std::size_t view = ViewOf(image, lane);
    if (view >= image.views.size()) {
      return ReportFault(batch_, in_, lane, image,
                         call_.samples != 0 ? SampleFault() : LevelFault(false),
                         DescribeLocation(lane));
    }
    const ni::Place place = ni::SelectPlace(image.views[view], Integers(lane));
    if (place.undefined != ni::Undefined::kNo) {
      return ReportFault(batch_, in_, lane, image, FaultOf(place.undefined, true),
                         DescribeLocation(lane));
    }
    const ni::Color color = ColorOf(lane);
    CheckColor(image, color, lane);
    std::array<std::byte, 16> made;
    image.writer->Write(color, made.data());
    const std::byte* element = ElementOf(image, image.views[view], place.location);
    const auto offset = static_cast<std::uint64_t>(element - image.data);
    const auto bytes = static_cast<std::size_t>(image.layout.bytes);
    const Address address = image.image->address + offset;
    if (batch_.race != nullptr) {
      TrackAccess(batch_, in_, lane, address, bytes, AccessKind::kStore,
                  std::memcmp(element, made.data(), bytes) == 0);
    }
    std::memcpy(image.data + offset, made.data(), bytes);
    if (std::byte* record = UndefinedAt(batch_, lane, address)) std::memset(record, 0, bytes);
  }

  ni::Color ColorOf(int lane) const {
    ni::Color color = {};
    for (std::uint32_t c = 0; c < call_.components; ++c) {
      color[c] = call_.type == ni::DataType::kHalf
                     ? batch_.Register<std::uint16_t>(registers_[color_ + c])[lane]
                     : batch_.Register<std::uint32_t>(registers_[color_ + c])[lane];
    }
    return color;
  }

  // The components that the image stores.
  void CheckColor(const PreparedImage& image, const ni::Color& color, int lane) {
    const ni::ImageFormat format = image.image->image.format;
    if (ni::CheckWrite(format, image.type) != ni::Undefined::kNo) {
      ReportFault(batch_, in_, lane, image, FaultOf(ni::Undefined::kWrongWriteType, true),
                  DescribeLocation(lane));
    }
    const ni::ChannelKind kind = ni::KindOf(format.type);
    const bool normalizes = kind == ni::ChannelKind::kUnorm || kind == ni::ChannelKind::kSnorm;
    for (int f = 0; f < image.layout.fields; ++f) {
      const std::size_t c = image.layout.field[static_cast<std::size_t>(f)].component;
      if (c >= call_.components) continue;
      if (batch_.tainted && batch_.any_undefined[registers_[color_ + c] >> 6] != 0) {
        batch_.worker->definedness()->Use(batch_, in_.place, registers_[color_ + c], ColorBytes(),
                                          std::uint64_t{1} << lane, "what is written to an image",
                                          false);
      }
      if (normalizes && ni::IsFloating(image.type) && !IsFinite(color[c])) {
        ReportFault(batch_, in_, lane, image, FaultOf(ni::Undefined::kNotFiniteToNormalized, true),
                    DescribeLocation(lane));
      }
    }
  }

  bool IsFinite(numerics::Bits bits) const {
    const numerics::Bits exponent = call_.type == ni::DataType::kHalf ? 0x7c00 : 0x7f800000;
    return (bits & exponent) != exponent;
  }

  // --- queries ---

  void QueryLane(const PreparedImage& image, int lane) {
    const ImageDescriptor& is = image.image->image;
    ni::Color answer = {};
    switch (call_.query) {
      case Query::kNone:
        break;
      case Query::kSize: {
        std::size_t level = call_.levels != 0 ? Word(level_, lane) : 0;
        if (level >= image.views.size()) level = 0;
        const auto dimensions = static_cast<std::size_t>(DimensionsOf(is.shape));
        for (std::size_t d = 0; d < dimensions; ++d) {
          answer[d] = static_cast<std::uint32_t>(image.views[level].size[d]);
        }
        if (IsArrayed(is.shape)) answer[dimensions] = static_cast<std::uint32_t>(is.layers);
        break;
      }
      case Query::kFormat:
        answer[0] = static_cast<std::uint32_t>(is.format.type);
        break;
      case Query::kOrder:
        answer[0] = static_cast<std::uint32_t>(is.format.order);
        break;
      case Query::kLevels:
        answer[0] = static_cast<std::uint32_t>(is.levels);
        break;
      case Query::kSamples:
        answer[0] = static_cast<std::uint32_t>(is.samples);
        break;
    }
    SetColor(answer, lane);
  }

  Batch& batch_;
  const FlatInstruction& in_;
  const ImageCall& call_;
  const std::uint32_t* registers_;  // of the operands
  const std::uint32_t* results_;
  Images& images_;
  const numerics::VectorSet vector_set_ = numerics::ChosenVectorSet();
  // Where operands begin.
  std::uint32_t coordinates_ = 0, level_ = 0, gradients_ = 0, sample_ = 0, color_ = 0;
};

}  // namespace

void ImageRead(Batch& batch, const FlatInstruction& in) {
  const DefaultEnvironment environment(batch.program->controls.host);
  ImageInstruction(batch, in).Read();
}

void ImageWrite(Batch& batch, const FlatInstruction& in) {
  const DefaultEnvironment environment(batch.program->controls.host);
  ImageInstruction(batch, in).Write();
}

void ImageQuery(Batch& batch, const FlatInstruction& in) {
  ImageInstruction(batch, in).AnswerQuery();
}

}  // namespace assay::interp
