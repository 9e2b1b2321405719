// A launch with the kernels that it enqueues, and that these enqueue (OpenCL C 6.15.19).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "interp/detect/instance_races.h"
#include "interp/execute/choice.h"
#include "interp/execute/device_queues.h"
#include "interp/launch/session_state.h"
#include "interp/rules/rule.h"

namespace assay::interp {
namespace {

using frontend::ExecutionMode;

// "block add_block_invoke_2", for messages.
std::string BlockName(const frontend::Module& module, frontend::Id invoke) {
  std::string_view name = module.NameOf(invoke);
  while (name.starts_with('_')) name.remove_prefix(1);
  if (name.ends_with("_kernel")) name.remove_suffix(std::string_view("_kernel").size());
  return name.empty() ? fmt::format("block %{}", invoke) : fmt::format("block {}", name);
}

bool IsOfFloats(ExecutionMode mode) {
  return mode == ExecutionMode::kRoundingModeRTE || mode == ExecutionMode::kRoundingModeRTZ ||
         mode == ExecutionMode::kDenormPreserve || mode == ExecutionMode::kDenormFlushToZero;
}

// A launch and what came of it so far.
class Family {
 public:
  Family(Session::State* state, const TimedRequest& request, int width, bool may_regroup,
         Kept* kept)
      : state_(*state),
        module_(*state->module),
        request_(request),
        width_(width),
        may_regroup_(may_regroup),
        queues_(state->memory.get(), request.options),
        choices_(request.options.seed, request.options.choices, request.options.record_choices),
        races_(&queues_) {
    if (TakesTurns(request.options)) kin_.choices = &choices_;
    kin_.kept = kept;
  }

  Expected<LaunchResult> Run(const frontend::EntryPoint& entry, const KernelInfo& info) {
    auto program = state_.Lower(entry, width_, kin_.Screens());
    // Who has nothing to do with queues runs as if there were none.
    const bool uses_queues = program && !(*program)->queue_calls.empty();
    if (uses_queues) kin_.queues = &queues_;
    const bool enqueues =
        uses_queues && std::ranges::any_of((*program)->queue_calls, [](const QueueCall& call) {
          return call.function == QueueFunction::kEnqueue;
        });
    if (enqueues && state_.options.detectors.Has(Detector::kRaces)) {
      queues_.keeps_accesses = true;
      kin_.races = &races_;
    }
    auto result = state_.RunInstance({.entry = &entry,
                                      .info = &info,
                                      .request = &request_,
                                      .width = width_,
                                      .may_regroup = may_regroup_,
                                      .screens = kin_.Screens(),
                                      .number = 0},
                                     &kin_);
    if (!result || !enqueues) return result;
    all_ = std::move(*result);
    queues_.End(0, kin_.instructions);
    while (all_.end == LaunchEnd::kCompleted) {
      const auto next = queues_.Next(kin_.choices, kin_.instructions);
      if (!next) break;
      if (auto good = RunChild(*next, entry); !good) return tl::unexpected(good.error());
      queues_.End(*next, kin_.instructions);
    }
    if (all_.end == LaunchEnd::kCompleted) FindStuck();
    if (kin_.choices != nullptr) all_.choices = choices_.made();
    return std::move(all_);
  }

 private:
  // A function as if it were a kernel; it computes as its ancestor's modes say.
  struct Block {
    frontend::EntryPoint entry;
    KernelInfo info;
  };
  const Block& BlockOf(frontend::Id invoke, const frontend::EntryPoint& ancestor) {
    const auto [place, is_new] = blocks_.try_emplace(invoke);
    Block& block = place->second;
    if (!is_new) return block;
    block.entry.function = invoke;
    block.entry.name = BlockName(module_, invoke);
    for (const frontend::ExecutionModeUse& mode : ancestor.modes) {
      if (IsOfFloats(mode.mode)) block.entry.modes.push_back(mode);
    }
    block.info.name = block.entry.name;
    const frontend::Function& function = *module_.FindFunction(invoke);
    for (const frontend::Parameter& parameter : function.parameters.Of(module_.parameters)) {
      ParameterInfo one;
      one.kind = block.info.parameters.empty() ? ParameterKind::kGlobal : ParameterKind::kLocal;
      one.name = ParameterName(module_, function, parameter.id);
      one.type = module_.types.Describe(parameter.type);
      one.alignment = kBufferAlignment;  // of an array of any type
      block.info.parameters.push_back(std::move(one));
    }
    return block;
  }

  // What the block captured, where its kernel-instance can read it.
  Expected<Address> PlaceLiteral(const DeviceQueues::Command& command) {
    Memory& memory = *state_.memory;
    const std::uint64_t bytes = std::max<std::uint64_t>(command.literal.size(), 1);
    auto address = memory.Allocate(bytes, AddressSpace::kGlobal, "what the block captured", false);
    if (!address) return address;
    std::ranges::copy(command.literal, memory.Bytes(*address).begin());
    if (std::ranges::all_of(command.undefined, [](std::byte b) { return b == std::byte{0}; })) {
      return address;
    }
    if (auto good = memory.MakeUndefined(*address); !good) return tl::unexpected(good.error());
    const Region& region = memory.regions()[*address >> memory.layout().place_bits];
    std::ranges::copy(command.undefined, region.shadow->undefined.load());
    return address;
  }

  Expected<void> RunChild(std::uint32_t number, const frontend::EntryPoint& ancestor) {
    const DeviceQueues::Command& command = queues_.command(number);
    const Block& block = BlockOf(command.invoke, ancestor);
    TimedRequest request({.kernel = block.entry.name, .range = command.range});
    request.options = request_.options;
    request.deadline = request_.deadline;
    LaunchOptions& options = request.options;
    options.max_findings -= std::min(options.max_findings, all_.findings.size());
    auto literal = PlaceLiteral(command);
    if (!literal) return tl::unexpected(literal.error());
    request.arguments.push_back(BufferArgument{*literal});
    for (const std::uint64_t bytes : command.local_sizes) {
      request.arguments.push_back(LocalArgument{bytes});
    }
    const std::string by = command.by;
    queues_.Forget(number);
    auto result = state_.RunInstance({.entry = &block.entry,
                                      .info = &block.info,
                                      .request = &request,
                                      .width = width_,
                                      .number = number},
                                     &kin_);
    (void)state_.memory->Release(*literal);
    if (!result) return tl::unexpected(result.error());
    Append(std::move(*result), block.entry.name, by);
    return {};
  }

  void Append(LaunchResult result, const std::string& name, const std::string& by) {
    for (Finding& finding : result.findings) {
      const auto same = std::ranges::find_if(all_.findings, [&](const Finding& other) {
        return other.rule == finding.rule && other.place.instruction == finding.place.instruction &&
               other.place.calls == finding.place.calls;
      });
      if (same != all_.findings.end()) {
        same->count += finding.count;
        continue;
      }
      finding.history.push_back(fmt::format("in {}, {}", name, by));
      all_.findings.push_back(std::move(finding));
    }
    all_.end = result.end;
    all_.message = std::move(result.message);
    all_.output += result.output;
    all_.instructions = result.instructions;
    for (const auto& [instruction, count] : result.instruction_counts) {
      all_.instruction_counts[instruction] += count;
    }
    all_.cpu_seconds += result.cpu_seconds;
    all_.threads = std::max(all_.threads, result.threads);
    all_.has_conflicts |= result.has_conflicts;
    std::ranges::move(result.math_records, std::back_inserter(all_.math_records));
  }

  // Nothing can begin any more, and something never did.
  void FindStuck() {
    const auto stuck = queues_.FirstStuck();
    if (!stuck) return;
    const DeviceQueues::Command& command = queues_.command(*stuck);
    Finding finding = FindingAt(module_, Rule::kEnqueueDeadlock, command.origin);
    finding.message =
        fmt::format("the {} waits for an event that never completes, so the launch never ends",
                    command.is_marker ? "marker" : BlockName(module_, command.invoke));
    finding.history.push_back(command.by);
    all_.findings.push_back(std::move(finding));
    all_.end = LaunchEnd::kDeadlock;
    all_.message = "an enqueued command waits for an event that never completes";
  }

  Session::State& state_;
  const frontend::Module& module_;
  const TimedRequest& request_;
  const int width_;
  const bool may_regroup_;
  DeviceQueues queues_;
  ChoiceSource choices_;
  InstanceRaces races_;
  Kin kin_;
  LaunchResult all_;
  std::map<frontend::Id, Block> blocks_;
};

}  // namespace

Expected<LaunchResult> Session::State::LaunchOnce(const TimedRequest& request, int width,
                                                  bool may_regroup, Kept* kept) {
  const frontend::EntryPoint* entry = module->FindKernel(request.kernel);
  auto info = DescribeKernel(request.kernel);
  if (!info) return tl::unexpected(info.error());
  return Family(this, request, width, may_regroup, kept).Run(*entry, *info);
}

}  // namespace assay::interp
