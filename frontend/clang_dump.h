// Parses the output of clang-22 about its last passes: the module as LLVM's IR with the metadata of
// its debug information, and the machine instructions of every function that became the SPIR-V
// module.  Internal to debug information.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::frontend {

// The options for the dump.  The first pass is the last one that changes IR, so that metadata is
// numbered there as in the machine functions; the second is what writes the module.
inline constexpr std::string_view kClangDumpOptions[] = {
    "-mllvm", "-print-after=emit-intrinsics,spirv-asm-printer", "-mllvm", "-print-module-scope"};

// All are views of the output that was split.
struct ClangDump {
  std::string_view module;                  // LLVM's IR; empty where it is missing
  std::vector<std::string_view> functions;  // complete ones only
};

// Splits the compiler's output into the dump and the messages for the user.
ClangDump SplitClangOutput(std::string_view output, std::string* messages);

struct MachineOperand {
  enum class Kind : std::uint8_t { kRegister, kBlock, kNumber, kOther };
  Kind kind = Kind::kOther;
  std::int64_t number = 0;  // of the register or block, or the number itself
  std::string_view text;
};

struct MachineInstruction {
  std::string_view opcode;              // "OpIAddS", "DBG_VALUE"
  std::optional<std::uint32_t> result;  // the register that it defines
  std::uint32_t first = 0, count = 0;   // places in MachineFunction::operands
  std::uint32_t block = 0;              // place in MachineFunction::blocks
  std::string_view location;            // "!31" or "!DILocation(...)"; empty: none
  std::string_view place;               // "k.cl:2:11 @[ ... ]", as printed behind the location
};

struct MachineFunction {
  std::string_view name;
  std::vector<std::uint32_t> blocks;  // their numbers, in order
  std::vector<MachineInstruction> instructions;
  std::vector<MachineOperand> operands;

  const MachineOperand* Operand(const MachineInstruction& instruction, std::uint32_t place) const {
    return place < instruction.count ? &operands[instruction.first + place] : nullptr;
  }
};

// The name of the function that a part of the dump is of; empty where it has none.
std::string_view MachineFunctionName(std::string_view text);
// Nothing for text that is not understood from its beginning to its end.
std::optional<MachineFunction> ParseMachineFunction(std::string_view text);

}  // namespace assay::frontend
