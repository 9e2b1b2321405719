// Which private variables may be interleaved (FlatVariable::interleaved).
#pragma once

#include <cstdint>
#include <vector>

#include "interp/program/ir.h"

namespace assay::interp {

class Interleaving {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // None.
  Interleaving() = default;
  // Variables in memory that nothing but loads, stores and copies knows (without `copies`: but
  // loads and stores), all of elements of one size. Checks may know their addresses, but each
  // access certainly has the alignment that it needs.
  explicit Interleaving(const Graph& graph, bool copies = true);

  // Of a variable, by its place in Graph::variables; 0: it is not interleaved.
  std::uint32_t ElementBytes(std::uint32_t variable) const {
    return variable < element_.size() ? element_[variable] : 0;
  }
  // The interleaved variable that the address points into; or none.
  std::uint32_t VariableOf(Value address) const {
    const std::uint32_t variable = address < variable_.size() ? variable_[address] : kNone;
    return variable == kNone || element_[variable] == 0 ? kNone : variable;
  }

 private:
  void Look(const Graph& graph, const IrInstruction& instruction);
  void LookAtCopy(const Graph& graph, const IrInstruction& copy);
  void AccessAt(const Graph& graph, const IrInstruction& access);
  void Move(Value address, std::uint64_t step);
  void Escape(Value value);

  std::vector<std::uint32_t> element_;   // by variable: bytes; 0: it stays as it is
  std::vector<std::uint32_t> variable_;  // by value: the variable that it points into
  std::vector<std::uint64_t> steps_;     // by variable: what divides all distances in it
  bool copies_ = true;
  std::vector<bool> escaped_;
};

}  // namespace assay::interp
