#include "interp/execute/subgroup.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/execute/execute.h"

namespace assay::interp {
Subgroups::Subgroups(Worker* worker) : worker_(*worker), program_(*worker->launch().program) {}

std::uint32_t Subgroups::IdOf(const RunningBatch& running, int lane) const {
  return static_cast<std::uint32_t>((running.first + static_cast<std::uint64_t>(lane)) %
                                    program_.subgroup_size);
}

// Negative: `a` comes before `b`.
int Subgroups::ComparePlaces(const Place& a, const Place& b) const {
  const FlatSync& mine = program_.syncs[program_.blocks[a.block].sync];
  const FlatSync& theirs = program_.syncs[program_.blocks[b.block].sync];
  for (std::size_t i = 0; i < std::min(mine.loops.size(), theirs.loops.size()); ++i) {
    if (mine.loops[i] != theirs.loops[i]) break;
    const auto iteration = [&](const Place& place, const FlatSync& sync) {
      return ReadLane(*place.running, sync.operands[sync.operands.size() - sync.loop_operands + i],
                      Kind::kI32, place.lane);
    };
    const std::uint64_t first = iteration(a, mine);
    const std::uint64_t second = iteration(b, theirs);
    if (first != second) return first < second ? -1 : 1;
  }
  return a.block == b.block ? 0 : a.block < b.block ? -1 : 1;
}

// Whether these lanes of a batch are in the same iterations of the loops around the instruction.
bool Subgroups::AreInSameIterations(const RunningBatch& running, const FlatSync& sync,
                                    std::uint64_t lanes) const {
  const int leader = std::countr_zero(lanes);
  for (std::size_t i = sync.operands.size() - sync.loop_operands; i < sync.operands.size(); ++i) {
    const auto* iterations = running.batch.Register<std::uint32_t>(sync.operands[i]);
    std::uint32_t differs = 0;
    if (lanes == ~std::uint64_t{0}) {
      for (int lane = 0; lane < 64; ++lane) differs |= iterations[lane] ^ iterations[0];
    } else {
      for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        differs |= iterations[std::countr_zero(rest)] ^ iterations[leader];
      }
    }
    if (differs != 0) return false;
  }
  return true;
}

std::uint64_t Subgroups::Pass(RunningBatch& running, std::uint32_t block, std::uint64_t lanes) {
  const std::uint32_t size = program_.subgroup_size;
  const auto width = static_cast<std::uint32_t>(program_.width);
  if (size > width) return 0;
  const FlatSync& sync = program_.syncs[program_.blocks[block].sync];
  const bool same = !running.has_parted || AreInSameIterations(running, sync, lanes);
  const std::uint64_t existing =
      FullMask(std::min<std::uint64_t>(width, worker_.group_items() - running.first));
  std::uint64_t passed = 0;
  std::uint64_t whole = 0;  // sub-groups that nobody has left
  if (same && lanes == existing) {
    passed = whole = lanes;
  } else {
    for (std::uint32_t first = 0; first < width; first += size) {
      const std::uint64_t mask = FullMask(size) << first;
      const std::uint64_t members = lanes & mask;
      if (members == 0 || members != (running.alive & mask)) continue;
      if (!same && !AreInSameIterations(running, sync, members)) continue;
      passed |= members;
      if (members == (existing & mask)) whole |= members;
    }
  }
  std::uint64_t single = passed;  // sub-groups that are looked at by themselves
  if (whole != 0 && PassWhole(running, sync, whole)) {
    single &= ~whole;
    // No result has the register of an operand, so what they had is still there.
    EnvelopeWatch* const envelope = worker_.watchers().envelope();
    for (std::uint32_t first = 0; envelope != nullptr && first < width; first += size) {
      const SubgroupPart part{&running, whole & FullMask(size) << first};
      if (part.lanes != 0) envelope->Meet(std::span(&part, 1), sync);
    }
  }
  for (std::uint32_t first = 0; single != 0 && first < width; first += size) {
    const SubgroupPart part{&running, single & FullMask(size) << first};
    if (part.lanes != 0) Execute(std::span(&part, 1), block);
  }
  return passed;
}

bool Subgroups::Release(std::span<RunningBatch* const> batches, bool partial) {
  const auto has_waiting = [](const RunningBatch* running) { return !running->parked.empty(); };
  if (program_.subgroup_calls.empty() || std::ranges::none_of(batches, has_waiting)) return false;
  enum : std::uint32_t { kGone = 0xffffffff, kOrdered = 0xfffffffe };
  const auto width = static_cast<std::uint64_t>(program_.width);
  const std::uint64_t size = program_.subgroup_size;
  std::vector<std::uint32_t> standing_at(worker_.group_items(), kGone);
  std::vector<bool> waits((worker_.group_items() + size - 1) / size);
  std::vector<RunningBatch*> batch_of((worker_.group_items() + width - 1) / width);
  for (RunningBatch* running : batches) {
    batch_of[running->first / width] = running;
    const auto mark = [&](std::uint64_t lanes, std::uint32_t state) {
      for (; lanes != 0; lanes &= lanes - 1) {
        standing_at[running->first + static_cast<std::uint64_t>(std::countr_zero(lanes))] = state;
      }
    };
    for (const Standing& standing : running->ready) mark(standing.lanes, kOrdered);
    for (const Standing& standing : running->parked) {
      const FlatSync& sync = program_.syncs[program_.blocks[standing.block].sync];
      mark(standing.lanes, sync.ordered ? std::uint32_t{kOrdered} : standing.block);
      if (!sync.of_subgroup) continue;
      for (std::uint64_t rest = standing.lanes; rest != 0; rest &= rest - 1) {
        waits[(running->first + static_cast<std::uint64_t>(std::countr_zero(rest))) / size] = true;
      }
    }
  }
  bool any = false;
  for (std::uint64_t subgroup = 0; subgroup < waits.size(); ++subgroup) {
    if (!waits[subgroup]) continue;
    const std::uint64_t first = subgroup * size;
    const std::uint64_t end = std::min(first + size, worker_.group_items());
    std::vector<Place> members;
    bool complete = true;
    for (std::uint64_t item = first; item < end; ++item) {
      const std::uint32_t block = standing_at[item];
      complete = complete && block != kOrdered;
      if (block >= kOrdered || !program_.syncs[program_.blocks[block].sync].of_subgroup) continue;
      const Place place{batch_of[item / width], static_cast<int>(item % width), block};
      const int order = members.empty() ? 0 : ComparePlaces(place, members[0]);
      if (order < 0) members.clear();
      if (order <= 0) members.push_back(place);
    }
    if (!complete && !partial) continue;
    GoOnTogether(members);
    any = true;
  }
  return any;
}

void Subgroups::GoOnTogether(std::span<const Place> members) {
  std::vector<SubgroupPart> parts;
  for (const Place& member : members) {
    if (parts.empty() || parts.back().running != member.running) {
      parts.push_back({member.running, 0});
    }
    parts.back().lanes |= std::uint64_t{1} << member.lane;
  }
  const std::uint32_t block = members[0].block;
  Execute(parts, block);
  for (const SubgroupPart& part : parts) {
    Unpark(part.running, block, part.lanes);
    Insert(&part.running->ready, program_.blocks[block].targets[0], part.lanes);
  }
}

void Subgroups::Execute(std::span<const SubgroupPart> parts, std::uint32_t block) {
  const FlatSync& sync = program_.syncs[program_.blocks[block].sync];
  const SubgroupCall& call = program_.subgroup_calls[sync.instruction.immediate];
  items_.Clear(SubgroupMaxSize(worker_.launch()));
  for (const SubgroupPart& part : parts) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      items_.Add(IdOf(*part.running, std::countr_zero(rest)));
    }
  }
  worker_.watchers().groups().MeetInSubgroup(parts, block);
  for (const SubgroupPart& part : parts) {
    Activate(*part.running, part.lanes);
    // What moves or is in a matrix may be undefined; what the others make of it may not.
    const bool may_be_undefined =
        call.Moves() || call.function == SubgroupFunction::kMatrixMultiply;
    worker_.watchers().UseOperands(*part.running, part.lanes, sync,
                                   may_be_undefined ? call.values * call.parts : 0);
  }
  if (EnvelopeWatch* const envelope = worker_.watchers().envelope()) envelope->Meet(parts, sync);
  worker_.Spend(items_.ids.size());
  worker_.SpendMeeting();
  if (call.function == SubgroupFunction::kPipe) {
    return worker_.pipes().ExecuteTogether(parts, sync, program_.pipe_calls[call.pipe]);
  }
  if (call.function == SubgroupFunction::kMatrixUniform) return;
  if (call.function == SubgroupFunction::kMatrixMultiply) return Multiply(parts, sync, call);
  if (call.function == SubgroupFunction::kBarrier) {
    RaceWatch* const races = worker_.races();
    if (races == nullptr) return;
    const RunningBatch& first = *parts[0].running;
    const int lane = std::countr_zero(parts[0].lanes);
    const auto semantics = static_cast<std::uint32_t>(
        call.extras == 0 ? call.semantics : ReadLane(first, sync.operands[1], Kind::kI64, lane));
    races->SubgroupBarrier(
        worker_.watchers().race_view(), semantics,
        (first.first + static_cast<std::uint64_t>(lane)) / program_.subgroup_size);
    return;
  }
  std::vector<std::uint64_t> extras;
  for (const SubgroupPart& part : parts) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      for (std::uint32_t i = 0; i < call.extras; ++i) {
        extras.push_back(ReadLane(*part.running, sync.operands[call.values * call.parts + i],
                                  Kind::kI64, std::countr_zero(rest)));
      }
    }
  }
  if (call.Moves()) {
    Move(parts, sync, call, extras);
  } else {
    Compute(parts, sync, call, extras);
  }
}

void Subgroups::Compute(std::span<const SubgroupPart> parts, const FlatSync& sync,
                        const SubgroupCall& call, std::span<const std::uint64_t> extras) {
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> results(items_.ids.size() * call.results);
  for (const SubgroupPart& part : parts) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      for (std::uint32_t i = 0; i < call.values * call.parts; ++i) {
        values.push_back(ReadLane(*part.running, sync.operands[i], sync.operand_kinds[i],
                                  std::countr_zero(rest)));
      }
    }
  }
  std::vector<std::size_t> undefined;
  ApplySubgroup(call, sync.kind, items_, values, extras, results, &undefined);
  std::size_t item = 0;
  for (const SubgroupPart& part : parts) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1, ++item) {
      for (std::uint32_t i = 0; i < call.results; ++i) {
        WriteLane(*part.running, sync.results[i], sync.result_kinds[i], std::countr_zero(rest),
                  results[item * call.results + i]);
      }
      if (std::ranges::find(undefined, item) != undefined.end()) {
        LeaveOpen(*part.running, sync, std::countr_zero(rest), call);
      }
    }
  }
}

void Subgroups::Move(std::span<const SubgroupPart> parts, const FlatSync& sync,
                     const SubgroupCall& call, std::span<const std::uint64_t> extras) {
  // A value with its undefined bits. All are read before the first one is written.
  struct Moved {
    std::uint64_t bits = 0;
    std::uint64_t undefined = 0;
    std::uint32_t origin = 0;
  };
  std::vector<Moved> values;
  for (const SubgroupPart& part : parts) {
    const Batch& batch = part.running->batch;
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      for (std::uint32_t i = 0; i < call.values * call.parts; ++i) {
        Moved moved{ReadLane(*part.running, sync.operands[i], sync.kind, lane)};
        if (batch.tainted) {
          const std::uint32_t bytes = BytesOf(sync.kind);
          std::memcpy(&moved.undefined,
                      batch.undefined + sync.operands[i] + static_cast<std::size_t>(lane) * bytes,
                      bytes);
          moved.origin = batch.Origins(sync.operands[i])[lane];
        }
        values.push_back(moved);
      }
    }
  }
  const std::uint64_t open = worker_.launch().UndefinedBits(sync.kind);
  std::size_t item = 0;
  for (const SubgroupPart& part : parts) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1, ++item) {
      const int lane = std::countr_zero(rest);
      const SubgroupSource source =
          SourceOf(call, items_, item, extras.subspan(item * call.extras, call.extras));
      const std::size_t row = static_cast<std::size_t>(std::max(source.item, 0)) * call.values;
      for (std::uint32_t i = 0; i < call.parts; ++i) {
        const Moved moved =
            source.item < 0 ? Moved{open} : values[(row + source.value) * call.parts + i];
        WriteLane(*part.running, sync.results[i], sync.kind, lane, moved.bits);
        if (worker_.definedness() != nullptr && moved.undefined != 0) {
          worker_.definedness()->SetLane(part.running->batch, sync.results[i], BytesOf(sync.kind),
                                         lane, moved.undefined, moved.origin);
        }
      }
      if (source.item < 0) LeaveOpen(*part.running, sync, lane, call);
    }
  }
}

// The specification leaves the work-item's result open.
void Subgroups::LeaveOpen(RunningBatch& running, const FlatSync& sync, int lane,
                          const SubgroupCall& call) {
  if (worker_.definedness() == nullptr) return;
  const bool finds = call.function == SubgroupFunction::kBallotFindLsb ||
                     call.function == SubgroupFunction::kBallotFindMsb;
  const std::string_view what =
      finds ? "the first or last id of a ballot in which there is none"
      : call.Moves()
          ? "the value of a work-item that is not in the sub-group or does not execute the "
            "instruction"
          : "the bit of an id that is outside of the sub-group";
  for (std::size_t i = 0; i < sync.results.size(); ++i) {
    worker_.definedness()->LeftOpen(
        running.batch, sync.instruction.place, sync.results[i], BytesOf(sync.result_kinds[i]), lane,
        finds ? Rule::kSubgroupBallot : Rule::kSubgroupInactive, std::string(what));
  }
}

}  // namespace assay::interp
