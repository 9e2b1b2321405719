// assay eval FN ARG...: the correctly rounded result, and how hard it was to round.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "numerics/evaluate.h"
#include "numerics/literal.h"
#include "numerics/literal_loss.h"
#include "oracle/campaign/results_json.h"
#include "tools/assay/commands.h"
#include "tools/assay/eval_operand.h"
#include "tools/assay/eval_small.h"
#include "tools/option_table/command_line.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/known_names.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Operation;
using numerics::ResultKind;
using numerics::ScalarType;

struct EvalOptions {
  std::string function;
  std::vector<std::string> arguments;
  std::string format = "float";
  std::string rounding = "rte";
  int digits = 40;
  std::string json;
};

// How far the exact value stays from the boundaries that rounding turns on.
std::string Hardness(const Exact& exact) {
  if (exact.kind != ResultKind::kFinite || exact.fraction == 0) return "exact";
  if (exact.fraction == 0.5) return "exact midpoint";
  const double f = exact.fraction;
  if (f >= 1) return "overflow";
  const double to_midpoint = std::fabs(f - 0.5);
  const double to_number = std::min(f, 1 - f);
  const bool midpoint = to_midpoint < to_number;
  const double distance = midpoint ? to_midpoint : to_number;
  const double bits = -std::log2(distance);
  return fmt::format("{}: 2^-{:.1f} of an ulp from {}", bits < 10 ? "easy" : "hard", bits,
                     midpoint ? "a midpoint" : "a representable number");
}

struct Line {
  std::string bits, hex, value, exact, hardness;
};

// A value in columns: bits, as a hexadecimal float, in decimal.
std::string Columns(ScalarType type, const std::string& bits, const std::string& hex,
                    const std::string& value) {
  const int digits = numerics::WidthOf(type) / 4;
  return fmt::format("{:<{}} {:<24} {}\n", bits.empty() ? "-" : bits, digits + 2,
                     hex.empty() ? "-" : hex, value);
}

Line Value(ScalarType type, Bits bits) {
  Line line;
  line.bits = numerics::FormatBits(type, bits);
  line.value = numerics::FormatDecimal(type, bits);
  if (numerics::IsFloating(type)) {
    line.hex = numerics::FormatHexFloat(numerics::FormatOf(type), bits);
  }
  return line;
}

Line Describe(ScalarType type, const Exact& exact, const std::string& decimal,
              numerics::Rounding rounding) {
  const bool is_open = exact.kind == ResultKind::kUnspecified;
  if (is_open && !exact.has_alternative) {
    Line line;
    line.value = "unspecified";
    line.hardness = "the specification leaves this result open";
    return line;
  }
  Bits bits = exact.below & numerics::WidthMask(type);
  if (numerics::IsFloating(type)) bits = Round(exact, numerics::FormatOf(type), rounding);
  Line line = Value(type, bits);
  line.exact = decimal;
  line.hardness = is_open            ? "the sum overflows in some order: any result conforms"
                  : exact.prescribed ? "prescribed"
                                     : Hardness(exact);
  return line;
}

// What is asked, and a warning where an operand is not the number that was written.
struct Question {
  std::string text;
  nlohmann::ordered_json operands = nlohmann::ordered_json::array();
};

Question Ask(const Operation& operation, const EvalOptions& options,
             const std::vector<Bits>& operands) {
  const std::vector<ScalarType> types = operation.ArgumentTypes();
  const std::string rounding =
      operation.suffix ? std::string(numerics::RoundingName(*operation.suffix)) : options.rounding;
  Question question{.text = fmt::format("{} of {}, rounding {}\n", operation.Name(),
                                        operation.FormatName(), rounding)};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Line line = Value(types[i], operands[i]);
    const auto loss = numerics::LossOf(types[i], options.arguments[i]);
    WarnOfLoss(types[i], options.arguments[i], operands[i], loss);
    question.text += "  operand  " + Columns(types[i], line.bits, line.hex, line.value);
    question.operands.push_back({{"text", options.arguments[i]},
                                 {"bits", line.bits},
                                 {"hex", line.hex},
                                 {"value", line.value},
                                 {"loss", LossName(loss)}});
  }
  return question;
}

int Eval(const EvalOptions& options) {
  const auto rounding = numerics::RoundingFromName(options.rounding);
  if (!rounding) {
    return ReportError({ErrorKind::kUsage, fmt::format("unknown rounding '{}': use rte, rtz, rtp "
                                                       "or rtn",
                                                       options.rounding)});
  }
  const SmallQuestion small{options.function, options.arguments, options.format, options.rounding,
                            options.digits};
  if (IsSmall(small)) {
    const auto answer = EvalSmall(small);
    if (!answer) return ReportError(answer.error());
    return WriteResult(answer->text, answer->json, options.json);
  }
  Expected<Operation> operation = numerics::OperationFromName(options.function, options.format);
  if (!operation) return ReportError(operation.error());
  Expected<std::vector<Bits>> args = numerics::ParseOperands(*operation, options.arguments);
  if (!args) return ReportError(args.error());

  std::vector<Exact> results(static_cast<std::size_t>(operation->ResultCount()));
  EvaluateExact(*operation, *args, results);
  const std::vector<std::string> decimals = ExactDecimal(*operation, *args, options.digits);
  const std::vector<ScalarType> types = operation->ResultTypes();
  Question question = Ask(*operation, options, *args);
  nlohmann::ordered_json json{{"schema", "assay-eval/1"},
                              {"function", operation->Name()},
                              {"format", operation->FormatName()},
                              {"rounding", options.rounding},
                              {"operands", std::move(question.operands)},
                              {"results", nlohmann::ordered_json::array()}};
  std::string& text = question.text;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Line line =
        Describe(types[i], results[i], decimals[i], operation->suffix.value_or(*rounding));
    json["results"].push_back({{"bits", line.bits},
                               {"hex", line.hex},
                               {"value", line.value},
                               {"exact", line.exact},
                               {"rounding", line.hardness}});
    text += "  result   " + Columns(types[i], line.bits, line.hex, line.value);
    if (!line.exact.empty()) text += fmt::format("  exact    {}\n", line.exact);
    text += fmt::format("  rounding {}\n", line.hardness);
  }
  return WriteResult(text, json, options.json);
}

}  // namespace

CLI::App* AddEval(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand("eval", "The correctly rounded result of one operation");
  command
      ->add_option("function", options->function,
                   "Built-in or conversion: sin, pow, convert_int_sat; of small formats: "
                   "convert_e4m3_sat_rtz, mx_e4m3")
      ->check(SuggestFunctions())
      ->required();
  command
      ->add_option("arguments", options->arguments,
                   "Decimal, C hexadecimal float (0x1.8p+0) or raw bits (0x3fc00000)")
      ->required()
      ->transform(Operand);
  command
      ->add_option("--format", options->format,
                   "half, bfloat16, float, double; float3 for geometric functions; the source "
                   "type of a conversion, also e4m3, e5m2, e4m3fnuz, e5m2fnuz, e8m0, e3m2, e2m3, "
                   "e2m1, tf32")
      ->check(SuggestFormats())
      ->capture_default_str();
  command->add_option("--rounding", options->rounding, "How the result is rounded")
      ->check(OneOf({"rte", "rtz", "rtp", "rtn"}))
      ->capture_default_str();
  command->add_option("--digits", options->digits, "Significant digits of the exact value")
      ->check(SmallNumber(1, 100000))
      ->capture_default_str();
  AddOutput(command, "--json", &options->json, "Write the result as JSON ('-': stdout)");
  command->footer("Example: assay eval pow 1.5 0x1.8p+1 --format double");
  command->callback([options, exit_code] { *exit_code = Eval(*options); });
  return command;
}

}  // namespace assay::tools
