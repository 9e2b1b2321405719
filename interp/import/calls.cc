// Calls that are kept: the function's blocks stand in the graph once, and no edge leads to or from
// them (interp/program/ir.h).  What a call hands over and gets back are phis.
#include "interp/import/import.h"

namespace assay::interp {

std::vector<Value> Importer::NewPhis(std::uint32_t block, Id type) {
  const std::uint32_t here = std::exchange(block_, block);
  std::vector<Value> results;
  for (const Leaf& leaf : LeavesOf(type)) {
    results.push_back(NewValue(leaf.kind, ValueKind::kPhi, 0));
    graph_.blocks[block].phis.push_back({.result = results.back(), .operands = {}});
  }
  block_ = here;
  return results;
}

// What callers need, before any of them is imported: the first block with the parameters' scalars,
// in order, and the last one with the results'.
void Importer::AddFunction(const frontend::Function& function) {
  const auto place = static_cast<std::uint32_t>(graph_.functions.size());
  CalledFunction called;
  called.entry = NewBlock();
  called.exit = NewBlock();
  called.site = static_cast<std::uint32_t>(graph_.sites.size());
  if (const Instruction* definition = module_.Definition(function.id)) {
    origin_ = static_cast<std::uint32_t>(definition - module_.instructions.data());
  }
  graph_.sites.push_back({.instruction = origin_, .caller = 0, .function = place + 1});
  graph_.functions.push_back(called);
  for (const auto& parameter : function.parameters.Of(module_.parameters)) {
    NewPhis(called.entry, parameter.type);
    if (IsTooLarge()) return FailTooLarge();
    if (graph_.blocks[called.entry].phis.size() > kMaxLeaves) {
      return FailUnsupported("a call with too large arguments");
    }
  }
  returned_.push_back(NewPhis(called.exit, function.return_type));
  IrBlock& exit = graph_.blocks[called.exit];
  exit.end = End::kLeave;
  exit.function = place;
  exit.origin = origin_;
  exit.site = called.site;
}

// The function's body, between its entry and its exit.
void Importer::ImportKept(std::uint32_t place) {
  const frontend::Function& function = *plan_.kept[place];
  const CalledFunction called = graph_.functions[place];
  Instance instance;
  instance.function = &function;
  instance.site = called.site;
  instance.return_block = called.exit;
  instance_ = &instance;
  block_ = root_ = called.entry;
  root_site_ = called.site;
  // What is computed at the beginning, for everyone behind it, is the kernel's.
  globals_.clear();
  input_variables_.clear();
  origin_ = graph_.sites[called.site].instruction;
  std::vector<Value> scalars;
  for (const Phi& phi : graph_.blocks[called.entry].phis) scalars.push_back(phi.result);
  std::size_t next = 0;
  for (const auto& parameter : function.parameters.Of(module_.parameters)) {
    const std::size_t count = LeavesOf(parameter.type).size();
    std::vector<Value> values(scalars.begin() + static_cast<std::ptrdiff_t>(next),
                              scalars.begin() + static_cast<std::ptrdiff_t>(next + count));
    next += count;
    if (count == 1) values[0] = WatchParameter(parameter.id, values[0]);
    Bind(parameter.id, values);
    if (IsByVal(parameter.id)) BindByVal(&instance, parameter.id, values);
    if (error_) return;
  }
  if (!ImportFunction(&instance)) return;
  std::vector<Phi>& phis = graph_.blocks[called.exit].phis;
  for (std::size_t part = 0; part < phis.size(); ++part) {
    phis[part].operands = ReturnsOf(instance, called.exit, part);
  }
}

void Importer::CallKept(const Instruction& instruction, std::uint32_t place,
                        std::span<const std::vector<Value>> arguments) {
  const std::uint32_t entry = graph_.functions[place].entry;
  arguments_ += graph_.blocks[entry].phis.size();
  if (arguments_ / 8 > context_.max_code) return FailTooLarge();
  const std::uint32_t after = NewBlock();
  IrBlock& block = graph_.blocks[block_];
  block.end = End::kCall;
  block.function = place;
  block.targets = {after};
  block.origin = origin_;
  block.site = instance_->site;
  Connect(block_, after);
  Connect(block_, entry);
  std::size_t next = 0;
  for (const std::vector<Value>& argument : arguments) {
    for (const Value value : argument) {
      graph_.blocks[entry].phis[next++].operands.push_back(value);
    }
  }
  block_ = after;
  if (module_.types.Find(instruction.type)->kind == frontend::TypeKind::kVoid) return;
  const std::vector<Value> results = NewPhis(after, instruction.type);
  for (std::size_t part = 0; part < results.size(); ++part) {
    graph_.blocks[after].phis[part].operands = {returned_[place][part]};
  }
  Bind(instruction.result, results);
}

}  // namespace assay::interp
