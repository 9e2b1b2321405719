#include "tools/assay/rules_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interp/rule.h"
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

}  // namespace

std::string RulesPage() {
  std::string page =
      "# Rules\n\n"
      "<!-- Made from interp/rules.def and interp/rule.cc: ./dev bless -R RulesPage -->\n\n";
  page += fmt::format(
      "`assay run` names what a kernel does wrong by one of {} rules. `assay explain RULE` says what a\n"
      "rule means, on which clause it stands, and shows a kernel that breaks it and one that does not.\n"
      "The ids of the last column but one are rows of\n"
      "[testsuites/spec/undefined_behavior.tsv](../testsuites/spec/undefined_behavior.tsv), and\n"
      "`assay explain UB-038` takes them too.\n\n"
      "A finding is about this run: these inputs, this order of work-items. That nothing is found in a\n"
      "run says nothing about others; `--many-seeds` and `--explore` look at more of them.\n\n"
      "## Detects\n",
      interp::Rules().size());
  for (const std::string_view family : interp::RuleFamilies()) {
    page += fmt::format(
        "\n### {}\n\n| rule | what | class | detector | catalogue | kernels |\n|---|---|---|---|---|---|\n",
        family);
    for (const interp::Rule& rule : interp::Rules()) {
      if (rule.family == family) page += RuleRow(rule);
    }
  }
  page += "\n## Does not detect\n\n| catalogue | what | why |\n|---|---|---|\n";
  for (const interp::NotDetected& row : interp::RulesNotDetected()) {
    page += fmt::format("| {} | {} | {} |\n", row.catalogue, row.title, row.reason);
  }
  return page;
}

}  // namespace assay::tools
