// What completion offers where names are expected; any other value is judged by its command.
#pragma once

namespace CLI {
class Validator;
}  // namespace CLI

namespace assay::tools {

CLI::Validator SuggestFunctions();           // sin, cos, ...
CLI::Validator SuggestFunctionsAndGroups();  // and @all, @unary, ...
CLI::Validator SuggestFormats();             // half, float, ...

}  // namespace assay::tools
