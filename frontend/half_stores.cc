#include "frontend/half_stores.h"

#include "frontend/decode.h"
#include "frontend/loader.h"

namespace assay::frontend {
namespace {

bool IsHalfStore(Word number) {
  switch (static_cast<OpenClStd>(number)) {
    case OpenClStd::kVstoreHalf:
    case OpenClStd::kVstoreHalfR:
    case OpenClStd::kVstoreHalfn:
    case OpenClStd::kVstoreHalfnR:
    case OpenClStd::kVstoreaHalfn:
    case OpenClStd::kVstoreaHalfnR:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool StoresNoNumber(const std::vector<Word>& words) {
  std::vector<bool> is_number(words[3]), is_std(words[3]);
  std::vector<Id> type_of(words[3]);
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction[0]);
    const auto rule = FindInstruction(opcode);
    const bool has_type = rule && rule->HasResultType() && rule->HasResult();
    if (has_type) type_of[instruction[2]] = instruction[1];
    if (opcode == Op::kTypeInt || opcode == Op::kTypeFloat || opcode == Op::kTypeVector) {
      is_number[instruction[1]] = true;
    }
    if (opcode == Op::kExtInstImport) {
      is_std[instruction[1]] =
          FindExtendedSet(*StringAt(instruction.subspan(2))) == ExtendedSet::kOpenClStd;
    }
  });
  bool stores = false;
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    if (OpcodeOf(instruction[0]) != Op::kExtInst || !is_std[instruction[3]]) return;
    if (!IsHalfStore(instruction[4]) || instruction.size() < 6) return;
    const Id type = instruction[5] < type_of.size() ? type_of[instruction[5]] : 0;
    stores |= type >= is_number.size() || !is_number[type];
  });
  return stores;
}

}  // namespace assay::frontend
