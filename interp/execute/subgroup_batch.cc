// Whole sub-groups of a batch execute an instruction: the way that nearly all of them take.
#include <algorithm>
#include <bit>

#include "interp/execute/execute.h"
#include "interp/execute/subgroup.h"
#include "interp/execute/subgroup_columns.h"

namespace assay::interp {
namespace {

using Function = SubgroupFunction;

// One register of a batch to one column of a table, or back.
template <typename T>
void ReadColumn(const T* lanes, std::uint32_t count, std::size_t stride, std::uint64_t* column) {
  for (std::uint32_t i = 0; i < count; ++i) column[i * stride] = lanes[i];
}
template <typename T>
void WriteColumn(const std::uint64_t* column, std::uint32_t count, std::size_t stride,
                 std::uint64_t mask, T* lanes) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((mask >> i & 1) != 0) lanes[i] = static_cast<T>(column[i * stride]);
  }
}

void Read(const Batch& batch, std::uint32_t offset, Kind kind, std::size_t stride,
          std::uint64_t* column) {
  switch (BytesOf(kind)) {
    case 1:
      return ReadColumn(batch.Register<std::uint8_t>(offset), batch.lanes, stride, column);
    case 2:
      return ReadColumn(batch.Register<std::uint16_t>(offset), batch.lanes, stride, column);
    case 4:
      return ReadColumn(batch.Register<std::uint32_t>(offset), batch.lanes, stride, column);
    default:
      return ReadColumn(batch.Register<std::uint64_t>(offset), batch.lanes, stride, column);
  }
}

void Write(const Batch& batch, std::uint32_t offset, Kind kind, std::size_t stride,
           std::uint64_t mask, const std::uint64_t* column) {
  switch (BytesOf(kind)) {
    case 1:
      return WriteColumn(column, batch.lanes, stride, mask, batch.Register<std::uint8_t>(offset));
    case 2:
      return WriteColumn(column, batch.lanes, stride, mask, batch.Register<std::uint16_t>(offset));
    case 4:
      return WriteColumn(column, batch.lanes, stride, mask, batch.Register<std::uint32_t>(offset));
    default:
      return WriteColumn(column, batch.lanes, stride, mask, batch.Register<std::uint64_t>(offset));
  }
}

// Whether a detector has nothing to say of the operands that it compares.
bool ComparesWell(const SubgroupColumns& columns, std::uint32_t max_size) {
  const SubgroupCall& call = columns.call;
  const std::uint32_t values = call.values * call.parts;
  switch (call.function) {
    case Function::kCombine:
      return call.extras == 0;
    case Function::kBroadcast:
    case Function::kQuadBroadcast:
      return ChosenColumnFunctions().are_uniform(columns, values, values + call.extras);
    case Function::kRotate: {
      if (!ChosenColumnFunctions().are_uniform(columns, values, values + call.extras)) return false;
      if (call.extras == 1) return true;
      const std::uint64_t cluster = columns.batch.Register<std::uint64_t>(
          columns.sync.operands[values + 1])[std::countr_zero(columns.lanes)];
      // Of several sub-groups the clusters may differ.
      return columns.size >= columns.batch.lanes && std::has_single_bit(cluster) &&
             cluster <= max_size;
    }
    case Function::kInverseBallot:
      return ChosenColumnFunctions().are_uniform(columns, 0, values);
    case Function::kMatrixUniform:
      return ChosenColumnFunctions().are_uniform(columns, 0, call.extras);
    case Function::kBarrier:
    case Function::kPipe:
    case Function::kMatrixMultiply:
    case Function::kElect:
    case Function::kAll:
    case Function::kAny:
    case Function::kAllEqual:
    case Function::kBallot:
    case Function::kBallotBitExtract:
    case Function::kBallotBitCount:
    case Function::kBallotFindLsb:
    case Function::kBallotFindMsb:
    case Function::kBroadcastFirst:
    case Function::kShuffle:
    case Function::kShuffleXor:
    case Function::kShuffleUp:
    case Function::kShuffleDown:
    case Function::kShuffleUpOfTwo:
    case Function::kShuffleDownOfTwo:
    case Function::kQuadSwap:
      break;
  }
  return true;
}

// From whom a lane of a sub-group of `count`, whose number in it is `id`, takes its value.
int SourceIn(const SubgroupCall& call, std::uint64_t id, std::uint64_t by, std::uint64_t size,
             std::uint64_t count) {
  if (call.function == Function::kBroadcastFirst) return 0;
  std::uint64_t source = by;  // kBroadcast, kShuffle
  if (call.function == Function::kShuffleXor) source = id ^ by;
  if (call.function == Function::kShuffleUp) source = by <= id ? id - by : count;
  if (call.function == Function::kShuffleDown) source = by < size ? id + by : count;
  return source < count ? static_cast<int>(source) : -1;
}

bool HasUndefinedOperands(const Batch& batch, const FlatSync& sync) {
  return batch.tainted && std::ranges::any_of(sync.operands, [&](std::uint32_t operand) {
           return batch.any_undefined[operand >> 6] != 0;
         });
}

bool IsSimpleMove(const SubgroupCall& call) {
  return call.function == Function::kBroadcast || call.function == Function::kBroadcastFirst ||
         call.function == Function::kShuffle || call.function == Function::kShuffleXor ||
         call.function == Function::kShuffleUp || call.function == Function::kShuffleDown;
}

}  // namespace

// `lanes` are whole sub-groups. False where each has to be looked at by itself.
bool Subgroups::PassWhole(RunningBatch& running, const FlatSync& sync, std::uint64_t lanes) {
  const SubgroupCall& call = program_.subgroup_calls[sync.instruction.immediate];
  Batch& batch = running.batch;
  const std::uint32_t size = program_.subgroup_size;
  if (call.function == Function::kPipe || call.function == Function::kMatrixMultiply) return false;
  // A matrix needs all of its work-items.
  if (call.function == Function::kMatrixUniform && CountLanes(lanes) % size != 0) return false;
  const SubgroupColumns columns{batch, sync, call, lanes, size};
  if (HasUndefinedOperands(batch, sync) ||
      (worker_.watchers().groups().is_watched() &&
       !ComparesWell(columns, SubgroupMaxSize(worker_.launch())))) {
    return false;
  }
  if (call.function == Function::kBarrier) return worker_.races() == nullptr;
  if (call.function == Function::kMatrixUniform) return true;
  if (batch.tainted) {  // the results may have been undefined before
    Activate(running, lanes);
    worker_.watchers().UseOperands(running, lanes, sync, 0);
  }
  worker_.Spend(CountLanes(lanes));
  const ColumnFunctions& functions = ChosenColumnFunctions();
  if (functions.combine(columns) || functions.vote(columns)) return true;
  if (IsSimpleMove(call)) {
    MoveWhole(running, columns);
    return true;
  }
  SubgroupBuffers& buffers = buffers_;
  const std::size_t row = std::size_t{call.values} * call.parts;
  buffers.values.resize(batch.lanes * row);
  buffers.extras.resize(std::size_t{batch.lanes} * call.extras);
  buffers.results.resize(std::size_t{batch.lanes} * call.results);
  for (std::size_t i = 0; i < row; ++i) {
    Read(batch, sync.operands[i], sync.operand_kinds[i], row, buffers.values.data() + i);
  }
  for (std::size_t i = 0; i < call.extras; ++i) {
    Read(batch, sync.operands[row + i], Kind::kI64, call.extras, buffers.extras.data() + i);
  }
  std::uint64_t open = 0;
  for (std::uint32_t first = 0; first < batch.lanes; first += size) {
    if ((lanes >> first & 1) == 0) continue;
    const auto count = static_cast<std::uint32_t>(std::countr_one(lanes >> first));
    open |= ComputeWhole(call, sync.kind, first, std::min(count, size));
  }
  Activate(running, lanes);
  for (std::size_t i = 0; i < call.results; ++i) {
    Write(batch, sync.results[i], sync.result_kinds[i], call.results, lanes,
          buffers.results.data() + i);
  }
  for (; open != 0; open &= open - 1) {
    LeaveOpen(running, sync, std::countr_zero(open), call);
  }
  return true;
}

void Subgroups::MoveWhole(RunningBatch& running, const SubgroupColumns& columns) {
  const SubgroupCall& call = columns.call;
  const std::uint64_t* by =
      call.extras == 0
          ? nullptr
          : running.batch.Register<std::uint64_t>(columns.sync.operands[call.values * call.parts]);
  const std::uint64_t size = SubgroupMaxSize(worker_.launch());
  ColumnSources sources;
  sources.value.fill(0);
  std::uint64_t open = 0;
  EachSubgroup(columns, [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const int source = SourceIn(call, i, by == nullptr ? 0 : by[first + i], size, count);
      sources.lane[first + i] =
          static_cast<std::int8_t>(source < 0 ? -1 : source + static_cast<int>(first));
      if (source < 0) open |= std::uint64_t{1} << (first + i);
    }
  });
  ChosenColumnFunctions().move(columns, sources, worker_.launch().UndefinedBits(columns.sync.kind));
  Activate(running, columns.lanes);
  for (; open != 0; open &= open - 1) {
    LeaveOpen(running, columns.sync, std::countr_zero(open), call);
  }
}

// One sub-group, in the buffers; returns the lanes whose results the specification leaves open.
std::uint64_t Subgroups::ComputeWhole(const SubgroupCall& call, Kind kind, std::uint32_t first,
                                      std::uint32_t count) {
  SubgroupItems& items = items_;
  if (items.ids.size() != count || !items.is_whole) {
    items.Clear(SubgroupMaxSize(worker_.launch()));
    for (std::uint32_t id = 0; id < count; ++id) items.Add(id);
    items.is_whole = true;
  }
  SubgroupBuffers& buffers = buffers_;
  const std::size_t row = std::size_t{call.values} * call.parts;
  const auto values = std::span(buffers.values).subspan(first * row, count * row);
  const auto extras = std::span(buffers.extras).subspan(first * call.extras, count * call.extras);
  const auto results =
      std::span(buffers.results).subspan(first * call.results, count * call.results);
  std::uint64_t open = 0;
  if (!call.Moves()) {
    buffers.undefined.clear();
    ApplySubgroup(call, kind, items, values, extras, results, &buffers.undefined);
    for (const std::size_t item : buffers.undefined) open |= std::uint64_t{1} << (first + item);
    return open;
  }
  const std::uint64_t pattern = worker_.launch().UndefinedBits(kind);
  for (std::uint32_t i = 0; i < count; ++i) {
    const SubgroupSource source =
        SourceOf(call, items, i, extras.subspan(i * call.extras, call.extras));
    std::uint64_t* const result = results.data() + i * call.parts;
    if (source.item < 0) {
      std::fill_n(result, call.parts, pattern);
      open |= std::uint64_t{1} << (first + i);
      continue;
    }
    const std::uint64_t* const value =
        values.data() + static_cast<std::size_t>(source.item) * row + source.value * call.parts;
    std::copy_n(value, call.parts, result);
  }
  return open;
}

}  // namespace assay::interp
