#include "interp/execute/subgroup_operation.h"

#include <algorithm>
#include <bit>

#include "interp/execute/group_operation.h"
#include "numerics/format.h"

namespace assay::interp {
namespace {

using frontend::GroupOperation;
using Function = SubgroupFunction;

constexpr std::uint32_t kWords = 4;  // of a ballot

bool Bit(std::span<const std::uint64_t> ballot, std::uint64_t id) {
  return id < kWords * 32 && (ballot[id / 32] >> id % 32 & 1) != 0;
}

// Floats by an ordered comparison, the rest by their bits (OpenCL C 6.15.20.4).
bool AreEqual(Kind kind, std::uint64_t a, std::uint64_t b) {
  if (!IsFloat(kind)) return a == b;
  const numerics::Format format = FormatOf(kind);
  if (numerics::IsNan(format, a) || numerics::IsNan(format, b)) return false;
  return a == b || ((a | b) & ~numerics::SignMask(format)) == 0;
}

std::uint64_t AreAllEqual(Kind kind, std::span<const std::uint64_t> values, std::size_t parts) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!AreEqual(kind, values[i % parts], values[i])) return 0;
  }
  return 1;
}

// Of the bits from `first` to before `end`.
std::uint64_t CountBits(std::span<const std::uint64_t> ballot, std::uint64_t end) {
  std::uint64_t count = 0;
  for (std::uint64_t id = 0; id < end; ++id) count += Bit(ballot, id) ? 1 : 0;
  return count;
}

std::uint64_t CountFor(const SubgroupCall& call, std::span<const std::uint64_t> ballot,
                       std::uint32_t id, std::uint32_t size) {
  switch (static_cast<GroupOperation>(call.operation)) {
    case GroupOperation::kInclusiveScan:
      return CountBits(ballot, id + 1);
    case GroupOperation::kExclusiveScan:
      return CountBits(ballot, id);
    default:
      return CountBits(ballot, size);
  }
}

// The lowest or highest id whose bit is set; nobody's: `size`.
std::uint64_t FindBit(std::span<const std::uint64_t> ballot, std::uint32_t size, bool lowest) {
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t id = lowest ? i : size - 1 - i;
    if (Bit(ballot, id)) return id;
  }
  return size;
}

// Each cluster, or the whole sub-group, by itself.
void Combine(const SubgroupCall& call, Kind kind, const SubgroupItems& items,
             std::span<const std::uint64_t> values, std::span<const std::uint64_t> extras,
             std::span<std::uint64_t> results) {
  const bool is_clustered = call.extras != 0;
  const std::uint64_t cluster = is_clustered ? std::max<std::uint64_t>(extras[0], 1) : 0;
  const auto operation =
      is_clustered ? GroupOperation::kReduce : static_cast<GroupOperation>(call.operation);
  std::vector<std::uint64_t> column;
  for (std::size_t begin = 0; begin < items.ids.size();) {
    std::size_t end = items.ids.size();
    if (is_clustered) {
      end = begin;
      while (end < items.ids.size() && items.ids[end] / cluster == items.ids[begin] / cluster)
        ++end;
    }
    if (call.parts == 1) {  // a column is a row
      const auto cluster_results = results.subspan(begin, end - begin);
      std::ranges::copy(values.subspan(begin, end - begin), cluster_results.begin());
      ApplyGroupOperation(call.combine, operation, kind, cluster_results);
    }
    for (std::uint32_t part = 0; call.parts != 1 && part < call.parts; ++part) {
      column.clear();
      for (std::size_t i = begin; i < end; ++i) column.push_back(values[i * call.parts + part]);
      ApplyGroupOperation(call.combine, operation, kind, column);
      for (std::size_t i = begin; i < end; ++i) {
        results[i * call.parts + part] = column[i - begin];
      }
    }
    begin = end;
  }
}

}  // namespace

void SubgroupItems::Clear(std::uint32_t size) {
  max_size = size;
  is_whole = false;
  ids.clear();
  place.assign(size, -1);
}

void SubgroupItems::Add(std::uint32_t id) {
  place[id] = static_cast<int>(ids.size());
  ids.push_back(id);
}

SubgroupSource SourceOf(const SubgroupCall& call, const SubgroupItems& items, std::size_t place,
                        std::span<const std::uint64_t> extras) {
  const std::uint64_t id = items.ids[place];
  const std::uint64_t size = items.max_size;
  const auto from = [&](std::uint64_t source, std::uint32_t value = 0) {
    return source < size ? SubgroupSource{items.place[source], value} : SubgroupSource{};
  };
  // An index, mask or delta has 32 bits, or is as wide as its type was.
  const std::uint64_t by = extras.empty() ? 0 : extras[0];
  switch (call.function) {
    case Function::kBroadcastFirst:
      return {0, 0};
    case Function::kShuffleXor:
      return from(id ^ by);
    case Function::kShuffleUp:
      return by <= id ? from(id - by) : SubgroupSource{};
    case Function::kShuffleDown:
      return by < size ? from(id + by) : SubgroupSource{};
    case Function::kShuffleUpOfTwo:  // from the last ones of `previous`
      if (by > size) return {};
      return by <= id ? from(id - by, 1) : from(size + id - by, 0);
    case Function::kShuffleDownOfTwo:
      if (by > size) return {};
      return id + by < size ? from(id + by, 0) : from(id + by - size, 1);
    case Function::kRotate: {
      const std::uint64_t cluster = extras.size() > 1 ? extras[1] : size;
      if (cluster == 0 || cluster > size) return {};
      const std::uint64_t first = id / cluster * cluster;
      return from(first + (id - first + by % cluster) % cluster);
    }
    case Function::kQuadBroadcast:
      return by < 4 ? from(id / 4 * 4 + by) : SubgroupSource{};
    case Function::kQuadSwap:  // horizontal, vertical, diagonal
      return by < 3 ? from(id ^ (by + 1)) : SubgroupSource{};
    case Function::kBarrier:
    case Function::kPipe:
    case Function::kMatrixMultiply:
    case Function::kMatrixUniform:
    case Function::kElect:
    case Function::kAll:
    case Function::kAny:
    case Function::kAllEqual:
    case Function::kBallot:
    case Function::kInverseBallot:
    case Function::kBallotBitExtract:
    case Function::kBallotBitCount:
    case Function::kBallotFindLsb:
    case Function::kBallotFindMsb:
    case Function::kCombine:
    case Function::kBroadcast:
    case Function::kShuffle:
      break;
  }
  return from(by);
}

void ApplySubgroup(const SubgroupCall& call, Kind kind, const SubgroupItems& items,
                   std::span<const std::uint64_t> values, std::span<const std::uint64_t> extras,
                   std::span<std::uint64_t> results, std::vector<std::size_t>* undefined) {
  const std::size_t count = items.ids.size();
  const auto all = [&](std::uint64_t value) { std::ranges::fill(results, value); };
  const auto each = [&](const auto& of) {
    for (std::size_t i = 0; i < count; ++i) {
      results[i] = of(i, values.subspan(i * call.parts, call.parts));
    }
  };
  switch (call.function) {
    case Function::kElect:
      all(0);
      results[0] = 1;
      break;
    case Function::kAll:
      all(std::ranges::all_of(values, [](std::uint64_t value) { return value != 0; }) ? 1 : 0);
      break;
    case Function::kAny:
      all(std::ranges::any_of(values, [](std::uint64_t value) { return value != 0; }) ? 1 : 0);
      break;
    case Function::kAllEqual:
      all(AreAllEqual(kind, values, call.parts));
      break;
    case Function::kBallot:
      all(0);
      for (std::size_t i = 0; i < count; ++i) {
        if (values[i] != 0) results[items.ids[i] / 32] |= std::uint64_t{1} << items.ids[i] % 32;
      }
      for (std::size_t i = kWords; i < results.size(); ++i) results[i] = results[i % kWords];
      break;
    case Function::kInverseBallot:
      each([&](std::size_t i, auto ballot) -> std::uint64_t { return Bit(ballot, items.ids[i]); });
      break;
    case Function::kBallotBitExtract:
      each([&](std::size_t i, auto ballot) -> std::uint64_t {
        if (extras[i] >= items.max_size) undefined->push_back(i);
        return Bit(ballot, extras[i]);
      });
      break;
    case Function::kBallotBitCount:
      each([&](std::size_t i, auto ballot) {
        return CountFor(call, ballot, items.ids[i], items.max_size);
      });
      break;
    case Function::kBallotFindLsb:
    case Function::kBallotFindMsb:
      each([&](std::size_t i, auto ballot) {
        const std::uint64_t found =
            FindBit(ballot, items.max_size, call.function == Function::kBallotFindLsb);
        if (found == items.max_size) undefined->push_back(i);
        return found;
      });
      break;
    case Function::kCombine:
      Combine(call, kind, items, values, extras, results);
      break;
    case Function::kBarrier:
    case Function::kPipe:
    case Function::kMatrixMultiply:
    case Function::kMatrixUniform:
    case Function::kBroadcast:
    case Function::kBroadcastFirst:
    case Function::kShuffle:
    case Function::kShuffleXor:
    case Function::kShuffleUp:
    case Function::kShuffleDown:
    case Function::kShuffleUpOfTwo:
    case Function::kShuffleDownOfTwo:
    case Function::kRotate:
    case Function::kQuadBroadcast:
    case Function::kQuadSwap:
      break;
  }
}

}  // namespace assay::interp
