#include "oracle/golden/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_text.h"
#include "numerics/matrix/random_tiles.h"
#include "oracle/golden/encoding.h"

namespace assay::oracle {
namespace {

namespace small = numerics::small_float;
using Json = nlohmann::ordered_json;
using small::Bits;

constexpr int kMostExhaustiveBits = 16;
constexpr std::uint64_t kConversionSamples[] = {256, 1024};  // at smoke, else
constexpr std::size_t kBoundaries[] = {1024, 8192};

bool TakesWord(const small::NamedConversion& conversion) {
  return conversion.rules.rounding == small::Rounding::kStochastic;
}

std::string HexBits(const small::Format& format, Bits bits) {
  return fmt::format("0x{:0{}x}", bits, (format.width() + 3) / 4);
}

// Collects operands, each once.
class Inputs {
 public:
  explicit Inputs(const small::NamedConversion& conversion)
      : from_(*conversion.from), takes_word_(TakesWord(conversion)) {}

  void Add(Bits bits, const std::string& reason, std::uint32_t word = 0) {
    const Bits own = bits & ~((Bits{1} << from_.padding_bits) - 1) &
                     (from_.width() == 64 ? ~Bits{0} : (Bits{1} << from_.width()) - 1);
    if (!takes_word_) word = 0;
    if (seen_.insert({own, word}).second) vectors_.push_back({own, word, reason});
  }
  // With each word that decides, where there are words.
  void AddEvery(Bits bits, const std::string& reason) {
    for (const std::uint32_t word : {0U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
      Add(bits, reason, word);
    }
  }
  std::vector<ConversionVector> Take() { return std::move(vectors_); }

 private:
  const small::Format& from_;
  bool takes_word_;
  std::set<std::pair<Bits, std::uint32_t>> seen_;
  std::vector<ConversionVector> vectors_;
};

// A number of the target, the midpoint after it, and their neighbours in the source.
void AddBoundary(const small::NamedConversion& conversion, Bits code, Inputs* inputs) {
  const small::Format &from = *conversion.from, &to = *conversion.to;
  const small::Number number = Decode(to, code << to.padding_bits);
  if (number.kind != small::Kind::kFinite) return;
  small::Number middle = number;
  middle.significand = 2 * middle.significand + 1;
  middle.exponent -= 1;
  for (const small::Number& place : {number, middle}) {
    const Bits bits = Encode(from, place, {.overflow = small::Overflow::kSaturate});
    const Bits step = Bits{1} << from.padding_bits;
    for (const Bits neighbour : {bits, bits + step, bits - step}) {
      inputs->AddEvery(neighbour, "boundary");
    }
  }
}

std::vector<ConversionVector> AllInputs(const small::NamedConversion& conversion) {
  Inputs inputs(conversion);
  const int bits = conversion.from->width() - conversion.from->padding_bits;
  for (Bits code = 0; code < Bits{1} << bits; ++code) {
    inputs.AddEvery(code << conversion.from->padding_bits, "exhaustive");
  }
  return inputs.Take();
}

Json ConversionHead(const small::NamedConversion& conversion, std::size_t count,
                    const std::string& tool, const std::string& command) {
  const small::Conversion& rules = conversion.rules;
  return {{"schema", kGoldenConversionSchema},
          {"tool", tool},
          {"command", command},
          {"function", conversion.Name()},
          {"from", conversion.from->name},
          {"to", conversion.to->name},
          {"rounding", small::kRoundingNames[static_cast<std::size_t>(rules.rounding)]},
          {"overflow", small::kOverflowNames[static_cast<std::size_t>(rules.overflow)]},
          {"count", count}};
}

std::string VectorLine(const small::NamedConversion& conversion, const ConversionVector& vector) {
  small::Conversion rules = conversion.rules;
  rules.word = vector.word;
  const Bits result = Convert(*conversion.from, vector.bits, *conversion.to, rules);
  const std::string expected = HexBits(*conversion.to, result);
  const bool is_nan = Decode(*conversion.to, result).kind == small::Kind::kNan;
  std::string args = fmt::format("\"{}\"", HexBits(*conversion.from, vector.bits));
  if (TakesWord(conversion)) args += fmt::format(",\"0x{:08x}\"", vector.word);
  return fmt::format(R"({{"args":[{}],"reason":"{}","expected":"{}","accepted":"{}"}})", args,
                     vector.reason, expected, is_nan ? "nan" : expected);
}

}  // namespace

Expected<std::vector<ConversionVector>> ChooseConversionInputs(
    const small::NamedConversion& conversion, Level level, std::uint64_t samples,
    std::uint64_t seed) {
  const small::Format &from = *conversion.from, &to = *conversion.to;
  const int bits = from.width() - from.padding_bits;
  if (level == Level::kExhaustive) {
    if (bits <= kMostExhaustiveBits) return AllInputs(conversion);
    return Fail(ErrorKind::kUsage,
                fmt::format("{} of {}: --level exhaustive is for operands of at most {} bits; use "
                            "--level standard with --samples N",
                            conversion.Name(), from.name, kMostExhaustiveBits));
  }
  const std::size_t place = level == Level::kSmoke ? 0 : 1;
  if (samples == 0) samples = kConversionSamples[place];
  Inputs inputs(conversion);
  std::vector<Bits> special = {0, from.max_finite()};
  if (from.has_infinity()) special.push_back(from.infinity());
  if (from.has_nan()) special.push_back(from.nan());
  if (from.has_sign) special.push_back(Bits{1} << from.padding_bits);
  for (const Bits magnitude : special) {
    for (const Bits sign : {Bits{0}, from.sign_bit()}) inputs.AddEvery(magnitude | sign, "special");
  }
  // All numbers of a small target, and a part of a large one's.
  const int target = to.width() - to.padding_bits;
  const std::uint64_t codes = target >= 63 ? ~std::uint64_t{0} : std::uint64_t{1} << target;
  const std::uint64_t step = std::max<std::uint64_t>(1, codes / kBoundaries[place]);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(codes, kBoundaries[place]); ++i) {
    AddBoundary(conversion, i * step, &inputs);
  }
  using numerics::matrix::Mixed;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const std::uint64_t word = Mixed(Mixed(seed) + i);
    inputs.Add(Mixed(word), "random", static_cast<std::uint32_t>(word));
  }
  return inputs.Take();
}

std::string EncodeGoldenConversion(const small::NamedConversion& conversion,
                                   const std::vector<ConversionVector>& vectors,
                                   const std::string& tool, const std::string& command) {
  const std::string head =
      base::JsonText(ConversionHead(conversion, vectors.size(), tool, command), 1);
  std::string text = head.substr(0, head.size() - 2) + ",\n \"vectors\": [";
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += VectorLine(conversion, vectors[i]);
  }
  return Sealed(text + "\n],\n", GoldenEncoding::kJson);
}

std::string ConversionFileName(const small::NamedConversion& conversion) {
  return fmt::format("{}.{}.json", conversion.Name(), conversion.from->name);
}

std::optional<Expected<std::string>> ConversionAgain(std::string_view content) {
  if (!content.starts_with("{")) return std::nullopt;
  const Json json = base::ParseJson(content);
  if (!json.is_object() || json.value("schema", "") != kGoldenConversionSchema) return std::nullopt;
  const auto fail = [](const std::string& what) -> Expected<std::string> {
    return Fail(ErrorKind::kUsage, "a golden file of a conversion: " + what);
  };
  const auto text = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto conversion = small::NamedConversionOf(text("function"), text("from"));
  if (!conversion) return fail("'function' and 'from' are no conversion");
  const auto list = json.find("vectors");
  if (list == json.end() || !list->is_array()) return fail("it has no 'vectors'");
  std::vector<ConversionVector> vectors;
  for (const Json& entry : *list) {
    const std::size_t wanted = TakesWord(*conversion) ? 2 : 1;
    const auto args = entry.is_object() ? entry.find("args") : entry.end();
    const bool fits = entry.is_object() && args != entry.end() && args->is_array() &&
                      args->size() == wanted && entry.contains("reason") &&
                      entry["reason"].is_string() &&
                      std::all_of(args->begin(), args->end(),
                                  [](const Json& arg) { return arg.is_string(); });
    if (!fits) return fail(fmt::format("vector {} has no 'args' and 'reason'", vectors.size()));
    const auto number = [&](std::size_t i) {
      return std::strtoull((*args)[i].get<std::string>().c_str(), nullptr, 16);
    };
    vectors.push_back({number(0), wanted == 2 ? static_cast<std::uint32_t>(number(1)) : 0,
                       entry["reason"].get<std::string>()});
  }
  return EncodeGoldenConversion(*conversion, vectors, text("tool"), text("command"));
}

}  // namespace assay::oracle
