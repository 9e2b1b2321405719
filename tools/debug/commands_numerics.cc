// Commands about errors of numbers.
#include <fmt/format.h>

#include <cmath>

#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

// Numbers that JSON cannot have are strings.
std::string NumberText(const DebugMessage& number) {
  if (number.is_string()) return number.get<std::string>();
  return fmt::format("{:.4g}", number.get<double>());
}

// "22.4", "24".
std::string BitsText(double bits) {
  const double tenths = std::round(bits * 10) / 10;
  return fmt::format("{:.4g}", tenths);
}

std::string PlaceText(const DebugMessage& place) {
  const std::string source = place.value("source", std::string());
  return fmt::format("{}{}", source.empty() ? "" : source + "  ",
                     place.at("instruction").get<std::string>());
}

std::string ErrorText(const DebugMessage& part, int bits) {
  std::string text = part.at("value").get<std::string>() + "\n";
  if (part.at("exact").get<bool>()) {
    return text + "  no instruction computed it: it counts as exact\n";
  }
  constexpr double kDigitsOfBit = 0.30102999566398120;  // log10(2)
  const double kept = part.at("kept");
  const int precision = part.at("precision");
  text += fmt::format("  shadow {} ({} bits)\n", part.at("shadow").get<std::string>(), bits);
  text += fmt::format("  error {} ulp; {} of {} bits are right, {:.1f} of {:.1f} digits\n",
                      NumberText(part.at("ulp")), BitsText(kept), precision, kept * kDigitsOfBit,
                      precision * kDigitsOfBit);
  return text + fmt::format("  by {}\n", PlaceText(part.at("place")));
}

std::string UlpText(const DebugMessage& part) {
  std::string text = part.at("value").get<std::string>() + "\n";
  if (part.contains("missing"))
    return text + fmt::format("  {}\n", part.at("missing").get<std::string>());
  text += fmt::format("  {} ulp from {}\n", NumberText(part.at("ulp")),
                      part.at("exact").get<std::string>());
  text += fmt::format("  by {}\n  of ", PlaceText(part.at("place")));
  const DebugMessage& operands = part.at("operands");
  for (std::size_t i = 0; i < operands.size(); ++i) {
    text += (i == 0 ? "" : ", ") + operands[i].get<std::string>();
  }
  return text + "\n";
}

std::string LossText(std::size_t number, const DebugMessage& loss) {
  std::string text = fmt::format("{:<3} {}\n", number, PlaceText(loss));
  const auto executions = loss.at("executions").get<std::uint64_t>();
  const std::string where = fmt::format("work-item {}, time {}", IdText(loss.at("global_id")),
                                        loss.at("time").get<std::uint64_t>());
  if (const auto decisions = loss.at("decisions").get<std::uint64_t>(); decisions != 0) {
    return text +
           fmt::format(
               "    decided otherwise than exact values would: {} of {} times, first at {}\n",
               loss.at("otherwise").get<std::uint64_t>(), decisions, where);
  }
  const bool adds_up = loss.at("adds_up");
  text += fmt::format(
      "    {} lost {} of {} bits{}: {}, error {} ulp\n", loss.at("reason").get<std::string>(),
      BitsText(loss.at(adds_up ? "lost_in_chain" : "lost")), loss.at("precision").get<int>(),
      adds_up ? fmt::format(", at most {} at once", BitsText(loss.at("lost"))) : "", where,
      NumberText(loss.at("error")));
  return text + fmt::format("    executed {} time{}; own rounding at most {} ulp\n", executions,
                            executions == 1 ? "" : "s", NumberText(loss.at("own_error")));
}

}  // namespace

Expected<void> DebugTerminal::TellNumerics(const char* what, const std::string& arguments) {
  if (arguments.empty()) return Fail(ErrorKind::kUsage, fmt::format("{} EXPRESSION", what));
  if (auto runs = NeedPlace(); !runs) return runs;
  DebugMessage request = About(what);
  request["expression"] = WithHistory(arguments);
  const auto answer = session_.Ask(request);
  if (!answer) return tl::unexpected(answer.error());
  const DebugMessage& parts = answer->at("parts");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string text = parts[i].contains("operands") || parts[i].contains("missing")
                                 ? UlpText(parts[i])
                                 : ErrorText(parts[i], answer->at("bits"));
    Say((parts.size() == 1 ? "" : fmt::format("[{}] ", i)) + text);
  }
  return {};
}

Expected<void> DebugTerminal::Ulp(const std::string& arguments) {
  return TellNumerics("ulp", arguments);
}

Expected<void> DebugTerminal::ErrorOf(const std::string& arguments) {
  return TellNumerics("error", arguments);
}

// After the end of a run its last message has the report.
Expected<void> DebugTerminal::InfoShadow() {
  Expected<DebugMessage> report = session_.stop().value("shadow", DebugMessage());
  if (session_.state() != DebugSession::State::kEnded || report->is_null()) {
    report = session_.Ask({{"do", "shadow_report"}});
  }
  if (!report) return tl::unexpected(report.error());
  std::string text =
      fmt::format("{} operations beside a shadow of {} bits\n",
                  report->at("operations").get<std::uint64_t>(), report->at("bits").get<int>());
  std::size_t number = 0;
  const DebugMessage& losses = report->at("losses");
  for (const DebugMessage& loss : losses) {
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
