#include "tools/kernels/rules_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/rules/rule.h"
#include "tools/kernels/rule_examples.h"

namespace assay::tools {
namespace {

// Where the family host begins.
constexpr std::string_view kAboutHost =
    "These are about the calls of a host program: assay's OpenCL driver tells them (`assay exec`), "
    "and no\n"
    "run of a kernel does. A call that returns the error code that the specification has for it is "
    "an\n"
    "observation.\n\n";

std::string ExampleCell(const interp::RuleRow& rule) {
  std::string cell = interp::IsDetected(rule) ? "" : "not found yet";
  for (const char* folder : {"fail", "pass"}) {
    const RuleExample* example = FindExample(folder, rule);
    if (example == nullptr) continue;
    cell += fmt::format("{}[{}](../testsuites/{})", cell.empty() ? "" : " ", folder, example->path);
  }
  return cell;
}

std::string TableRow(const interp::RuleRow& rule) {
  return fmt::format("| <a id=\"{0}\"></a>`{0}` | {1} | {2} | {3} | {4} | {5} |\n", rule.id,
                     rule.title, interp::FindingClassName(rule.finding_class),
                     rule.detector ? interp::DetectorName(*rule.detector) : "always on",
                     fmt::join(interp::CatalogueIds(rule), " "), ExampleCell(rule));
}

// A table for each family.
std::string RuleTables() {
  std::string text;
  for (const std::string_view family : interp::RuleFamilies()) {
    std::string rows;
    for (const interp::RuleRow& rule : interp::Rules()) {
      if (rule.family == family) rows += TableRow(rule);
    }
    text += fmt::format(
        "\n### {}\n\n{}| rule | what | class | detector | catalogue | {} |\n"
        "|---|---|---|---|---|---|\n{}",
        family, family == "host" ? kAboutHost : "", family == "host" ? "programs" : "kernels",
        rows);
  }
  return text;
}

// A line for each family, with the number of its rules.
std::string ContentsOfPage() {
  std::string text = "| family | rules |\n|---|---|\n";
  for (const std::string_view family : interp::RuleFamilies()) {
    const auto rules = std::ranges::count(interp::Rules(), family, &interp::RuleRow::family);
    text += fmt::format("| [{0}](#{0}) | {1} |\n", family, rules);
  }
  return text + "| [not detected](#does-not-detect) | |\n\n";
}

}  // namespace

std::string RulesPage() {
  const auto mistakes = std::ranges::count_if(interp::Rules(), [](const interp::RuleRow& rule) {
    return !interp::IsHostRule(rule) && rule.finding_class != interp::FindingClass::kObservation;
  });
  std::string page = fmt::format(
      "# Rules\n\n"
      "<!-- Made from interp/rules/rules.def, interp/rules/rule.cc and testsuites/fail: ./dev "
      "bless -R "
      "RulesPage "
      "-->\n\n"
      "`assay run` names what a kernel does wrong by one of {} rules; each is found in a kernel "
      "of\n"
      "[testsuites/fail](../testsuites/fail). `assay explain RULE` says what a rule means, on "
      "which\n"
      "clause it stands, and shows a kernel that breaks it and one that does not. The catalogue "
      "is\n"
      "[testsuites/spec/undefined_behavior.tsv](../testsuites/spec/undefined_behavior.tsv); "
      "`assay\n"
      "explain UB-038` takes its ids too. `nan-origin` and those of the family `float` are "
      "additional\n"
      "rules: their findings are no errors, and only `--detect all,nan` and `--detect "
      "all,float-exceptions`\n"
      "look for them.\n\n"
      "A finding is about one run: its inputs and its order of work-items. A run without findings "
      "says\n"
      "nothing about other runs; `--many-seeds` and `--explore` try more of them.\n\n",
      mistakes);
  page += ContentsOfPage() + "## Detects\n" + RuleTables();
  page += "\n## Does not detect\n\n| catalogue | what | why |\n|---|---|---|\n";
  for (const interp::NotDetected& row : interp::RulesNotDetected()) {
    page += fmt::format("| {} | {} | {} |\n", row.catalogue, row.title, row.reason);
  }
  return page;
}

}  // namespace assay::tools
