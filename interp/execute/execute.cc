#include "interp/execute/execute.h"

#include <algorithm>
#include <bit>

#include "base/threads.h"
#include "interp/execute/regrouped.h"
#include "interp/execute/switch_lanes.h"
#include "interp/program/handlers.h"
#include "interp/rules/rule.h"
#include "numerics/float_environment.h"

namespace assay::interp {

namespace {

// What a block costs beside its instructions (Fuel), where few work-items are in it.
constexpr std::uint64_t kBlockCost = 32;

std::uint32_t TargetOf(const FlatSwitch& table, std::uint64_t value) {
  if (!table.targets.empty()) {
    const std::uint64_t place = value - table.lowest;
    return place < table.targets.size() ? table.targets[place] : table.otherwise;
  }
  const auto found = std::ranges::find(table.cases, value, &SwitchCase::value);
  return found == table.cases.end() ? table.otherwise : found->target;
}

bool HasEdges(const LaunchState& launch) {
  const NdRange& range = launch.range;
  return std::ranges::any_of(std::array{0, 1, 2},
                             [&](int d) { return range.global[d] % launch.local[d] != 0; });
}

}  // namespace

Worker::Worker(LaunchState* launch, std::uint32_t number)
    : launch_(*launch),
      number_(number),
      program_(*launch->program),
      additions_(launch->added_objects),
      fuel_(launch),
      reporter_(launch, &group_, &fuel_),
      memory_(*launch),
      watchers_(launch, this),
      batches_(launch, &group_, &memory_, &watchers_, this),
      stragglers_(*launch, &group_, &batches_),
      images_(*launch),
      output_(this),
      ordered_(this, &output_),
      collectives_(this),
      subgroups_(this),
      lockstep_(this),
      pipes_(this),
      partial_barriers_(this),
      block_counts_(program_.blocks.size()),
      meets_at_once_(program_.detectors.IsEmpty() && !program_.has_envelope &&
                     launch->options.debug == nullptr && !lockstep_.is_on()),
      has_edges_(HasEdges(*launch)),
      turns_(program_.syncs.size() * launch->groups_in_batch) {}

void Worker::BeginTurns() {
  begin_seconds_ = base::ThreadSeconds();
  // The processor's rounding and flushing are the launch's while this thread runs kernels.
  saved_environment_ = numerics::GetFloatEnvironment();
  const FloatControl& host = program_.controls.host;
  numerics::SetFloatEnvironment(numerics::MakeFloatEnvironment(host.rounding, host.flush_to_zero));
}

void Worker::EndTurns() {
  additions_.Finish();
  TakeCounts();
  numerics::SetFloatEnvironment(saved_environment_);
  cpu_seconds_ += base::ThreadSeconds() - begin_seconds_;
}

void Worker::Run() {
  BeginTurns();
  stragglers_.Begin();
  if (launch_.hands.empty()) {
    RunShares();
  } else {
    RunHand();
  }
  while (stragglers_.HasSome() && RunStragglers(true)) {
  }
  EndTurns();
}

void Worker::RunShares() {
  const std::uint64_t at_once = launch_.groups_in_batch;
  while (!launch_.stop) {
    const GroupShares::Run run = launch_.shares.Take(number_, at_once);
    if (run.count == 0) return;
    if (at_once > 1) {
      RunGroups(run.first, run.count);
    } else {
      RunWhole(run.first);
    }
  }
}

void Worker::RunHand() {
  for (std::uint64_t group = 0; group < launch_.hands.size() && !launch_.stop; ++group) {
    if (launch_.hands[group] == number_) RunWhole(group);
  }
}

void Worker::RunWhole(std::uint64_t place) {
  RunGroup(GroupAt(place));
  output_.Flush(GroupAt(place));  // of a group that did not come to its end, too
}

// Work-groups run in any order (OpenCL API 3.2.2). Where no progress is promised, those that wait
// for an earlier one are seen to, if they run before it.
std::uint64_t Worker::GroupAt(std::uint64_t place) const {
  const bool backwards = program_.has_spins && program_.needs_order &&
                         launch_.options.forward_progress == ForwardProgress::kNone;
  return backwards ? launch_.GroupCount() - 1 - place : place;
}

void Worker::EnterGroup(std::uint64_t group, std::uint64_t groups) {
  group_ = PositionOf(launch_, group);
  memory_.BeginGroups(groups);
  watchers_.BeginGroup(group, groups);
  current_.clear();
}

// Nobody has met anybody yet.
void Worker::BeginMeetings() {
  watchers_.groups().BeginGroup();
  lockstep_.BeginGroup();
  partial_barriers_.BeginGroup();
  std::fill(turns_.begin(), turns_.end(), 0);
  turn_ = 0;
  idle_turns_ = 0;
}

// Puts every work-item of a group before the kernel's first block, where they wait for each other;
// false if the launch is to stop.
bool Worker::BeginGroup(std::uint64_t group) {
  EnterGroup(group);
  if (!program_.has_sync) return true;
  const auto width = static_cast<std::uint64_t>(program_.width);
  for (std::uint64_t first = 0; first < group_.items; first += width) {
    RunningBatch* running = batches_.At(current_.size());
    if (running == nullptr || launch_.stop) return false;
    batches_.Prepare(*running, first, std::min(width, group_.items - first));
    current_.push_back(running);
  }
  BeginMeetings();
  return true;
}

// The same with the first turn of each batch. One that comes to its end leaves its registers to the
// next one, which finds them in the cache. Only for work-items that wait for their sub-group alone:
// whoever waits for the work-group is told of those that have ended, as detectors and a debugger
// are.
bool Worker::RunFirstTurns(std::uint64_t group) {
  EnterGroup(group);
  BeginMeetings();
  const auto width = static_cast<std::uint64_t>(program_.width);
  for (std::uint64_t first = 0; first < group_.items; first += width) {
    RunningBatch* running = batches_.At(current_.size());
    if (running == nullptr || launch_.stop) return false;
    batches_.Prepare(*running, first, std::min(width, group_.items - first));
    if (!Run(*running)) return false;
    if (running->alive != 0) current_.push_back(running);
  }
  return true;
}

bool Worker::RunTurns() {
  for (RunningBatch* running : current_) {
    if (!running->ready.empty() && !Run(*running)) return false;
  }
  return true;
}

void Worker::RunGroup(std::uint64_t group) {
  if (!program_.has_sync) {
    EnterGroup(group);
    RunAlone();
  } else {
    const bool first_turns = program_.detectors.IsEmpty() && launch_.options.debug == nullptr &&
                             std::ranges::all_of(program_.syncs, [](const FlatSync& sync) {
                               return sync.of_subgroup && !sync.at_named;
                             });
    if (first_turns ? !RunFirstTurns(group) : !BeginGroup(group) || !RunTurns()) return;
    while (!launch_.stop && (CanGoOn() || Release(current_))) {
      if (!RunTurns()) return;
    }
    partial_barriers_.EndGroup();
    if (!launch_.stop) lockstep_.EndGroup();
  }
  watchers_.EndGroup();
}

// Whether work-items of the group can go on, because they gave way to others only.
bool Worker::CanGoOn() const {
  return std::any_of(current_.begin(), current_.end(),
                     [](const RunningBatch* running) { return !running->ready.empty(); });
}

// Nobody waits: one batch after the other in the same registers.
void Worker::RunAlone() {
  const auto width = static_cast<std::uint64_t>(program_.width);
  for (std::uint64_t first = 0; first < group_.items && !launch_.stop; first += width) {
    RunningBatch* running = batches_.At(0);
    if (running == nullptr) return;
    batches_.Prepare(*running, first, std::min(width, group_.items - first));
    if (!Run(*running) || !RunStragglers(false)) return;
  }
}

// Goes on with those that were put aside, where they are many; or with all, which are not put aside
// again. False if the launch is to stop.
bool Worker::RunStragglers(bool all) {
  const bool was_on = stragglers_.IsOn();
  if (all) stragglers_.End();
  for (std::size_t i = 0; i < stragglers_.batches().size(); ++i) {
    RunningBatch& running = *stragglers_.batches()[i];
    // What a launch that has stopped leaves need not stand anywhere.
    if (launch_.stop) return false;
    if (running.alive == 0 || (!all && !Stragglers::AreMany(running))) continue;
    const std::uint32_t block = running.ready.front().block;
    const std::uint64_t blocks = running.blocks;
    running.has_begun = true;
    {
      const RegroupedAccesses accesses(races(), &running.batch);
      if (!Run(running)) return false;
    }
    stragglers_.Executed(block, running.blocks - blocks);
  }
  if (all && was_on) stragglers_.Begin();
  return true;
}

template <Worker::Mode kMode>
[[gnu::always_inline]] inline void Worker::ExecuteBlock(Batch& batch, const FlatBlock& block) {
  constexpr bool kWatched = kMode == Mode::kWatched;
  const FlatInstruction* const code = program_.code.data();
  const FlatInstruction* const last = code + block.last;
  for (const FlatInstruction* in = code + block.first; in != last; ++in) {
    if constexpr (kMode == Mode::kEnvelope) {
      // Before: a result may take the register of an operand.
      watchers_.envelope()->Before(batch, *in, program_.envelope_steps[in - code]);
    }
    in->handler(batch, *in);
    if constexpr (kWatched) {
      if (batch.tainted) {
        definedness()->Propagate(batch, *in, program_.shadow_steps[in - code]);
      }
    }
  }
  if constexpr (kWatched) {
    if (batch.tainted && (block.end == End::kBranch || block.end == End::kSwitch) &&
        batch.any_undefined[block.condition >> 6] != 0) {
      definedness()->Use(batch, block.place, block.condition, BytesOf(block.condition_kind),
                         batch.active, block.end == End::kBranch ? "a branch" : "a switch", true);
    }
  }
  if constexpr (kMode == Mode::kScreened) {
    if (batch.tainted && !launch_.stop) launch_.GiveUp();
  }
  if constexpr (kMode == Mode::kEnvelope) {
    if (block.end == End::kBranch || block.end == End::kSwitch) {
      watchers_.envelope()->Decide(batch, block);
    }
  }
}

// The block after this one, for all lanes; where they part or wait they are put aside, and none are
// left.
[[gnu::always_inline]] inline std::uint32_t Worker::LeaveBlock(RunningBatch& running,
                                                               const FlatBlock& block,
                                                               Standing* now) {
  Batch& batch = running.batch;
  switch (block.end) {
    case End::kJump:
      return block.targets[0];
    case End::kBranch: {
      const std::uint64_t yes =
          block.decide != nullptr
              ? block.decide(batch, block)
              : BitsOfBooleans(batch.registers + block.condition, batch.lanes) & now->lanes;
      if (yes == now->lanes) return block.targets[0];
      if (yes == 0) return block.targets[1];
      Insert(&running.ready, block.targets[0], yes);
      Insert(&running.ready, block.targets[1], now->lanes & ~yes);
      break;
    }
    case End::kCall:
      for (std::uint64_t rest = now->lanes; rest != 0; rest &= rest - 1) {
        batch.Register<std::uint32_t>(block.condition)[std::countr_zero(rest)] = now->block;
      }
      return block.targets[0];
    case End::kSwitch:
      TakeSwitch(&running, block, now->lanes);
      break;
    case End::kLeave:
      LeaveFunction(&running, block, now->lanes);
      break;
    case End::kSync:
      now->lanes = Wait(running, block, *now);
      return block.targets[0];
    case End::kNone:
    case End::kUnreachable:
    case End::kReturn:
      Return(&running, block, now->lanes);
      break;
  }
  now->lanes = 0;
  return block.targets[0];
}

// Runs until every lane has returned or waits; false if the launch is to stop.
template <Worker::Mode kMode>
bool Worker::RunBatch(RunningBatch& running) {
  StandingList& ready = running.ready;
  while (!ready.empty()) {
    Standing now = running.last_first ? ready.TakeLast() : ready.TakeFirst();
    running.last_first = false;
    running.has_parted = running.has_parted || now.lanes != running.alive;
    Activate(running, now.lanes);
    std::uint64_t counted = now.lanes;
    std::uint64_t lanes = CountLanes(counted);
    for (;;) {
      const FlatBlock& block = program_.blocks[now.block];
      if (now.lanes != counted) {
        counted = now.lanes;
        lanes = CountLanes(counted);
      }
      if constexpr (kMode != Mode::kEnvelope) {
        if (stragglers_.Take(running, now.block, now.lanes, lanes)) break;
      }
      block_counts_[now.block] += lanes;
      fuel_.Count(block.counted * lanes, kBlockCost);
      bool gives_way = false;
      if (fuel_.IsSpent()) {
        if (!fuel_.CheckLimits()) {
          TellLoop(now.block);
          return false;
        }
        gives_way =
            fuel_.GivesWay() && (!ready.empty() || HasSeveralBatches() || stragglers_.HasSome());
      }
      ExecuteBlock<kMode>(running.batch, block);
      const std::uint32_t next = LeaveBlock(running, block, &now);
      if (now.lanes == 0) break;
      now.block = next;
      if (gives_way) {
        // After a long time in one loop, for which others may be waiting, or which waits for them:
        // the last of those who could go on have the next turn, and other batches before them.
        Insert(&ready, next, now.lanes);
        running.last_first = true;
        if (HasSeveralBatches() || running.has_begun) return true;
        if (!RunStragglers(true)) return false;
        break;
      }
      if (ready.empty() || next < ready.front().block) continue;
      // Others stand at the same place or before it.
      Insert(&ready, next, now.lanes);
      break;
    }
  }
  return true;
}

bool Worker::Run(RunningBatch& running) {
  if (program_.has_envelope) return RunBatch<Mode::kEnvelope>(running);
  if (program_.screens) return RunBatch<Mode::kScreened>(running);
  return program_.detectors.IsEmpty() ? RunBatch<Mode::kPlain>(running)
                                      : RunBatch<Mode::kWatched>(running);
}

// Each work-item goes on after the block that it called the function from.
void Worker::LeaveFunction(RunningBatch* running, const FlatBlock& block, std::uint64_t lanes) {
  const auto* callers = running->batch.Register<std::uint32_t>(block.condition);
  while (lanes != 0) {
    const std::uint32_t caller = callers[std::countr_zero(lanes)];
    std::uint64_t together = 0;
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      if (callers[std::countr_zero(rest)] == caller) together |= rest & -rest;
    }
    Insert(&running->ready, program_.blocks[caller].targets[1], together);
    lanes &= ~together;
  }
}

// Each lane goes to the case of its own value; those with one value together.
void Worker::TakeSwitch(RunningBatch* running, const FlatBlock& block, std::uint64_t lanes) {
  const FlatSwitch& table = program_.switches[block.cases];
  Spend(table.cases.size());
  const std::uint32_t bytes = BytesOf(block.condition_kind);
  const auto lanes_equal = ChosenInstructionSet().lanes_equal;
  std::uint64_t found[FlatSwitch::kMostBlocks];
  std::uint64_t taken = 0;  // places in `found`, and of the table's blocks
  const auto take = [&](std::uint64_t place, std::uint64_t equal) {
    const std::uint8_t one = table.block_of[place];
    const bool is_first = (taken >> one & 1) == 0;
    found[one] = is_first ? equal : found[one] | equal;
    taken |= std::uint64_t{1} << one;
  };
  for (int values = 0; lanes != 0; ++values) {
    if (values == 1 && bytes == 4 && table.block_of.size() <= kMostSwitchValues) {
      // Where they part, for all values of a small table at once.
      static const SwitchLanes list_lanes = FindSwitchLanes();
      std::uint64_t all[kMostSwitchValues];
      const std::size_t count = table.block_of.size();
      list_lanes(running->batch, block.condition, static_cast<std::uint32_t>(table.lowest), count,
                 lanes, all);
      for (std::size_t place = 0; place < count; ++place) {
        if (all[place] != 0) take(place, all[place]);
        lanes &= ~all[place];
      }
      if (lanes == 0) break;
    }
    const std::uint64_t value =
        ReadLane(*running, block.condition, block.condition_kind, std::countr_zero(lanes));
    const std::uint64_t equal = lanes_equal(running->batch, block.condition, bytes, value) & lanes;
    lanes &= ~equal;
    const std::uint64_t place = value - table.lowest;
    if (place < table.block_of.size()) {
      take(place, equal);
    } else {
      Insert(&running->ready, TargetOf(table, value), equal);
    }
  }
  for (; taken != 0; taken &= taken - 1) {
    const auto one = static_cast<std::size_t>(std::countr_zero(taken));
    Insert(&running->ready, table.blocks[one], found[one]);
  }
}

void Worker::Return(RunningBatch* running, const FlatBlock& block, std::uint64_t lanes) {
  if (block.end == End::kUnreachable) {
    Report(running->batch, block.place, std::countr_zero(lanes), Rule::kUnreachableReached,
           "execution reached a place that the module says cannot be reached");
  }
  running->alive &= ~lanes;
}

bool Worker::IsVolatile(std::uint32_t place) const {
  const frontend::Module& module = *launch_.module;
  const frontend::Instruction& instruction = module.instructions[program_.places[place].origin];
  const auto operands = module.Operands(instruction);
  const std::size_t at = instruction.opcode == frontend::Op::kLoad    ? 1
                         : instruction.opcode == frontend::Op::kStore ? 2
                                                                      : operands.size();
  return at < operands.size() && (operands[at] & 1) != 0;
}

void Worker::ForgetEvents() {
  for (const auto& running : batches()) {
    std::fill(running->events.begin(), running->events.end(), 0);
  }
}

}  // namespace assay::interp
