#include "tools/hunt/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "frontend/block_order.h"
#include "tools/hunt/form_words.h"

namespace assay::tools {
namespace {

using namespace form_words;

// What a module declares of its ids.
class Declared {
 public:
  explicit Declared(Instruction words) {
    frontend::ForEachInstruction(words, [&](std::size_t, Instruction one) { Learn(one); });
  }

  Id TypeOf(Id id) const { return Find(types_, id); }
  Op KindOf(Id type) const { return static_cast<Op>(Find(kinds_, type)); }
  // Of an integer type its bits, of a vector its components.
  Word SizeOf(Id type) const { return Find(sizes_, type); }
  bool IsDecorated(Id id) const { return decorated_.contains(id); }
  // A number, a condition, or a vector of them.
  bool IsValue(Id type) const {
    const Op kind = KindOf(type);
    return kind == Op::kTypeInt || kind == Op::kTypeFloat || kind == Op::kTypeBool ||
           kind == Op::kTypeVector;
  }

 private:
  static Word Find(const std::unordered_map<Id, Word>& map, Id id) {
    const auto found = map.find(id);
    return found == map.end() ? 0 : found->second;
  }
  void Learn(Instruction one) {
    const Op opcode = OpcodeOf(one[0]);
    const auto rule = frontend::FindInstruction(opcode);
    if (opcode == Op::kDecorate && one.size() > 1) decorated_.insert(one[1]);
    if (!rule || !rule->HasResult()) return;
    if (rule->HasResultType()) {
      types_[one[2]] = one[1];
      return;
    }
    kinds_[one[1]] = static_cast<Word>(opcode);
    if (opcode == Op::kTypeInt) sizes_[one[1]] = one[2];
    if (opcode == Op::kTypeVector) sizes_[one[1]] = one[3];
  }

  std::unordered_map<Id, Word> types_, kinds_, sizes_;
  std::unordered_set<Id> decorated_;
};

Words WithPhisReversed(Instruction words) {
  return frontend::Rewritten(words, [](Instruction one, Words* copy) {
    if (OpcodeOf(one[0]) != Op::kPhi) return Append(one, copy);
    Append(one.first(3), copy);
    for (std::size_t k = one.size(); k >= 5; k -= 2) Append(one.subspan(k - 2, 2), copy);
  });
}

// The instruction that computes the same of exchanged operands.
std::optional<Op> Mirrored(Op opcode) {
  constexpr Op kSame[] = {Op::kIAdd,
                          Op::kIMul,
                          Op::kFAdd,
                          Op::kFMul,
                          Op::kBitwiseAnd,
                          Op::kBitwiseOr,
                          Op::kBitwiseXor,
                          Op::kLogicalAnd,
                          Op::kLogicalOr,
                          Op::kLogicalEqual,
                          Op::kLogicalNotEqual,
                          Op::kIEqual,
                          Op::kINotEqual,
                          Op::kFOrdEqual,
                          Op::kFUnordEqual,
                          Op::kFOrdNotEqual,
                          Op::kFUnordNotEqual,
                          Op::kIAddCarry,
                          Op::kUMulExtended,
                          Op::kSMulExtended,
                          Op::kOrdered,
                          Op::kUnordered};
  constexpr std::pair<Op, Op> kPairs[] = {
      {Op::kSLessThan, Op::kSGreaterThan},
      {Op::kULessThan, Op::kUGreaterThan},
      {Op::kSLessThanEqual, Op::kSGreaterThanEqual},
      {Op::kULessThanEqual, Op::kUGreaterThanEqual},
      {Op::kFOrdLessThan, Op::kFOrdGreaterThan},
      {Op::kFUnordLessThan, Op::kFUnordGreaterThan},
      {Op::kFOrdLessThanEqual, Op::kFOrdGreaterThanEqual},
      {Op::kFUnordLessThanEqual, Op::kFUnordGreaterThanEqual},
  };
  if (std::ranges::find(kSame, opcode) != std::end(kSame)) return opcode;
  for (const auto& [less, greater] : kPairs) {
    if (opcode == less) return greater;
    if (opcode == greater) return less;
  }
  return std::nullopt;
}

Words WithOperandsExchanged(Instruction words) {
  return frontend::Rewritten(words, [](Instruction one, Words* copy) {
    const auto mirrored = Mirrored(OpcodeOf(one[0]));
    if (!mirrored || one.size() != 5) return Append(one, copy);
    copy->insert(copy->end(), {FirstWord(*mirrored, 5), one[1], one[2], one[4], one[3]});
  });
}

Words WithConditionsNegated(Instruction words) {
  const Declared declared(words);
  Id bound = words[3];
  Words made = frontend::Rewritten(words, [&](Instruction one, Words* copy) {
    const Op opcode = OpcodeOf(one[0]);
    const std::size_t place = opcode == Op::kSelect ? 3 : 1;  // of the condition
    if (opcode != Op::kSelect && opcode != Op::kBranchConditional) return Append(one, copy);
    const Id negated = bound++;
    copy->insert(copy->end(),
                 {FirstWord(Op::kLogicalNot, 4), declared.TypeOf(one[place]), negated, one[place]});
    Append(one.first(place), copy);
    copy->insert(copy->end(), {negated, one[place + 2], one[place + 1]});
    if (one.size() == place + 5)  // the weights of branches
      copy->insert(copy->end(), {one[place + 4], one[place + 3]});
  });
  made[3] = bound;
  return made;
}

Words WithCasesReversed(Instruction words) {
  const Declared declared(words);
  return frontend::Rewritten(words, [&](Instruction one, Words* copy) {
    if (OpcodeOf(one[0]) != Op::kSwitch) return Append(one, copy);
    const std::size_t size =
        declared.SizeOf(declared.TypeOf(one[1])) > 32 ? 3 : 2;  // words of a case
    Append(one.first(3), copy);
    for (std::size_t k = one.size(); k >= 3 + size; k -= size)
      Append(one.subspan(k - size, size), copy);
  });
}

// A decoration stays with the name: those on what computes the value are left alone.
Words WithCopies(Instruction words) {
  const Declared declared(words);
  Id bound = words[3];
  bool is_inside = false;  // a block
  Words made = frontend::Rewritten(words, [&](Instruction one, Words* copy) {
    const Op opcode = OpcodeOf(one[0]);
    if (opcode == Op::kLabel) is_inside = true;
    if (opcode == Op::kFunctionEnd) is_inside = false;
    const auto rule = frontend::FindInstruction(opcode);
    const bool is_copied = is_inside && rule && rule->HasResultType() && opcode != Op::kPhi &&
                           opcode != Op::kVariable && opcode != Op::kUndef &&
                           declared.IsValue(one[1]) && !declared.IsDecorated(one[2]);
    if (!is_copied) return Append(one, copy);
    const Id inner = bound++;
    Append(one, copy);
    (*copy)[copy->size() - one.size() + 2] = inner;
    copy->insert(copy->end(), {FirstWord(Op::kCopyObject, 4), one[1], one[2], inner});
  });
  made[3] = bound;
  return made;
}

// Memory operands: none is None, and Nontemporal is a hint.
Words WithMemoryOperands(Instruction words) {
  constexpr Word kVolatileAndAligned = 3, kNontemporal = 4;
  return frontend::Rewritten(words, [&](Instruction one, Words* copy) {
    const Op opcode = OpcodeOf(one[0]);
    const std::size_t place = opcode == Op::kLoad || opcode == Op::kCopyMemorySized ? 4 : 3;
    const bool has_memory =
        opcode == Op::kLoad || opcode == Op::kStore || opcode == Op::kCopyMemorySized;
    if (!has_memory) return Append(one, copy);
    const std::size_t first = copy->size();
    Append(one, copy);
    if (one.size() == place) {
      (*copy)[first] = FirstWord(opcode, static_cast<Word>(place + 1));
      copy->push_back(0);
    } else if ((one[place] & ~kVolatileAndAligned) == 0) {
      (*copy)[first + place] |= kNontemporal;
    }
  });
}

// Zeros as OpConstantNull, but for those that have to be OpConstant: scopes, semantics, indices.
Words WithNulls(Instruction words) {
  std::unordered_set<Id> kept;
  frontend::Decoder decoder(words[3]);
  std::vector<frontend::Operand> operands;
  frontend::ForEachInstruction(words, [&](std::size_t, Instruction one) {
    decoder.Decode(one, &operands);
    const Op opcode = OpcodeOf(one[0]);
    const bool is_chain = opcode == Op::kAccessChain || opcode == Op::kInBoundsAccessChain ||
                          opcode == Op::kPtrAccessChain || opcode == Op::kInBoundsPtrAccessChain;
    for (const frontend::Operand& operand : operands) {
      const bool is_number = operand.kind == frontend::OperandKind::kIdScope ||
                             operand.kind == frontend::OperandKind::kIdMemorySemantics;
      if (is_number || is_chain) kept.insert(one[operand.first]);
    }
  });
  return frontend::Rewritten(words, [&](Instruction one, Words* copy) {
    const bool is_zero = OpcodeOf(one[0]) == Op::kConstant && !kept.contains(one[2]) &&
                         std::ranges::all_of(one.subspan(3), [](Word word) { return word == 0; });
    if (!is_zero && OpcodeOf(one[0]) != Op::kConstantFalse) return Append(one, copy);
    copy->insert(copy->end(), {FirstWord(Op::kConstantNull, 3), one[1], one[2]});
  });
}

// Without the promise that the result is in bounds.
Words WithPlainChains(Instruction words) {
  return frontend::Rewritten(words, [](Instruction one, Words* copy) {
    Append(one, copy);
    const Op opcode = OpcodeOf(one[0]);
    const Op plain = opcode == Op::kInBoundsAccessChain      ? Op::kAccessChain
                     : opcode == Op::kInBoundsPtrAccessChain ? Op::kPtrAccessChain
                                                             : opcode;
    (*copy)[copy->size() - one.size()] = FirstWord(plain, static_cast<Word>(one.size()));
  });
}

Words WithShufflesExchanged(Instruction words) {
  constexpr Word kUndefined = 0xffffffff;
  const Declared declared(words);
  return frontend::Rewritten(words, [&](Instruction one, Words* copy) {
    if (OpcodeOf(one[0]) != Op::kVectorShuffle) return Append(one, copy);
    const Word first = declared.SizeOf(declared.TypeOf(one[3])),
               second = declared.SizeOf(declared.TypeOf(one[4]));
    Append(one.first(3), copy);
    copy->insert(copy->end(), {one[4], one[3]});
    for (const Word lane : one.subspan(5)) {
      copy->push_back(lane == kUndefined ? lane : lane < first ? lane + second : lane - first);
    }
  });
}

// What was the first id is the last one.
Words WithIdsReversed(Instruction words) {
  const Word bound = words[3];
  frontend::Decoder decoder(bound);
  std::vector<frontend::Operand> operands;
  return frontend::Rewritten(words, [&](Instruction one, Words* copy) {
    decoder.Decode(one, &operands);
    const std::size_t first = copy->size();
    Append(one, copy);
    for (const frontend::Operand& operand : operands) {
      if (frontend::CategoryOf(operand.kind) != frontend::Category::kId) continue;
      for (std::size_t k = 0; k < operand.count; ++k) {
        Word& id = (*copy)[first + operand.first + k];
        id = bound - id;
      }
    }
  });
}

constexpr const char* kFormPrefix = "form_";

constexpr HuntForm kForms[] = {
    {"phis", "the operands of OpPhi in the opposite order", "OpPhi", WithPhisReversed},
    {"operands", "operands of symmetric instructions and comparisons exchanged",
     "Arithmetic Instructions", WithOperandsExchanged},
    {"conditions", "conditions of branches and OpSelect negated", "OpBranchConditional",
     WithConditionsNegated},
    {"cases", "the cases of OpSwitch in the opposite order", "OpSwitch", WithCasesReversed},
    {"copies", "OpCopyObject of each value", "OpCopyObject", WithCopies},
    {"memory", "memory operands None and Nontemporal", "Memory Operands", WithMemoryOperands},
    {"nulls", "zeros as OpConstantNull", "OpConstantNull", WithNulls},
    {"chains", "OpAccessChain and OpPtrAccessChain without InBounds", "OpPtrAccessChain",
     WithPlainChains},
    {"shuffles", "the operands of OpVectorShuffle exchanged", "OpVectorShuffle",
     WithShufflesExchanged},
    {"edges", "an empty block on each edge", "OpBranch", WithEdgesSplit},
    {"entries", "loops that are entered at two places, which no reducible graph has", "2.11",
     WithSecondEntries},
    {"blocks", "blocks in another order that has dominators first", "2.16.1", WithBlocksMoved},
    {"functions", "functions in the opposite order", "2.4", WithFunctionsReversed},
    {"ids", "ids in the opposite order", "2.3", WithIdsReversed},
};

}  // namespace

std::span<const HuntForm> HuntForms() { return kForms; }

std::vector<std::string> NamesOf(HuntFormSet forms) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::size(kForms); ++i) {
    if ((forms >> i & 1) != 0) names.emplace_back(kForms[i].name);
  }
  return names;
}

std::vector<std::string> FormCauses(HuntFormSet forms) {
  std::vector<std::string> causes = NamesOf(forms);
  for (std::string& one : causes) one.insert(0, kFormPrefix);
  return causes;
}

HuntFormSet FormsOf(const std::set<std::string>& causes) {
  HuntFormSet forms = 0;
  for (std::size_t i = 0; i < std::size(kForms); ++i) {
    if (causes.contains(std::string(kFormPrefix) + std::string(kForms[i].name)))
      forms |= HuntFormSet{1} << i;
  }
  return forms;
}

Expected<frontend::Binary> WithForms(const frontend::Binary& module, HuntFormSet forms) {
  Words words(module.words.begin(), module.words.begin() + frontend::kHeaderWords);
  frontend::Decoder decoder(module.words[3]);
  std::vector<frontend::Operand> operands;
  frontend::ForEachInstruction(module.words, [&](std::size_t place, Instruction one) {
    decoder.Decode(one, &operands);
    const bool is_debug = OpcodeOf(one[0]) == Op::kExtInst && one.size() > 3 &&
                          frontend::IsDebugSet(decoder.SetOf(one[3]));
    const bool is_skipped = std::ranges::find(module.skipped, place) != module.skipped.end();
    if (!is_debug && !is_skipped) Append(one, &words);
  });
  // Optimizers write merges and orders of blocks that are not valid.
  words = frontend::WithoutMerges(frontend::WithBlocksInOrder(words));
  for (std::size_t i = 0; i < std::size(kForms); ++i) {
    if ((forms >> i & 1) != 0) words = kForms[i].apply(words);
  }
  return frontend::LoadWords(std::move(words), module.name);
}

}  // namespace assay::tools
