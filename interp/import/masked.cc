// Accesses that only some work-items make: SPV_INTEL_predicated_io, and components of vectors of
// pointers, SPV_INTEL_masked_gather_scatter.
#include <algorithm>
#include <bit>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::TypeKind;

// What `body` gives where the condition is true, and `otherwise` elsewhere: blocks of their own.
std::vector<Value> Importer::IfTrue(Value condition, std::span<const Value> otherwise,
                                    const std::function<std::vector<Value>()>& body) {
  const std::uint32_t yes = NewBlock();
  const std::uint32_t after = NewBlock();
  Finish(End::kBranch, {yes, after}, condition);
  block_ = yes;
  const std::vector<Value> values = body();
  Jump(after);
  block_ = after;
  std::vector<Value> results;
  for (std::size_t i = 0; i < values.size() && i < otherwise.size(); ++i) {
    Phi phi;
    phi.result = NewValue(graph_.values[values[i]].kind, ValueKind::kPhi, 0);
    phi.operands = {otherwise[i], values[i]};
    results.push_back(phi.result);
    graph_.blocks[after].phis.push_back(std::move(phi));
  }
  return results;
}

void Importer::ImportPredicatedLoad(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Value address = ValueOf(operands[0]);
  const Value condition = ValueOf(operands[1]);
  const std::vector<Value> otherwise = ValuesOf(operands[2]);
  const std::vector<Leaf> leaves = LeavesOf(instruction.type);
  if (!error_ && TypeIdOf(operands[2]) != instruction.type) {
    FailUsage("a default value that is not of the result's type");
  }
  if (error_) return;
  const std::vector<Value> results = IfTrue(condition, otherwise, [&] {
    SetAccessAlignment(operands, 3, instruction.type, operands[0]);
    return LoadLeaves(address, leaves);
  });
  Bind(instruction.result, results);
}

void Importer::ImportPredicatedStore(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Value address = ValueOf(operands[0]);
  const std::vector<Value> values = ValuesOf(operands[1]);
  const Value condition = ValueOf(operands[2]);
  const std::vector<Leaf> leaves = LeavesOf(TypeIdOf(operands[1]));
  if (error_) return;
  IfTrue(condition, {}, [&] {
    SetAccessAlignment(operands, 3, TypeIdOf(operands[1]), operands[0]);
    StoreLeaves(address, leaves, values);
    return std::vector<Value>();
  });
}

// What the instruction asserts of every pointer; 0 asserts nothing.
void Importer::SetAlignment(std::uint64_t alignment) {
  access_alignment_ = 0;
  if (!context_.detectors.Has(Detector::kAlignment) || !std::has_single_bit(alignment)) return;
  access_alignment_ = static_cast<std::uint8_t>(std::countr_zero(alignment));
}

void Importer::ImportMaskedGather(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const std::vector<Value> addresses = ValuesOf(operands[0]);
  const std::vector<Value> mask = ValuesOf(operands[2]);
  // llvm-spirv gives one value for each component.
  const std::vector<Value> fill = ValuesOf(operands[3]);
  const std::vector<Leaf> leaves = LeavesOf(instruction.type);
  if (error_) return;
  const bool has_fill = fill.size() == 1 || fill.size() == leaves.size();
  if (addresses.size() != leaves.size() || mask.size() != leaves.size() || !has_fill) {
    return FailUsage("vectors of different sizes");
  }
  std::vector<Value> results;
  for (std::size_t i = 0; i < leaves.size() && !error_; ++i) {
    Leaf leaf = leaves[i];
    leaf.offset = 0;
    const Value& otherwise = fill[fill.size() == 1 ? 0 : i];
    const auto loaded = IfTrue(mask[i], std::span(&otherwise, 1), [&] {
      SetAlignment(operands[1]);
      return LoadLeaves(addresses[i], std::span(&leaf, 1));
    });
    results.insert(results.end(), loaded.begin(), loaded.end());
  }
  if (!error_) Bind(instruction.result, results);
}

void Importer::ImportMaskedScatter(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const std::vector<Value> values = ValuesOf(operands[0]);
  const std::vector<Value> addresses = ValuesOf(operands[1]);
  const std::vector<Value> mask = ValuesOf(operands[3]);
  const std::vector<Leaf> leaves = LeavesOf(TypeIdOf(operands[0]));
  if (error_) return;
  if (addresses.size() != leaves.size() || mask.size() != leaves.size()) {
    return FailUsage("vectors of different sizes");
  }
  for (std::size_t i = 0; i < leaves.size() && !error_; ++i) {
    Leaf leaf = leaves[i];
    leaf.offset = 0;
    IfTrue(mask[i], {}, [&] {
      SetAlignment(operands[2]);
      StoreLeaves(addresses[i], std::span(&leaf, 1), std::span(values).subspan(i, 1));
      return std::vector<Value>();
    });
  }
}

bool Importer::ImportMasked(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Op::kPredicatedLoadINTEL:
      return ImportPredicatedLoad(instruction), true;
    case Op::kPredicatedStoreINTEL:
      return ImportPredicatedStore(instruction), true;
    case Op::kMaskedGatherINTEL:
      return ImportMaskedGather(instruction), true;
    case Op::kMaskedScatterINTEL:
      return ImportMaskedScatter(instruction), true;
    default:
      return false;
  }
}

}  // namespace assay::interp
