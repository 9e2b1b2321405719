#include "frontend/function_debug_info.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "frontend/cfg.h"
#include "frontend/decode.h"

namespace assay::frontend {
namespace {

using Record = OpenClDebugInfo100;

Word FirstWord(Op opcode, std::size_t count) {
  return static_cast<Word>(count << 16) | static_cast<Word>(opcode);
}

// The bits of "float 1.000000e+00", "double 0x3FF0000000000000", "half 0xH3C00" or "i64 5".
std::optional<std::uint64_t> BitsOfConstant(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == text.npos) return std::nullopt;
  const std::string_view type = text.substr(0, space);
  text.remove_prefix(space + 1);
  const auto read = [&](std::size_t skip, int base) -> std::optional<std::uint64_t> {
    std::uint64_t bits = 0;
    const auto [end, error] =
        std::from_chars(text.data() + skip, text.data() + text.size(), bits, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return bits;
  };
  if (type == "half") return text.starts_with("0xH") ? read(3, 16) : std::nullopt;
  if (type == "i1") return text == "true" ? 1 : 0;
  if (type == "float" || type == "double") {
    std::optional<double> value;
    if (text.starts_with("0x")) {
      if (const auto bits = read(2, 16)) value = std::bit_cast<double>(*bits);
    } else {
      double number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error == std::errc() && end == text.data() + text.size()) value = number;
    }
    if (!value) return std::nullopt;
    // LLVM writes a float as the double that it is.
    if (type == "float") return std::bit_cast<std::uint32_t>(static_cast<float>(*value));
    return std::bit_cast<std::uint64_t>(*value);
  }
  return std::nullopt;
}

// The number behind "line no:"; 0 where there is none.
std::uint32_t DeclarationLine(std::string_view place) {
  constexpr std::string_view kMark = " line no:";
  const std::size_t at = place.rfind(kMark);
  std::uint32_t line = 0;
  if (at != place.npos) {
    std::from_chars(place.data() + at + kMark.size(), place.data() + place.size(), line);
  }
  return line;
}

class FunctionWriter {
 public:
  FunctionWriter(const MatchedFunction& function, LlvmDebugRecords* records, DebugWriter* writer)
      : function_(function),
        machine_(function.machine),
        shapes_(function.shapes),
        records_(*records),
        writer_(*writer) {}

  std::optional<std::vector<Word>> Write() {
    if (!FindLocations()) return std::nullopt;
    FindDefinitions();
    AddLost();
    ForEach([&](std::uint32_t index, std::span<const Word> instruction) {
      WriteInstruction(index, instruction);
    });
    return std::move(words_);
  }

 private:
  static constexpr std::uint32_t kNotParameter = 0xffffffff;
  // "From here on the variable is there."
  struct Value {
    const LlvmLocation* location;
    std::uint32_t order = kNotParameter;
    Id variable = 0, target = 0, expression = 0;
    bool is_declare = false;
    std::optional<DebugFragment> fragment = {};  // nothing: all of it

    // Whether this value replaces all or a part of the other one.
    bool Replaces(const Value& other) const {
      return variable == other.variable && location->inlined_at == other.location->inlined_at &&
             (!fragment || !other.fragment ||
              (fragment->offset < std::uint64_t{other.fragment->offset} + other.fragment->size &&
               other.fragment->offset < std::uint64_t{fragment->offset} + fragment->size));
    }
    bool Covers(const Value& other) const {
      return !fragment || (other.fragment && fragment->offset <= other.fragment->offset &&
                           std::uint64_t{other.fragment->offset} + other.fragment->size <=
                               std::uint64_t{fragment->offset} + fragment->size);
    }
  };
  struct Definition {
    std::uint32_t index, block;
    Op opcode;
  };

  template <typename Visit>
  void ForEach(Visit&& visit) const {
    const std::span<const Word> words = function_.words;
    std::uint32_t index = 0;
    for (std::size_t place = 0; place < words.size(); ++index) {
      const std::size_t count = WordCountOf(words[place]);
      visit(index, words.subspan(place, count));
      place += count;
    }
  }

  // Each location twice in the dump: as metadata, and as text.
  bool FindLocations() {
    bool any = false;
    locations_.reserve(machine_.instructions.size());
    for (const MachineInstruction& instruction : machine_.instructions) {
      locations_.push_back(nullptr);
      if (instruction.location.empty()) continue;
      const LlvmLocation* location = records_.Location(instruction.location);
      if (location == nullptr || !instruction.place.starts_with(location->place)) return false;
      const std::string_view rest = instruction.place.substr(location->place.size());
      if (!rest.empty() && rest[0] != ' ') return false;
      locations_.back() = location;
      any = true;
    }
    return any;
  }

  void FindDefinitions() {
    std::uint32_t block = 0;
    ForEach([&](std::uint32_t index, std::span<const Word> instruction) {
      const Op opcode = OpcodeOf(instruction[0]);
      if (opcode == Op::kLabel) ++block;
      const auto rule = FindInstruction(opcode);
      if (!rule || !rule->HasResult()) return;
      definitions_[instruction[rule->HasResultType() ? 2 : 1]] = {index, block, opcode};
    });
    for (const MachineInstruction& one : machine_.instructions) {
      if (!one.result || !one.opcode.starts_with("OpConstant")) continue;
      constants_[*one.result] = static_cast<std::uint32_t>(&one - machine_.instructions.data());
    }
  }

  void WriteInstruction(std::uint32_t index, std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction[0]);
    const std::uint32_t source = function_.match.sources[index];
    if (source != MachineMatch::kNone) {
      for (; next_ < source; ++next_) ReadValue(machine_.instructions[next_], locations_[next_]);
      next_ = source + 1;
    }
    switch (opcode) {
      case Op::kLabel:
        ++block_;
        here_ = {};  // a line and a scope end with their block
        break;
      case Op::kFunction:
      case Op::kFunctionParameter:
      case Op::kFunctionEnd:
      case Op::kVariable:  // nothing may stand between variables
        break;
      case Op::kPhi:  // nothing but lines may stand between these
        MoveToLine(locations_[source]);
        break;
      default:
        if (!after_merge_) {
          const bool is_last =
              IsTerminator(opcode) || opcode == Op::kLoopMerge || opcode == Op::kSelectionMerge;
          WriteValues(index, is_last);
          MoveTo(locations_[source]);
        }
        break;
    }
    // A merge instruction and its branch belong together.
    after_merge_ = opcode == Op::kLoopMerge || opcode == Op::kSelectionMerge;
    words_.insert(words_.end(), instruction.begin(), instruction.end());
  }

  // --- places -----------------------------------------------------------------------------------

  void MoveToLine(const LlvmLocation* location) {
    if (location == nullptr || location->line == 0) {
      if (here_.line != 0) words_.push_back(FirstWord(Op::kNoLine, 1));
      here_.line = 0;
      return;
    }
    if (here_.line == location->line && here_.column == location->column &&
        here_.path == location->path) {
      return;
    }
    words_.insert(words_.end(),
                  {FirstWord(Op::kLine, 4), location->path, location->line, location->column});
    here_.path = location->path;
    here_.line = location->line;
    here_.column = location->column;
  }

  void MoveTo(const LlvmLocation* location) {
    const Id scope = location == nullptr ? 0 : location->scope;
    const Id inlined_at = location == nullptr ? 0 : location->inlined_at;
    if (scope != here_.scope || inlined_at != here_.inlined_at) {
      if (scope == 0) {
        writer_.Append(Record::kDebugNoScope, {}, &words_);
      } else if (inlined_at == 0) {
        writer_.Append(Record::kDebugScope, {scope}, &words_);
      } else {
        writer_.Append(Record::kDebugScope, {scope, inlined_at}, &words_);
      }
      here_.scope = scope;
      here_.inlined_at = inlined_at;
    }
    MoveToLine(location);
  }

  // --- variables --------------------------------------------------------------------------------

  LlvmDebugRecords::Local VariableOf(const MachineInstruction& instruction,
                                     const LlvmLocation* location) const {
    if (location == nullptr || !instruction.opcode.starts_with("DBG_VALUE")) return {};
    const MachineOperand* name = machine_.Operand(instruction, IsList(instruction) ? 0 : 2);
    if (name == nullptr || !name->text.starts_with("!\"") || !name->text.ends_with('"')) return {};
    return records_.Variable(name->text.substr(2, name->text.size() - 3), location->scope_node,
                             DeclarationLine(instruction.place));
  }

  static bool IsList(const MachineInstruction& instruction) {
    return instruction.opcode == "DBG_VALUE_LIST";
  }

  // Variables that the dump does not mention are nowhere; but they are the function's.
  void AddLost() {
    const LlvmLocation* begin = records_.BeginOf(machine_.name);
    if (begin == nullptr) return;
    std::unordered_set<Id> mentioned;
    for (std::size_t i = 0; i < locations_.size(); ++i) {
      if (locations_[i] == nullptr || locations_[i]->inlined_at != 0) continue;
      mentioned.insert(VariableOf(machine_.instructions[i], locations_[i]).id);
    }
    for (const LlvmDebugRecords::Local& one : records_.VariablesOf(machine_.name)) {
      if (one.id == 0 || mentioned.contains(one.id)) continue;
      values_.push_back({.location = begin, .order = OrderOf(one, begin), .variable = one.id});
      SetLost(&values_.back());
    }
  }

  // DBG_VALUE %8:pid, 0, !"p", !DIExpression(...): the register, or the number, is the value; with
  // a number as second operand, the register is the address of it.
  void ReadValue(const MachineInstruction& instruction, const LlvmLocation* location) {
    const LlvmDebugRecords::Local variable = VariableOf(instruction, location);
    if (variable.id == 0) return;
    Value value{
        .location = location, .order = OrderOf(variable, location), .variable = variable.id};
    if (IsList(instruction) || !FindTarget(instruction, variable.shape, &value)) SetLost(&value);
    for (Value& one : late_) {
      if (!value.Replaces(one)) continue;
      // Its information about other bits would come too late, after these bits were set.
      if (!value.Covers(one)) SetLost(&values_.emplace_back(one));
      one.variable = 0;
    }
    std::erase_if(late_, [](const Value& one) { return one.variable == 0; });
    values_.push_back(value);
  }

  // Readers list parameters as they come.
  static std::uint32_t OrderOf(const LlvmDebugRecords::Local& variable,
                               const LlvmLocation* location) {
    const bool is_parameter = variable.argument != 0 && location->inlined_at == 0;
    return is_parameter ? variable.argument : kNotParameter;
  }

  void SetLost(Value* value) {
    value->target = writer_.Undefined();
    value->expression = records_.MakeLost(value->fragment).id;
    value->is_declare = false;
  }

  // False where the variable is nowhere, or what the compiler says cannot be right.
  bool FindTarget(const MachineInstruction& instruction, ValueShape shape, Value* value) {
    const MachineOperand* where = machine_.Operand(instruction, 0);
    const MachineOperand* offset = machine_.Operand(instruction, 1);
    const MachineOperand* text = machine_.Operand(instruction, 3);
    if (text == nullptr) return false;
    const bool is_register = where->kind == MachineOperand::Kind::kRegister;
    const bool is_indirect = is_register && offset->kind == MachineOperand::Kind::kNumber;
    if (is_indirect) return offset->number == 0 && FindMemory(*where, text->text, value);
    const auto& expression = records_.MakeExpression(text->text, false);
    value->expression = expression.id;
    value->fragment = expression.fragment;
    if (expression.id == 0) return false;
    if (is_register && FindRegister(*where, value)) {
      const ValueShape found = shapes_.Of(value->target);
      return MayBelieve(instruction, found, expression) && IsLike(found, expression, shape);
    }
    const std::uint64_t size = expression.fragment ? expression.fragment->size : shape.bits;
    if (!IsPlain(expression.steps) || (!expression.fragment && !shape.IsScalar())) return false;
    const auto bits = is_register ? BitsOfRegister(static_cast<std::uint32_t>(where->number))
                      : where->kind == MachineOperand::Kind::kNumber
                          ? std::optional(static_cast<std::uint64_t>(where->number))
                          : BitsOfConstant(where->text);
    value->target = bits ? Constant(*bits, size) : 0;
    return value->target != 0;
  }

  // Loop strength reduction replaces an induction variable by its own one, also in debug
  // expressions about the old one.  Only values that it computed anew are trusted; a quotient only
  // if the product that it undoes does not wrap.
  bool MayBelieve(const MachineInstruction& instruction, ValueShape found,
                  const LlvmDebugRecords::Expression& expression) const {
    constexpr std::uint64_t kMostStride = std::uint64_t{1} << 24;
    std::string_view name = machine_.Operand(instruction, 2)->text;  // !"k"
    name = name.substr(2, name.size() - 3);
    if (!records_.IsOfInduction(name, machine_.Operand(instruction, 3)->text,
                                instruction.location)) {
      return true;
    }
    return expression.stride == 1 ||
           (found.bits == 64 && expression.stride && *expression.stride <= kMostStride);
  }

  // Whether what an expression makes of a value can be what a variable, or a fragment of it, has.
  static bool IsLike(ValueShape found, const LlvmDebugRecords::Expression& expression,
                     ValueShape variable) {
    using Kind = ValueShape::Kind;
    const std::uint64_t size = expression.fragment ? expression.fragment->size : variable.bits;
    const std::uint64_t own = found.kind == Kind::kPointer ? 64 : found.bits;
    if (IsPlain(expression.steps)) {
      if (!expression.fragment) return found.Fits(variable);
      return found.kind == Kind::kAggregate || (found.kind != Kind::kOther && own == size);
    }
    const bool is_pointer = found.kind == Kind::kPointer;
    if (!is_pointer && found.kind != Kind::kInteger && found.kind != Kind::kBool) return false;
    // Any value shows what becomes of the type.
    const DebugOperand operand{
        .bits = 1, .width = found.kind == Kind::kBool ? 1 : static_cast<std::uint32_t>(own)};
    const auto result =
        FollowDebugSteps(expression.steps, operand, false, [](std::uint64_t) { return 0; });
    if (!result) return false;
    if (result->is_address) return is_pointer;
    const bool is_truth = variable.kind == Kind::kBool && !expression.fragment;
    if (result->value.width != size && !(is_truth && result->value.width == 1)) return false;
    if (expression.fragment) return true;
    return is_pointer ? variable.kind == Kind::kPointer
                      : variable.kind == Kind::kInteger || is_truth;
  }

  bool FindMemory(const MachineOperand& where, std::string_view text, Value* value) {
    if (!FindRegister(where, value)) return false;
    const auto definition = definitions_.find(value->target);
    value->is_declare =
        definition != definitions_.end() && (definition->second.opcode == Op::kVariable ||
                                             definition->second.opcode == Op::kFunctionParameter);
    const auto& expression = records_.MakeExpression(text, !value->is_declare);
    value->expression = expression.id;
    value->fragment = expression.fragment;
    return value->expression != 0;
  }

  // Constants are taken from the dump: an id of one may be of a type of another size.
  bool FindRegister(const MachineOperand& where, Value* value) {
    const auto number = static_cast<std::uint32_t>(where.number);
    const auto found = function_.match.ids.find(number);
    if (found == function_.match.ids.end() || constants_.contains(number)) return false;
    value->target = found->second;
    return true;
  }

  std::optional<std::uint64_t> BitsOfRegister(std::uint32_t number) const {
    const auto found = constants_.find(number);
    if (found == constants_.end()) return std::nullopt;
    const MachineInstruction& one = machine_.instructions[found->second];
    if (one.opcode == "OpConstantNull") return 0;
    const bool is_number = one.opcode == "OpConstantI" || one.opcode == "OpConstantF";
    if (!is_number || one.count < 2) return std::nullopt;
    std::uint64_t value = static_cast<std::uint32_t>(machine_.Operand(one, 1)->number);
    if (const MachineOperand* high = machine_.Operand(one, 2)) {
      value |= static_cast<std::uint64_t>(high->number) << 32;
    }
    return value;
  }

  Id Constant(std::uint64_t value, std::uint64_t bits) {
    if (bits == 0 || bits > 64 || (bits > 32 && !writer_.HasLongs())) return 0;
    if (bits < 64) value &= (std::uint64_t{1} << bits) - 1;
    return writer_.Constant(value, bits > 32 ? 64 : 32);
  }

  bool IsComputed(Id target, std::uint32_t index) const {
    const auto found = definitions_.find(target);
    return found == definitions_.end() || found->second.index < index;
  }

  // The back end moves values before their instruction: they wait for it until the block ends.
  void WriteValues(std::uint32_t index, bool is_last) {
    std::stable_sort(values_.begin(), values_.end(),
                     [](const Value& a, const Value& b) { return a.order < b.order; });
    std::vector<Value> waiting = std::exchange(late_, {});
    waiting.insert(waiting.end(), values_.begin(), values_.end());
    values_.clear();
    for (Value& value : waiting) {
      if (!IsComputed(value.target, index)) {
        const Definition& definition = definitions_.at(value.target);
        if (definition.block == block_ && !is_last) {
          late_.push_back(value);
          continue;
        }
        SetLost(&value);
      }
      MoveTo(value.location);
      writer_.Append(value.is_declare ? Record::kDebugDeclare : Record::kDebugValue,
                     {value.variable, value.target, value.expression}, &words_);
    }
  }

  const MatchedFunction& function_;
  const MachineFunction& machine_;
  const ValueShapes& shapes_;
  LlvmDebugRecords& records_;
  DebugWriter& writer_;
  std::vector<const LlvmLocation*> locations_;  // by machine instruction
  std::unordered_map<Id, Definition> definitions_;
  std::unordered_map<std::uint32_t, std::uint32_t> constants_;  // instruction by register
  std::vector<Value> values_, late_;
  LlvmLocation here_;
  std::uint32_t next_ = 0, block_ = 0;
  bool after_merge_ = false;
  std::vector<Word> words_;
};

}  // namespace

std::optional<std::vector<Word>> WriteFunctionDebugInfo(const MatchedFunction& function,
                                                        LlvmDebugRecords* records,
                                                        DebugWriter* writer) {
  return FunctionWriter(function, records, writer).Write();
}

}  // namespace assay::frontend
