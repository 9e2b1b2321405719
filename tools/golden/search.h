// assay golden search: the search for hard-to-round operands.
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

// Registers `search` under `golden`; it sets *exit_code when it ran.
CLI::App* AddGoldenSearch(CLI::App* golden, int* exit_code);

}  // namespace assay::tools
