#include "tools/run/sarif.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "assay_version.h"
#include "base/digest.h"
#include "base/installation.h"
#include "interp/rules/rule.h"
#include "tools/run/finding_text.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

using interp::FindingClass;
using nlohmann::ordered_json;

ordered_json Message(std::string_view text) { return {{"text", text}}; }

std::string_view Level(FindingClass finding_class) {
  if (IsKernelsFault(finding_class)) return "error";
  return finding_class == FindingClass::kImplementationDefined ? "warning" : "note";
}

// A path as a URI reference (RFC 3986): characters that it does not allow are escaped.
std::string UriOf(const std::string& path) {
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        std::isalnum(byte) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return path.starts_with('/') ? "file://" + uri : uri;
}

constexpr const char* kRoot = "%SRCROOT%";

// Where paths are relative to, and what they are named from.
struct Folders {
  std::string working, root;
};

// By a path from the root where the file lies below it, else by the whole path.
ordered_json ArtifactLocation(const std::string& file, const Folders& folders) {
  namespace fs = std::filesystem;
  if (folders.root.empty() || file.empty()) return {{"uri", UriOf(file)}};
  const fs::path whole = (fs::path(folders.working) / file).lexically_normal();
  std::error_code ignored;
  // The second where a link leads to it.
  for (const fs::path& path : {whole, fs::weakly_canonical(whole, ignored)}) {
    const fs::path below = path.lexically_relative(fs::path(folders.root).lexically_normal());
    if (below.empty() || *below.begin() == ".." || below == ".") continue;
    return {{"uri", UriOf(below.string())}, {"uriBaseId", kRoot}};
  }
  return {{"uri", UriOf(whole.string())}};
}

ordered_json PhysicalLocation(const SourcePlace& place, std::string_view snippet,
                              const Folders& folders) {
  ordered_json location{{"artifactLocation", ArtifactLocation(place.file, folders)}};
  if (place.line != 0) {
    location["region"]["startLine"] = place.line;
    if (place.column != 0) location["region"]["startColumn"] = place.column;
    if (!snippet.empty()) location["region"]["snippet"] = Message(snippet);
  }
  return location;
}

// Places that the history names: "the other access: reduce.cl:11:5: ...".
ordered_json RelatedLocations(const ReportedFinding& reported, const Folders& folders) {
  ordered_json related = ordered_json::array();
  for (std::size_t i = 0; i < reported.finding.history.size(); ++i) {
    const std::string& entry = reported.finding.history[i];
    const auto place = HistoryPlace(entry);
    if (!place) continue;
    const std::string_view line =
        i < reported.history_text.size() ? reported.history_text[i] : std::string_view();
    related.push_back({{"id", related.size()},
                       {"physicalLocation", PhysicalLocation(*place, line, folders)},
                       {"message", Message(entry)}});
  }
  return related;
}

// The same finding of another run: rule, file and the text of the line, so that lines above it may
// come and go.
std::string Fingerprint(const ReportedFinding& reported, bool is_copy) {
  base::Digest digest;
  const std::string file = ParseSource(reported.finding.source).file;
  digest.AddField(interp::NameOf(reported.finding.rule))
      .AddField(is_copy ? std::filesystem::path(file).filename().string() : file)
      .AddField(reported.source_text)
      .AddField(reported.source_text.empty() ? reported.finding.instruction : "");
  return digest.Finish();
}

class SarifRun {
 public:
  SarifRun(const RunReport& report, const std::string& folder, const SarifMore& more)
      : report_(report),
        folders_{folder, more.root.empty() ? folder : more.root},
        documents_(base::DocumentsFolder()),
        has_more_(!more.results.empty()),
        are_copies_(more.are_copies),
        sources_(more.sources) {
    for (const ReportedFinding& reported : report.findings) AddResult(reported, nullptr);
    for (const ReportedFinding& reported : report.hidden) {
      AddResult(reported, &report.ignores.at(reported.ignored_by));
    }
    for (const SarifResult& one : more.results) AddOther(one);
  }

  ordered_json Json() const {
    const int exit_code = has_more_ ? kExitNonconforming : RunExitCode(report_);
    ordered_json invocation{{"executionSuccessful", exit_code <= kExitNonconforming},
                            {"exitCode", exit_code}};
    if (!report_.replay.command.empty()) invocation["commandLine"] = report_.replay.command;
    ordered_json run{
        {"tool",
         {{"driver", {{"name", "assay"}, {"semanticVersion", ASSAY_VERSION}, {"rules", rules_}}}}},
        {"invocations", ordered_json::array({invocation})}};
    if (!folders_.root.empty()) {
      const std::string root = folders_.root.ends_with('/') ? folders_.root : folders_.root + "/";
      run["originalUriBaseIds"] = {{kRoot, {{"uri", UriOf(root)}}}};
    }
    run["columnKind"] = "utf16CodeUnits";
    ordered_json artifacts = ordered_json::array();
    for (const auto& [path, text] : sources_) {
      artifacts.push_back(
          {{"location", ArtifactLocation(path, folders_)}, {"contents", Message(text)}});
    }
    if (!artifacts.empty()) run["artifacts"] = std::move(artifacts);
    run["results"] = results_;
    return run;
  }

 private:
  // The place of a rule in tool.driver.rules.
  std::size_t PlaceOf(const interp::Finding& finding) {
    const auto [found, is_new] = places_.emplace(finding.rule, rules_.size());
    if (!is_new) return found->second;
    const interp::RuleRow& row = interp::RowOf(finding.rule);
    ordered_json rule{{"id", row.id}};
    rule["shortDescription"] = Message(row.title);
    rule["fullDescription"] = Message(row.help);
    rule["help"] = Message(fmt::format("{} ({})", row.help, row.clause));
    AddHelpUri("docs/rules.md#" + std::string(row.id), interp::LinkOf(row), &rule);
    rule["defaultConfiguration"] = {{"level", Level(row.finding_class)}};
    rule["properties"] = {
        {"catalogue", interp::CatalogueIds(row)}, {"clause", row.clause}, {"tags", {row.family}}};
    if (!row.link.empty()) rule["properties"]["clauseUri"] = interp::LinkOf(row);
    rules_.push_back(std::move(rule));
    return found->second;
  }

  // The address has to be a whole one (3.49.12).
  void AddHelpUri(const std::string& place, const std::string& otherwise,
                  ordered_json* rule) const {
    const std::string uri = documents_.empty() ? otherwise : UriOf(documents_ + "/") + place;
    if (!uri.empty()) (*rule)["helpUri"] = uri;
  }

  void AddResult(const ReportedFinding& reported, const Ignore* ignore) {
    const interp::Finding& finding = reported.finding;
    ordered_json result{{"ruleId", interp::NameOf(finding.rule)},
                        {"ruleIndex", PlaceOf(finding)},
                        {"level", reported.allowed ? "note" : Level(finding.finding_class)},
                        {"message", Message(finding.message)}};
    SourcePlace place = ParseSource(finding.source);
    if (place.file.empty() && !report_.modules.empty()) place = {report_.modules[0]};
    result["locations"] = ordered_json::array(
        {{{"physicalLocation", PhysicalLocation(place, reported.source_text, folders_)}}});
    const ordered_json related = RelatedLocations(reported, folders_);
    if (!related.empty()) result["relatedLocations"] = related;
    result["partialFingerprints"] = {{"ruleAndLine/v1", Fingerprint(reported, are_copies_)}};
    result["occurrenceCount"] = std::max<std::uint64_t>(1, finding.count);
    if (ignore != nullptr) {
      ordered_json suppression{{"kind", "external"}, {"status", "accepted"}};
      if (!ignore->reason.empty()) suppression["justification"] = ignore->reason;
      result["suppressions"] = ordered_json::array({suppression});
    }
    ordered_json& properties = result["properties"];
    properties = {{"class", interp::FindingClassName(finding.finding_class)}};
    // A call of the API has none of these.
    if (!interp::IsHostRule(interp::RowOf(finding.rule))) {
      properties["instruction"] = finding.instruction;
      properties["workItem"] = finding.global_id;
      properties["workGroup"] = finding.group_id;
    }
    properties["history"] = finding.history;
    properties["afterUndefinedBehavior"] = finding.after_undefined_behavior;
    properties["replay"] = reported.replay;
    results_.push_back(std::move(result));
  }

  void AddOther(const SarifResult& one) {
    const auto [found, is_new] = other_places_.emplace(one.rule, rules_.size());
    if (is_new) {
      ordered_json rule{{"id", one.rule},
                        {"shortDescription", Message(one.title)},
                        {"fullDescription", Message(one.help)},
                        {"help", Message(one.help)}};
      AddHelpUri("docs/judge.md", "", &rule);
      rule["defaultConfiguration"] = {{"level", "error"}};
      rules_.push_back(std::move(rule));
    }
    base::Digest digest;
    digest.AddField(one.rule).AddField(one.identity);
    results_.push_back(
        {{"ruleId", one.rule},
         {"ruleIndex", found->second},
         {"level", "error"},
         {"message", Message(one.message)},
         {"locations",
          ordered_json::array({{{"physicalLocation", PhysicalLocation(one.place, "", folders_)}}})},
         {"partialFingerprints", {{"ruleAndLine/v1", digest.Finish()}}}});
  }

  const RunReport& report_;
  const Folders folders_;
  const std::string documents_;
  const bool has_more_;
  const bool are_copies_;
  const std::map<std::string, std::string>& sources_;
  ordered_json rules_ = ordered_json::array();
  std::map<interp::Rule, std::size_t> places_;
  std::map<std::string, std::size_t> other_places_;
  ordered_json results_ = ordered_json::array();
};

}  // namespace

ordered_json SarifOf(const RunReport& report, const std::string& folder, const SarifMore& more) {
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", ordered_json::array({SarifRun(report, folder, more).Json()})}};
}

}  // namespace assay::tools
