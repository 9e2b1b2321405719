#include "tools/hunt/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "numerics/evaluate.h"
#include "numerics/operation.h"
#include "oracle/judge/verdict.h"

namespace assay::tools {
namespace {

using numerics::Bits;

numerics::ScalarType ScalarOf(HuntBase base) { return *numerics::ScalarTypeFromName(NameOf(base)); }

std::optional<numerics::Operation> OperationOf(const HuntJudged& judged) {
  const HuntType from = judged.operands.at(0).type, to = judged.results.at(0).type;
  std::string name = judged.name;
  std::string format(NameOf(from.base));
  if (name.starts_with("convert")) {
    name = fmt::format("convert_{}{}", NameOf(to.base), name.substr(std::strlen("convert")));
  } else if (name.starts_with("vload_half")) {
    format = "half";
  } else if (const auto function = numerics::FunctionFromName(name)) {
    const bool is_geometric = numerics::Info(*function).IsGeometric();
    return numerics::Operation::Builtin(*function, numerics::FormatOf(ScalarOf(from.base)),
                                        is_geometric ? from.width : 1);
  }
  auto operation = numerics::OperationFromName(name, format);
  return operation ? std::optional(*operation) : std::nullopt;
}

oracle::Judge JudgeOf(const numerics::Operation& operation, const HuntDevice& device) {
  oracle::DeviceDescription description;
  description.denormals[static_cast<int>(numerics::Format::kHalf)] = device.keeps_subnormal_halves;
  description.denormals[static_cast<int>(numerics::Format::kFloat)] = device.keeps_subnormal_floats;
  const auto profile = device.is_embedded ? oracle::Profile::kEmbedded : oracle::Profile::kFull;
  auto options = oracle::OptionsFor(description, operation, profile, oracle::MathMode::kDefault);
  options.reading = oracle::Reading::kOpenClC;
  return {operation, *oracle::FindLimit(operation, profile, oracle::MathOptions{}, options.reading),
          options};
}

// A NaN "should" become zero before OpenCL C 3.1 (6.4.3.3), and programs are built as 3.0 at most.
bool IsOpen(const numerics::Operation& operation, const std::vector<Bits>& args) {
  return operation.kind == numerics::OperationKind::kConvert &&
         !numerics::IsFloating(operation.to) && numerics::IsFloating(operation.from) &&
         numerics::IsNan(numerics::FormatOf(operation.from), args[0]);
}

std::string ValueText(const interp::ElementType& type, std::span<const std::byte> bytes,
                      std::uint64_t index) {
  return interp::FormatElement(type, interp::ComponentsOf(type, bytes, index));
}

class Comparison {
 public:
  Comparison(const HuntDevice& device, const HuntBuffers& buffers, HuntResult* result)
      : device_(device), buffers_(buffers), result_(*result) {}

  void Run() {
    for (std::size_t k = 0; k < buffers_.described.size(); ++k) Plain(k);
    for (const HuntJudged& judged : buffers_.text->judged) Judged(judged);
  }

 private:
  void Plain(std::size_t buffer);
  void Judged(const HuntJudged& judged);
  void Tell(std::size_t buffer, std::uint64_t index, const std::string& allowed);
  std::size_t BufferOf(HuntBase base) const {
    const auto& outputs = buffers_.text->outputs;
    return static_cast<std::size_t>(std::ranges::find(outputs, base) - outputs.begin());
  }
  // Components of all stores of one work-item, from a lane on; 0: all of a vector.
  std::vector<Bits> Load(const std::vector<HuntStore>& stores,
                         const std::vector<std::span<const std::byte>>& from, std::uint64_t item,
                         int lane, int components) const;
  bool IsFlushed(HuntBase base, Bits observed, Bits right) const;

  const HuntDevice& device_;
  const HuntBuffers& buffers_;
  HuntResult& result_;
};

void Comparison::Tell(std::size_t buffer, std::uint64_t index, const std::string& allowed) {
  result_.verdict = HuntVerdict::kDiffers;
  if (buffer < buffers_.text->outputs.size())
    result_.wrong.emplace_back(buffers_.text->outputs[buffer], index);
  if (result_.difference) return;
  const interp::JobBuffer& described = *buffers_.described[buffer];
  result_.difference = {described.name, index,
                        ValueText(described.type, buffers_.observed[buffer], index),
                        ValueText(described.type, buffers_.right[buffer], index) + allowed};
}

// A device that does not keep subnormal numbers may have zeros in their place.
bool Comparison::IsFlushed(HuntBase base, Bits observed, Bits right) const {
  const auto format = numerics::FormatOf(ScalarOf(base));
  return !device_.KeepsSubnormals(base) && numerics::IsZero(format, observed) &&
         numerics::IsSubnormal(format, right);
}

// NaNs are alike (OpenCL C 7.4: their bits are not specified).
void Comparison::Plain(std::size_t buffer) {
  const std::size_t size = buffers_.described[buffer]->type.bytes;
  const bool is_output = buffer < buffers_.text->outputs.size();
  const HuntBase base = is_output ? buffers_.text->outputs[buffer] : HuntBase::kUint;
  const auto observed = buffers_.observed[buffer], right = buffers_.right[buffer];
  for (std::size_t at = 0; at + size <= right.size() && at + size <= observed.size(); at += size) {
    if (std::memcmp(&observed[at], &right[at], size) == 0) continue;
    const std::uint64_t index = at / size;
    if (is_output && !IsInteger(base)) {
      const auto type = ScalarOf(base);
      const Bits theirs = numerics::LoadElement(type, observed.data(), index);
      const Bits ours = numerics::LoadElement(type, right.data(), index);
      const auto format = numerics::FormatOf(type);
      if (numerics::IsNan(format, theirs) && numerics::IsNan(format, ours)) continue;
      if (IsFlushed(base, theirs, ours)) continue;
    }
    const bool is_judged =
        is_output && std::ranges::any_of(buffers_.text->judged, [&](const HuntJudged& judged) {
          return std::ranges::any_of(judged.results, [&](const HuntStore& store) {
            const std::uint64_t count =
                buffers_.items * static_cast<std::uint64_t>(store.type.width);
            return store.type.base == base && index >= store.offset && index < store.offset + count;
          });
        });
    if (!is_judged) Tell(buffer, index, "");
  }
}

std::vector<Bits> Comparison::Load(const std::vector<HuntStore>& stores,
                                   const std::vector<std::span<const std::byte>>& from,
                                   std::uint64_t item, int lane, int components) const {
  std::vector<Bits> bits;
  for (const HuntStore& store : stores) {
    const auto bytes = from[BufferOf(store.type.base)];
    const std::uint64_t first = store.offset + item * static_cast<std::uint64_t>(store.type.width) +
                                static_cast<std::uint64_t>(lane);
    const int count = components == 0 ? store.type.width : components;
    for (int c = 0; c < count; ++c) {
      bits.push_back(numerics::LoadElement(ScalarOf(store.type.base), bytes.data(),
                                           first + static_cast<std::uint64_t>(c)));
    }
  }
  return bits;
}

// Of geometric functions all lanes together, of others each.
void Comparison::Judged(const HuntJudged& judged) {
  const auto operation = OperationOf(judged);
  if (!operation) return;
  const oracle::Judge judge = JudgeOf(*operation, device_);
  const bool is_whole = operation->kind == numerics::OperationKind::kBuiltin &&
                        numerics::Info(operation->function).IsGeometric();
  const int lanes = is_whole ? 1 : judged.results[0].type.width;
  for (std::uint64_t item = 0; item < buffers_.items; ++item) {
    for (int lane = 0; lane < lanes; ++lane) {
      const int count = is_whole ? 0 : 1;
      const auto observed = Load(judged.results, buffers_.observed, item, lane, count);
      const auto right = Load(judged.results, buffers_.right, item, lane, count);
      if (observed == right) continue;
      const auto args = Load(judged.operands, buffers_.right, item, lane, count);
      if (IsOpen(*operation, args)) continue;
      std::vector<numerics::Exact> exact(right.size());
      numerics::EvaluateExact(*operation, args, exact);
      for (std::size_t k = 0; k < observed.size(); ++k) {
        if (observed[k] == right[k]) continue;
        const auto outcome = judge.Item(args, exact, observed, static_cast<int>(k));
        if (oracle::Accepts(outcome.rule)) continue;
        // Results are one after the other: two of one lane, or the lanes of one.
        const HuntStore& store = judged.results[is_whole ? 0 : k];
        const std::uint64_t index = store.offset +
                                    item * static_cast<std::uint64_t>(store.type.width) +
                                    (is_whole ? k : static_cast<std::uint64_t>(lane));
        const auto accepted = judge.AcceptedAnswers(args, exact, static_cast<int>(k));
        result_.ranges.push_back({store.type.base, index, accepted});
        Tell(BufferOf(store.type.base), index,
             fmt::format(" ({}; limit: {})", oracle::RuleText(outcome.rule),
                         oracle::Describe(judge.limit(), *operation)));
      }
    }
  }
}

}  // namespace

void CompareBuffers(const HuntDevice& device, const HuntBuffers& buffers, HuntResult* result) {
  Comparison(device, buffers, result).Run();
}

}  // namespace assay::tools
