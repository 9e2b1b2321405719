// assay list: every built-in with its limits and clauses.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "oracle/campaign.h"
#include "tools/assay/commands.h"
#include "tools/assay/exit_code.h"
#include "tools/assay/output.h"

namespace assay::tools {
namespace {

using numerics::FunctionInfo;
using numerics::Operation;
using oracle::Limit;
using oracle::MathMode;
using oracle::Profile;

struct Column {
  std::string_view name;
  Profile profile;
  MathMode math;
};

constexpr Column kColumns[] = {{"full", Profile::kFull, MathMode::kDefault},
                               {"embedded", Profile::kEmbedded, MathMode::kDefault},
                               {"relaxed", Profile::kFull, MathMode::kRelaxed},
                               {"relaxed_embedded", Profile::kEmbedded, MathMode::kRelaxed}};

int List(bool conversions, const std::string& json_path) {
  std::vector<std::string> names = {conversions ? "@everything" : "@all"};
  Expected<std::vector<Operation>> operations =
      oracle::SelectOperations(names, {"half", "float", "double"});
  if (!operations) return ReportError(operations.error());
  nlohmann::ordered_json json{{"schema", "assay-list/1"},
                              {"functions", nlohmann::ordered_json::array()}};
  std::string text = fmt::format("{:<22} {:<8} {:<10} {:<18} {:<18} {:<18} {}\n", "function",
                                 "format", "class", "full", "embedded", "relaxed", "clause");
  for (const Operation& operation : *operations) {
    const bool builtin = operation.kind == numerics::OperationKind::kBuiltin;
    const std::string_view cls =
        builtin ? numerics::FunctionClassName(numerics::Info(operation.function).cls)
                : "conversion";
    nlohmann::ordered_json entry{
        {"function", operation.Name()}, {"format", operation.FormatName()}, {"class", cls}};
    std::vector<std::string> limits;
    std::string_view clause;
    for (const Column& column : kColumns) {
      const Limit* limit = oracle::FindLimit(operation, column.profile, column.math);
      limits.push_back(limit == nullptr ? "-" : Describe(*limit, operation));
      if (limit == nullptr) continue;
      if (clause.empty()) clause = CitationOf(*limit);
      entry["limits"][std::string(column.name)] = limits.back();
    }
    entry["clause"] = clause;
    json["functions"].push_back(entry);
    text += fmt::format("{:<22} {:<8} {:<10} {:<18} {:<18} {:<18} {}\n", operation.Name(),
                        operation.FormatName(), cls, limits[0], limits[1], limits[2], clause);
  }
  text += "\nGroups for --functions:\n";
  for (const oracle::OperationGroup& group : oracle::OperationGroups()) {
    text += fmt::format("  {:<14} {}\n", group.name, group.help);
  }
  return WriteResult(text, json, json_path);
}

}  // namespace

CLI::App* AddList(CLI::App& app, int* exit_code) {
  struct Options {
    bool conversions = false;
    std::string json;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "Every built-in, its formats, limits and clauses");
  command->add_flag("--conversions", options->conversions, "Also the conversions");
  command->add_option("--json", options->json, "Write the list as JSON ('-': stdout)")
      ->expected(0, 1)
      ->default_str("-");
  command->footer("Example: assay list --json functions.json");
  command->callback([options, exit_code, command] {
    if (command->count("--json") > 0 && options->json.empty()) options->json = "-";
    *exit_code = List(options->conversions, options->json);
  });
  return command;
}

}  // namespace assay::tools
