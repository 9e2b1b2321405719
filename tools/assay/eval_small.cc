#include "tools/assay/eval_small.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "numerics/literal.h"
#include "numerics/literal_loss.h"
#include "numerics/small_float/mx_block.h"
#include "numerics/small_float/named_conversion.h"
#include "numerics/small_float/read_number.h"
#include "tools/assay/eval_operand.h"

namespace assay::tools {
namespace {

namespace small = numerics::small_float;
using numerics::ScalarType;
using small::Bits;

constexpr std::string_view kBlockPrefix = "mx_";

const small::Format* BlockFormat(std::string_view function) {
  if (!function.starts_with(kBlockPrefix)) return nullptr;
  const small::Format* const format = small::FormatOf(function.substr(kBlockPrefix.size()));
  return format != nullptr && small::IsMxElement(*format) ? format : nullptr;
}

Bits AsDouble(const small::Format& format, Bits bits) {
  return Convert(format, bits, *small::FormatOf("f64"));
}

// A type of OpenCL C takes the nearest number, with a warning; other formats only their own.
std::optional<ScalarType> TypeOf(const small::Format& format) {
  constexpr std::pair<std::string_view, ScalarType> kTypes[] = {{"f16", ScalarType::kHalf},
                                                                {"bf16", ScalarType::kBfloat16},
                                                                {"f32", ScalarType::kFloat},
                                                                {"f64", ScalarType::kDouble}};
  for (const auto& [name, type] : kTypes) {
    if (format.name == name) return type;
  }
  return std::nullopt;
}

struct ShownValue {
  std::string bits, hex, decimal;
  std::string Columns() const { return fmt::format("{:<10} {:<24} {}\n", bits, hex, decimal); }
};

ShownValue Shown(const small::Format& format, Bits bits) {
  const Bits wide = AsDouble(format, bits);
  return {fmt::format("0x{:0{}x}", bits, (format.width() + 3) / 4),
          FormatHexFloat(numerics::Format::kDouble, wide),
          numerics::FormatDecimal(ScalarType::kDouble, wide)};
}

std::string ExactText(const small::Format& format, Bits bits, int digits) {
  return fmt::format("{:.{}g}", std::bit_cast<double>(AsDouble(format, bits)), digits);
}

std::string PlaceText(const small::Format& format, const small::Number& number) {
  if (number.kind != small::Kind::kFinite) return "prescribed";
  if (!format.has_sign && (number.negative || number.significand == 0)) return "prescribed";
  const auto place = PlaceBetweenNeighbours(format, number);
  if (!place) {
    const bool is_small = number.exponent < 0 && !format.has_sign;
    return is_small ? "below the smallest number" : "beyond the largest number";
  }
  if (*place == 0) return "exact";
  if (*place == 0.5) return "exact midpoint";
  return fmt::format("{:.6g} of an ulp from the number toward zero", *place);
}

nlohmann::ordered_json JsonOf(const ShownValue& value, const std::string& text) {
  nlohmann::ordered_json json;
  if (!text.empty()) json["text"] = text;
  json["bits"] = value.bits;
  json["hex"] = value.hex;
  json["value"] = value.decimal;
  return json;
}

SmallAnswer Begun(std::string_view function, const small::Format& format,
                  std::string_view rounding) {
  SmallAnswer answer;
  answer.text = fmt::format("{} of {}, rounding {}\n", function, format.name, rounding);
  answer.json = {{"schema", "assay-eval/1"},
                 {"function", function},
                 {"format", format.name},
                 {"rounding", rounding},
                 {"operands", nlohmann::ordered_json::array()},
                 {"results", nlohmann::ordered_json::array()}};
  return answer;
}

// Reads the operands, and tells them.
Expected<std::vector<Bits>> Operands(const SmallQuestion& question, const small::Format& format,
                                     std::size_t count, SmallAnswer* answer) {
  std::vector<Bits> operands;
  const auto type = TypeOf(format);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& text = question.arguments[i];
    const auto bits = type ? numerics::ParseLiteral(*type, text) : small::ReadNumber(format, text);
    if (!bits) return tl::unexpected<Error>(bits.error());
    const ShownValue value = Shown(format, *bits);
    answer->text += "  operand  " + value.Columns();
    answer->json["operands"].push_back(JsonOf(value, text));
    if (type) {
      const auto loss = numerics::LossOf(*type, text);
      WarnOfLoss(*type, text, *bits, loss);
      answer->json["operands"].back()["loss"] = LossName(loss);
    }
    operands.push_back(*bits);
  }
  return operands;
}

Expected<SmallAnswer> EvalConversion(const SmallQuestion& question,
                                     small::NamedConversion conversion) {
  const bool takes_word = conversion.rules.rounding == small::Rounding::kStochastic;
  if (question.arguments.size() != (takes_word ? 2 : 1)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} takes one operand of {}{}; {} are given", question.function,
                            conversion.from->name, takes_word ? " and a word, 0 to 0xffffffff" : "",
                            question.arguments.size()));
  }
  const std::string name = conversion.Name();
  SmallAnswer answer = Begun(name, *conversion.from, name.substr(name.rfind('_') + 1));
  const auto operands = Operands(question, *conversion.from, 1, &answer);
  if (!operands) return tl::unexpected<Error>(operands.error());
  if (takes_word) {
    const auto word = small::ReadWord(question.arguments[1]);
    if (!word) return tl::unexpected<Error>(word.error());
    conversion.rules.word = *word;
    answer.text += fmt::format("  word     0x{:08x}\n", *word);
    answer.json["operands"].push_back(
        {{"text", question.arguments[1]}, {"bits", fmt::format("0x{:08x}", *word)}});
  }
  const Bits bits = Convert(*conversion.from, operands->front(), *conversion.to, conversion.rules);
  const ShownValue value = Shown(*conversion.to, bits);
  const std::string exact = ExactText(*conversion.from, operands->front(), question.digits);
  const std::string place = PlaceText(*conversion.to, Decode(*conversion.from, operands->front()));
  nlohmann::ordered_json result = JsonOf(value, "");
  result["exact"] = exact;
  result["rounding"] = place;
  answer.json["results"].push_back(std::move(result));
  answer.text += "  result   " + value.Columns();
  answer.text += fmt::format("  exact    {}\n  rounding {}\n", exact, place);
  return answer;
}

// The scale and the elements of one block.
Expected<SmallAnswer> EvalBlock(const SmallQuestion& question, const small::Format& element,
                                const small::Format& from) {
  if (question.arguments.size() > small::kMxBlock) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} takes up to {} numbers; {} are given", question.function,
                            small::kMxBlock, question.arguments.size()));
  }
  if (question.rounding != "rte" && question.rounding != "rtz") {
    return Fail(ErrorKind::kUsage,
                fmt::format("--rounding {}: blocks are rounded by rte or rtz", question.rounding));
  }
  SmallAnswer answer = Begun(question.function, from, question.rounding);
  const auto operands = Operands(question, from, question.arguments.size(), &answer);
  if (!operands) return tl::unexpected<Error>(operands.error());
  std::vector<small::Number> numbers;
  for (const Bits bits : *operands) numbers.push_back(Decode(from, bits));
  const small::MxBlock block =
      ToMxBlock(element, numbers,
                {.rounding = question.rounding == "rtz" ? small::Rounding::kTowardZero
                                                        : small::Rounding::kNearestEven});
  const ShownValue scale = Shown(*small::FormatOf("e8m0"), block.scale);
  answer.text += "  scale    " + scale.Columns();
  answer.json["results"].push_back(JsonOf(scale, ""));
  const std::vector<small::Number> values = FromMxBlock(element, block.scale, block.elements);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ShownValue value = Shown(element, block.elements[i]);
    const Bits scaled = Encode(*small::FormatOf("f64"), values[i]);
    const std::string times = numerics::FormatDecimal(ScalarType::kDouble, scaled);
    answer.text += fmt::format("  element  {:<10} {:<24} times the scale: {}\n", value.bits,
                               value.decimal, times);
    nlohmann::ordered_json json = JsonOf(value, "");
    json["scaled"] = times;
    answer.json["results"].push_back(std::move(json));
  }
  return answer;
}

}  // namespace

bool IsSmall(const SmallQuestion& question) {
  if (BlockFormat(question.function) != nullptr) return true;
  const auto conversion = small::NamedConversionOf(question.function, question.format);
  if (!conversion) return false;
  return !conversion->IsOpenClC();
}

Expected<SmallAnswer> EvalSmall(const SmallQuestion& question) {
  if (const small::Format* const element = BlockFormat(question.function)) {
    const small::Format* const from = small::FormatByAnyName(question.format);
    if (from == nullptr) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--format {}: there is no such format", question.format));
    }
    return EvalBlock(question, *element, *from);
  }
  auto conversion = small::NamedConversionOf(question.function, question.format);
  if (conversion && !small::NamesRounding(question.function)) {
    const std::string with = question.function + "_" + question.rounding;
    conversion = small::NamedConversionOf(with, question.format);
  }
  return EvalConversion(question, *conversion);
}

}  // namespace assay::tools
