// @groups: functions of work-items for dimensions that there are not.
#include <fmt/format.h>

#include "oracle/checks/collective.h"

namespace assay::oracle {
namespace {

struct DimensionFunction {
  const char* name;
  std::uint64_t value;  // for a dimension that is out of range
  int c_standard;       // the first that has it
};
constexpr DimensionFunction kDimensionFunctions[] = {
    {"get_global_size", 1, 100},   {"get_global_id", 0, 100},          {"get_local_size", 1, 100},
    {"get_local_id", 0, 100},      {"get_num_groups", 1, 100},         {"get_group_id", 0, 100},
    {"get_global_offset", 0, 110}, {"get_enqueued_local_size", 1, 200}};
constexpr std::uint64_t kRangeItems = 24, kRangeGroup = 8;

// The launch has one dimension, so 1 and 2 are out of range, too.
constexpr std::uint32_t kDimensions[] = {1, 2, 3, 4, 1000, 0x7fffffff, 0xffffffff};

// `dimension`: an expression.
std::string DimensionProgram(const DeviceFacts& facts, const std::string& dimension) {
  std::string text = fmt::format(
      "kernel void ask(uint d, global ulong* out) {{\n"
      "  global ulong* o = out + (get_global_id(0) - get_global_offset(0)) * {};\n",
      std::size(kDimensionFunctions));
  for (std::size_t k = 0; k < std::size(kDimensionFunctions); ++k) {
    const bool has = facts.c_standard >= kDimensionFunctions[k].c_standard;
    text += fmt::format("  o[{}] = {};\n", k,
                        has ? fmt::format("{}({})", kDimensionFunctions[k].name, dimension) : "0");
  }
  return text + "}\n";
}

Expected<void> RunOutOfRange(CheckRun& run, bool constants) {
  for (const std::uint32_t dimension : kDimensions) {
    const std::string number = fmt::format("{}u", dimension);
    const KernelRequest request{
        .source = DimensionProgram(run.facts(), constants ? number : "d"),
        .options = run.facts().Standard(),
        .kernel = "ask",
        .arguments = {ValueOf(dimension),
                      OutputOf(kRangeItems * std::size(kDimensionFunctions) * 8)},
        .offset = {5, 0, 0},
        .global = {kRangeItems, 1, 1},
        .local = {kRangeGroup, 1, 1}};
    const auto answers = run.Ask(request);
    if (!answers) return tl::unexpected<Error>(answers.error());
    const auto found = NumbersOf<std::uint64_t>((*answers)[0]);
    for (std::size_t at = 0; at < found.size(); ++at) {
      const DimensionFunction& function = kDimensionFunctions[at % std::size(kDimensionFunctions)];
      if (run.facts().c_standard < function.c_standard) continue;
      run.Expect(found[at] == function.value,
                 fmt::format("{}({}), {}, in work-item {} of {} in groups of {}, one dimension",
                             function.name, number, constants ? "a constant" : "an argument",
                             at / std::size(kDimensionFunctions), kRangeItems, kRangeGroup),
                 fmt::format("{}", found[at]), fmt::format("{}", function.value));
    }
  }
  return {};
}

}  // namespace

void AddOutOfRangeChecks(std::vector<Check>* checks) {
  for (const bool constants : {false, true}) {
    checks->push_back(
        {.list = CheckList::kGroups,
         .name = constants ? "groups_numbers_out_of_range_constant" : "groups_numbers_out_of_range",
         .clause = "OpenCL C 6.15.1",
         .lacks = "",
         .run = [constants](CheckRun& run) { return RunOutOfRange(run, constants); }});
  }
}

}  // namespace assay::oracle
