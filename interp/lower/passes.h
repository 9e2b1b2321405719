// The passes over a Graph between import and flat code.  Internal to lowering.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "interp/import/import.h"
#include "interp/lower/interleave.h"
#include "interp/program/memory.h"

namespace assay::interp {

// Removes blocks that cannot be reached, with the phi operands that belonged to them.
void RemoveUnreachable(Graph* graph);

// Replaces variables whose address does not escape by values, with phis where control flow joins.
// A read before the first write gives an undefined value.
void PromoteVariables(Graph* graph);

// Makes variables of their own of scalars that lie beside an array in a variable, so that they can
// be promoted. Whether there is one. For programs that nobody looks into.
bool SplitVariables(Graph* graph);

// Removes checks of array indices that cannot fail, or that can fail only if an earlier check
// failed.
void RemoveSureChecks(const std::optional<std::array<std::uint32_t, 3>>& local_size,
                      ImportedKernel* kernel);

// Computes integers once that blocks compute twice, adds up constants, and takes indices as narrow
// as they are. For programs that nobody looks into; Simplify removes what is not needed any more.
void NumberValues(Graph* graph);

// Folds offsets into loads and stores, and removes instructions without effect and use.  For a
// debugger, values of ids are kept; what choices are made by is used.
void Simplify(Graph* graph, bool keep_values = false, std::span<const ChosenBlock> choices = {});

// Splits blocks after instructions at which work-items take turns: atomics whose order is
// observable, or all of them (`all_atomics`: an envelope follows each), and printf.  Returns
// whether work-groups must run one after the other.
bool SplitOrdered(ImportedKernel* kernel, bool all_atomics);

// Finds atomic operations in loops that end only when others have done something, as far as is
// known (IrInstruction::may_wait), and for detectors those whose result alone lets a loop around
// them end (IrInstruction::spins).  After SplitOrdered.
void FindSpins(Graph* graph, bool for_watchers);

// Whether a loop may wait for what another work-group stores, without atomic operations: it loads
// volatile global memory, ends only when memory at one place has changed, or looks at global memory
// again after a fence until something is there.
bool MayWaitForGroups(const frontend::Module& module, Graph* graph);

// Makes of branches around a few instructions without effect a choice between their results. The
// same instructions are counted. For programs that nobody looks into.
void ChooseWithoutBranches(ImportedKernel* kernel);

// What it costs all work-items to compute it, in vectors of 64 bytes; none: it may have an effect,
// or costs much.
std::optional<std::uint32_t> CostInVain(const IrInstruction& instruction);

// Computes what several ways from a branch compute once, before it; loads of private variables too,
// where they certainly are no errors. For programs that nobody looks into; Simplify removes what is
// not needed any more.
void HoistCommon(ImportedKernel* kernel);
// Makes one store of those that several ways do in a private variable before they meet, where they
// certainly are no errors. As HoistCommon.
void SinkStores(Graph* graph);

// Makes one instruction of a multiplication and the addition that alone needs it (the same bits: it
// rounds twice), of others, and of a load or store and what computes its address: of interleaved
// variables, with `of_accesses` of all memory. For programs that nobody looks into.
void FuseInstructions(Graph* graph, const Interleaving& interleaving, bool of_accesses);

// Gives each loop with a collective instruction (a barrier, a work-group function, an asynchronous
// copy or a wait for one) a counter of its iterations, and each such instruction the counters of
// the loops around it as last operands, the outermost loop's first.  Only loops that are entered at
// one block are counted, and an instruction after which the loop is always left is not inside it.
void CountIterations(Graph* graph);

// Makes of each sum of a product one operation of the three operands, MultiplyAdd or
// MultiplyAddTwo, with the same result: for envelopes, which know what a fused one may give
// (FP_CONTRACT, OpenCL C 6.15.2.1).
void Contract(Graph* graph);

// Splits edges to blocks with phis whose source block has other targets: each gets a block of its
// own.
void SplitEdges(Graph* graph);

// Marks loads of local memory that race with nothing, if all work-items of a group come to the same
// barriers (IrInstruction::is_settled).
void FindSettledLoads(const frontend::Module& module, const frontend::Function& function,
                      const Memory& memory, ImportedKernel* kernel);
// Of a program that screens: leaves out what is said of alignment where it certainly is as it must
// be, if arguments are as their types say.
void RemoveSureAlignments(const frontend::Module& module, const frontend::Function& function,
                          ImportedKernel* kernel);

// Fills Graph::order: every block of a loop stands before the blocks after the loop, and a block
// after its dominators (a weak topological order: Bourdoncle, FMPA 1993).  Work-items at the first
// place run first, so that those that left a loop wait for those that are still in it.
void OrderBlocks(Graph* graph);

// Joins a block with the next one in the order, where that is the only one before or after the
// other: whoever was in the first goes on in the second, and nobody else comes there. After
// OrderBlocks.
void JoinBlocks(Graph* graph, std::vector<ChosenBlock>* choices);
// Makes of two blocks the first one, which only jumps to the second one.
void AppendBlock(Graph* graph, std::uint32_t b, std::uint32_t next);

}  // namespace assay::interp
