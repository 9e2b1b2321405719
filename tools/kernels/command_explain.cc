// assay explain RULE: what a finding means, the clause it stands on, and kernels that show it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "interp/rules/rule.h"
#include "numerics/functions.h"
#include "tools/kernels/commands.h"
#include "tools/kernels/rule_examples.h"
#include "tools/run/rule_names.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/output.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {
namespace {

constexpr std::string_view kExpected = ".expected";

}  // namespace

const RuleExample* FindExample(std::string_view folder, const interp::RuleRow& rule) {
  const std::string stem = interp::IsHostRule(rule)
                               ? fmt::format("{}/{}/{}.", rule.family, folder, rule.id)
                               : fmt::format("{}/{}/{}.", folder, rule.family, rule.id);
  const RuleExample* found = nullptr;
  for (const RuleExample& example : RuleExamples()) {
    if (!example.path.starts_with(stem) || example.path.ends_with(kExpected)) continue;
    // Its own name before one with a suffix, C before SPIR-V: the shortest.
    if (found == nullptr || example.path.size() < found->path.size()) found = &example;
  }
  return found;
}

const RuleExample* FindExpectation(const RuleExample& example) {
  const std::string path =
      fmt::format("{}{}", example.path.substr(0, example.path.rfind('.')), kExpected);
  const auto examples = RuleExamples();
  const auto found = std::find_if(examples.begin(), examples.end(),
                                  [&](const RuleExample& other) { return other.path == path; });
  return found == examples.end() ? nullptr : &*found;
}

namespace {

using interp::RuleRow;
using nlohmann::ordered_json;

struct ExplainOptions {
  std::string rule;  // or an id of the catalogue
  bool list = false;
  std::string json;
};

std::string_view DetectorOf(const RuleRow& rule) {
  return rule.detector ? interp::DetectorName(*rule.detector) : "always on";
}

std::string Indented(std::string_view text) {
  std::string indented;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end != 0) indented += fmt::format("    {}", text.substr(0, end));
    indented += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return indented;
}

std::string ExplainText(const RuleRow& rule) {
  std::string text = fmt::format(
      "{}: {}\n\n  class      {}\n  detector   {}\n  clause     {}\n{}{}\n{}", rule.id, rule.title,
      interp::FindingClassName(rule.finding_class), DetectorOf(rule), rule.clause,
      rule.link.empty() ? "" : fmt::format("             {}\n", interp::LinkOf(rule)),
      rule.catalogue.empty()
          ? ""
          : fmt::format("  catalogue  {}\n", fmt::join(interp::CatalogueIds(rule), " ")),
      base::Wrapped(rule.help) + "\n");
  constexpr std::size_t kExampleColumns = base::kColumns - 4;  // which are indented
  const RuleExample* fail = FindExample("fail", rule);
  const RuleExample* pass = FindExample("pass", rule);
  if (!interp::IsDetected(rule)) return text + "\nassay does not find it yet.\n";
  if (fail == nullptr) return text + "\nNo example is recorded.\n";
  text += fmt::format("\nA {} that breaks it, run as its first line says:\n\n{}",
                      interp::IsHostRule(rule) ? "host program" : "kernel", Indented(fail->text));
  if (const RuleExample* expected = FindExpectation(*fail)) {
    text += fmt::format("\nWhat assay says of it:\n\n{}",
                        Indented(InColumns(std::string(expected->text), kExampleColumns)));
  } else if (!interp::IsHostRule(rule)) {
    text += "\nassay does not find it yet.\n";
  }
  if (pass != nullptr) text += fmt::format("\nPut right:\n\n{}", Indented(pass->text));
  return text;
}

ordered_json ToJson(const RuleRow& rule) {
  ordered_json json{{"rule", rule.id},
                    {"family", rule.family},
                    {"title", rule.title},
                    {"class", interp::FindingClassName(rule.finding_class)},
                    {"detector", rule.detector ? ordered_json(interp::DetectorName(*rule.detector))
                                               : ordered_json(nullptr)},
                    {"clause", rule.clause},
                    {"link", interp::LinkOf(rule)},
                    {"catalogue", interp::CatalogueIds(rule)},
                    {"help", rule.help}};
  for (const char* folder : {"fail", "pass"}) {
    const RuleExample* example = FindExample(folder, rule);
    if (example == nullptr) continue;
    json[folder] = example->text;
    if (const auto* expected = FindExpectation(*example)) json["expected"] = expected->text;
  }
  return json;
}

int Write(const std::vector<const RuleRow*>& rules, const std::string& text,
          const std::string& path) {
  ordered_json json{{"schema", "assay-rules/1"}, {"rules", ordered_json::array()}};
  for (const RuleRow* rule : rules) json["rules"].push_back(ToJson(*rule));
  return WriteResult(text, json, path);
}

// The rules under their family's name, each with its title and what looks for it.
std::string ListText(const std::vector<const RuleRow*>& rules) {
  constexpr std::size_t kTitleColumn = 33;
  std::string text;
  std::string_view family;
  for (const RuleRow* rule : rules) {
    if (rule->family != family) text += fmt::format("{}\n", rule->family);
    family = rule->family;
    const std::string title = fmt::format("{} ({})", rule->title, DetectorOf(*rule));
    text += fmt::format("  {:<30} {}\n", rule->id, base::Wrapped(title, kTitleColumn));
  }
  return text;
}

// What a family's name means: its rules, and how they are chosen elsewhere.
std::string FamilyText(const std::string& name, const std::vector<const RuleRow*>& rules) {
  std::vector<std::string_view> detectors;
  for (const RuleRow* rule : rules) {
    if (rule->detector) detectors.push_back(interp::DetectorName(*rule->detector));
  }
  detectors.erase(std::unique(detectors.begin(), detectors.end()), detectors.end());
  const std::string detect =
      detectors.empty() ? ""
                        : fmt::format("--detect {} looks for them, ", fmt::join(detectors, ","));
  if (interp::IsHostRule(*rules.front())) {
    return fmt::format(
        "{}\n`assay explain {}` says more of one.\n"
        "`assay exec` tells them; no run of a kernel does.\n",
        ListText(rules), rules.front()->id);
  }
  return fmt::format(
      "{}\n`assay explain {}` says more of one.\n"
      "In `assay run` {}--ignore {}@FILE:LINE=REASON\n"
      "hides them; in `assay debug` catch {} stops at them.\n",
      ListText(rules), rules.front()->id, detect, name, name);
}

int Run(const ExplainOptions& options) {
  if (options.list != options.rule.empty()) {
    return ReportError({ErrorKind::kUsage, "name a rule, or ask for all with --list"});
  }
  if (options.list) {
    std::vector<const RuleRow*> all;
    for (const RuleRow& rule : interp::Rules()) all.push_back(&rule);
    return Write(all, ListText(all), options.json);
  }
  std::vector<const RuleRow*> rules = interp::RulesOfCatalogue(options.rule);
  if (const RuleRow* rule = interp::FindRule(options.rule)) rules = {rule};
  if (const auto named = interp::RulesNamed(options.rule); rules.empty() && !named.empty()) {
    return Write(named, FamilyText(options.rule, named), options.json);
  }
  std::string text;
  for (const RuleRow* rule : rules) text += (text.empty() ? "" : "\n") + ExplainText(*rule);
  for (const interp::NotDetected& row : interp::RulesNotDetected()) {
    if (row.catalogue != options.rule) continue;
    return WriteResult(
        fmt::format("{}: {}\n\nassay does not detect this: {}.\n", row.catalogue, row.title,
                    row.reason),
        {{"schema", "assay-rules/1"},
         {"rules", ordered_json::array()},
         {"not_detected",
          {{{"catalogue", row.catalogue}, {"title", row.title}, {"reason", row.reason}}}}},
        options.json);
  }
  if (rules.empty()) {
    return ReportError(
        {ErrorKind::kUsage,
         numerics::FunctionFromName(options.rule)
             ? fmt::format("'{0}' is a function and no rule: `assay list {0}` shows its limits",
                           options.rule)
             : UnknownRule(options.rule, "`assay explain --list` has them all")});
  }
  return Write(rules, text, options.json);
}

}  // namespace

CLI::App* AddExplain(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = AddProgramCommand(app, "explain");
  command
      ->add_option(
          "RULE", options->rule,
          "A finding's rule, as it stands in brackets: memory-out-of-bounds; a family of them: "
          "races; or a row of the catalogue: UB-038")
      ->check(SuggestRules());
  command->add_flag("--list", options->list, "List all rules, one per line");
  AddOutput(command, "--json", &options->json,
            "Write the explanation as JSON ('-': stdout, no text)");
  command->footer("Example: assay explain race-nonatomic\n         assay explain races");
  command->callback([options, exit_code] { *exit_code = Run(*options); });
  return command;
}

}  // namespace assay::tools
