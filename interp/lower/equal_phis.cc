#include "interp/lower/equal_phis.h"

#include <utility>

namespace assay::interp {

void Replacements::Replace(Value value, Value by) {
  if (by_.size() < graph_.values.size()) {
    by_.resize(graph_.values.size(), kNoValue);
  }
  by_[value] = by;
}

Value Replacements::Find(Value value) {
  Value root = value;
  while (root < by_.size() && by_[root] != kNoValue) root = by_[root];
  while (value != root) value = std::exchange(by_[value], root);
  return root;
}

void Replacements::ReplaceIn(Graph* graph) {
  for (IrBlock& block : graph->blocks) {
    for (Phi& phi : block.phis) {
      for (Value& operand : phi.operands) operand = Find(operand);
    }
    if (block.condition != kNoValue) block.condition = Find(block.condition);
  }
  for (Value& operand : graph->operands) operand = Find(operand);
}

namespace {

constexpr std::uint32_t kNoPhi = 0xffffffff;

// Phis and the phis that look at them.
class TrivialPhis {
 public:
  TrivialPhis(Graph* graph, Replacements* replacements)
      : graph_(*graph), values_(*replacements), phi_of_(graph->values.size(), kNoPhi) {
    const std::vector<bool> blocks_of_calls = graph_.BlocksOfCalls();
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      for (Phi& phi : graph_.blocks[b].phis) {
        is_of_call_.push_back(blocks_of_calls[b]);
        phi_of_[phi.result] = static_cast<std::uint32_t>(phis_.size());
        phis_.push_back(&phi);
      }
    }
    FindUsers();
  }

  void Remove() {
    std::vector<std::uint32_t> work(phis_.size());
    std::vector<bool> is_queued(phis_.size(), true);
    for (std::uint32_t i = 0; i < phis_.size(); ++i) {
      work[i] = static_cast<std::uint32_t>(phis_.size()) - 1 - i;
    }
    while (!work.empty()) {
      const std::uint32_t i = work.back();
      work.pop_back();
      is_queued[i] = false;
      const Phi& phi = *phis_[i];
      if (values_.Find(phi.result) != phi.result) continue;
      const Value same = OnlyValue(phi);
      if (same == kNoValue || !MayReplace(is_of_call_[i], same)) continue;
      values_.Replace(phi.result, same);
      for (std::uint32_t u = first_[i]; u != kNoPhi; u = users_[u].next) {
        if (is_queued[users_[u].phi]) continue;
        is_queued[users_[u].phi] = true;
        work.push_back(users_[u].phi);
      }
      if (phi_of_[same] != kNoPhi && first_[i] != kNoPhi) Join(phi_of_[same], first_[i], last_[i]);
    }
  }

 private:
  struct User {
    std::uint32_t phi;
    std::uint32_t next;
  };

  void FindUsers() {
    first_.assign(phis_.size(), kNoPhi);
    last_.assign(phis_.size(), kNoPhi);
    for (std::uint32_t i = 0; i < phis_.size(); ++i) {
      for (Value& operand : phis_[i]->operands) {
        operand = values_.Find(operand);
        const std::uint32_t used = phi_of_[operand];
        if (used == kNoPhi) continue;
        users_.push_back({i, kNoPhi});
        const auto user = static_cast<std::uint32_t>(users_.size() - 1);
        Join(used, user, user);
      }
    }
  }

  void Join(std::uint32_t to, std::uint32_t head, std::uint32_t tail) {
    if (first_[to] == kNoPhi) {
      first_[to] = head;
    } else {
      users_[last_[to]].next = head;
    }
    last_[to] = tail;
  }

  // The only value of a phi beside itself; none: there are several, or there is none.
  Value OnlyValue(const Phi& phi) {
    Value same = kNoValue;
    for (const Value operand : phi.operands) {
      const Value value = values_.Find(operand);
      if (value == phi.result || value == same) continue;
      if (same != kNoValue) return kNoValue;
      same = value;
    }
    return same;
  }

  // What a call hands over or gives back is another block's value, which the next call changes.
  // Only what is the same everywhere may take the place of such a phi.
  bool MayReplace(bool is_of_call, Value by) const {
    const ValueKind kind = graph_.values[by].value_kind;
    return !is_of_call || kind == ValueKind::kConstant || kind == ValueKind::kInput;
  }

  Graph& graph_;
  Replacements& values_;
  std::vector<Phi*> phis_;
  std::vector<std::uint32_t> phi_of_;  // by value
  std::vector<bool> is_of_call_;
  // Phis that look at each phi, in rows: joined where one takes the place of another.
  std::vector<User> users_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> last_;
};

}  // namespace

void RemoveTrivialPhis(Graph* graph, Replacements* replacements) {
  TrivialPhis(graph, replacements).Remove();
}

}  // namespace assay::interp
