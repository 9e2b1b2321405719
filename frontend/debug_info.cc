#include "frontend/debug_info.h"

#include <fmt/format.h>

#include "frontend/debug_endless.h"
#include "frontend/debug_records.h"
#include "frontend/decode.h"
#include "frontend/module.h"

namespace assay::frontend {
namespace {

using Number = DebugNumber;

constexpr std::size_t kMostPathBytes = 4096;
constexpr int kMaxTypeDepth = 16;  // of what a type's text shows

class Reader {
 public:
  explicit Reader(const Module& module) : module_(module) {}

  DebugInfo Read() {
    const auto& instructions = module_.instructions;
    info_.left_out = FindEndlessRecords(module_);
    for (std::uint32_t i = 0; i < instructions.size(); ++i) Collect(i);
    info_.locations.resize(instructions.size());
    for (std::uint32_t i = 0; i < instructions.size(); ++i) Walk(i);
    for (const Instruction& instruction : instructions) {
      const auto record = AsRecord(instruction);
      if (record && record->number == Number::kDebugGlobalVariable) PlaceGlobalVariable(*record);
    }
    return std::move(info_);
  }

 private:
  using Record = DebugOperands;

  std::optional<Record> AsRecord(const Instruction& instruction) const {
    if (info_.left_out.contains(instruction.result)) return std::nullopt;
    return ReadDebugOperands(module_, instruction);
  }
  std::optional<Record> RecordOf(Id id) const {
    if (info_.left_out.contains(id)) return std::nullopt;
    return ReadDebugOperands(module_, id);
  }
  static Id IdAt(const Record& record, std::size_t place) { return record.At(place); }
  std::uint32_t NumberAt(const Record& record, std::size_t place) const {
    return DebugNumberAt(module_, record, place);
  }
  std::string StringOf(Id id) const { return DebugStringOf(module_, id); }
  std::string NameOf(Id id) const { return DebugNameOf(module_, id); }

  // A file by the OpString of its path.
  std::uint32_t FileOf(Id path) {
    const auto [place, added] =
        files_.try_emplace(path, static_cast<std::uint32_t>(info_.files.size()));
    // No system has a longer path.
    if (added) info_.files.push_back({StringOf(path).substr(0, kMostPathBytes), ""});
    return place->second;
  }
  std::uint32_t FileOfSource(Id source) {
    const auto record = RecordOf(source);
    if (!record || record->number != Number::kDebugSource) return 0;
    return FileOf(IdAt(*record, 0));
  }

  void Collect(std::uint32_t place) {
    const Instruction& instruction = module_.instructions[place];
    if (instruction.opcode == Op::kSource) {
      const auto operands = module_.Operands(instruction);
      if (operands.empty()) return;
      const auto language = static_cast<SourceLanguage>(operands[0]);
      info_.is_opencl_c = info_.is_opencl_c || language == SourceLanguage::kOpenCLC ||
                          language == SourceLanguage::kOpenCLCPP ||
                          language == SourceLanguage::kCPPForOpenCL;
      if (operands.size() < 4) return;
      const std::uint32_t file = FileOf(operands[2]);
      info_.files[file].text = StringAt(operands.subspan(3)).value_or("");
      return;
    }
    const auto record = AsRecord(instruction);
    if (!record) return;
    info_.records[instruction.result] = {
        record->literals ? ExtendedSet::kOpenClDebugInfo100 : ExtendedSet::kShaderDebugInfo100,
        static_cast<std::uint32_t>(record->number), place};
    if (record->number == Number::kDebugSource && record->words.size() > 1) {
      std::string text = StringOf(record->words[1]);
      // llvm-spirv puts a checksum where the text would be.
      if (!text.starts_with("//__CSK_")) {
        info_.files[FileOf(record->words[0])].text = std::move(text);
      }
    }
  }

  void Walk(std::uint32_t place) {
    const Instruction& instruction = module_.instructions[place];
    switch (instruction.opcode) {
      case Op::kLine: {
        const auto operands = module_.Operands(instruction);
        now_.file = FileOf(operands[0]);
        now_.line = KnownLine(operands[1]);
        now_.column = KnownColumn(operands[2]);
        break;
      }
      case Op::kNoLine:
        ForgetLine();
        break;
      case Op::kFunction:
      case Op::kFunctionEnd:
      case Op::kLabel:
        // A line holds to the end of its block, and so does a scope (SPIR-V 3.52.1, OpLine).  The
        // line before OpFunction and OpLabel is theirs.
        info_.locations[place] = now_;
        now_ = {};
        return;
      case Op::kExtInst:
        if (const auto record = AsRecord(instruction)) WalkRecord(place, *record);
        break;
      default:
        break;
    }
    info_.locations[place] = now_;
  }

  // The OpVariable of a variable of the program, or of local memory, stands where it is declared.
  void PlaceGlobalVariable(const Record& record) {
    const Instruction* variable = module_.Definition(IdAt(record, 7));
    if (variable == nullptr || variable->opcode != Op::kVariable) return;
    SourceLocation& location =
        info_.locations[static_cast<std::size_t>(variable - module_.instructions.data())];
    if (location.IsKnown()) return;
    location.file = FileOfSource(IdAt(record, 2));
    location.line = KnownLine(NumberAt(record, 3));
    location.column = KnownColumn(NumberAt(record, 4));
  }

  void ForgetLine() { now_.file = now_.line = now_.column = 0; }

  void WalkRecord(std::uint32_t place, const Record& record) {
    switch (record.number) {
      case Number::kDebugLine:
        now_.file = FileOfSource(IdAt(record, 0));
        now_.line = KnownLine(NumberAt(record, 1));
        now_.column = KnownColumn(NumberAt(record, 3));
        break;
      case Number::kDebugNoLine:
        ForgetLine();
        break;
      case Number::kDebugScope:
        now_.scope = IdAt(record, 0);
        now_.inlined_at = IdAt(record, 1);
        break;
      case Number::kDebugNoScope:
        now_.scope = now_.inlined_at = 0;
        break;
      case Number::kDebugDeclare:
      case Number::kDebugValue:
        AddVariable(place, record);
        break;
      default:
        break;
    }
  }

  void AddVariable(std::uint32_t place, const Record& record) {
    const auto local = RecordOf(IdAt(record, 0));
    if (!local || local->number != Number::kDebugLocalVariable) return;
    DebugVariable variable;
    variable.name = NameOf(IdAt(*local, 0));
    variable.type = CutName(TypeText(IdAt(*local, 1), 0));
    variable.line = KnownLine(NumberAt(*local, 3));
    variable.scope = IdAt(*local, 5);
    variable.argument = local->words.size() > 7 ? NumberAt(*local, 7) : 0;
    variable.variable = IdAt(record, 0);
    variable.target = IdAt(record, 1);
    variable.expression = IdAt(record, 2);
    variable.instruction = place;
    variable.is_declare = record.number == Number::kDebugDeclare;
    info_.variables.push_back(std::move(variable));
  }

  std::string TypeText(Id id, int depth) const {
    const auto record = RecordOf(id);
    if (!record || depth == kMaxTypeDepth) return "?";
    switch (record->number) {
      case Number::kDebugTypeBasic:
      case Number::kDebugTypedef:
      case Number::kDebugTypeEnum:
      case Number::kDebugTypeComposite: {
        std::string name = NameOf(IdAt(*record, 0));
        return name.empty() ? "?" : name;
      }
      case Number::kDebugTypePointer: {
        const auto pointee = RecordOf(IdAt(*record, 0));
        const bool none = !pointee || pointee->number == Number::kDebugInfoNone;
        return (none ? "void" : TypeText(IdAt(*record, 0), depth + 1)) + "*";
      }
      case Number::kDebugTypeQualifier:
        return QualifierText(NumberAt(*record, 1)) + TypeText(IdAt(*record, 0), depth + 1);
      case Number::kDebugTypeVector:
        return fmt::format("{}{}", TypeText(IdAt(*record, 0), depth + 1), NumberAt(*record, 1));
      case Number::kDebugTypeArray: {
        std::string text = TypeText(IdAt(*record, 0), depth + 1);
        // The counts are ids of constants in both sets; llvm-spirv puts lower bounds behind them.
        for (std::size_t i = 1; i < record->words.size() && text.size() < kMostNameBytes; ++i) {
          const auto count = module_.constants.Integer(record->words[i]);
          if (count) text += fmt::format("[{}]", *count);
        }
        return text;
      }
      default:
        return "?";
    }
  }

  static std::string QualifierText(std::uint32_t qualifier) {
    switch (static_cast<OpenClDebugInfo100DebugTypeQualifier>(qualifier)) {
      case OpenClDebugInfo100DebugTypeQualifier::kConstType:
        return "const ";
      case OpenClDebugInfo100DebugTypeQualifier::kVolatileType:
        return "volatile ";
      case OpenClDebugInfo100DebugTypeQualifier::kRestrictType:
        return "restrict ";
      default:
        return "";
    }
  }

  const Module& module_;
  DebugInfo info_;
  std::unordered_map<Id, std::uint32_t> files_;  // by the OpString of the path
  SourceLocation now_;
};

}  // namespace

DebugInfo ReadDebugInfo(const Module& module) { return Reader(module).Read(); }

std::string DescribeLocation(const DebugInfo& debug_info, const SourceLocation& location) {
  if (!location.IsKnown() || location.file >= debug_info.files.size()) return "";
  const std::string& path = debug_info.files[location.file].path;
  if (location.column == 0) return fmt::format("{}:{}", path, location.line);
  return fmt::format("{}:{}:{}", path, location.line, location.column);
}

}  // namespace assay::frontend
