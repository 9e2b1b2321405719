#include "interp/execute/execute.h"

#include <fmt/format.h>
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "interp/rules/rule.h"

namespace assay::interp {
namespace {

// Between two looks at the limits: instructions of all work-items of a thread, and what a block
// costs beside them where few work-items are in it.  Some milliseconds.
constexpr std::uint64_t kFuel = std::uint64_t{1} << 24;
constexpr std::uint64_t kBlockCost = 32;

constexpr std::uint64_t FullMask(std::uint64_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// A boolean register as a mask: bytes of 0 and 1.
std::uint64_t BitsOfBooleans(const std::byte* booleans, std::uint32_t lanes) {
  std::uint64_t bits = 0;
  for (std::uint32_t i = 0; i < lanes; i += 16) {
    const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(booleans + i));
    const auto part = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_slli_epi16(bytes, 7)));
    bits |= std::uint64_t{part} << i;
  }
  return bits;
}

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// std::popcount is a call where the processor need not have the instruction.
std::uint64_t CountLanes(std::uint64_t lanes) {
  if (lanes == ~std::uint64_t{0}) return 64;
  lanes -= lanes >> 1 & 0x5555555555555555;
  lanes = (lanes & 0x3333333333333333) + (lanes >> 2 & 0x3333333333333333);
  return ((lanes + (lanes >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56;
}

}  // namespace

void Insert(std::vector<Standing>* standing, std::uint32_t block, std::uint64_t lanes) {
  auto place = standing->begin();
  while (place != standing->end() && place->block < block) ++place;
  if (place != standing->end() && place->block == block) {
    place->lanes |= lanes;
  } else {
    standing->insert(place, {block, lanes});
  }
}

void Batch::ExpandMask() {
  for (std::uint32_t i = 0; i < lanes; ++i) mask[i] = (active >> i) & 1;
  is_expanded = true;
}

void LaunchState::Stop(LaunchEnd why, std::string text) {
  const std::lock_guard lock(mutex);
  if (end == LaunchEnd::kCompleted) {
    end = why;
    message = std::move(text);
  }
  stop = true;
}

void LaunchState::StopAtLimit() {
  Stop(LaunchEnd::kInstructionLimit,
       fmt::format("more than {} instructions were executed (--max-instructions)",
                   options.max_instructions));
}

Worker::Worker(LaunchState* launch, std::uint32_t number)
    : launch_(*launch),
      number_(number),
      program_(*launch->program),
      regions_(launch->memory->regions().begin(), launch->memory->regions().end()),
      local_memory_(launch->local_bytes + 64),
      groups_(launch->watches->WatchGroups(this)),
      block_counts_(program_.blocks.size()),
      turns_(program_.syncs.size()) {
  // Local objects lie in this thread's copy; private variables in each batch's frame.
  std::byte* local = local_memory_.data();
  local += -reinterpret_cast<std::uintptr_t>(local) & 63;
  const int bits = launch_.memory->layout().place_bits;
  for (Region& region : regions_) {
    // Nobody may write to it, however the pointer was made.
    if (launch_.constant_buffers.contains(region.address)) {
      region.is_constant_buffer = true;
      region.writable = false;
    }
    for (const LaunchState::LocalObject& object : launch_.local_objects) {
      if (region.address != object.address) continue;
      region.bytes = object.bytes;
      region.host = local + object.offset;
      if (!program_.detectors.Has(Detector::kDefinedness)) continue;
      local_undefined_.resize(launch->local_bytes + 64);
      local_shadows_.push_back(std::make_unique<RegionShadow>());
      local_shadows_.back()->undefined = local_undefined_.data() + object.offset;
      region.shadow = local_shadows_.back().get();
    }
  }
  for (std::uint32_t i = 0; i < program_.variables.size(); ++i) {
    for (std::uint64_t place = program_.variables[i].address >> bits;
         place < regions_.size() && regions_[place].address == program_.variables[i].address;
         ++place) {
      regions_[place].variable = i;
    }
  }
  if (program_.detectors.Has(Detector::kDefinedness)) {
    definedness_ =
        launch->definedness != nullptr ? launch->definedness : launch->watches->WatchDefinedness();
  }
  if (program_.detectors.Has(Detector::kRaces)) {
    races_ = launch->races != nullptr ? launch->races : launch->watches->WatchRaces(*launch, false);
    races_->Attach(this, &race_view_);
  }
  WatchPointers();
}

Worker::~Worker() = default;

void Worker::BeginTurns() {
  begin_seconds_ = ThreadSeconds();
  // The processor's rounding and flushing are the launch's while this thread runs kernels.
  saved_control_ = _mm_getcsr();
  unsigned control = 0x1f80;
  constexpr unsigned kModes[] = {0x0000, 0x6000, 0x4000, 0x2000};  // rte, rtz, rtp, rtn
  control |= kModes[static_cast<int>(program_.controls.host.rounding)];
  if (program_.controls.host.flush_to_zero) control |= 0x8040;
  _mm_setcsr(control);
}

void Worker::TakeCounts() {
  launch_.instructions += used_;
  used_ = 0;
}

void Worker::EndTurns() {
  TakeCounts();
  _mm_setcsr(saved_control_);
  cpu_seconds_ += ThreadSeconds() - begin_seconds_;
}

void Worker::Run() {
  BeginTurns();
  const std::uint64_t groups = launch_.GroupCount();
  // What was dealt to it, or what is left.
  for (std::uint64_t dealt = 0; !launch_.stop; ++dealt) {
    const std::uint64_t group = launch_.hands.empty() ? launch_.next_group++ : dealt;
    if (group >= groups) break;
    if (!launch_.hands.empty() && launch_.hands[group] != number_) continue;
    RunGroup(group);
    FlushOutput(group);  // of a group that did not come to its end, too
  }
  EndTurns();
}

// --- batches ----------------------------------------------------------------------------------

std::uint64_t BatchBytes(const Program& program) {
  const std::uint64_t frame = program.frame_bytes * static_cast<std::uint64_t>(program.width);
  return (program.register_bytes + frame + program.variables.size() * 8 + 127) & ~std::uint64_t{63};
}

RunningBatch* Worker::BatchAt(std::size_t index) {
  while (batches_.size() <= index) {
    auto running = std::make_unique<RunningBatch>();
    Batch& batch = running->batch;
    batch.lanes = static_cast<std::uint32_t>(program_.lanes);
    const std::uint64_t frame = program_.frame_bytes * static_cast<std::uint64_t>(program_.width);
    const std::uint64_t bytes = BatchBytes(program_);  // within the limit: Session::State::Execute
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(64, bytes));
    if (memory == nullptr) {
      launch_.Stop(LaunchEnd::kMemoryLimit,
                   fmt::format("the machine has no {} bytes for registers and private variables of "
                               "the work-items",
                               bytes));
      return nullptr;
    }
    running->memory = {memory, [](std::byte* p) { std::free(p); }};
    std::memset(memory, 0, bytes);
    batch.registers = memory;
    batch.frame = memory + program_.register_bytes;
    batch.variable_alive = reinterpret_cast<std::uint64_t*>(batch.frame + frame);
    batch.variable_count = program_.variables.size();
    batch.program = &program_;
    batch.regions = regions_.data();
    batch.region_count = regions_.size();
    batch.place_bits = launch_.memory->layout().place_bits;
    batch.worker = this;
    batch.debug = launch_.options.debug;
    const auto fill = [&](std::uint32_t offset, Kind kind, std::uint64_t bits) {
      for (std::uint32_t lane = 0; lane < batch.lanes; ++lane) {
        std::memcpy(batch.registers + offset + std::uint64_t{lane} * BytesOf(kind), &bits,
                    BytesOf(kind));
      }
    };
    for (const ConstantRegister& constant : program_.constants) {
      const std::uint64_t undefined =
          static_cast<std::uint64_t>(launch_.undefined_byte) * 0x0101010101010101;
      fill(constant.offset, constant.kind,
           constant.undefined ? undefined & MaskOf(constant.kind) : constant.bits);
    }
    if (!Watch(running.get())) return nullptr;
    for (const InputRegister& input : program_.inputs) {
      if (input.input.input_kind != InputKind::kParameter) continue;
      std::uint64_t bits = 0;
      std::memcpy(&bits, launch_.parameters[input.input.index].data() + input.input.offset,
                  input.input.bytes);
      fill(input.offset, input.input.kind, bits);
    }
    batches_.push_back(std::move(running));
  }
  return batches_[index].get();
}

// What detectors keep beside a batch: records of registers and private variables, and events.
bool Worker::Watch(RunningBatch* running) {
  Batch& batch = running->batch;
  if (watches_pointers_) batch.pointers = &pointer_view_;
  if (!pointer_view_.watched_calls.empty()) {
    running->restricts = std::make_unique<RestrictRecords>();
    batch.restricts = running->restricts.get();
  }
  if (races_ != nullptr) {
    running->events.assign(program_.places.size(), 0);
    batch.events = running->events.data();
    batch.race = &race_view_;
  }
  if (definedness_ == nullptr) return true;
  const std::uint64_t registers = program_.register_bytes;
  const std::uint64_t frame = program_.frame_bytes * static_cast<std::uint64_t>(program_.width);
  // Pages that nobody touches take no memory: the origins of most registers.
  auto* memory =
      static_cast<std::byte*>(std::calloc(registers * 5 + registers / 64 + frame + 64, 1));
  if (memory == nullptr) {
    launch_.Stop(LaunchEnd::kMemoryLimit,
                 "the machine has no memory to watch the registers of the work-items for undefined "
                 "values (--detect -definedness)");
    return false;
  }
  running->undefined = {memory, std::free};
  batch.undefined = memory;
  batch.origins = reinterpret_cast<std::uint32_t*>(memory + registers);
  batch.frame_undefined = memory + registers * 5;
  batch.any_undefined = reinterpret_cast<std::uint8_t*>(batch.frame_undefined + frame);
  return true;
}

void Worker::FillBuiltIn(RunningBatch& running, const InputRegister& input, std::uint64_t count) {
  const std::uint32_t d = std::min<std::uint32_t>(input.input.index, 2);
  const auto fill = [&](auto element) {
    using T = decltype(element);
    T* result = running.batch.Register<T>(input.offset);
    const auto uniform = [&](std::uint64_t value) {
      for (std::uint32_t i = 0; i < running.batch.lanes; ++i) result[i] = static_cast<T>(value);
    };
    const auto local = [&](std::uint64_t base) {
      if (d == 0 && group_size_[1] == 1 && group_size_[2] == 1) {
        for (std::uint32_t i = 0; i < running.batch.lanes; ++i) {
          result[i] = static_cast<T>(base + running.first + i);
        }
        return;
      }
      std::uint64_t x = running.first % group_size_[0];
      std::uint64_t y = running.first / group_size_[0] % group_size_[1];
      std::uint64_t z = running.first / (group_size_[0] * group_size_[1]);
      for (std::uint32_t i = 0; i < count; ++i) {
        result[i] = static_cast<T>(base + (d == 0 ? x : d == 1 ? y : z));
        if (++x == group_size_[0]) {
          x = 0;
          if (++y == group_size_[1]) {
            y = 0;
            ++z;
          }
        }
      }
    };
    switch (input.input.input_kind) {
      case InputKind::kGlobalId:
        return local(launch_.range.offset[d] + group_id_[d] * launch_.local[d]);
      case InputKind::kLocalId:
        return local(0);
      case InputKind::kGroupId:
        return uniform(group_id_[d]);
      case InputKind::kGlobalSize:
        return uniform(launch_.range.global[d]);
      case InputKind::kLocalSize:
        return uniform(group_size_[d]);
      case InputKind::kEnqueuedLocalSize:
        return uniform(launch_.local[d]);
      case InputKind::kNumGroups:
        return uniform(launch_.groups[d]);
      case InputKind::kGlobalOffset:
        return uniform(launch_.range.offset[d]);
      case InputKind::kWorkDim:
        return uniform(static_cast<std::uint64_t>(launch_.range.dimensions));
      case InputKind::kLocalLinearId:
        for (std::uint32_t i = 0; i < running.batch.lanes; ++i) {
          result[i] = static_cast<T>(running.first + i);
        }
        return;
      case InputKind::kGlobalLinearId:
        for (std::uint32_t i = 0; i < count; ++i) {
          const std::uint64_t item = running.first + i;
          const std::uint64_t x = group_id_[0] * launch_.local[0] + item % group_size_[0];
          const std::uint64_t y =
              group_id_[1] * launch_.local[1] + item / group_size_[0] % group_size_[1];
          const std::uint64_t z =
              group_id_[2] * launch_.local[2] + item / (group_size_[0] * group_size_[1]);
          result[i] =
              static_cast<T>((z * launch_.range.global[1] + y) * launch_.range.global[0] + x);
        }
        return;
      case InputKind::kParameter:
        return;
    }
  };
  switch (BytesOf(input.input.kind)) {
    case 1:
      return fill(std::uint8_t{});
    case 2:
      return fill(std::uint16_t{});
    case 4:
      return fill(std::uint32_t{});
    default:
      return fill(std::uint64_t{});
  }
}

void Worker::Prepare(RunningBatch& running, std::uint64_t first, std::uint64_t count) {
  running.first = first;
  running.alive = FullMask(count);
  running.parked.clear();
  running.ready.assign(1, {0, running.alive});
  for (const InputRegister& input : program_.inputs) {
    if (input.input.input_kind != InputKind::kParameter) FillBuiltIn(running, input, count);
  }
  for (std::size_t i = 0; i < program_.variables.size(); ++i) running.batch.variable_alive[i] = 0;
  running.batch.first_item = first;
  if (running.restricts != nullptr) running.restricts->Clear();
  if (definedness_ != nullptr) definedness_->Begin(running.batch);
  if (races_ != nullptr) races_->BeginBatch(&race_view_);
}

// Puts every work-item of a group before the kernel's first block, where they wait for each other;
// false if the launch is to stop.
bool Worker::BeginGroup(std::uint64_t group) {
  group_ = group;
  group_id_ = launch_.GroupId(group);
  group_items_ = 1;
  for (int d = 0; d < 3; ++d) {
    group_size_[d] =
        std::min(launch_.local[d], launch_.range.global[d] - group_id_[d] * launch_.local[d]);
    group_items_ *= group_size_[d];
  }
  if (!launch_.local_objects.empty()) {
    std::fill(local_memory_.begin(), local_memory_.end(), launch_.undefined_byte);
    std::fill(local_undefined_.begin(), local_undefined_.end(), std::byte{0xff});
  }
  local_pointers_.clear();
  if (races_ != nullptr) races_->BeginGroup(&race_view_, group);
  current_.clear();
  if (!program_.has_sync) return true;
  const auto width = static_cast<std::uint64_t>(program_.width);
  for (std::uint64_t first = 0; first < group_items_; first += width) {
    RunningBatch* running = BatchAt(current_.size());
    if (running == nullptr || launch_.stop) return false;
    Prepare(*running, first, std::min(width, group_items_ - first));
    current_.push_back(running);
  }
  groups_->BeginGroup();
  std::fill(turns_.begin(), turns_.end(), 0);
  turn_ = 0;
  idle_turns_ = 0;
  return true;
}

void Worker::RunGroup(std::uint64_t group) {
  if (!BeginGroup(group)) return;
  if (!program_.has_sync) {
    RunAlone();
  } else {
    do {
      for (RunningBatch* running : current_) {
        if (!running->ready.empty() && !Run(*running)) return;
      }
    } while (!launch_.stop && (CanGoOn() || Release(current_)));
  }
  CloseGroup();
}

void Worker::CloseGroup() {
  groups_->EndGroup();
  if (races_ != nullptr) races_->EndGroup(race_view_);
}

// Whether work-items of the group can go on, because they gave way to others only.
bool Worker::CanGoOn() const {
  return std::any_of(current_.begin(), current_.end(),
                     [](const RunningBatch* running) { return !running->ready.empty(); });
}

// Nobody waits: one batch after the other in the same registers.
void Worker::RunAlone() {
  const auto width = static_cast<std::uint64_t>(program_.width);
  for (std::uint64_t first = 0; first < group_items_ && !launch_.stop; first += width) {
    RunningBatch* running = BatchAt(0);
    if (running == nullptr) return;
    Prepare(*running, first, std::min(width, group_items_ - first));
    if (!Run(*running)) return;
  }
}

void Worker::Activate(RunningBatch& running, std::uint64_t lanes) {
  Batch& batch = running.batch;
  batch.active = lanes;
  batch.whole = lanes == FullMask(batch.lanes);
  batch.partial = lanes != running.alive;
  batch.is_expanded = false;
}

// Runs until every lane has returned or waits; false if the launch is to stop.
template <bool kWatched>
bool Worker::RunBatch(RunningBatch& running) {
  Batch& batch = running.batch;
  std::vector<Standing>& ready = running.ready;
  while (!ready.empty()) {
    const auto first = running.last_first ? ready.end() - 1 : ready.begin();
    running.last_first = false;
    Standing now = *first;
    ready.erase(first);
    Activate(running, now.lanes);
    for (;;) {
      const FlatBlock& block = program_.blocks[now.block];
      const std::uint64_t lanes = CountLanes(now.lanes);
      block_counts_[now.block] += lanes;
      fuel_ -= static_cast<std::int64_t>(block.counted * lanes + kBlockCost);
      used_ += block.counted * lanes;
      bool gives_way = false;
      if (fuel_ < 0) {
        if (!CheckLimits()) return false;
        gives_way = !ready.empty() || current_.size() > 1;
      }
      const FlatInstruction* const last = program_.code.data() + block.last;
      for (const FlatInstruction* in = program_.code.data() + block.first; in != last; ++in) {
        in->handler(batch, *in);
        if constexpr (kWatched) {
          if (batch.tainted) {
            definedness_->Propagate(batch, *in, program_.shadow_steps[in - program_.code.data()]);
          }
        }
      }
      if constexpr (kWatched) {
        if (batch.tainted && (block.end == End::kBranch || block.end == End::kSwitch) &&
            batch.any_undefined[block.condition >> 6] != 0) {
          definedness_->Use(batch, block.place, block.condition, BytesOf(block.condition_kind),
                            now.lanes, block.end == End::kBranch ? "a branch" : "a switch", true);
        }
      }
      std::uint32_t next = block.targets[0];
      switch (block.end) {
        case End::kJump:
          break;
        case End::kBranch: {
          const std::uint64_t yes =
              BitsOfBooleans(batch.registers + block.condition, batch.lanes) & now.lanes;
          if (yes == now.lanes) break;
          if (yes == 0) {
            next = block.targets[1];
            break;
          }
          Insert(&ready, block.targets[0], yes);
          Insert(&ready, block.targets[1], now.lanes & ~yes);
          now.lanes = 0;
          break;
        }
        case End::kSwitch: {
          const FlatSwitch& table = program_.switches[block.cases];
          Spend(table.cases.size());
          for (std::uint64_t rest = now.lanes; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const std::uint64_t value =
                ReadLane(running, block.condition, block.condition_kind, lane);
            std::uint32_t target = table.otherwise;
            for (const SwitchCase& one : table.cases) {
              if (one.value == value) {
                target = one.target;
                break;
              }
            }
            Insert(&ready, target, rest & -rest);
          }
          now.lanes = 0;
          break;
        }
        case End::kCall:
          for (std::uint64_t rest = now.lanes; rest != 0; rest &= rest - 1) {
            batch.Register<std::uint32_t>(block.condition)[std::countr_zero(rest)] = now.block;
          }
          break;
        case End::kLeave:
          LeaveFunction(&running, block, now.lanes);
          now.lanes = 0;
          break;
        case End::kSync:
          Insert(&running.parked, now.block, now.lanes);
          now.lanes = 0;
          break;
        case End::kUnreachable:
          Report(batch, block.place, std::countr_zero(now.lanes), Rule::kUnreachableReached,
                 "execution reached a place that the module says cannot be reached");
          [[fallthrough]];
        default:
          running.alive &= ~now.lanes;
          now.lanes = 0;
          break;
      }
      if (now.lanes == 0) break;
      now.block = next;
      if (gives_way) {
        // After a long time in one loop, for which others may be waiting, or which waits for them:
        // the last of those who could go on have the next turn, and other batches before them.
        Insert(&ready, next, now.lanes);
        running.last_first = true;
        if (current_.size() > 1) return true;
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

bool Worker::CheckLimits() {
  const std::uint64_t total = launch_.instructions += used_;
  used_ = 0;
  const std::uint64_t limit = launch_.options.max_instructions;
  fuel_ = static_cast<std::int64_t>(limit >= total ? std::min(kFuel, limit - total) : kFuel);
  if (launch_.options.progress) {
    const std::uint64_t groups = launch_.GroupCount();
    launch_.options.progress({total, std::min<std::uint64_t>(launch_.next_group, groups), groups});
  }
  if (launch_.IsOverLimit()) {
    launch_.StopAtLimit();
  } else if (launch_.budget.IsExceeded()) {
    launch_.Stop(
        launch_.budget.IsMemoryExceeded() ? LaunchEnd::kMemoryLimit : LaunchEnd::kTimeLimit,
        launch_.budget.Reached().value().message);
  } else if (launch_.options.timeout_seconds > 0 &&
             std::chrono::steady_clock::now() > launch_.deadline) {
    launch_.Stop(LaunchEnd::kTimeLimit,
                 fmt::format("the kernel ran for more than {:g} s (--timeout)",
                             launch_.options.timeout_seconds));
  } else if (launch_.options.should_stop && launch_.options.should_stop()) {
    launch_.Stop(LaunchEnd::kStopped, "stopped on request");
  }
  return !launch_.stop;
}

std::uint64_t Worker::ReadLane(const RunningBatch& running, std::uint32_t offset, Kind kind,
                               int lane) {
  std::uint64_t bits = 0;
  const std::uint32_t bytes = BytesOf(kind);
  std::memcpy(&bits, running.batch.registers + offset + static_cast<std::uint64_t>(lane) * bytes,
              bytes);
  return bits;
}

void Worker::WriteLane(RunningBatch& running, std::uint32_t offset, Kind kind, int lane,
                       std::uint64_t bits) const {
  const std::uint32_t bytes = BytesOf(kind);
  std::memcpy(running.batch.registers + offset + static_cast<std::uint64_t>(lane) * bytes, &bits,
              bytes);
}

}  // namespace assay::interp
