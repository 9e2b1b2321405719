#include "tools/assay/rules_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/rules/rule.h"
#include "tools/assay/rule_examples.h"

namespace assay::tools {
namespace {

std::string ExampleCell(const interp::Rule& rule) {
  std::string cell;
  for (const char* folder : {"fail", "pass"}) {
    const RuleExample* example = FindExample(folder, rule);
    if (example == nullptr) continue;
    cell += fmt::format("{}[{}](../testsuites/{})", cell.empty() ? "" : " ", folder, example->path);
  }
  return cell;
}

std::string RuleRow(const interp::Rule& rule) {
  return fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", rule.id, rule.title,
                     interp::FindingClassName(rule.finding_class),
                     rule.detector ? interp::DetectorName(*rule.detector) : "always on",
                     fmt::join(interp::CatalogueIds(rule), " "), ExampleCell(rule));
}

using Filter = std::function<bool(const interp::Rule&)>;

// A table for each family that has such rules.
std::string RuleTables(const Filter& filter) {
  std::string text;
  for (const std::string_view family : interp::RuleFamilies()) {
    std::string rows;
    for (const interp::Rule& rule : interp::Rules()) {
      if (rule.family == family && filter(rule)) rows += RuleRow(rule);
    }
    if (rows.empty()) continue;
    text += fmt::format(
        "\n### {}\n\n| rule | what | class | detector | catalogue | kernels |\n"
        "|---|---|---|---|---|---|\n{}",
        family, rows);
  }
  return text;
}

}  // namespace

std::string RulesPage(const Filter& is_shown) {
  const auto rules = interp::Rules();
  const Filter is_mistake = [](const interp::Rule& rule) {
    return rule.finding_class != interp::FindingClass::kObservation;
  };
  const auto mistakes = std::count_if(rules.begin(), rules.end(), is_mistake);
  const auto shown = std::count_if(rules.begin(), rules.end(), [&](const interp::Rule& rule) {
    return is_mistake(rule) && is_shown(rule);
  });
  std::string page = fmt::format(
      "# Rules\n\n"
      "<!-- Made from interp/rules/rules.def, interp/rules/rule.cc and testsuites/fail: ./dev "
      "bless -R "
      "RulesPage "
      "-->\n\n"
      "Every finding of `assay run` names one of {} rules; for {} of them a kernel in\n"
      "[testsuites/fail](../testsuites/fail) shows the finding. `assay explain RULE` explains a "
      "rule and its\n"
      "clause, and shows a kernel that breaks it and one that does not. The catalogue is\n"
      "[testsuites/spec/undefined_behavior.tsv](../testsuites/spec/undefined_behavior.tsv); "
      "`assay\n"
      "explain UB-038` takes its ids too. `nan-origin` is an additional rule: its findings are no\n"
      "errors, and only `--detect all,nan` looks for them.\n\n"
      "A finding is about one run: its inputs and its order of work-items. A run without findings "
      "says\n"
      "nothing about other runs; `--many-seeds` and `--explore` try more of them.\n\n"
      "## Detects\n",
      mistakes, shown);
  page += RuleTables(is_shown);
  const Filter is_not_shown = [&](const interp::Rule& rule) { return !is_shown(rule); };
  const std::string others = RuleTables(is_not_shown);
  if (!others.empty()) {
    page +=
        "\n## Does not detect yet\n\nThese have a name, but no kernel of testsuites/fail in which "
        "they "
        "are found.\n" +
        others;
  }
  page += "\n## Does not detect\n\n| catalogue | what | why |\n|---|---|---|\n";
  for (const interp::NotDetected& row : interp::RulesNotDetected()) {
    page += fmt::format("| {} | {} | {} |\n", row.catalogue, row.title, row.reason);
  }
  return page;
}

}  // namespace assay::tools
