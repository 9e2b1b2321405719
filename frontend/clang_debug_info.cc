#include "frontend/clang_debug_info.h"

#include <algorithm>
#include <utility>

#include "frontend/debug_writer.h"
#include "frontend/decode.h"
#include "frontend/function_debug_info.h"
#include "frontend/llvm_debug_records.h"
#include "frontend/llvm_metadata.h"
#include "frontend/machine_match.h"

namespace assay::frontend {
namespace {

// The names of a module's functions and variables.
struct ModuleNames {
  std::unordered_map<Id, std::string_view> names;
  std::unordered_map<std::string_view, Id> functions;  // that have a body
  std::vector<std::pair<std::string_view, Id>> variables;
  bool has_debug_info = false;
};

ModuleNames ReadNames(const std::vector<Word>& words) {
  ModuleNames read;
  Id function = 0;
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    switch (OpcodeOf(instruction[0])) {
      case Op::kExtInstImport:
        read.has_debug_info =
            read.has_debug_info ||
            IsDebugSet(FindExtendedSet(StringAt(instruction.subspan(2)).value_or("")));
        break;
      case Op::kName:
        read.names[instruction[1]] = StringAt(instruction.subspan(2)).value_or("");
        break;
      case Op::kVariable:
        if (function == 0 && read.names.contains(instruction[2])) {
          read.variables.emplace_back(read.names[instruction[2]], instruction[2]);
        }
        break;
      case Op::kFunction:
        function = instruction[2];
        break;
      case Op::kLabel:
        if (read.names.contains(function)) read.functions[read.names[function]] = function;
        break;
      default:
        break;
    }
  });
  return read;
}

// clang-22 makes a kernel twice; at -O0 the one that is the entry point only calls the other, and
// would be a second frame of the same name.
bool CallsItsImplementation(const MachineFunction& machine) {
  const std::string callee = "@" + LlvmDebugRecords::ImplementationOf(machine.name);
  return std::any_of(machine.instructions.begin(), machine.instructions.end(),
                     [&](const MachineInstruction& instruction) {
                       const MachineOperand* called = machine.Operand(instruction, 1);
                       return instruction.opcode == "OpFunctionCall" && called != nullptr &&
                              called->text == callee;
                     });
}

class Annotator {
 public:
  Annotator(const std::vector<Word>& words, const ClangDump& dump)
      : words_(words),
        names_(ReadNames(words)),
        shapes_(words),
        metadata_(dump.module),
        writer_(words),
        records_(metadata_, &writer_, names_.functions) {
    for (const std::string_view text : dump.functions) {
      const std::string_view name = MachineFunctionName(text);
      if (!name.empty()) dumps_[name] = text;
    }
  }

  std::vector<Word> Run() {
    if (names_.has_debug_info || metadata_.size() == 0) return {};
    std::vector<Word> functions;
    const std::span<const Word> all(words_);
    std::size_t begin = writer_.FunctionsBegin();
    bool any = false;
    ForEachInstruction(words_, [&](std::size_t place, std::span<const Word> instruction) {
      if (OpcodeOf(instruction[0]) != Op::kFunctionEnd) return;
      const std::size_t end = place + instruction.size();
      const std::span<const Word> function = all.subspan(begin, end - begin);
      begin = end;
      const auto written = Annotate(function);
      any = any || written;
      if (written) {
        functions.insert(functions.end(), written->begin(), written->end());
      } else {
        functions.insert(functions.end(), function.begin(), function.end());
      }
    });
    if (!any) return {};
    const std::span<const Word> rest = all.subspan(begin);
    functions.insert(functions.end(), rest.begin(), rest.end());
    for (const auto& [name, id] : names_.variables) {
      const auto found = metadata_.globals().find(name);
      if (found != metadata_.globals().end()) records_.AddGlobal(found->second, id);
    }
    return writer_.Finish(functions);
  }

 private:
  std::optional<std::vector<Word>> Annotate(std::span<const Word> function) {
    if (OpcodeOf(function[0]) != Op::kFunction) return std::nullopt;
    const auto name = names_.names.find(function[2]);
    if (name == names_.names.end()) return std::nullopt;
    const auto dump = dumps_.find(name->second);
    if (dump == dumps_.end()) return std::nullopt;
    const auto machine = ParseMachineFunction(dump->second);
    if (!machine || CallsItsImplementation(*machine)) return std::nullopt;
    const auto match = MatchMachineFunction(*machine, function);
    if (!match) return std::nullopt;
    return WriteFunctionDebugInfo({*machine, *match, function, shapes_}, &records_, &writer_);
  }

  const std::vector<Word>& words_;
  ModuleNames names_;
  ValueShapes shapes_;
  LlvmMetadata metadata_;
  DebugWriter writer_;
  LlvmDebugRecords records_;
  std::unordered_map<std::string_view, std::string_view> dumps_;  // by name
};

}  // namespace

std::vector<Word> AddClangDebugInfo(const Binary& module, const ClangDump& dump) {
  return Annotator(module.words, dump).Run();
}

}  // namespace assay::frontend
