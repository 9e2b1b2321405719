#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "frontend/linkage.h"
#include "frontend/loader.h"

namespace assay::frontend {
namespace {

using Words = std::vector<Word>;

constexpr Word Heading(Op opcode, std::size_t count) {
  return static_cast<Word>(count) << 16 | static_cast<Word>(opcode);
}

void Put(std::span<const Word> instruction, Words* to) {
  to->insert(to->end(), instruction.begin(), instruction.end());
}

// A module's types and functions.
struct Declarations {
  std::map<Id, Words> types;                                // whole instructions
  std::map<Id, Id> function_types;                          // by function
  std::map<std::string, Id, std::less<>> imports, exports;  // functions

  explicit Declarations(const Words& module) {
    std::vector<Symbol> symbols;
    ForEachInstruction(module, [&](std::size_t place, std::span<const Word> words) {
      const Op opcode = OpcodeOf(words[0]);
      if (opcode >= Op::kTypeVoid && opcode <= Op::kTypeFunction) {
        types[words[1]].assign(words.begin(), words.end());
      }
      if (opcode == Op::kFunction) function_types[words[2]] = words[4];
      if (auto symbol = ReadSymbol(place, words)) symbols.push_back(std::move(*symbol));
    });
    for (const Symbol& symbol : symbols) {
      if (!function_types.contains(symbol.target)) continue;
      (symbol.type == LinkageType::kImport ? imports : exports)[symbol.name] = symbol.target;
    }
  }

  const Words* Find(Id type) const {
    const auto found = types.find(type);
    return found == types.end() ? nullptr : &found->second;
  }
};

// Which words of a type's instruction are types; lengths of arrays are not compared.
std::pair<std::size_t, std::size_t> TypesIn(const Words& type) {
  switch (OpcodeOf(type[0])) {
    case Op::kTypeVector:
    case Op::kTypeArray:
    case Op::kTypeRuntimeArray:
    case Op::kTypeImage:
    case Op::kTypeSampledImage:
      return {2, 3};
    case Op::kTypePointer:
      return {3, 4};
    case Op::kTypeStruct:
    case Op::kTypeFunction:
      return {2, type.size()};
    default:  // of SPIR-V's opcodes: a type without others
      return {2, 2};
  }
}

// Compares types of two modules.  What was begun counts as equal: a structure may point to itself,
// and one difference is the answer for all.
class Equality {
 public:
  Equality(const Declarations& a, const Declarations& b) : a_(a), b_(b) {}

  bool Of(Id of_a, Id of_b, int depth = 0) {
    constexpr int kDeepest = 1000;
    if (depth > kDeepest || !begun_.emplace(of_a, of_b).second) return true;
    const Words* first = a_.Find(of_a);
    const Words* second = b_.Find(of_b);
    if (first == nullptr || second == nullptr) return first == second;
    if ((*first)[0] != (*second)[0]) return false;
    const auto [begin, end] = TypesIn(*first);
    const bool has_length = OpcodeOf((*first)[0]) == Op::kTypeArray;
    for (std::size_t i = 2; i < first->size(); ++i) {
      const bool is_type = i >= begin && i < end;
      if (is_type && !Of((*first)[i], (*second)[i], depth + 1)) return false;
      if (!is_type && !has_length && (*first)[i] != (*second)[i]) return false;
    }
    return true;
  }

 private:
  const Declarations& a_;
  const Declarations& b_;
  std::set<std::pair<Id, Id>> begun_;
};

// The words of function types that are pointers to different types in one storage class.
std::set<std::size_t> Different(const Declarations& a, Id import, const Declarations& b,
                                Id defined) {
  std::set<std::size_t> places;
  const Words* first = a.Find(a.function_types.at(import));
  const Words* second = b.Find(b.function_types.at(defined));
  if (first == nullptr || second == nullptr || first->size() != second->size()) return places;
  constexpr std::size_t kFirstParameter = 3;
  for (std::size_t i = kFirstParameter; i < first->size(); ++i) {
    const Words* one = a.Find((*first)[i]);
    const Words* other = b.Find((*second)[i]);
    const bool are_pointers = one != nullptr && other != nullptr &&
                              OpcodeOf((*one)[0]) == Op::kTypePointer &&
                              OpcodeOf((*other)[0]) == Op::kTypePointer && (*one)[2] == (*other)[2];
    if (are_pointers && !Equality(a, b).Of((*first)[i], (*second)[i]))
      places.insert(i - kFirstParameter);
  }
  return places;
}

// By name of the function, the numbers of its parameters.
using Plan = std::map<std::string, std::set<std::size_t>, std::less<>>;

Plan MakePlan(const std::vector<Declarations>& modules) {
  Plan plan;
  for (const Declarations& importer : modules) {
    for (const auto& [name, import] : importer.imports) {
      for (const Declarations& exporter : modules) {
        const auto found = exporter.exports.find(name);
        if (found == exporter.exports.end()) continue;
        const auto places = Different(importer, import, exporter, found->second);
        if (!places.empty()) plan[name].insert(places.begin(), places.end());
      }
    }
  }
  return plan;
}

// Rewrites one module.
class Rewriter {
 public:
  Rewriter(const Words& module, const Declarations& known, const Plan& plan)
      : module_(module), known_(known), next_(module[3]) {
    for (const auto& [name, places] : plan) {
      for (const auto* functions : {&known.imports, &known.exports}) {
        const auto found = functions->find(name);
        if (found != functions->end()) Take(found->second, places, functions == &known.exports);
      }
    }
  }

  Words Rewrite() {
    if (changes_.empty()) return module_;
    result_.assign(module_.begin(), module_.begin() + kHeaderWords);
    bool declared = false;
    ForEachInstruction(module_, [&](std::size_t, std::span<const Word> instruction) {
      if (OpcodeOf(instruction[0]) == Op::kFunction && !std::exchange(declared, true)) {
        Put(added_, &result_);
      }
      One(instruction);
    });
    result_[3] = next_;
    return std::move(result_);
  }

 private:
  struct Change {
    Id type = 0;                           // of the function
    std::map<std::size_t, Id> parameters;  // their new types
    std::map<std::size_t, Id> names;       // of a body's parameters: their new ids
  };
  struct Cast {
    Id type, result, operand;
  };

  // A type that is there, or a new one.
  Id TypeOf(Op opcode, Words operands) {
    for (const std::map<Id, Words>* all : {&known_.types, &std::as_const(new_types_)}) {
      for (const auto& [id, words] : *all) {
        if (OpcodeOf(words[0]) == opcode &&
            std::ranges::equal(std::span(words).subspan(2), operands))
          return id;
      }
    }
    Words words = {Heading(opcode, operands.size() + 2), next_};
    Put(operands, &words);
    Put(words, &added_);
    new_types_[next_] = std::move(words);
    return next_++;
  }

  void Take(Id function, const std::set<std::size_t>& places, bool has_body) {
    const Words* old = known_.Find(known_.function_types.at(function));
    Words operands(old->begin() + 2, old->end());
    Change change;
    for (const std::size_t place : places) {
      if (place + 1 >= operands.size()) return;
      const Words* pointer = known_.Find(operands[place + 1]);
      if (pointer == nullptr || OpcodeOf((*pointer)[0]) != Op::kTypePointer) return;
      const Id uint = TypeOf(Op::kTypeInt, {32, 0});
      operands[place + 1] = TypeOf(Op::kTypePointer, {(*pointer)[2], uint});
      change.parameters[place] = operands[place + 1];
      if (has_body) change.names[place] = next_++;
    }
    change.type = TypeOf(Op::kTypeFunction, operands);
    if (has_body) NameParameters(function, change);
    changes_[function] = std::move(change);
  }

  // The body's old names are those of the casts; decorations stay with the parameters.
  void NameParameters(Id function, const Change& change) {
    bool inside = false;
    std::size_t place = 0;
    ForEachInstruction(module_, [&](std::size_t, std::span<const Word> instruction) {
      const Op opcode = OpcodeOf(instruction[0]);
      if (opcode == Op::kFunction) inside = instruction[2] == function;
      if (!inside || opcode != Op::kFunctionParameter) return;
      const auto name = change.names.find(place++);
      if (name != change.names.end()) renamed_[instruction[2]] = name->second;
    });
  }

  void One(std::span<const Word> instruction) {
    Words copy(instruction.begin(), instruction.end());
    const Op opcode = OpcodeOf(copy[0]);
    switch (opcode) {
      case Op::kDecorate:
        if (const auto name = renamed_.find(copy[1]); name != renamed_.end())
          copy[1] = name->second;
        break;
      case Op::kFunction: {
        const auto change = changes_.find(copy[2]);
        current_ = change == changes_.end() ? nullptr : &change->second;
        place_ = 0;
        if (current_ != nullptr) copy[4] = current_->type;
        break;
      }
      case Op::kFunctionParameter:
        if (current_ != nullptr) Parameter(&copy);
        break;
      case Op::kFunctionCall:
        Call(&copy);
        break;
      default:  // of SPIR-V's opcodes: nothing else names a function's type
        break;
    }
    const bool stays_first = opcode == Op::kFunctionParameter || opcode == Op::kLabel ||
                             opcode == Op::kVariable || opcode == Op::kLine ||
                             opcode == Op::kNoLine;
    if (!stays_first) AppendCasts();
    Put(copy, &result_);
  }

  void Parameter(Words* parameter) {
    const auto type = current_->parameters.find(place_);
    if (type != current_->parameters.end()) {
      const auto name = current_->names.find(place_);
      if (name != current_->names.end()) {
        casts_.push_back({(*parameter)[1], (*parameter)[2], name->second});
        (*parameter)[2] = name->second;
      }
      (*parameter)[1] = type->second;
    }
    ++place_;
  }

  void Call(Words* call) {
    constexpr std::size_t kFirstArgument = 4;
    const auto change = changes_.find((*call)[3]);
    if (change == changes_.end()) return;
    for (const auto& [place, type] : change->second.parameters) {
      if (kFirstArgument + place >= call->size()) return;
      casts_.push_back({type, next_, (*call)[kFirstArgument + place]});
      (*call)[kFirstArgument + place] = next_++;
    }
  }

  void AppendCasts() {
    for (const Cast& cast : casts_) {
      Put(Words{Heading(Op::kBitcast, 4), cast.type, cast.result, cast.operand}, &result_);
    }
    casts_.clear();
  }

  const Words& module_;
  const Declarations& known_;
  Id next_;
  std::map<Id, Words> new_types_;
  Words added_;
  std::map<Id, Change> changes_;  // by function
  std::map<Id, Id> renamed_;      // parameters of bodies
  const Change* current_ = nullptr;
  std::size_t place_ = 0;
  std::vector<Cast> casts_;
  Words result_;
};

}  // namespace

void UnifyPointers(std::vector<std::vector<Word>>* modules) {
  std::vector<Declarations> declarations;
  for (const Words& module : *modules) declarations.emplace_back(module);
  const Plan plan = MakePlan(declarations);
  if (plan.empty()) return;
  for (std::size_t i = 0; i < modules->size(); ++i) {
    (*modules)[i] = Rewriter((*modules)[i], declarations[i], plan).Rewrite();
  }
}

}  // namespace assay::frontend
