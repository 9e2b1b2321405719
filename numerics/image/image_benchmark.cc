// Nanoseconds a read or a write, by the exact path and by the fast one, and how many of the fast
// one's reads the exact path has to decide.
//
// BM_Read/FORMAT/FILTER/{fast,exact}: random normalized coordinates of a 2D image of 256 x 256,
// REPEAT.

#include <benchmark/benchmark.h>

#include <array>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "numerics/image/fast_read.h"
#include "numerics/image/fast_write.h"

namespace assay::numerics::image {
namespace {

constexpr std::int64_t kSize = 256;
constexpr std::size_t kReads = 1 << 12;

struct Subject {
  std::vector<std::byte> memory;
  ImageView view;
  std::vector<Coordinates> at;
};

Subject Make(ImageFormat format, FilterMode filter) {
  std::mt19937 random(1);
  Subject subject;
  subject.memory.resize(static_cast<std::size_t>(LayoutOf(format)->bytes) * kSize * kSize);
  for (std::byte& byte : subject.memory) byte = static_cast<std::byte>(random() & 0x3b);  // no INF
  subject.view = TightView(format, 2, false, {kSize, kSize, 1}, 1, subject.memory.data());
  // Pixel centers and what lies between, as a kernel that filters asks.
  for (std::size_t n = 0; n < kReads; ++n) {
    const auto any = [&] {
      const auto texel = static_cast<float>(random() % kSize);
      const float part = filter == FilterMode::kLinear
                             ? std::uniform_real_distribution<float>(0, 1)(random)
                             : 0.5F;
      return Bits{std::bit_cast<std::uint32_t>((texel + part) / static_cast<float>(kSize))};
    };
    subject.at.push_back({.at = {any(), any()}});
  }
  return subject;
}

void BM_Read(benchmark::State& state, ImageFormat format, FilterMode filter, bool fast) {
  const Subject subject = Make(format, filter);
  const Sampler sampler = {AddressMode::kRepeat, filter, true};
  const DataType type = IsFloatingKind(KindOf(format.type)) ? DataType::kFloat : DataType::kUint;
  const FastReader reader(subject.view, sampler, type);
  std::size_t n = 0;
  for (auto _ : state) {
    const Coordinates& at = subject.at[n++ % kReads];
    benchmark::DoNotOptimize(fast ? reader.Read(at) : ReadSampled(subject.view, sampler, at, type));
  }
}

void BM_Write(benchmark::State& state, ImageFormat format, bool fast) {
  std::mt19937 random(2);
  std::vector<Color> colors(kReads);
  for (Color& color : colors) {
    for (Bits& bits : color) {
      bits = std::bit_cast<std::uint32_t>(std::uniform_real_distribution<float>(0, 1)(random));
    }
  }
  const FastWriter writer(format, DataType::kFloat);
  std::byte element[16];
  std::size_t n = 0;
  for (auto _ : state) {
    const Color& color = colors[n++ % kReads];
    if (fast) {
      writer.Write(color, element);
    } else {
      EncodeTexel(format, color, DataType::kFloat, element);
    }
    benchmark::DoNotOptimize(element);
  }
}

bool RegisterAll() {
  using enum ChannelOrder;
  using enum ChannelType;
  const ImageFormat formats[] = {{kRGBA, kUnormInt8},   {kRGBA, kUnormInt16}, {kRGBA, kHalfFloat},
                                 {kR, kFloat},          {kRGBA, kFloat},      {kSRGBA, kUnormInt8},
                                 {kRGBA, kUnsignedInt8}};
  for (ImageFormat format : formats) {
    if (IsFloatingKind(KindOf(format.type))) {
      const std::string name =
          "BM_Write/" + std::string(Name(format.order)) + "-" + std::string(Name(format.type));
      benchmark::RegisterBenchmark((name + "/fast").c_str(), BM_Write, format, true);
      benchmark::RegisterBenchmark((name + "/exact").c_str(), BM_Write, format, false);
    }
    for (FilterMode filter : {FilterMode::kNearest, FilterMode::kLinear}) {
      if (filter == FilterMode::kLinear && !IsFloatingKind(KindOf(format.type))) continue;
      for (bool fast : {true, false}) {
        const std::string name =
            "BM_Read/" + std::string(Name(format.order)) + "-" + std::string(Name(format.type)) +
            (filter == FilterMode::kLinear ? "/linear" : "/nearest") + (fast ? "/fast" : "/exact");
        benchmark::RegisterBenchmark(name.c_str(), BM_Read, format, filter, fast);
      }
    }
  }
  return true;
}

const bool registered = RegisterAll();

}  // namespace
}  // namespace assay::numerics::image
