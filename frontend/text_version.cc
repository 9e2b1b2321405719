#include "frontend/text_version.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "frontend/decode.h"
#include "frontend/loader.h"
#include "frontend/whole_module.h"

namespace assay::frontend {
namespace {

class Needs {
 public:
  Needs(std::span<const Word> words, std::uint32_t least)
      : minor_(least), storage_(words[3]), type_opcode_(words[3]), type_of_(words[3]) {
    ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
      const Op opcode = OpcodeOf(instruction[0]);
      if (opcode == Op::kExtension && instruction.size() > 1) {
        extensions_.push_back(StringAt(instruction.subspan(1)).value_or(""));
      } else if (opcode == Op::kTypePointer || opcode == Op::kTypeVector) {
        if (instruction.size() > 1 && instruction[1] < type_opcode_.size()) {
          type_opcode_[instruction[1]] = opcode;
        }
      } else if (opcode == Op::kVariable && instruction.size() > 3 &&
                 instruction[2] < storage_.size()) {
        storage_[instruction[2]] = static_cast<StorageClass>(instruction[3]);
      }
    });
  }

  void Add(std::span<const Word> instruction, std::span<const Operand> operands) {
    const Op opcode = OpcodeOf(instruction[0]);
    if (const auto rule = FindInstruction(opcode)) {
      AddRule(*rule);
      if (rule->HasResultType()) type_of_[instruction[2]] = instruction[1];
    }
    if (opcode == Op::kBitcast) AddBitcast(instruction);
    for (const Operand& operand : operands) AddOperand(operand.kind, instruction[operand.first]);
    if (opcode == Op::kEntryPoint) AddInterface(instruction, operands);
  }

  std::uint32_t minor() const { return minor_; }

 private:
  template <typename Rule>
  void AddRule(const Rule& rule) {
    const bool is_extended = std::ranges::any_of(rule.extensions, [&](std::string_view name) {
      return std::ranges::find(extensions_, name) != extensions_.end();
    });
    if (rule.version == kOnlyByExtension || is_extended) return;
    minor_ = std::max<std::uint32_t>(minor_, rule.version & 0xf);
  }

  void AddOperand(OperandKind kind, Word value) {
    const Category category = CategoryOf(kind);
    if (category == Category::kValue) return AddEnumerant(kind, value);
    if (category != Category::kBits) return;
    for (Word rest = value; rest != 0; rest &= rest - 1) AddEnumerant(kind, rest & ~(rest - 1));
  }

  void AddEnumerant(OperandKind kind, Word value) {
    if (const auto rule = FindEnumerant(kind, value)) AddRule(*rule);
  }

  // Before SPIR-V 1.4 an interface has variables of Input and Output only.
  void AddInterface(std::span<const Word> instruction, std::span<const Operand> operands) {
    constexpr std::size_t kBefore = 3;  // the execution model, the function, the name
    for (std::size_t i = kBefore; i < operands.size(); ++i) {
      const StorageClass storage = storage_[instruction[operands[i].first]];
      const bool is_old = storage == StorageClass::kInput || storage == StorageClass::kOutput;
      if (!is_old) minor_ = std::max(minor_, 4u);
    }
  }

  // Between a pointer and a vector since SPIR-V 1.5.
  void AddBitcast(std::span<const Word> instruction) {
    const Op to = type_opcode_[instruction[1]];
    const Op from = type_opcode_[type_of_[instruction[3]]];
    const bool is_new = (to == Op::kTypePointer && from == Op::kTypeVector) ||
                        (to == Op::kTypeVector && from == Op::kTypePointer);
    if (is_new) minor_ = std::max(minor_, 5u);
  }

  std::uint32_t minor_;
  std::vector<std::string_view> extensions_;
  std::vector<StorageClass> storage_;  // of variables, by id
  std::vector<Op> type_opcode_;        // of types of pointers and vectors, by id
  std::vector<Id> type_of_;            // of results, by id
};

}  // namespace

std::uint32_t NeededMinorVersion(std::span<const Word> words, std::uint32_t least) {
  // A text can give any word as a number.
  if (!IsWholeModule(words) || words[3] > kMaxIdBound) return least;
  Needs needs(words, least);
  Decoder decoder(words[3]);
  std::vector<Operand> operands;
  bool is_good = true;  // what cannot be decoded is told by the loader
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    is_good = is_good && !decoder.Decode(instruction, &operands);
    if (is_good) needs.Add(instruction, operands);
  });
  return needs.minor();
}

}  // namespace assay::frontend
