#include "interp/execute/pipes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "interp/execute/execute.h"

namespace assay::interp {
namespace {

constexpr std::uint64_t kFailed = ~std::uint64_t{0};  // "a negative value"
constexpr std::uint64_t kNoReservation = 0;

// The tag, a number of the launch, the number of the reservation; as wide as the module's pointers.
std::uint64_t IdOf(std::uint32_t pointer_bytes, std::uint64_t launch, std::uint64_t number) {
  if (pointer_bytes == 4) return kReservationTag << 24 | (launch & 0xff) << 16 | (number & 0xffff);
  return kReservationTag << 56 | (launch & 0xffffff) << 32 | (number & 0xffffffff);
}
std::uint64_t NumberLimit(std::uint32_t pointer_bytes) {
  return pointer_bytes == 4 ? 0xffff : 0xffffffff;
}
std::uint64_t NumberOf(std::uint32_t pointer_bytes, std::uint64_t id) {
  return id & NumberLimit(pointer_bytes);
}
bool HasTag(std::uint32_t pointer_bytes, std::uint64_t id) {
  return id >> (pointer_bytes == 4 ? 24 : 56) == kReservationTag;
}

std::string_view EndName(bool writes) { return writes ? "writing" : "reading"; }

}  // namespace

Pipes::Pipes(Worker* worker) : worker_(*worker) {}

std::uint64_t Pipes::Call::Operand(std::size_t i) const {
  return ReadLane(running, sync.operands[i], Kind::kI64, lane);
}

void Pipes::Report(const Call& call, Rule rule, const std::string& message,
                   std::vector<std::string> history) {
  worker_.Report(call.running.batch, call.sync.instruction.place, call.lane, rule, message,
                 std::move(history));
}

// Reads and writes of packets have the operands of a copy; of the others the pipe is the first.
Pipes::Outcome Pipes::Execute(RunningBatch& running, int lane, const FlatSync& sync,
                              const PipeCall& function) {
  Call call{running, lane, sync, function};
  const bool copies = function.function <= PipeFunction::kWriteReserved;
  const std::size_t pipe = copies && !function.Writes() ? 1 : 0;
  call.pipe = call.Operand(pipe);
  call.bytes = call.Operand(copies ? 2 : 1);
  call.alignment = call.Operand(copies ? 3 : 2);
  const std::uint64_t failed = function.Reserves() || function.Asks() ? 0 : kFailed;
  PipeObject object(worker_.launch().memory->Bytes(call.pipe));
  if (!object.IsPipe()) {
    Report(call, Rule::kMemoryWild, "a pipe function is given what is no pipe");
    return {failed, false};
  }
  if (!HasFittingPackets(call, object.Header())) return {failed, false};
  if (!function.Asks()) UseEnd(call, &object);
  return ExecuteOn(call, object);
}

Pipes::Outcome Pipes::ExecuteOn(const Call& call, PipeObject pipe) {
  switch (call.call.function) {
    case PipeFunction::kRead:
    case PipeFunction::kWrite:
      return Single(call, pipe);
    case PipeFunction::kReadReserved:
    case PipeFunction::kWriteReserved:
      return Reserved(call, pipe);
    case PipeFunction::kReserveRead:
    case PipeFunction::kReserveWrite:
      return Reserve(call, pipe);
    case PipeFunction::kCommitRead:
    case PipeFunction::kCommitWrite:
      return Commit(call, pipe);
    case PipeFunction::kCountPackets:
      return {pipe.Header().Readable(), false};
    case PipeFunction::kMaxPackets:
      return {pipe.Header().max_packets, false};
  }
  return {};
}

void Pipes::ExecuteTogether(std::span<const SubgroupPart> parts, const FlatSync& sync,
                            const PipeCall& call) {
  RunningBatch& first = *parts[0].running;
  const int lane = std::countr_zero(parts[0].lanes);
  Activate(first, std::uint64_t{1} << lane);
  const Outcome outcome = Execute(first, lane, sync, call);
  if (sync.results.empty()) return;
  for (const SubgroupPart& part : parts) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      WriteLane(*part.running, sync.results[0], sync.result_kinds[0], std::countr_zero(rest),
                outcome.value);
    }
  }
}

// SPIR-V: "Packet Size ... represents the size in bytes of each packet in the pipe", and so its
// alignment, which only a pipe of the module itself has said.
bool Pipes::HasFittingPackets(const Call& call, const PipeHeader& header) {
  const bool is_size = call.bytes == header.packet_bytes;
  const bool is_aligned = header.packet_alignment == 0 || call.alignment == header.packet_alignment;
  if (is_size && is_aligned) return true;
  const auto describe = [](std::uint64_t bytes, std::uint64_t alignment, bool with) {
    return with ? fmt::format("{} bytes, aligned to {},", bytes, alignment)
                : fmt::format("{} bytes", bytes);
  };
  Report(call, Rule::kPipePacketMismatch,
         fmt::format("packets of {} are asked of a pipe whose packets have {}",
                     describe(call.bytes, call.alignment, is_size),
                     is_size ? fmt::format("{} bytes, aligned to {}", header.packet_bytes,
                                           header.packet_alignment)
                             : describe(header.packet_bytes, 0, false)));
  return false;
}

// OpenCL C 6.15.18: "A kernel cannot read from and write to the same pipe object."
void Pipes::UseEnd(const Call& call, PipeObject* pipe) {
  PipeRecords& records = worker_.launch().pipes;
  const auto [found, is_first] = records.ends.try_emplace(call.pipe);
  if (is_first) {
    PipeHeader header = pipe->Header();
    ++header.launches;
    pipe->SetHeader(header);
  }
  PipeRecords::Ends& ends = found->second;
  std::uint32_t& mine = call.call.Writes() ? ends.written : ends.read;
  const std::uint32_t other = call.call.Writes() ? ends.read : ends.written;
  if (mine != PipeRecords::kUnused) return;
  mine = call.sync.instruction.place;
  if (other == PipeRecords::kUnused) return;
  Report(call, Rule::kPipeBothEnds,
         fmt::format("the kernel uses a pipe for {} that it also uses for {}",
                     EndName(call.call.Writes()), EndName(!call.call.Writes())),
         {fmt::format("the other end is used here: {}", worker_.DescribePlace(other))});
}

// A packet between the pipe and the memory that the other operand points to; false if that is bad.
bool Pipes::Transfer(const Call& call, PipeObject pipe, std::uint64_t position) {
  Batch& batch = call.running.batch;
  const bool writes = call.call.Writes();
  const FlatInstruction& instruction = call.sync.instruction;
  const Address memory = call.Operand(writes ? 1 : 0);
  const Address packet = call.pipe + pipe.OffsetOf(position);
  const AccessKind kind = writes ? AccessKind::kLoad : AccessKind::kStore;
  Activate(call.running, std::uint64_t{1} << call.lane);
  worker_.Spend(call.bytes / 8);
  std::byte* bytes = ResolveAccess(batch, instruction, call.lane, memory, call.bytes, kind);
  if (bytes == nullptr) return false;
  std::byte* in_pipe = worker_.launch().memory->Bytes(call.pipe).data() + pipe.OffsetOf(position);
  std::byte* const to = writes ? in_pipe : bytes;
  const std::byte* const from = writes ? bytes : in_pipe;
  if (worker_.races() != nullptr) {
    TrackAccess(batch, instruction, call.lane, memory, call.bytes, kind,
                std::memcmp(to, from, call.bytes) == 0);
  }
  if (worker_.definedness() != nullptr) {
    worker_.definedness()->Copied(batch, call.lane, writes ? packet : memory,
                                  writes ? memory : packet, call.bytes);
  }
  std::memmove(to, from, call.bytes);
  return true;
}

// "Returns 0 if read_pipe is successful and a negative value if the pipe is empty."
Pipes::Outcome Pipes::Single(const Call& call, PipeObject pipe) {
  PipeHeader header = pipe.Header();
  const bool writes = call.call.Writes();
  if ((writes ? header.Free() : header.Readable()) == 0) return {kFailed, false};
  const std::uint64_t position = writes ? header.write_next : header.read_next;
  if (!Transfer(call, pipe, position)) return {kFailed, false};
  (writes ? header.write_next : header.read_next) += 1;
  pipe.SetHeader(header);
  pipe.SetState(position, writes ? PacketState::kFull : PacketState::kRead);
  pipe.Advance();
  return {0, true};
}

Pipes::Outcome Pipes::Reserve(const Call& call, PipeObject pipe) {
  PipeHeader header = pipe.Header();
  std::vector<PipeReservation>& all = worker_.launch().pipes.reservations;
  const std::uint32_t pointer_bytes = worker_.launch().module->PointerBytes();
  const bool writes = call.call.Writes();
  const std::uint64_t count = call.Operand(3);
  const std::uint64_t room = writes ? header.Free() : header.Readable();
  if (count > room || all.size() >= NumberLimit(pointer_bytes)) return {kNoReservation, false};
  PipeReservation made;
  made.id = IdOf(pointer_bytes, header.launches, all.size() + 1);
  made.pipe = call.pipe;
  made.first = writes ? header.write_next : header.read_next;
  made.count = static_cast<std::uint32_t>(count);
  made.writes = writes;
  if (writes) made.written.resize(count);
  made.place = call.sync.instruction.place;
  made.group = worker_.group();
  made.item = call.running.first + static_cast<std::uint64_t>(call.lane);
  for (std::uint64_t i = 0; i < count; ++i) {
    pipe.SetState(made.first + i, writes ? PacketState::kWriting : PacketState::kReading);
    if (writes) LeaveUndefined(call, pipe, made.first + i);
  }
  worker_.Spend(count);
  (writes ? header.write_next : header.read_next) += count;
  pipe.SetHeader(header);
  all.push_back(std::move(made));
  return {all.back().id, true};
}

// "If a packet index that is reserved for writing is not written to using the write_pipe function,
// the contents of that packet in the pipe are undefined."
void Pipes::LeaveUndefined(const Call& call, PipeObject pipe, std::uint64_t position) {
  const std::uint64_t offset = pipe.OffsetOf(position);
  std::memset(worker_.launch().memory->Bytes(call.pipe).data() + offset,
              std::to_integer<int>(worker_.launch().undefined_byte), call.bytes);
  if (worker_.definedness() == nullptr) return;
  std::byte* record =
      worker_.definedness()->EnsureRecord(call.running.batch, call.lane, call.pipe + offset);
  if (record != nullptr) std::memset(record, 0xff, call.bytes);
}

bool Pipes::ProgramReserves(bool writes) const {
  return std::ranges::any_of(worker_.launch().program->pipe_calls, [&](const PipeCall& call) {
    return call.Reserves() && call.Writes() == writes;
  });
}

// The reservation that the instruction may use; null where there is none, which is reported.
PipeReservation* Pipes::Find(const Call& call, std::uint64_t id) {
  std::vector<PipeReservation>& all = worker_.launch().pipes.reservations;
  const std::uint32_t pointer_bytes = worker_.launch().module->PointerBytes();
  const bool writes = call.call.Writes();
  const auto bad = [&](Rule rule, const std::string& message,
                       std::vector<std::string> history = {}) -> PipeReservation* {
    Report(call, rule, message, std::move(history));
    return nullptr;
  };
  if (!HasTag(pointer_bytes, id)) {
    if (!ProgramReserves(writes)) {
      return bad(Rule::kPipeNoReserve,
                 fmt::format("a packet of a reservation for {} is used, and the kernel makes none",
                             EndName(writes)));
    }
    return bad(Rule::kPipeInvalidId,
               id == kNoReservation
                   ? "the reservation is not valid: it failed, or it is CLK_NULL_RESERVE_ID"
                   : fmt::format("{:#x} is no reservation", id));
  }
  const std::uint64_t number = NumberOf(pointer_bytes, id);
  if (number == 0 || number > all.size() || all[number - 1].id != id) {
    return bad(Rule::kPipeCrossKernel,
               "the reservation was made by another kernel, or by an earlier launch of this one");
  }
  PipeReservation& found = all[number - 1];
  const std::vector<std::string> history = {"the reservation was made here: " +
                                            worker_.DescribePlace(found.place)};
  if (found.pipe != call.pipe || found.writes != writes) {
    return bad(Rule::kPipeInvalidId,
               found.pipe != call.pipe ? std::string("the reservation is one of another pipe")
                                       : fmt::format("a reservation for {} is used for {}",
                                                     EndName(found.writes), EndName(writes)),
               history);
  }
  if (found.is_committed) {
    return bad(Rule::kPipeUseAfterCommit, "the reservation was committed already", history);
  }
  return &found;
}

Pipes::Outcome Pipes::Reserved(const Call& call, PipeObject pipe) {
  PipeReservation* found = Find(call, call.Operand(4));
  if (found == nullptr) return {kFailed, false};
  const std::uint64_t index = call.Operand(5);
  if (index >= found->count) {
    Report(call, Rule::kPipeIndex,
           fmt::format("packet {} is asked for, of a reservation of {} packet{}", index,
                       found->count, found->count == 1 ? "" : "s"),
           {"the reservation was made here: " + worker_.DescribePlace(found->place)});
    return {kFailed, false};
  }
  if (!Transfer(call, pipe, found->first + index)) return {kFailed, false};
  if (found->writes) found->written[index] = true;
  return {0, true};
}

// "commit_write_pipe ... ensures that the entries reserved for writing are all added in-order as
// one contiguous set of packets to the pipe."
Pipes::Outcome Pipes::Commit(const Call& call, PipeObject pipe) {
  PipeReservation* found = Find(call, call.Operand(3));
  if (found == nullptr) return {0, false};
  const auto missing = std::ranges::count(found->written, false);
  if (missing != 0) {
    const auto first = std::ranges::find(found->written, false) - found->written.begin();
    Report(call, Rule::kPipeUnwrittenPacket,
           fmt::format("{} of {} reserved packets {} not written before the commit: their contents "
                       "are undefined, first those of packet {}",
                       missing, found->count, missing == 1 ? "was" : "were", first),
           {"the reservation was made here: " + worker_.DescribePlace(found->place)});
  }
  for (std::uint32_t i = 0; i < found->count; ++i) {
    pipe.SetState(found->first + i, found->writes ? PacketState::kFull : PacketState::kRead);
  }
  found->is_committed = true;
  found->written = {};
  pipe.Advance();
  return {0, true};
}

// OpenCL C 6.15.18, Restrictions: "A kernel fails to call commit_read_pipe for any reservation ID
// obtained by a prior call to reserve_read_pipe", and so of commit_write_pipe.
std::vector<Finding> FindUncommitted(const LaunchState& launch) {
  std::map<std::uint32_t, Finding> by_place;
  const frontend::Module& module = *launch.module;
  for (const PipeReservation& reservation : launch.pipes.reservations) {
    if (reservation.is_committed) continue;
    const auto [found, is_first] =
        by_place.try_emplace(reservation.place, Finding(Rule::kPipeNoCommit));
    Finding& finding = found->second;
    if (!is_first) {
      ++finding.count;
      continue;
    }
    const CodePlace& code = launch.program->places[reservation.place];
    finding.message =
        fmt::format("{} packet{} {} reserved for {}, and never committed", reservation.count,
                    reservation.count == 1 ? "" : "s", reservation.count == 1 ? "is" : "are",
                    EndName(reservation.writes));
    finding.place.instruction = code.origin;
    for (std::uint32_t site = code.site; site != 0; site = launch.program->sites[site].caller) {
      if (launch.program->sites[site].function != 0) break;
      finding.place.calls.push_back(launch.program->sites[site].instruction);
    }
    finding.instruction = module.Text(module.instructions[code.origin]);
    if (code.origin < module.debug_info.locations.size()) {
      finding.source =
          DescribeLocation(module.debug_info, module.debug_info.locations[code.origin]);
    }
    finding.global_id = GlobalIdOf(launch, reservation.group, reservation.item);
    finding.group_id = launch.GroupId(reservation.group);
  }
  std::vector<Finding> findings;
  for (auto& [place, finding] : by_place) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace assay::interp
