#include "frontend/constant_addresses.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "frontend/decode.h"
#include "frontend/loader.h"
#include "frontend/whole_module.h"

namespace assay::frontend {
namespace {

// What is known of the module so far.
struct Types {
  std::map<Word, Word> pointee;  // of a pointer's type
  std::map<Word, Word> element;  // of an array's type
  std::map<Word, Word> of;       // of a variable or a constant
  std::set<Word> zeros;          // constants
  std::set<Word> bytes;          // types of 8 bits

  void Learn(std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction[0]);
    if (opcode == Op::kTypePointer && instruction.size() == 4) {
      pointee[instruction[1]] = instruction[3];
    } else if (opcode == Op::kTypeArray && instruction.size() == 4) {
      element[instruction[1]] = instruction[2];
    } else if (opcode == Op::kTypeInt && instruction.size() == 4 && instruction[2] == 8) {
      bytes.insert(instruction[1]);
    } else if ((opcode == Op::kConstant || opcode == Op::kConstantNull) &&
               std::all_of(instruction.begin() + 3, instruction.end(),
                           [](Word word) { return word == 0; })) {
      zeros.insert(instruction[2]);
    } else if ((opcode == Op::kVariable || opcode == Op::kSpecConstantOp) &&
               instruction.size() >= 4) {
      of[instruction[2]] = instruction[1];
    }
  }
  // 0: unknown.
  Word PointeeOf(Word type) const {
    const auto found = pointee.find(type);
    return found == pointee.end() ? 0 : found->second;
  }
  Word TypeOf(Word id) const {
    const auto found = of.find(id);
    return found == of.end() ? 0 : found->second;
  }
};

// %r = OpSpecConstantOp %type PtrAccessChain %base %element, where %type and %base point to
// different types (llvm-spirv).  Or with a zero before the element, where %type points to bytes and
// %base to an array of something else (clang-22).
bool LacksCast(std::span<const Word> instruction, const Types& types) {
  if (OpcodeOf(instruction[0]) != Op::kSpecConstantOp) return false;
  if (instruction.size() != 6 && instruction.size() != 7) return false;
  const auto opcode = static_cast<Op>(instruction[3]);
  if (opcode != Op::kPtrAccessChain && opcode != Op::kInBoundsPtrAccessChain) return false;
  const Word made = types.PointeeOf(instruction[1]);
  const Word base = types.PointeeOf(types.TypeOf(instruction[4]));
  if (instruction.size() == 6) return made != 0 && base != 0 && made != base;
  const auto array = types.element.find(base);
  return array != types.element.end() && array->second != made && types.bytes.contains(made) &&
         types.zeros.contains(instruction[5]);
}

}  // namespace

std::string WithConstantAddresses(std::string bytes) {
  std::vector<Word> words(bytes.size() / sizeof(Word)), cast;
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(Word));
  // The loader refuses what is no module; until then it may be anything.
  if (!IsWholeModule(words)) return bytes;
  cast.assign(words.begin(), words.begin() + kHeaderWords);
  constexpr std::size_t kBound = 3;  // of the header: one more than the largest id
  Types types;
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    types.Learn(instruction);
    std::vector<Word> kept(instruction.begin(), instruction.end());
    if (LacksCast(instruction, types)) {
      const Word id = cast[kBound]++;
      cast.insert(cast.end(), {5u << 16 | static_cast<Word>(Op::kSpecConstantOp), instruction[1],
                               id, static_cast<Word>(Op::kBitcast), instruction[4]});
      kept = {6u << 16 | static_cast<Word>(Op::kSpecConstantOp),
              kept[1],
              kept[2],
              kept[3],
              id,
              kept.back()};
    }
    cast.insert(cast.end(), kept.begin(), kept.end());
  });
  if (cast == words) return bytes;
  return std::string(reinterpret_cast<const char*>(cast.data()), cast.size() * sizeof(Word));
}

}  // namespace assay::frontend
