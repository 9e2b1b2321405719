// assay list: every built-in with its limits and clauses.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "oracle/campaign/campaign.h"
#include "tools/assay/commands.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/known_names.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

using numerics::FunctionInfo;
using numerics::Operation;
using oracle::Limit;
using oracle::MathMode;
using oracle::Profile;

struct LimitColumn {
  std::string_view name;
  Profile profile;
  MathMode math;
};

constexpr LimitColumn kLimitColumns[] = {
    {"full", Profile::kFull, MathMode::kDefault},
    {"embedded", Profile::kEmbedded, MathMode::kDefault},
    {"relaxed", Profile::kFull, MathMode::kRelaxed},
    {"relaxed_embedded", Profile::kEmbedded, MathMode::kRelaxed}};

using Rows = std::vector<std::vector<std::string>>;

struct ListOptions {
  std::vector<std::string> functions;  // names and groups; empty: all built-ins
  bool conversions = false;
  bool wide = false;
  std::string json;
};

// Columns as wide as what is in them; the last is not filled up.
std::string Table(const Rows& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += fmt::format("{:<{}} ", row[i], widths[i]);
    }
    text += row.back() + "\n";
  }
  return text;
}

// The clauses of the limits in a list of functions that somebody named.
std::string ClausesText(const Rows& rows) {
  std::set<std::string> clauses;
  for (std::size_t i = 1; i < rows.size(); ++i) clauses.insert(rows[i].back());
  clauses.erase("");
  if (clauses.empty()) return "";
  return base::Wrapped(fmt::format("limits by {}", fmt::join(clauses, "; ")), 2) + "\n";
}

// In 80 columns: without class and clause, and with a line of its own for a limit that has no room.
std::string NarrowTable(const Rows& rows) {
  constexpr std::size_t kFirst[] = {0, 1, 3, 4};  // function, format, full, embedded
  constexpr std::size_t kRelaxed = 5;
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i : kFirst) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i : kFirst) line += fmt::format("{:<{}} ", row[i], widths[i]);
    const bool fits = line.size() + row[kRelaxed].size() <= base::kColumns;
    if (!fits) line = line.substr(0, line.find_last_not_of(' ') + 1) + "\n    relaxed: ";
    text += line + row[kRelaxed] + "\n";
  }
  return text;
}

int List(const ListOptions& options) {
  std::vector<std::string> names = options.functions;
  if (names.empty()) names = {options.conversions ? "@everything" : "@all"};
  if (!options.functions.empty() && options.conversions) names.emplace_back("@conversions");
  Expected<std::vector<Operation>> operations =
      oracle::SelectOperations(names, {"half", "float", "double"});
  if (!operations) return ReportError(operations.error());
  nlohmann::ordered_json json{{"schema", "assay-list/1"},
                              {"functions", nlohmann::ordered_json::array()}};
  Rows rows = {{"function", "format", "class", "full", "embedded", "relaxed", "clause"}};
  for (const Operation& operation : *operations) {
    const bool builtin = operation.kind == numerics::OperationKind::kBuiltin;
    const std::string_view cls =
        builtin ? numerics::FunctionClassName(numerics::Info(operation.function).cls)
                : "conversion";
    nlohmann::ordered_json entry{
        {"function", operation.Name()}, {"format", operation.FormatName()}, {"class", cls}};
    std::vector<std::string> limits;
    std::string_view clause;
    for (const LimitColumn& column : kLimitColumns) {
      const Limit* limit = oracle::FindLimit(operation, column.profile, column.math);
      limits.push_back(limit == nullptr ? "-" : Describe(*limit, operation));
      if (limit == nullptr) continue;
      if (clause.empty()) clause = CitationOf(*limit);
      entry["limits"][std::string(column.name)] = limits.back();
    }
    entry["clause"] = clause;
    json["functions"].push_back(entry);
    rows.push_back({operation.Name(), std::string(operation.FormatName()), std::string(cls),
                    limits[0], limits[1], limits[2], std::string(clause)});
  }
  std::string text = options.wide ? Table(rows) : NarrowTable(rows);
  if (!options.wide && !options.functions.empty()) text += ClausesText(rows);
  if (options.functions.empty()) {
    constexpr std::size_t kHelpColumn = 17;
    text += "\nGroups for --functions:\n";
    for (const oracle::OperationGroup& group : oracle::OperationGroups()) {
      text += fmt::format("  {:<14} {}\n", group.name, base::Wrapped(group.help, kHelpColumn));
    }
  }
  return WriteResult(text, json, options.json);
}

}  // namespace

CLI::App* AddList(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = app.add_subcommand("list", "Every built-in, its formats, limits and clauses");
  command
      ->add_option("functions", options->functions,
                   "Only these: names and groups, as for --functions; default: all built-ins")
      ->delimiter(',')
      ->check(SuggestFunctionsAndGroups());
  command->add_flag("--conversions", options->conversions, "Also the conversions");
  command->add_flag("--wide", options->wide,
                    "Show the class and the clause, too: rows of 170 columns");
  AddOutput(command, "--json", &options->json, "Write the list as JSON ('-': stdout)")
      ->expected(0, 1)
      ->default_str("-");
  command->footer("Example: assay list sin pow\n         assay list --json functions.json");
  command->callback([options, exit_code, command] {
    if (command->count("--json") > 0 && options->json.empty()) options->json = "-";
    *exit_code = List(*options);
  });
  return command;
}

}  // namespace assay::tools
