#include "frontend/validator_gaps.h"

#include <algorithm>

#include "frontend/rewritten.h"

namespace assay::frontend {
namespace {

struct OpenClRow {
  Capability capability;
  std::string_view by;
};

struct SuccessorRow {
  std::string_view newer;
  std::string_view former;
};

#define OPENCL(capability, by) {Capability::k##capability, by},
#define SUCCESSOR(newer, former)
constexpr OpenClRow kOpenClRows[] = {
#include "frontend/validator_gaps.def"
};
#undef OPENCL
#define OPENCL(capability, by)
#undef SUCCESSOR
#define SUCCESSOR(newer, former) {#newer, #former},
constexpr SuccessorRow kSuccessorRows[] = {
#include "frontend/validator_gaps.def"
};
#undef OPENCL
#undef SUCCESSOR

}  // namespace

std::string_view AcceptedBy(Capability capability) {
  const auto row = std::ranges::find(kOpenClRows, capability, &OpenClRow::capability);
  return row == std::end(kOpenClRows) ? "" : row->by;
}

std::vector<Word> WithFormerExtensions(std::span<const Word> words) {
  return Rewritten(words, [](std::span<const Word> instruction, std::vector<Word>* copy) {
    if (OpcodeOf(instruction[0]) != Op::kExtension) return Append(instruction, copy);
    const std::string_view name = StringAt(instruction.subspan(1)).value_or("");
    const auto row = std::ranges::find(kSuccessorRows, name, &SuccessorRow::newer);
    if (row == std::end(kSuccessorRows)) return Append(instruction, copy);
    AppendText(Op::kExtension, {}, row->former, copy);
  });
}

}  // namespace assay::frontend
