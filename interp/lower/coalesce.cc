#include "interp/lower/coalesce.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "interp/lower/dominators.h"
#include "interp/lower/registers.h"

namespace assay::interp {
namespace {

constexpr std::uint64_t kMostBits = std::uint64_t{1} << 26;  // of the sets of live values
constexpr std::size_t kMostShared = 64;                      // values in one register

class Coalescer {
 public:
  Coalescer(const ImportedKernel& kernel, bool is_watched, std::vector<bool>* local)
      : kernel_(kernel),
        graph_(kernel.graph),
        is_watched_(is_watched),
        local_(*local),
        is_of_call_(graph_.BlocksOfCalls()) {}

  std::vector<Value> Run() {
    std::vector<Value> shared(graph_.values.size());
    std::iota(shared.begin(), shared.end(), Value{0});
    FindCandidates();
    words_ = (candidates_.size() + 63) / 64;
    if (candidates_.empty() || words_ * 64 * graph_.blocks.size() > kMostBits) return shared;
    FindUses();
    FindLive();
    members_.resize(candidates_.size());
    class_.resize(candidates_.size());
    for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
      members_[i] = {i};
      class_[i] = i;
    }
    for (const auto& [phi, operand] : Pairs()) Join(phi, operand);
    for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
      const std::vector<std::uint32_t>& members = members_[class_[i]];
      shared[candidates_[i].value] = candidates_[members.front()].value;
      if (members.size() > 1) local_[candidates_[i].value] = false;
    }
    return shared;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint32_t kAtEnd = 0xfffffffe;

  // A value that has a register of its own, which it may share.
  struct Candidate {
    Value value = kNoValue;
    std::uint32_t block = 0;  // where it gets its value
    std::uint32_t at = 0;     // at which instruction, from 1; 0: a phi
    bool may_reuse = true;    // the register of an operand of that instruction
    std::vector<std::pair<std::uint32_t, std::uint32_t>> uses = {};  // blocks, and the last there
  };
  using Set = std::vector<std::uint64_t>;

  std::uint32_t IndexOf(Value value) const { return value == kNoValue ? kNone : index_[value]; }

  // Not arguments and results of calls, operands of instructions at which work-items wait, and
  // conditions by which blocks are counted.
  void FindCandidates() {
    index_.assign(graph_.values.size(), kNone);
    std::vector<bool> stays(graph_.values.size()), is_taken(graph_.values.size());
    for (const ChosenBlock& choice : kernel_.choices) {
      for (const auto& [condition, if_true] : choice.conditions) stays[condition] = true;
    }
    for (const std::uint32_t b : graph_.order) {
      const IrBlock& block = graph_.blocks[b];
      std::vector<bool>& kind = is_of_call_[b] ? stays : is_taken;
      for (const Phi& phi : block.phis) {
        for (const Value operand : phi.operands) kind[operand] = true;
      }
      if (block.end != End::kSync) continue;
      const IrInstruction& sync = graph_.instructions[block.sync];
      for (const Value operand : graph_.Operands(sync)) stays[operand] = true;
      for (const std::uint32_t target : block.targets) {
        for (const Phi& phi : graph_.blocks[target].phis) {
          stays[phi.result] = true;
          for (const Value operand : phi.operands) stays[operand] = true;
        }
      }
    }
    const auto add = [&](Candidate one) {
      if ((local_[one.value] && !is_taken[one.value]) || stays[one.value]) return;
      index_[one.value] = static_cast<std::uint32_t>(candidates_.size());
      candidates_.push_back(std::move(one));
    };
    for (const std::uint32_t b : graph_.order) {
      const IrBlock& block = graph_.blocks[b];
      if (!is_of_call_[b]) {
        for (const Phi& phi : block.phis) add({.value = phi.result, .block = b});
      }
      std::uint32_t at = 0;
      for (const std::uint32_t place : block.instructions) {
        ++at;
        const IrInstruction& instruction = graph_.instructions[place];
        if (instruction.opcode == Opcode::kVariable) continue;
        for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
          add({.value = instruction.first_result + i,
               .block = b,
               .at = at,
               .may_reuse = IsElementwise(instruction, is_watched_)});
        }
      }
    }
  }

  void FindUses() {
    const auto use = [&](Value value, std::uint32_t b, std::uint32_t at) {
      const std::uint32_t index = IndexOf(value);
      if (index == kNone) return;
      auto& uses = candidates_[index].uses;
      if (uses.empty() || uses.back().first != b) {
        uses.emplace_back(b, at);
      } else {
        uses.back().second = at;
      }
    };
    order_of_.assign(graph_.blocks.size(), 0);
    for (std::uint32_t n = 0; n < graph_.order.size(); ++n) order_of_[graph_.order[n]] = n;
    for (const std::uint32_t b : graph_.order) {
      const IrBlock& block = graph_.blocks[b];
      std::uint32_t at = 0;
      for (const std::uint32_t place : block.instructions) {
        ++at;
        for (const Value operand : graph_.Operands(graph_.instructions[place])) use(operand, b, at);
      }
      use(block.condition, b, kAtEnd);
    }
  }

  // Backwards from uses to definitions, until nothing changes.
  void FindLive() {
    const std::size_t blocks = graph_.blocks.size();
    std::vector<Set> used(blocks), defined(blocks);
    in_.assign(blocks, {});
    out_.assign(blocks, {});
    for (const std::uint32_t b : graph_.order) {
      for (Set* const set : {&used[b], &defined[b], &in_[b], &out_[b]}) set->assign(words_, 0);
    }
    const auto put = [](Set* set, std::uint32_t i) {
      (*set)[i / 64] |= std::uint64_t{1} << (i % 64);
    };
    for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
      put(&defined[candidates_[i].block], i);
      // Where it is defined, uses come after that: there are no others.
      for (const auto& [b, at] : candidates_[i].uses) {
        if (b != candidates_[i].block) put(&used[b], i);
      }
    }
    for (const std::uint32_t b : graph_.order) {
      // What phis take is needed at the end of the block before.
      for (const std::uint32_t target : graph_.blocks[b].targets) PutTaken(b, target, &out_[b]);
      if (graph_.blocks[b].end == End::kCall) {
        PutTaken(b, graph_.functions[graph_.blocks[b].function].entry, &out_[b]);
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t n = graph_.order.size(); n-- > 0;) {
        const std::uint32_t b = graph_.order[n];
        for (const std::uint32_t target : graph_.blocks[b].targets) {
          for (std::size_t w = 0; w < words_; ++w) out_[b][w] |= in_[target][w];
        }
        for (std::size_t w = 0; w < words_; ++w) {
          const std::uint64_t in = used[b][w] | (out_[b][w] & ~defined[b][w]);
          changed = changed || in != in_[b][w];
          in_[b][w] = in;
        }
      }
    }
  }

  void PutTaken(std::uint32_t b, std::uint32_t target, Set* set) const {
    const IrBlock& next = graph_.blocks[target];
    if (next.phis.empty()) return;
    const std::size_t edge = Registers::EdgeOf(next, b);
    if (edge == next.predecessors.size()) return;
    for (const Phi& phi : next.phis) {
      const std::uint32_t i = IndexOf(phi.operands[edge]);
      if (i != kNone) (*set)[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }

  // Phis and what they take: first what they take on most edges.
  std::vector<std::pair<Value, Value>> Pairs() const {
    std::vector<std::pair<Value, Value>> pairs;
    std::vector<std::size_t> edges;
    for (const std::uint32_t b : graph_.order) {
      for (const Phi& phi : graph_.blocks[b].phis) {
        std::vector<Value> operands = phi.operands;
        std::ranges::sort(operands);
        for (std::size_t i = 0, next = 0; i < operands.size(); i = next) {
          while (next < operands.size() && operands[next] == operands[i]) ++next;
          pairs.emplace_back(phi.result, operands[i]);
          edges.push_back(next - i);
        }
      }
    }
    std::vector<std::size_t> order(pairs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return edges[i]; });
    std::vector<std::pair<Value, Value>> sorted;
    sorted.reserve(order.size());
    for (const std::size_t i : order) sorted.push_back(pairs[i]);
    return sorted;
  }

  static bool Has(const Set& set, std::uint32_t i) { return (set[i / 64] >> (i % 64) & 1) != 0; }

  // Whether `one` is needed where `other` gets its value, or right after that.
  bool IsNeededAt(std::uint32_t one, const Candidate& other) const {
    const Candidate& value = candidates_[one];
    const std::uint32_t b = other.block;
    const bool is_there = value.block == b ? value.at <= other.at : Has(in_[b], one);
    if (!is_there) return false;
    if (Has(out_[b], one)) return true;
    const auto found = std::lower_bound(value.uses.begin(), value.uses.end(), b,
                                        [&](const auto& use, std::uint32_t block) {
                                          return order_of_[use.first] < order_of_[block];
                                        });
    if (found == value.uses.end() || found->first != b) return false;
    return other.may_reuse ? found->second > other.at : found->second >= other.at;
  }

  bool Interfere(std::uint32_t a, std::uint32_t b) const {
    const Candidate& first = candidates_[a];
    const Candidate& second = candidates_[b];
    // Two phis of a block, or two results of an instruction, get their values at once.
    if (first.block == second.block && first.at == second.at) return true;
    return IsNeededAt(a, second) || IsNeededAt(b, first);
  }

  void Join(Value phi, Value operand) {
    const std::uint32_t a = IndexOf(phi), b = IndexOf(operand);
    if (a == kNone || b == kNone || class_[a] == class_[b]) return;
    if (BytesOf(graph_.values[phi].kind) != BytesOf(graph_.values[operand].kind)) return;
    std::vector<std::uint32_t>& to = members_[class_[a]];
    std::vector<std::uint32_t>& from = members_[class_[b]];
    if (to.size() + from.size() > kMostShared) return;
    for (const std::uint32_t one : to) {
      for (const std::uint32_t other : from) {
        if (Interfere(one, other)) return;
      }
    }
    const std::uint32_t gone = class_[b];
    for (const std::uint32_t other : from) {
      class_[other] = class_[a];
      to.push_back(other);
    }
    members_[gone].clear();
  }

  const ImportedKernel& kernel_;
  const Graph& graph_;
  const bool is_watched_;
  std::vector<bool>& local_;
  const std::vector<bool> is_of_call_;
  std::vector<std::uint32_t> index_;  // by value: among the candidates
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> order_of_;  // by block: its place in Graph::order
  std::size_t words_ = 0;                // of a set of candidates
  std::vector<Set> in_, out_;            // by block: what is needed at its begin and end
  std::vector<std::uint32_t> class_;     // by candidate
  std::vector<std::vector<std::uint32_t>> members_;
};

}  // namespace

std::vector<Value> SharedRegisters(const ImportedKernel& kernel, bool is_watched,
                                   std::vector<bool>* local) {
  return Coalescer(kernel, is_watched, local).Run();
}

}  // namespace assay::interp
