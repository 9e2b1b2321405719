#include "oracle/golden/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "oracle/golden/encoding.h"

namespace assay::oracle {
namespace {

namespace small = numerics::small_float;
using Json = nlohmann::ordered_json;
using small::Bits;

bool TakesWord(const small::NamedConversion& conversion) {
  return conversion.rules.rounding == small::Rounding::kStochastic;
}

std::string HexBits(const small::Format& format, Bits bits) {
  return fmt::format("0x{:0{}x}", bits, (format.width() + 3) / 4);
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
    const bool fits =
        entry.is_object() && args != entry.end() && args->is_array() && args->size() == wanted &&
        entry.contains("reason") && entry["reason"].is_string() &&
        std::all_of(args->begin(), args->end(), [](const Json& arg) { return arg.is_string(); });
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
