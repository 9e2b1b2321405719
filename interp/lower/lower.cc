#include "interp/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/import/verify.h"
#include "interp/lower/emit.h"
#include "interp/lower/passes.h"
#include "interp/lower/watch.h"

namespace assay::interp {

using frontend::ExecutionMode;

namespace {

// What the module demands of the floating-point environment (SPIR-V 3.6), and what the caller does.
FloatControls ControlsOf(const frontend::Module& module, const frontend::EntryPoint& kernel,
                         const SessionOptions& options) {
  FloatControls controls;
  controls.host = {options.rounding, options.flush_to_zero};
  controls.by_kind.fill(controls.host);
  for (const frontend::ExecutionModeUse& use : kernel.modes) {
    const auto operands = module.Slice(use.operands);
    if (operands.empty()) continue;
    const std::uint32_t width = operands[0];
    if (width != 16 && width != 32 && width != 64) continue;
    FloatControl& control = controls.by_kind[width == 16 ? 0 : width == 32 ? 1 : 2];
    switch (use.mode) {
      case ExecutionMode::kRoundingModeRTE:
        control.rounding = numerics::Rounding::kRte;
        break;
      case ExecutionMode::kRoundingModeRTZ:
        control.rounding = numerics::Rounding::kRtz;
        break;
      case ExecutionMode::kDenormPreserve:
        control.flush_to_zero = false;
        break;
      case ExecutionMode::kDenormFlushToZero:
        control.flush_to_zero = true;
        break;
      default:
        break;
    }
  }
  return controls;
}

bool MayContract(const frontend::EntryPoint& kernel) {
  return std::ranges::none_of(kernel.modes, [](const frontend::ExecutionModeUse& use) {
    return use.mode == ExecutionMode::kContractionOff;
  });
}

// 0: the kernel requires no size of its sub-groups.
std::uint32_t RequiredSubgroupSize(const LowerContext& context,
                                   const frontend::EntryPoint& kernel) {
  std::uint32_t required = 0;
  for (const frontend::ExecutionModeUse& use : kernel.modes) {
    const auto operands = context.module->Slice(use.operands);
    if (use.mode == ExecutionMode::kSubgroupSize && !operands.empty()) required = operands[0];
  }
  return required;
}

// How large sub-groups are, if the kernel asks: then no batch has a part of one that fits into it.
Expected<void> SetSubgroups(const LowerContext& context, const frontend::EntryPoint& kernel,
                            const ImportedKernel& imported, Program* program) {
  const std::uint32_t required = RequiredSubgroupSize(context, kernel);
  const std::uint32_t asked = context.options->subgroup_size;
  const auto fail = [&](const std::string& why) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: kernel {} {}", context.module->name, kernel.name, why));
  };
  if (required > kMaxSubgroupSize) {
    return fail(fmt::format("requires sub-groups of {} work-items; there are 1 to {}", required,
                            kMaxSubgroupSize));
  }
  if (required != 0 && asked != 0 && asked != required) {
    return fail(
        fmt::format("requires sub-groups of {} work-items, and {} are asked for "
                    "(--sub-group-size)",
                    required, asked));
  }
  program->subgroup_size = required != 0 ? required : asked != 0 ? asked : kSubgroupSize;
  program->uses_subgroups = !imported.subgroup_calls.empty() ||
                            std::ranges::any_of(imported.inputs, [](const Input& input) {
                              return input.input_kind >= InputKind::kSubgroupSize;
                            });
  const auto size = static_cast<int>(program->subgroup_size);
  if (!program->uses_subgroups || size > program->width) return {};
  program->width = program->width / size * size;
  program->lanes = (program->width + 15) / 16 * 16;
  return {};
}

// The kernel as a graph whose operands fit; fills what of the program follows from the options.
Expected<ImportedKernel> ImportFor(const LowerContext& context, const frontend::EntryPoint& kernel,
                                   Program* program) {
  const frontend::Function* function = context.module->FindFunction(kernel.function);
  if (function == nullptr || function->IsDeclaration()) {
    return Fail(ErrorKind::kUsage,
                context.module->name + ": kernel " + kernel.name + " has no body");
  }
  const base::Doing doing(context.options->budget, fmt::format("preparing kernel {}", kernel.name));
  program->kernel = kernel.name;
  program->width = std::clamp(context.options->batch_width, 1, 64);
  program->lanes = (program->width + 15) / 16 * 16;
  program->controls = ControlsOf(*context.module, kernel, *context.options);
  ImportContext import;
  import.module = context.module;
  import.addresses = context.addresses;
  import.controls = &program->controls;
  program->detectors = context.options->detectors;
  program->needs_same_scope = context.options->needs_same_scope;
  import.detectors = program->detectors;
  import.unsafe_math = context.options->unsafe_math;
  program->has_envelope = context.options->envelope != nullptr;
  // What the chapter leaves open stays an operation of numerics.
  import.may_differ = program->has_envelope || context.options->imprecision != nullptr;
  import.records_math = context.options->records_math;
  import.cancellation_bits = context.options->cancellation_bits;
  import.max_call_depth = context.options->max_call_depth;
  import.max_code = context.options->max_code;
  import.max_expanded = context.options->max_expanded;
  import.subgroup_size =
      context.options->subgroup_size != 0 ? context.options->subgroup_size : kSubgroupSize;
  const std::uint32_t required = RequiredSubgroupSize(context, kernel);
  import.own_subgroup_size =
      required != 0 && required <= kMaxSubgroupSize ? required : import.subgroup_size;
  import.matrix = context.options->matrix;
  import.matrix_text = context.options->matrix_text;
  import.debug = context.debug;
  import.budget = context.options->budget;
  program->screens = context.screens;
  if (context.debug) program->debug = std::make_unique<DebugTable>();
  auto imported = ImportKernel(import, *function);
  if (!imported) return imported;
  if (auto good = VerifyOperands(*context.module, *imported); !good) {
    return tl::unexpected(good.error());
  }
  if (auto good = SetSubgroups(context, kernel, *imported, program); !good) {
    return tl::unexpected(good.error());
  }
  return imported;
}

}  // namespace

Expected<void> CheckLowering(const LowerContext& context, const frontend::EntryPoint& kernel) {
  Program program;
  auto imported = ImportFor(context, kernel, &program);
  if (!imported) return tl::unexpected(imported.error());
  return {};
}

Expected<std::unique_ptr<const Program>> LowerKernel(const LowerContext& context,
                                                     const frontend::EntryPoint& kernel) {
  auto program = std::make_unique<Program>();
  auto imported = ImportFor(context, kernel, program.get());
  if (!imported) return tl::unexpected(imported.error());
  const frontend::Function* function = context.module->FindFunction(kernel.function);
  Graph& graph = imported->graph;
  const base::Budget& budget = context.options->budget;
  RemoveUnreachable(&graph);
  const bool may_differ = program->has_envelope || context.options->imprecision != nullptr;
  const bool is_plain = !program->HasRecords() && !may_differ;
  if (!context.debug) PromoteVariables(&graph);
  if (is_plain && SplitVariables(&graph)) PromoteVariables(&graph);
  if (budget.IsExceeded()) return budget.Reached();
  if (!context.debug) RemoveSureChecks(kernel.required_local_size, &*imported);
  const bool keeps_more = context.debug || may_differ || context.options->records_math;
  if (may_differ && context.options->contracts && MayContract(kernel)) {
    Contract(&graph);
  }
  if (is_plain) NumberValues(&graph);
  Simplify(&graph, context.debug);
  if (is_plain) {
    ChooseWithoutBranches(&*imported);
    HoistCommon(&*imported);
    SinkStores(&graph);
    Simplify(&graph, false, imported->choices);
  }
  WatchPointers(context, *function, program->detectors, &*imported);
  WatchRestrict(&*imported, program.get());
  if (program->detectors.Has(Detector::kPointers))
    FindStoredAddresses(context, &graph, program.get());
  DescribeSharedMemory(*imported, program.get());
  // Where something is kept beside the memory of variables, copies know only how they mostly lie.
  Interleaving interleaving;
  if (is_plain) {
    if (program->screens) {
      if (program->detectors.Has(Detector::kAlignment)) {
        RemoveSureAlignments(*context.module, *function, &*imported);
      }
      if (program->detectors.Has(Detector::kGroups)) {
        FindSettledLoads(*context.module, *function, *context.memory, &*imported);
      }
    }
    interleaving = Interleaving(graph, !program->screens);
    FuseInstructions(&graph, interleaving, !program->screens);
  }
  program->needs_order = SplitOrdered(&*imported, program->has_envelope);
  FindSpins(&graph, program->detectors.Has(Detector::kGroups));
  program->may_regroup = !keeps_more;
  program->waits_for_groups =
      program->may_regroup && !program->needs_order && MayWaitForGroups(*context.module, &graph);
  // Who executes an instruction of a sub-group together hangs on the loops around it.
  if (program->detectors.Has(Detector::kGroups) || !imported->subgroup_calls.empty()) {
    CountIterations(&graph);
  }
  SplitEdges(&graph);
  if (budget.IsExceeded()) return budget.Reached();
  OrderBlocks(&graph);
  if (!context.debug) JoinBlocks(&graph, &imported->choices);
  if (budget.IsExceeded()) return budget.Reached();
  // Debuggers and envelopes look for private variables where each work-item's lie by themselves.
  if (!is_plain && !context.debug && !program->has_envelope) interleaving = Interleaving(graph);
  if (auto good = Emitter(context, &*imported, std::move(interleaving), program.get()).Run();
      !good) {
    return tl::unexpected(good.error());
  }
  // Instructions name registers by 32 bits.
  if (program->register_bytes > 0xffffffff) {
    return Fail(ErrorKind::kUnsupported,
                context.module->name + ": kernel " + kernel.name +
                    " needs more than 4 GiB of registers for a batch of work-items");
  }
  if (auto good = VerifyHandlers(*context.module, *program); !good) {
    return tl::unexpected(good.error());
  }
  return program;
}

}  // namespace assay::interp
