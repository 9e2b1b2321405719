#include "frontend/machine_match.h"

#include <algorithm>

#include "frontend/decode.h"

namespace assay::frontend {
namespace {

// Prefixes of the names of instructions that are written elsewhere in the module, or not at all.
constexpr std::string_view kElsewhere[] = {
    "DBG_",         "OpType",          "OpConstant",     "OpSpecConstant", "OpName",
    "OpMemberName", "OpDecorate",      "OpMemberDecor",  "OpEntryPoint",   "OpExecutionMode",
    "OpExtension",  "OpExtInstImport", "OpCapability",   "OpMemoryModel",  "OpSource",
    "OpString",     "OpUndef",         "OpModuleProces", "OpGroupDecorate"};

constexpr std::int64_t kFunctionStorage = 7;

// The compiler has an opcode for each class of operands: OpIAddS and OpIAddV, OpSelectSISCond.
bool IsNameOf(std::string_view machine, std::string_view name) {
  if (!machine.starts_with(name)) return false;
  machine.remove_prefix(name.size());
  if (machine.ends_with("Cond")) machine.remove_suffix(4);
  return machine.size() <= 3 && machine.find_first_not_of("SVIFP") == machine.npos;
}

class Matcher {
 public:
  Matcher(const MachineFunction& machine, std::span<const Word> words)
      : machine_(machine), words_(words) {}

  std::optional<MachineMatch> Match() {
    if (!FindLabels()) return std::nullopt;
    std::uint32_t next = 0;
    std::int64_t block = -1;
    bool good = true;
    ForEach([&](std::span<const Word> instruction) {
      const Op opcode = OpcodeOf(instruction[0]);
      if (opcode == Op::kLabel || opcode == Op::kFunctionEnd) {
        block += opcode == Op::kLabel;
        match_.sources.push_back(MachineMatch::kNone);
        return;
      }
      next = SkipElsewhere(next, opcode);
      good = good && next < machine_.instructions.size() && IsOfBlock(next, block) &&
             Agree(machine_.instructions[next], instruction);
      match_.sources.push_back(next++);
    });
    if (!good || SkipElsewhere(next, Op::kNop) != machine_.instructions.size()) return std::nullopt;
    return std::move(match_);
  }

 private:
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (std::size_t place = 0; place < words_.size();) {
      const std::size_t count = std::max<std::size_t>(WordCountOf(words_[place]), 1);
      visit(words_.subspan(place, std::min(count, words_.size() - place)));
      place += count;
    }
  }

  // Blocks are written in their order.
  bool FindLabels() {
    std::size_t count = 0;
    ForEach([&](std::span<const Word> instruction) {
      if (OpcodeOf(instruction[0]) != Op::kLabel) return;
      if (count < machine_.blocks.size()) labels_[machine_.blocks[count]] = instruction[1];
      ++count;
    });
    return count == machine_.blocks.size() && labels_.size() == count;
  }

  bool IsOfBlock(std::uint32_t place, std::int64_t block) const {
    // Before the first label there are the function and its parameters.
    return machine_.instructions[place].block == static_cast<std::uint32_t>(block < 0 ? 0 : block);
  }

  // The next instruction that is written inside of the function.
  std::uint32_t SkipElsewhere(std::uint32_t next, Op wanted) {
    for (; next < machine_.instructions.size(); ++next) {
      const MachineInstruction& one = machine_.instructions[next];
      if (wanted == Op::kUndef && one.opcode == "OpUndef") break;
      if (one.opcode == "OpVariable") {
        const MachineOperand* storage = machine_.Operand(one, 1);
        if (storage != nullptr && storage->number == kFunctionStorage) break;
      } else if (one.opcode == "OpFunction") {
        // Another one declares a function that is called.
        if (!began_) {
          began_ = true;
          break;
        }
        declares_ = true;
      } else if (one.opcode == "OpFunctionParameter") {
        if (!declares_) break;
      } else if (std::none_of(
                     std::begin(kElsewhere), std::end(kElsewhere),
                     [&](std::string_view name) { return one.opcode.starts_with(name); })) {
        break;
      }
    }
    return next;
  }

  bool Agree(const MachineInstruction& machine, std::span<const Word> instruction) {
    const auto rule = FindInstruction(OpcodeOf(instruction[0]));
    if (!rule || !IsNameOf(machine.opcode, rule->name)) return false;
    std::size_t place = 1;
    const std::size_t result = rule->HasResultType() ? 2 : 1;
    if (rule->HasResult() != machine.result.has_value()) return false;
    if (rule->HasResult()) {
      if (result >= instruction.size() || !Learn(*machine.result, instruction[result]))
        return false;
    }
    // Operands that are not one word, such as strings, are not compared.
    if (machine.count + (rule->HasResult() ? 2 : 1) != instruction.size()) return true;
    for (std::uint32_t i = 0; i < machine.count; ++i, ++place) {
      if (rule->HasResult() && place == result) ++place;
      const MachineOperand& operand = machine_.operands[machine.first + i];
      if (operand.kind == MachineOperand::Kind::kRegister) {
        if (!Learn(static_cast<std::uint32_t>(operand.number), instruction[place])) return false;
      } else if (operand.kind == MachineOperand::Kind::kBlock) {
        const auto label = labels_.find(static_cast<std::uint32_t>(operand.number));
        if (label == labels_.end() || label->second != instruction[place]) return false;
      }
    }
    return true;
  }

  // A register is one id everywhere.
  bool Learn(std::uint32_t number, Id id) {
    return match_.ids.try_emplace(number, id).first->second == id;
  }

  const MachineFunction& machine_;
  std::span<const Word> words_;
  MachineMatch match_;
  std::unordered_map<std::uint32_t, Id> labels_;  // by block
  bool began_ = false;                            // OpFunction was there
  bool declares_ = false;                         // and another one
};

}  // namespace

std::optional<MachineMatch> MatchMachineFunction(const MachineFunction& machine,
                                                 std::span<const Word> function) {
  return Matcher(machine, function).Match();
}

}  // namespace assay::frontend
