#include "tools/run/finding_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "interp/rules/rule.h"

namespace assay::tools {
namespace {

using base::Printable;
using interp::FindingClass;
using nlohmann::ordered_json;

std::string Id(const std::array<std::uint64_t, 3>& id) {
  return fmt::format("({},{},{})", id[0], id[1], id[2]);
}

std::string_view TrimmedLine(std::string_view line) {
  constexpr std::size_t kLongest = 100;
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  const std::size_t last = line.find_last_not_of(" \t\r\n");
  return line.substr(first, std::min(last + 1 - first, kLongest));
}

enum class Color : std::uint8_t { kRed = 31, kGreen = 32, kYellow = 33, kBlue = 34 };

Color ColorOf(std::string_view severity) {
  return severity == "error" ? Color::kRed : severity == "allowed" ? Color::kGreen : Color::kYellow;
}

std::string Painted(std::string_view text, Color color, const FindingStyle& style) {
  if (!style.color) return std::string(text);
  return fmt::format("\033[1;{}m{}\033[0m", static_cast<int>(color), text);
}

// "declared at /home/me/k.cl:3:1" as it is said in /home/me.
std::string Seen(std::string_view text, const FindingStyle& style) {
  std::string seen = Printable(text);
  if (style.folder.empty()) return seen;
  const std::string folder = Printable(style.folder + "/");
  for (std::size_t at = 0; (at = seen.find(folder, at)) != std::string::npos;) {
    const bool is_whole = at == 0 || seen[at - 1] == ' ' || seen[at - 1] == '(';
    if (is_whole) {
      seen.erase(at, folder.size());
    } else {
      ++at;
    }
  }
  return seen;
}

// A line of the source without its indentation, and a caret below the column (from 1; 0: none).
std::string MarkedLine(std::string_view line, std::uint32_t column, const FindingStyle& style) {
  constexpr std::size_t kLongest = 100;
  constexpr std::size_t kBefore = 40;  // of a long line, what stays before the column
  std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  const std::size_t last = line.find_last_not_of(" \t\r\n");
  const std::size_t at = column == 0 ? first : std::max<std::size_t>(first, column - 1);
  std::string_view ellipsis;
  if (at > last) column = 0;
  if (column != 0 && at - first >= kLongest) {
    first = at - kBefore;
    ellipsis = "...";
  }
  // Escapes move what follows them.
  const auto shown = [](std::string_view part) {
    std::string text(part);
    std::replace(text.begin(), text.end(), '\t', ' ');
    return Printable(text);
  };
  const std::string_view part = line.substr(first, std::min(last + 1 - first, kLongest));
  const std::size_t before = column == 0 ? 0 : at - first;
  const std::string left = shown(part.substr(0, before));
  std::string text = fmt::format("  |   {}{}{}\n", ellipsis, left, shown(part.substr(before)));
  if (column == 0) return text;
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  const auto width = static_cast<std::size_t>(std::ranges::count_if(left, is_first_byte));
  return text + fmt::format("  |   {}{}\n", std::string(ellipsis.size() + width, ' '),
                            Painted("^", Color::kBlue, style));
}

// Where the instruction begins that a place ends with: "OpStore %1", "%2 = OpLoad %3".
bool IsInstruction(std::string_view text) {
  if (text.starts_with('%')) {
    const std::size_t end = text.find_first_not_of("0123456789", 1);
    if (end == std::string_view::npos || !text.substr(end).starts_with(" = ")) return false;
    text.remove_prefix(end + 3);
  }
  return text.starts_with("Op") && text.size() > 2 && text[2] >= 'A' && text[2] <= 'Z';
}

// An entry of the history without its instruction, and the place that it names (line 0: none): "the
// other access: scan.cl:4:7: OpStore %18 %24 Aligned 4".
std::pair<std::string, SourcePlace> InSource(const std::string& entry) {
  for (std::size_t at = entry.find(": "); at != std::string::npos; at = entry.find(": ", at + 1)) {
    if (!IsInstruction(std::string_view(entry).substr(at + 2))) continue;
    const std::string said = entry.substr(0, at);
    const std::size_t before = said.rfind(": ");
    SourcePlace place = ParseSource(before == std::string::npos ? said : said.substr(before + 2));
    if (place.line == 0) break;  // no debug information: the instruction is all there is
    return {said, std::move(place)};
  }
  return {entry, {}};
}

// "; in 150 launches", "; in 3 runs".
std::string TimesText(const ReportedFinding& reported) {
  std::string text;
  if (reported.launches != 1) text += fmt::format("; in {} launches", reported.launches);
  if (reported.runs != 1) text += fmt::format("; in {} runs", reported.runs);
  return text;
}

// Races on one object are of one cause, mostly: a barrier that is missing.
using Group = std::vector<const ReportedFinding*>;
std::vector<Group> GroupsOf(const RunReport& report) {
  std::vector<Group> groups;
  std::map<std::tuple<std::string_view, std::size_t, bool>, std::size_t> places;
  for (const ReportedFinding& reported : report.findings) {
    const interp::Finding& finding = reported.finding;
    if (!finding.object.empty()) {
      const auto [place, is_new] =
          places.try_emplace({finding.object, reported.launch, reported.allowed}, groups.size());
      if (!is_new) {
        groups[place->second].push_back(&reported);
        continue;
      }
    }
    groups.push_back({&reported});
  }
  return groups;
}

// Where a finding is and what it breaks, in words: what is told once.
std::string PlaceText(const ReportedFinding& reported, const FindingStyle& style) {
  const interp::Finding& finding = reported.finding;
  return fmt::format("{} [{}]",
                     Seen(finding.source.empty() ? finding.instruction : finding.source, style),
                     interp::NameOf(finding.rule));
}

// A line for each place of the findings that the first one stands for.  Lines of a macro, or calls
// of a function, have one place and many instructions.
std::string OtherPlacesText(const Group& group, const FindingStyle& style) {
  std::vector<std::pair<std::string, std::size_t>> places;
  std::map<std::string, std::size_t> rows;
  std::vector<std::string_view> lines;
  for (std::size_t i = 1; i < group.size(); ++i) {
    const auto [row, is_new] = rows.try_emplace(PlaceText(*group[i], style), places.size());
    if (is_new) {
      places.emplace_back(row->first, 0);
      lines.push_back(TrimmedLine(group[i]->source_text));
    }
    ++places[row->second].second;
  }
  std::string text;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [place, count] = places[i];
    text += fmt::format("  = the same at {}{}{}{}\n", place,
                        count == 1 ? "" : fmt::format(", {} times", count),
                        lines[i].empty() ? "" : "    ", Printable(lines[i]));
  }
  return text;
}

}  // namespace

std::optional<SourcePlace> HistoryPlace(const std::string& entry) {
  const SourcePlace place = InSource(entry).second;
  return place.line == 0 ? std::nullopt : std::optional(place);
}

std::size_t PlaceCount(const RunReport& report) {
  std::set<std::string> places;
  for (const ReportedFinding& reported : report.findings) {
    places.insert(fmt::format("{} {}", reported.launch, PlaceText(reported, {})));
  }
  return places.size();
}

std::string FindingCountText(const RunReport& report) {
  const std::size_t groups = GroupsOf(report).size();
  const std::size_t places = PlaceCount(report);
  std::string text = fmt::format("{} {}", groups, groups == 1 ? "finding" : "findings");
  if (places > groups) text += fmt::format(" at {} places", places);
  return text;
}

bool IsKernelsFault(FindingClass finding_class) { return Severity(finding_class) == "error"; }

std::string CurrentFolder() {
  std::error_code gone;
  return std::filesystem::current_path(gone).string();
}

std::string FindingText(const ReportedFinding& reported, const FindingStyle& style) {
  const interp::Finding& finding = reported.finding;
  const std::string_view severity =
      reported.allowed ? std::string_view("allowed") : Severity(finding.finding_class);
  std::string text =
      fmt::format("{}: {}\n",
                  Painted(fmt::format("{}[{}]", severity, interp::NameOf(finding.rule)),
                          ColorOf(severity), style),
                  Seen(finding.message, style));
  if (!finding.source.empty()) {
    text += fmt::format("  --> {}\n", Seen(finding.source, style)) +
            MarkedLine(reported.source_text, ParseSource(finding.source).column, style);
  }
  if (!finding.instruction.empty() && (style.spirv || finding.source.empty())) {
    text += fmt::format("  |   {}\n", Printable(finding.instruction));
  }
  for (std::size_t i = 0; i < finding.history.size(); ++i) {
    const std::string& entry = finding.history[i];
    const auto [said, place] = style.spirv ? std::pair(entry, SourcePlace()) : InSource(entry);
    text += fmt::format("  = {}\n", Seen(said, style));
    if (place.line == 0 || i >= reported.history_text.size()) continue;
    text += MarkedLine(reported.history_text[i], place.column, style);
  }
  text += fmt::format(
      "  = {}: work-item {}, work-group {}{}{}\n", interp::FindingClassName(finding.finding_class),
      Id(finding.global_id), Id(finding.group_id),
      finding.count == 1 ? "" : fmt::format("; {} times here", finding.count), TimesText(reported));
  if (finding.after_undefined_behavior) {
    text += "  = after earlier undefined behavior, which may be the cause\n";
  }
  const interp::RuleRow& rule = interp::RowOf(finding.rule);
  if (style.help) text += fmt::format("  = help: {}\n", rule.help);
  text += fmt::format("  = rule: {}; assay explain {}\n", rule.clause, rule.id);
  if (style.help && !rule.link.empty()) text += fmt::format("  = see: {}\n", interp::LinkOf(rule));
  if (!reported.replay.empty()) text += fmt::format("  = replay: {}\n", Printable(reported.replay));
  return text;
}

std::vector<std::string> FindingTexts(const RunReport& report, FindingStyle style) {
  std::vector<std::string> texts;
  std::set<interp::Rule> helped;
  for (const Group& group : GroupsOf(report)) {
    style.help = helped.insert(group[0]->finding.rule).second;
    texts.push_back(FindingText(*group[0], style) + OtherPlacesText(group, style));
  }
  return texts;
}

std::string FindingsText(const RunReport& report, const FindingStyle& style) {
  return fmt::format("{}", fmt::join(FindingTexts(report, style), ""));
}

ordered_json FindingToJson(const ReportedFinding& reported) {
  const interp::Finding& finding = reported.finding;
  const interp::RuleRow& rule = interp::RowOf(finding.rule);
  ordered_json json{
      {"class", interp::FindingClassName(finding.finding_class)},
      {"rule", rule.id},
      {"message", finding.message},
      {"source", finding.source},
      {"source_text", reported.source_text},
      {"instruction", finding.instruction},
      {"place", {{"instruction", finding.place.instruction}, {"calls", finding.place.calls}}},
      {"launch", reported.launch},
      {"global_id", finding.global_id},
      {"group_id", finding.group_id},
      {"object", finding.object},
      {"history", finding.history},
      {"history_text", reported.history_text},
      {"count", finding.count},
      {"after_undefined_behavior", finding.after_undefined_behavior},
      {"allowed", reported.allowed},
      {"seed", reported.seed},
      {"choices", reported.choices},
      {"runs", reported.runs},
      {"launches", reported.launches},
      {"replay", reported.replay}};
  json["catalogue"] = interp::CatalogueIds(rule);
  json["clause"] = rule.clause;
  json["help"] = rule.help;
  return json;
}

namespace {

std::optional<FindingClass> ClassOf(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(FindingClass::kObservation); ++i) {
    const auto finding_class = static_cast<FindingClass>(i);
    if (interp::FindingClassName(finding_class) == name) return finding_class;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ReportedFinding> FindingFromJson(const ordered_json& json) {
  const interp::RuleRow* row = interp::FindRule(json.value("rule", ""));
  const auto finding_class = ClassOf(json.value("class", ""));
  if (row == nullptr || !finding_class) return std::nullopt;
  using Texts = std::vector<std::string>;
  using Numbers = std::vector<std::uint32_t>;
  using Id = std::array<std::uint64_t, 3>;
  ReportedFinding reported{.finding = interp::Finding(row->rule)};
  interp::Finding& finding = reported.finding;
  finding.finding_class = *finding_class;
  finding.message = json.value("message", "");
  finding.source = json.value("source", "");
  finding.instruction = json.value("instruction", "");
  const ordered_json place = json.value("place", ordered_json::object());
  finding.place.instruction = place.value("instruction", std::uint32_t{0});
  finding.place.calls = place.value("calls", Numbers());
  finding.global_id = json.value("global_id", Id{});
  finding.group_id = json.value("group_id", Id{});
  finding.object = json.value("object", "");
  finding.history = json.value("history", Texts());
  reported.history_text = json.value("history_text", Texts());
  finding.count = json.value("count", std::uint64_t{1});
  finding.after_undefined_behavior = json.value("after_undefined_behavior", false);
  reported.launch = json.value("launch", std::size_t{0});
  reported.source_text = json.value("source_text", "");
  reported.replay = json.value("replay", "");
  reported.allowed = json.value("allowed", false);
  reported.seed = json.value("seed", std::uint64_t{0});
  reported.choices = json.value("choices", Numbers());
  reported.runs = json.value("runs", std::uint64_t{1});
  reported.launches = json.value("launches", std::uint64_t{1});
  return reported;
}

}  // namespace assay::tools
