#include "frontend/private_globals.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "frontend/decode.h"
#include "frontend/module.h"

namespace assay::frontend {
namespace {

using Words = std::vector<Word>;

// Copies a module, and puts into functions what they use of its private variables.
class Mover {
 public:
  explicit Mover(const Binary& binary) : binary_(binary), decoder_(binary.IdBound()) {}

  Words Run() {
    const auto header = binary_.words.begin();
    words_.assign(header, header + kHeaderWords);
    bound_ = binary_.IdBound();
    FindVariables();
    if (variables_.empty()) return {};
    ForEachInstruction(binary_.words,
                       [&](std::size_t, std::span<const Word> words) { Copy(words); });
    if (bound_ > kMaxIdBound) return {};
    words_[3] = bound_;
    return std::move(words_);
  }

 private:
  void FindVariables() {
    bool in_function = false;
    ForEachInstruction(binary_.words, [&](std::size_t, std::span<const Word> words) {
      const Op opcode = OpcodeOf(words[0]);
      in_function = (in_function || opcode == Op::kFunction) && opcode != Op::kFunctionEnd;
      if (in_function || opcode != Op::kVariable || words.size() < 4) return;
      if (words[3] != static_cast<Word>(StorageClass::kFunction)) return;
      variables_[words[2]] = Words(words.begin(), words.end());
    });
  }

  // Places of the operands that are ids.
  std::vector<std::size_t> IdPlaces(std::span<const Word> words) {
    std::vector<Operand> operands;
    (void)decoder_.Decode(words, &operands);
    std::vector<std::size_t> places;
    for (const Operand& operand : operands) {
      if (CategoryOf(operand.kind) == Category::kId) places.push_back(operand.first);
    }
    return places;
  }

  void Copy(std::span<const Word> words) {
    const Op opcode = OpcodeOf(words[0]);
    const std::vector<std::size_t> places = IdPlaces(words);
    if (opcode == Op::kEntryPoint) return CopyEntryPoint(words, places);
    if (opcode == Op::kFunction) {
      body_.clear();
      in_function_ = true;
      used_.clear();
    }
    if (!in_function_) {
      const bool moved = opcode == Op::kVariable && variables_.contains(words[2]);
      if (!moved) words_.insert(words_.end(), words.begin(), words.end());
      return;
    }
    Words copy(words.begin(), words.end());
    for (const std::size_t place : places) copy[place] = InThisFunction(copy[place]);
    body_.push_back(std::move(copy));
    if (opcode == Op::kFunctionEnd) EndFunction();
  }

  // The variables of a module's level that a kernel uses may be listed with it.
  void CopyEntryPoint(std::span<const Word> words, const std::vector<std::size_t>& places) {
    Words copy(words.begin(), words.end());
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
      if (variables_.contains(copy[*place])) {
        copy.erase(copy.begin() + static_cast<std::ptrdiff_t>(*place));
      }
    }
    copy[0] = static_cast<Word>(copy.size()) << 16 | (copy[0] & 0xffff);
    words_.insert(words_.end(), copy.begin(), copy.end());
  }

  // The first function that uses a variable keeps its id, which has its name and decorations.
  Id InThisFunction(Id id) {
    if (!variables_.contains(id)) return id;
    const auto found = used_.find(id);
    if (found != used_.end()) return found->second;
    const Id own = taken_.contains(id) ? bound_++ : id;
    taken_.insert(id);
    used_[id] = own;
    return own;
  }

  void EndFunction() {
    bool entered = false;
    for (const Words& words : body_) {
      words_.insert(words_.end(), words.begin(), words.end());
      if (entered || OpcodeOf(words[0]) != Op::kLabel) continue;
      entered = true;
      for (const auto& [id, own] : used_) {
        Words variable = variables_[id];
        variable[2] = own;
        words_.insert(words_.end(), variable.begin(), variable.end());
      }
    }
    in_function_ = false;
  }

  const Binary& binary_;
  Decoder decoder_;
  Words words_;
  std::map<Id, Words> variables_;
  std::set<Id> taken_;
  std::uint32_t bound_ = 0;

  bool in_function_ = false;
  std::vector<Words> body_;
  std::map<Id, Id> used_;
};

}  // namespace

std::vector<Word> WithoutPrivateGlobals(const Binary& binary) { return Mover(binary).Run(); }

}  // namespace assay::frontend
