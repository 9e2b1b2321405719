#include "tools/assay/validate_conversions.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace assay::tools {
namespace {

namespace small = numerics::small_float;

// A number below the smallest normal one, and not zero.
bool IsSubnormalNumber(const small::Format& format, small::Bits bits) {
  const small::Number number = Decode(format, bits);
  return number.kind == small::Kind::kFinite && number.significand != 0 &&
         (number.significand >> format.mantissa_bits) == 0;
}

bool IsZeroNumber(const small::Format& format, small::Bits bits) {
  const small::Number number = Decode(format, bits);
  return number.kind == small::Kind::kFinite && number.significand == 0;
}

void JudgeConversion(const small::NamedConversion& conversion, small::Bits operand,
                     small::Bits answer, ConversionRow* row) {
  const small::Format &from = *conversion.from, &to = *conversion.to;
  const small::Bits right = Convert(from, operand, to, conversion.rules);
  ++row->asked;
  const bool are_nan =
      Decode(to, right).kind == small::Kind::kNan && Decode(to, answer).kind == small::Kind::kNan;
  if (answer == right || are_nan) return;
  if (IsZeroNumber(to, answer) &&
      (IsSubnormalNumber(to, right) || IsSubnormalNumber(from, operand))) {
    ++row->flushed;
    return;
  }
  if (row->wrong++ > 0) return;
  row->operand = operand;
  row->device = answer;
  row->expected = right;
}

Expected<void> MeasureConversion(MatrixDevice& device, const DeclaredConversion& declared,
                                 oracle::Level level, std::uint64_t samples, std::uint64_t seed,
                                 ConversionRow* row) {
  const small::NamedConversion& conversion = declared.conversion;
  const int bits = conversion.from->width() - conversion.from->padding_bits;
  const auto inputs = bits <= oracle::kMostExhaustiveBits
                          ? oracle::AllConversionInputs(conversion)
                          : oracle::ChooseConversionInputs(conversion, level, samples, seed);
  if (!inputs) return tl::unexpected<Error>(inputs.error());
  std::vector<small::Bits> operands;
  for (const oracle::ConversionVector& input : *inputs) operands.push_back(input.bits);
  const auto answers = device.Convert(declared, operands);
  if (!answers) return tl::unexpected<Error>(answers.error());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    JudgeConversion(conversion, operands[i], (*answers)[i], row);
  }
  return {};
}

std::string BitsText(const std::string& format, small::Bits bits) {
  const small::Format& known = *small::FormatByAnyName(format);
  return fmt::format("0x{:0{}x} ({:.9g})", bits, (known.width() + 3) / 4, ValueOf(known, bits));
}

std::string TargetOf(const ConversionRow& row) {
  return std::string(small::NamedConversionOf(row.name, row.from)->to->name);
}

std::string_view VerdictOf(const ConversionRow& row) {
  if (!row.message.empty()) return "not measured";
  return row.wrong > 0 ? "fail" : "pass";
}

}  // namespace

ConversionReport ValidateConversions(MatrixDevice& device, oracle::Level level,
                                     std::uint64_t samples, std::uint64_t seed,
                                     const std::atomic<bool>& stop) {
  ConversionReport report{.device = device.name(), .driver = device.driver(), .seed = seed};
  for (const DeclaredConversion& declared : device.conversions()) {
    ConversionRow row{.name = declared.name,
                      .from = std::string(declared.conversion.from->name),
                      .via = declared.via};
    if (stop) {
      row.message = "interrupted";
    } else if (auto measured = MeasureConversion(device, declared, level, samples, seed, &row);
               !measured) {
      row.message = measured.error().message;
    }
    report.rows.push_back(std::move(row));
  }
  return report;
}

std::string ConversionTable(const ConversionReport& report) {
  std::string text = fmt::format("{:<22} {:<5} {:>8} {:<13} {:>8} {:>8}  {}\n", "conversion",
                                 "from", "asked", "verdict", "wrong", "flushed", "by");
  for (const ConversionRow& row : report.rows) {
    text += fmt::format("{:<22} {:<5} {:>8} {:<13} {:>8} {:>8}  {}\n", row.name, row.from,
                        row.asked, VerdictOf(row), row.wrong, row.flushed, row.via);
    if (!row.message.empty()) text += "    " + row.message + "\n";
    if (row.wrong == 0) continue;
    const std::string to = TargetOf(row);
    text += fmt::format("    {} gave {}, expected {}\n", BitsText(row.from, row.operand),
                        BitsText(to, row.device), BitsText(to, row.expected));
  }
  if (report.rows.empty()) text += "the device declares no conversion of small formats\n";
  return text;
}

nlohmann::ordered_json ConversionReportToJson(const ConversionReport& report) {
  nlohmann::ordered_json json{{"schema", "assay-conversion-report/1"},
                              {"device", report.device},
                              {"driver", report.driver},
                              {"option", report.option},
                              {"level", report.level},
                              {"seed", report.seed},
                              {"rows", nlohmann::ordered_json::array()}};
  for (const ConversionRow& row : report.rows) {
    nlohmann::ordered_json entry{{"conversion", row.name}, {"from", row.from},
                                 {"by", row.via},          {"verdict", VerdictOf(row)},
                                 {"asked", row.asked},     {"wrong", row.wrong},
                                 {"flushed", row.flushed}};
    if (!row.message.empty()) entry["message"] = row.message;
    if (row.wrong > 0) {
      entry["first_wrong"] = {{"operand", fmt::format("0x{:x}", row.operand)},
                              {"device", fmt::format("0x{:x}", row.device)},
                              {"expected", fmt::format("0x{:x}", row.expected)}};
    }
    json["rows"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace assay::tools
