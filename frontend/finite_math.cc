#include "frontend/finite_math.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/decode.h"
#include "frontend/loader.h"
#include "frontend/whole_module.h"

namespace assay::frontend {
namespace {

constexpr Word kNotNanNotInf = 3;

Op OpcodeOf(std::span<const Word> instruction) { return static_cast<Op>(instruction[0] & 0xffff); }

bool IsOperator(Op opcode) {
  switch (opcode) {
    case Op::kFNegate:
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFDiv:
    case Op::kFRem:
    case Op::kFMod:
    case Op::kVectorTimesScalar:
    case Op::kDot:
    case Op::kIsNan:
    case Op::kIsInf:
    case Op::kIsFinite:
    case Op::kIsNormal:
    case Op::kLessOrGreater:
    case Op::kOrdered:
    case Op::kUnordered:
    case Op::kFOrdEqual:
    case Op::kFUnordEqual:
    case Op::kFOrdNotEqual:
    case Op::kFUnordNotEqual:
    case Op::kFOrdLessThan:
    case Op::kFUnordLessThan:
    case Op::kFOrdGreaterThan:
    case Op::kFUnordGreaterThan:
    case Op::kFOrdLessThanEqual:
    case Op::kFUnordLessThanEqual:
    case Op::kFOrdGreaterThanEqual:
    case Op::kFUnordGreaterThanEqual:
      return true;
    default:
      return false;
  }
}

class Promises {
 public:
  explicit Promises(std::vector<Word> words) : words_(std::move(words)) {}

  std::vector<Word> Made() {
    ForEachInstruction(words_, [&](std::size_t place, std::span<const Word> instruction) {
      Take(place, instruction);
    });
    std::vector<Word> added;
    for (const Word id : promised_) {
      const auto place = decorated_.find(id);
      if (place == decorated_.end()) {
        added.insert(added.end(), {4u << 16 | static_cast<Word>(Op::kDecorate), id,
                                   static_cast<Word>(Decoration::kFPFastMathMode), kNotNanNotInf});
      } else {
        words_[place->second] |= kNotNanNotInf;
      }
    }
    words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(first_type_), added.begin(),
                  added.end());
    return std::move(words_);
  }

 private:
  void Take(std::size_t place, std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction);
    if (opcode == Op::kDecorate && instruction.size() == 4 &&
        instruction[2] == static_cast<Word>(Decoration::kFPFastMathMode)) {
      decorated_[instruction[1]] = place + 3;
    } else if (opcode == Op::kExtInstImport && instruction.size() > 2) {
      if (StringAt(instruction.subspan(2)) == "OpenCL.std") functions_ = instruction[1];
    } else if (IsOperator(opcode) && instruction.size() > 2) {
      promised_.push_back(instruction[2]);
    } else if (opcode == Op::kExtInst && instruction.size() > 4 && instruction[3] == functions_) {
      // The mathematical, common and geometric functions; those behind them are of integers, or
      // move values.
      if (instruction[4] <= static_cast<Word>(OpenClStd::kFastNormalize)) {
        promised_.push_back(instruction[2]);
      }
    }
    // The types follow the decorations (SPIR-V, Logical Layout of a Module).
    const bool is_type = opcode >= Op::kTypeVoid && opcode <= Op::kTypePipe;
    if (first_type_ == 0 && is_type) first_type_ = place;
  }

  std::vector<Word> words_;
  Word functions_ = 0;
  std::size_t first_type_ = 0;
  std::unordered_map<Word, std::size_t> decorated_;  // where the mode of an id stands
  std::vector<Word> promised_;
};

}  // namespace

std::string WithFiniteMath(std::string bytes) {
  std::vector<Word> words(bytes.size() / sizeof(Word));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(Word));
  // The loader refuses what is no module.
  if (!IsWholeModule(words)) return bytes;
  const std::vector<Word> made = Promises(std::move(words)).Made();
  return std::string(reinterpret_cast<const char*>(made.data()), made.size() * sizeof(Word));
}

}  // namespace assay::frontend
