#include "oracle/images/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "oracle/devices/poison.h"

namespace assay::oracle {
namespace {

using numerics::image::ChannelKind;

std::span<const std::byte> BytesOf(const std::vector<FourWords>& words) {
  return std::as_bytes(std::span(words));
}

// Item k of a second request is item (k + count / 2) % count of the first.
template <typename T>
std::vector<T> Rotated(const std::vector<T>& items) {
  std::vector<T> rotated = items;
  std::rotate(rotated.begin(), rotated.begin() + static_cast<long>(rotated.size() / 2),
              rotated.end());
  return rotated;
}
template <typename T>
std::vector<T> RotatedBack(const std::vector<T>& items) {
  std::vector<T> rotated = items;
  std::rotate(rotated.begin(),
              rotated.begin() + static_cast<long>(rotated.size() - rotated.size() / 2),
              rotated.end());
  return rotated;
}

class RowRunner {
 public:
  RowRunner(AnswersImages& device, const ImageAbilities& abilities, const ImageOptions& options,
            ImageRowResult* result)
      : device_(device), abilities_(abilities), options_(options), result_(result) {}

  Expected<void> Run(const ImageCase& asked, std::size_t number) {
    poison_ = Poison(Poison::Key{.seed = options_.seed, .first_item = number});
    if (asked.request.op == ImageOp::kRead) return Reads(asked);
    return asked.request.op == ImageOp::kWrite ? Writes(asked) : Query(asked);
  }

 private:
  Expected<std::vector<FourWords>> ReadOnce(const ImageRequest& request,
                                            std::span<const std::byte> texels,
                                            const std::vector<FourWords>& at,
                                            const Poison& poison) {
    std::vector<FourWords> answers(at.size());
    const std::span<std::byte> out = std::as_writable_bytes(std::span(answers));
    poison.Fill(out);
    const std::span<const std::byte> inputs[] = {texels, BytesOf(at)};
    const std::span<std::byte> outputs[] = {out};
    if (auto asked = device_.AskImages(request, inputs, outputs); !asked) {
      return tl::unexpected<Error>(asked.error());
    }
    return answers;
  }

  // The answers of which a component holds the poison.
  static std::vector<bool> Unwritten(const std::vector<FourWords>& answers, const Poison& poison,
                                     std::size_t components) {
    std::vector<bool> unwritten(answers.size());
    for (const std::size_t word : poison.FindUnwritten(BytesOf(answers), sizeof(std::uint32_t))) {
      if (word % 4 < components) unwritten[word / 4] = true;
    }
    return unwritten;
  }

  Expected<void> Reads(const ImageCase& asked) {
    auto first = ReadOnce(asked.request, asked.texels, asked.at, poison_);
    if (!first) return tl::unexpected<Error>(first.error());
    const Poison other = poison_.Other();
    auto second = ReadOnce(asked.request, asked.texels, Rotated(asked.at), other);
    if (!second) return tl::unexpected<Error>(second.error());
    const std::size_t components = LayoutOf(asked.request.format)->scalar ? 1 : 4;
    ReadAnswers answers = {.first = *first,
                           .second = RotatedBack(*second),
                           .unwritten = Unwritten(*first, poison_, components)};
    const std::vector<bool> again = RotatedBack(Unwritten(*second, other, components));
    for (std::size_t k = 0; k < again.size(); ++k) {
      answers.unwritten[k] = answers.unwritten[k] && again[k];
    }
    JudgeReads(asked, answers, abilities_.Of(ImageAbility::kIsGpu) != 0, options_.max_failures,
               &result_->tally);
    return {};
  }

  // Poison as elements; of floating-point channels ordinary numbers, which every copy keeps.
  static std::vector<std::byte> PoisonedTexels(const ImageRequest& request, const Poison& poison) {
    std::vector<std::byte> texels(TexelBytes(request));
    poison.Fill(texels);
    const auto layout = *LayoutOf(request.format);
    const ChannelKind kind = KindOf(request.format.type);
    if (kind != ChannelKind::kHalf && kind != ChannelKind::kFloat) return texels;
    const auto bytes = static_cast<std::size_t>(layout.bytes);
    for (std::size_t e = 0; e < texels.size(); e += bytes) {
      for (int f = 0; f < layout.fields; ++f) {
        const auto field = layout.field[static_cast<std::size_t>(f)];
        // The two highest bits of the exponent are 0 and 1.
        const std::uint64_t top = std::uint64_t{1} << (field.width - 2);
        const std::uint64_t bits = ReadField(texels.data() + e, field);
        WriteField(texels.data() + e, field, (bits & ~top) | top >> 1);
      }
    }
    return texels;
  }

  Expected<void> WriteOnce(const ImageCase& asked, bool again, std::vector<std::byte>* texels) {
    const auto at = again ? Rotated(asked.at) : asked.at;
    const auto colors = again ? Rotated(asked.colors) : asked.colors;
    const std::span<const std::byte> inputs[] = {BytesOf(at), BytesOf(colors)};
    const std::span<std::byte> outputs[] = {*texels};
    return device_.AskImages(asked.request, inputs, outputs);
  }

  Expected<void> Writes(const ImageCase& asked) {
    WriteAnswers answers;
    answers.before_first = answers.first = PoisonedTexels(asked.request, poison_);
    answers.before_second = answers.second = PoisonedTexels(asked.request, poison_.Other());
    if (auto written = WriteOnce(asked, false, &answers.first); !written) return written;
    if (auto written = WriteOnce(asked, true, &answers.second); !written) return written;
    JudgeWrites(asked, answers, options_.max_failures, &result_->tally);
    return {};
  }

  Expected<void> Query(const ImageCase& asked) {
    std::vector<std::uint32_t> answers(kQueryCount);
    const std::span<std::byte> out = std::as_writable_bytes(std::span(answers));
    poison_.Fill(out);
    const std::span<std::byte> outputs[] = {out};
    if (auto done = device_.AskImages(asked.request, {}, outputs); !done) return done;
    JudgeQuery(asked.request, answers, options_.max_failures, &result_->tally);
    return {};
  }

  AnswersImages& device_;
  const ImageAbilities& abilities_;
  const ImageOptions& options_;
  ImageRowResult* result_;
  Poison poison_;
};

// The formats of a shape that no row asks, by name.
std::string NotAsked(const ImageAbilities& abilities, ImageShape shape) {
  std::vector<std::string> names;
  for (const bool write : {false, true}) {
    for (const ImageAbilities::Listed listed : abilities.ListOf(shape, write)) {
      if (UsableFormat(listed, shape)) continue;
      const std::string name = FormatText(listed);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  if (names.empty()) return "";
  return fmt::format(
      "listed by the device and not asked, as no kernel of assay has such images: {}",
      fmt::join(names, ", "));
}

void JudgeFormatRow(Device& device, const ImageAbilities& abilities, const ImageOptions& options,
                    ImageRowResult* result) {
  result->message = NotAsked(abilities, result->row.shape);
  if (device.Description().profile == Profile::kEmbedded) {
    result->specification = result->suite = ImageVerdict::kUnsupported;
    result->message = "the list of an embedded profile is not compared";
    return;
  }
  JudgeFormats(abilities, result->row.shape, options.max_failures, &result->tally);
  result->specification = result->tally.BySpecification();
  result->suite = result->tally.BySuite();
}

}  // namespace

ImageRowResult RunImageRow(Device& device, const ImageAbilities& abilities, const ImageRow& row,
                           const ImageOptions& options) {
  ImageRowResult result = {.row = row};
  if (row.op == ImageRowOp::kFormats) {
    JudgeFormatRow(device, abilities, options, &result);
    return result;
  }
  auto* images = dynamic_cast<AnswersImages*>(&device);
  if (images == nullptr) return result;
  RowRunner runner(*images, abilities, options, &result);
  const std::vector<ImageCase> cases = CasesOf(row, options.level, options.seed);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const auto ran = runner.Run(cases[k], k);
    if (ran) continue;
    const bool unsupported = ran.error().kind == ErrorKind::kUnsupported;
    result.message = fmt::format("{}: {}", HowText(cases[k].request), ran.error().message);
    result.specification = result.suite =
        unsupported ? ImageVerdict::kUnsupported : ImageVerdict::kNotMeasured;
    // What was found before stays a failure.
    if (result.tally.failures > 0) result.specification = ImageVerdict::kFail;
    if (result.tally.suite_failures > 0) result.suite = ImageVerdict::kFail;
    result.notes = device.TakeNotes();
    return result;
  }
  result.notes = device.TakeNotes();
  result.specification = result.tally.BySpecification();
  result.suite = result.tally.BySuite();
  return result;
}

}  // namespace assay::oracle
