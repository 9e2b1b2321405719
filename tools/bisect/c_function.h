// One function of a kernel as OpenCL C (c_kernel.h).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "frontend/module.h"
#include "tools/bisect/c_expressions.h"
#include "tools/bisect/c_kernel.h"
#include "tools/bisect/c_types.h"

namespace assay::tools {

class CFunction {
 public:
  CFunction(CTypes* types, const frontend::Function& function, const CProbe& probe,
            const CReduction& reduction, CKernel* kernel);

  // Its body; `called` grows by the functions that it calls.
  std::string Body(bool is_kernel, std::vector<frontend::Id>* called);
  // The parameters that it needs, of the kernel those that are left.
  std::vector<std::size_t> Parameters() const;
  std::string ParameterText(const frontend::Parameter& parameter);
  const std::set<frontend::Id>& globals() const { return globals_; }

 private:
  bool IsByValue(frontend::Id parameter) const;
  std::string Name(frontend::Id id);
  void NoteVariables(const frontend::Constant& constant);
  std::vector<std::uint32_t> Successors(const frontend::Block& block) const;
  bool IsOfLifetimes(const frontend::Instruction& one) const {
    return one.opcode == frontend::Op::kBitcast && !looked_at_.contains(one.result);
  }
  bool HasEffect(const frontend::Instruction& one) const;
  bool IsRemoved(std::uint32_t place) const { return reduction_.removed.contains(place); }
  void FindReached();
  void FindNeeded();
  void FindAliases();
  bool IsNeeded(frontend::Id id) const { return !reduction_.drops_unused || needed_.contains(id); }
  void Add(const std::string& line) { body_ += "  " + line + "\n"; }
  void Define(const frontend::Instruction& one, const std::string& text);
  void Observe(frontend::Id value);
  void ObserveStore(const std::string& pointer, const std::string& bytes);
  void Chunk(std::uint32_t place);
  void OneBlock(const frontend::Block& block);
  void OneInstruction(const frontend::Instruction& one, std::uint32_t place);
  bool Memory(const frontend::Instruction& one);
  bool Aggregate(const frontend::Instruction& one);
  void ExtendedInstruction(const frontend::Instruction& one);
  void Call(const frontend::Instruction& one);
  bool Synchronize(const frontend::Instruction& one);
  // Ends a block; the place of the block that follows in the same chunk, or kNone.
  std::uint32_t Terminate(const frontend::Block& block);
  std::string Edge(const frontend::Block& from, std::uint32_t to, bool with_goto);
  std::string Local(const frontend::GlobalVariable& variable);

  CTypes& types_;
  const frontend::Module& module_;
  const frontend::Function& function_;
  const CProbe& probe_;
  const CReduction& reduction_;
  CKernel& kernel_;
  CExpressions expressions_;
  bool is_kernel_ = false, is_straight_ = false;
  std::uint32_t place_ = 0;  // of the instruction that is written
  std::string body_, declarations_;
  std::set<frontend::Id> needed_, globals_, aggregates_;
  std::set<frontend::Id> looked_at_;  // not only where a lifetime begins or ends
  // In a kernel that is made smaller: loads of a variable, and the value that it always has.
  std::map<frontend::Id, frontend::Id> aliases_;
  std::set<std::uint32_t> dropped_;  // places of the stores to such variables
  std::set<std::uint32_t> emitted_;
  std::map<std::uint32_t, std::uint32_t> entries_;  // reached blocks: how many edges lead there
  std::vector<frontend::Id> called_;
};

}  // namespace assay::tools
