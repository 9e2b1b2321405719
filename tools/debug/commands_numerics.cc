// Commands about errors of numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

std::string NumberText(double number) {
  if (std::isnan(number)) return "nan";
  return std::isinf(number) ? "inf" : fmt::format("{:.4g}", number);
}

// "22.4", "24".
std::string BitsText(double bits) {
  const double tenths = std::round(bits * 10) / 10;
  return fmt::format("{:.4g}", tenths);
}

std::string PlaceText(const debug::NumericPlace& place) {
  return fmt::format("{}{}", place.source.empty() ? "" : place.source + "  ", place.instruction);
}

std::string ErrorText(const debug::AccumulatedError& error, int bits) {
  constexpr double kDigitsOfBit = 0.30102999566398120;  // log10(2)
  const double kept = error.kept;
  const int precision = error.precision;
  std::string text = fmt::format("  shadow {} ({} bits)\n", error.shadow, bits);
  text += fmt::format("  error {} ulp; {} of {} bits are right, {:.1f} of {:.1f} digits\n",
                      NumberText(error.ulp), BitsText(kept), precision, kept * kDigitsOfBit,
                      precision * kDigitsOfBit);
  return text + fmt::format("  by {}\n", PlaceText(error.place));
}

std::string UlpText(const debug::InstructionError& error) {
  return fmt::format("  {} ulp from {}\n  by {}\n  of {}\n", NumberText(error.ulp), error.exact,
                     PlaceText(error.place), fmt::join(error.operands, ", "));
}

std::string PartText(const debug::NumericPart& part, int bits) {
  const std::string text = part.value + "\n";
  if (part.missing) return text + fmt::format("  {}\n", *part.missing);
  if (part.instruction) return text + UlpText(*part.instruction);
  if (part.accumulated) return text + ErrorText(*part.accumulated, bits);
  return text + "  no instruction computed it: it counts as exact\n";
}

std::string LossText(std::size_t number, const debug::Loss& loss) {
  std::string text = fmt::format("{:<3} {}\n", number, PlaceText(loss.place));
  const std::string where = fmt::format("work-item {}, time {}", IdText(loss.global_id), loss.time);
  if (loss.decisions != 0) {
    return text +
           fmt::format(
               "    decided otherwise than exact values would: {} of {} times, first at {}\n",
               loss.otherwise, loss.decisions, where);
  }
  text += fmt::format("    {} lost {} of {} bits{}: {}, error {} ulp\n", loss.reason,
                      BitsText(loss.adds_up ? loss.lost_in_chain : loss.lost), loss.precision,
                      loss.adds_up ? fmt::format(", at most {} at once", BitsText(loss.lost)) : "",
                      where, NumberText(loss.error));
  return text + fmt::format("    executed {} time{}; own rounding at most {} ulp\n",
                            loss.executions, loss.executions == 1 ? "" : "s",
                            NumberText(loss.own_error));
}

}  // namespace

Expected<void> DebugTerminal::TellNumerics(bool accumulated, const std::string& arguments) {
  if (arguments.empty()) {
    return Fail(ErrorKind::kUsage, accumulated ? "error EXPRESSION" : "ulp EXPRESSION");
  }
  if (auto runs = NeedPlace(); !runs) return runs;
  const auto answer = session_.Ask(debug::NumericsRequest{
      .target = Here(), .expression = WithHistory(arguments), .accumulated = accumulated});
  if (!answer) return tl::unexpected(answer.error());
  const auto& parts = answer->parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Say((parts.size() == 1 ? "" : fmt::format("[{}] ", i)) + PartText(parts[i], answer->bits));
  }
  return {};
}

Expected<void> DebugTerminal::Ulp(const std::string& arguments) {
  return TellNumerics(false, arguments);
}

Expected<void> DebugTerminal::ErrorOf(const std::string& arguments) {
  return TellNumerics(true, arguments);
}

// After the end of a run its last message has the report.
Expected<void> DebugTerminal::InfoShadow() {
  const auto& end = session_.stop().end;
  const bool is_known = session_.state() == DebugSession::State::kEnded && end && end->shadow;
  const auto report = is_known ? Expected<debug::ShadowReportAnswer>(*end->shadow)
                               : session_.Ask(debug::ShadowReportRequest());
  if (!report) return tl::unexpected(report.error());
  std::string text =
      fmt::format("{} operations beside a shadow of {} bits\n", report->operations, report->bits);
  std::size_t number = 0;
  const auto& losses = report->losses;
  for (const debug::Loss& loss : losses) {
    if (number == print_limit_) break;
    text += LossText(++number, loss);
  }
  if (losses.size() > number) {
    text +=
        fmt::format("{} more, which lost less (set print elements N)\n", losses.size() - number);
  }
  if (number == 0) text += "No instruction lost digits.\n";
  Say(text);
  return {};
}

}  // namespace assay::tools
