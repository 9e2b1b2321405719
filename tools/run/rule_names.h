// Names of rules and detectors: what completion offers, and what is said of an unknown name.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class Validator;
}  // namespace CLI

namespace assay::tools {

CLI::Validator SuggestDetectors();  // all, none, races, ...
CLI::Validator SuggestRules();      // memory-null, ..., and the families

// "unknown rule 'x'; did you mean a, b?", or `otherwise` if no name is similar.
std::string UnknownRule(std::string_view name, std::string_view otherwise);

}  // namespace assay::tools
