// What comparing two drivers has found, as text and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tools/bisect/two_drivers.h"
#include "tools/run/report.h"

namespace assay::tools {
namespace {

using base::Printable;
using nlohmann::ordered_json;

constexpr OfBoth<const char*> kLetters = {"A", "B"};

std::string UlpText(const std::optional<double>& ulp) {
  if (!ulp) return "";
  if (std::isinf(*ulp)) return "; a NaN is on one side only";
  return fmt::format("; at most {:.0f} ulp apart", *ulp);
}

// "both are allowed", "B's is not allowed".
std::string VerdictText(OfBoth<bool> are_outside, bool is_undecided) {
  if (are_outside[0] && are_outside[1]) return "neither is allowed";
  if (are_outside[0] || are_outside[1]) {
    return fmt::format("{}'s is not allowed", kLetters[are_outside[0] ? 0 : 1]);
  }
  return is_undecided ? "it is not decidable whether both are allowed" : "both are allowed";
}

std::string FoundText(const TwoDriversReport& report) {
  const Parting& found = *report.found;
  std::string text = fmt::format("they part first at {}{}{}\n", Printable(report.source),
                                 report.source.empty() ? "" : ": ", Printable(report.instruction));
  const std::size_t first = report.source_text.find_first_not_of(" \t");
  if (first != std::string::npos) {
    text += fmt::format("  |   {}\n", Printable(report.source_text.substr(first, 100)));
  }
  text += fmt::format("  work-item ({}), time {}, after {} {} that are the same\n",
                      fmt::join(report.global_id, ","), found.occurrence + 1, found.values_before,
                      found.values_before == 1 ? "value" : "values");
  if (found.is_path) return text + "  one of them goes another way, and does not compute it here\n";
  for (std::size_t i = 0; i < 2; ++i) {
    text += fmt::format("  {}: {}\n", kLetters[i], found.values[i]);
  }
  if (!found.allowed.empty()) text += fmt::format("  allowed: {}\n", found.allowed);
  text += fmt::format("  {}\n", VerdictText(found.are_outside, found.is_undecided));
  if (found.is_alone) {
    text +=
        "  a kernel that writes out all values computes them alike; one that writes out this "
        "value alone shows it\n";
  }
  return text;
}

}  // namespace

std::string TwoDriversText(const TwoDriversReport& report) {
  std::string text = fmt::format("kernel '{}'\n", Printable(report.kernel));
  for (std::size_t i = 0; i < 2; ++i) {
    text += fmt::format("  {}: {} ({})\n", kLetters[i], Printable(report.devices[i]),
                        Printable(report.drivers[i]));
  }
  if (!report.output) {
    text += "both leave the same\n";
  } else {
    const Difference& one = *report.output;
    text += fmt::format("{}: {} of its {} components differ; element {} is {} on A, {} on B{}\n",
                        Printable(one.buffer), one.elements, one.type, one.element, one.observed,
                        one.expected, UlpText(one.ulp));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (!report.outside[i].empty()) {
      text += fmt::format("what {} leaves is not allowed: {}\n", kLetters[i], report.outside[i]);
    } else if (!report.undecided[i].empty()) {
      text += fmt::format("whether what {} leaves is allowed is not decidable: {}\n", kLetters[i],
                          Printable(report.undecided[i]));
    } else {
      text += fmt::format("what {} leaves is allowed\n", kLetters[i]);
    }
  }
  if (report.found) text += FoundText(report);
  if (!report.not_found.empty()) {
    text += fmt::format("where they part first is not known: {}\n", Printable(report.not_found));
  }
  return text + fmt::format("{} of A, {} of B\n",
                            Times(static_cast<std::uint64_t>(report.runs[0]), "run"),
                            Times(static_cast<std::uint64_t>(report.runs[1]), "run"));
}

ordered_json TwoDriversJson(const TwoDriversReport& report) {
  ordered_json json = {{"schema", kTwoDriversSchema}, {"kernel", report.kernel}};
  json["drivers"] = ordered_json::array();
  for (std::size_t i = 0; i < 2; ++i) {
    json["drivers"].push_back({{"device", report.devices[i]},
                               {"driver_version", report.drivers[i]},
                               {"outside", report.outside[i]},
                               {"undecided", report.undecided[i]},
                               {"runs", report.runs[i]}});
  }
  json["difference"] = nullptr;
  if (report.output) {
    json["difference"] = {{"buffer", report.output->buffer},
                          {"type", report.output->type},
                          {"element", report.output->element},
                          {"differing_components", report.output->elements},
                          {"values", {report.output->observed, report.output->expected}}};
  }
  json["parting"] = nullptr;
  if (report.found) {
    const Parting& found = *report.found;
    json["parting"] = {{"source", report.source},           {"source_text", report.source_text},
                       {"instruction", report.instruction}, {"global_id", report.global_id},
                       {"occurrence", found.occurrence},    {"values_before", found.values_before},
                       {"is_path", found.is_path},          {"values", found.values},
                       {"are_outside", found.are_outside},  {"allowed", found.allowed},
                       {"undecided", found.is_undecided}};
  }
  json["not_found"] = report.not_found;
  return json;
}

bool IsOneWrong(const TwoDriversReport& report) {
  bool is_wrong = !report.outside[0].empty() || !report.outside[1].empty();
  if (report.found) is_wrong |= report.found->are_outside[0] || report.found->are_outside[1];
  return is_wrong;
}

}  // namespace assay::tools
