// Whole sub-groups of a batch execute an instruction: the way that nearly all of them take.
#include <algorithm>
#include <bit>

#include "interp/execute/execute.h"
#include "interp/execute/subgroup.h"

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

// Whether a detector looks at its operands, and would look longer here.
bool ComparesOperands(const SubgroupCall& call) {
  return call.function == Function::kBroadcast || call.function == Function::kQuadBroadcast ||
         call.function == Function::kRotate || call.function == Function::kInverseBallot ||
         (call.function == Function::kCombine && call.extras != 0);
}

}  // namespace

// `lanes` are whole sub-groups. False where each has to be looked at by itself.
bool Subgroups::PassWhole(RunningBatch& running, const FlatSync& sync, std::uint64_t lanes) {
  const SubgroupCall& call = program_.subgroup_calls[sync.instruction.immediate];
  Batch& batch = running.batch;
  if (call.function == Function::kPipe) return false;
  if (batch.tainted || (worker_.watchers().groups().is_watched() && ComparesOperands(call)))
    return false;
  if (call.function == Function::kBarrier) return worker_.races() == nullptr;
  worker_.Spend(static_cast<std::uint64_t>(std::popcount(lanes)));
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
  const std::uint32_t size = program_.subgroup_size;
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
