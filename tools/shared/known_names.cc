#include "tools/shared/known_names.h"

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "numerics/format.h"
#include "numerics/functions.h"
#include "oracle/campaign/campaign.h"
#include "tools/shared/option_values.h"

namespace assay::tools {
namespace {

void AddFunctions(std::vector<std::string_view>* names) {
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) names->push_back(info.name);
}

}  // namespace

CLI::Validator SuggestFunctions() {
  std::vector<std::string_view> names;
  AddFunctions(&names);
  return Suggest(names);
}

CLI::Validator SuggestFunctionsAndGroups() {
  std::vector<std::string_view> names;
  for (const oracle::OperationGroup& group : oracle::OperationGroups()) {
    names.push_back(group.name);
  }
  AddFunctions(&names);
  return SuggestForList(names);
}

CLI::Validator SuggestFormats() {
  std::vector<std::string_view> names;
  for (const numerics::Format format : numerics::kAllFormats) {
    names.push_back(numerics::Traits(format).name);
  }
  return Suggest(names);
}

}  // namespace assay::tools
