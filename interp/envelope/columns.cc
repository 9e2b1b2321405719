#include "interp/envelope/columns.h"

#include <cstring>

#include "interp/program/envelope.h"
#include "numerics/vector_set.h"

namespace assay::interp {

namespace {

const EnvelopeColumnFunctions& Chosen() {
  switch (numerics::ChosenVectorSet()) {
    case numerics::VectorSet::kAvx512:
      return avx512::EnvelopeFunctions();
    case numerics::VectorSet::kAvx2:
      return avx2::EnvelopeFunctions();
    case numerics::VectorSet::kSse2:
      break;
  }
  return sse2::EnvelopeFunctions();
}

// Lanes that are points between others that are ranges.
struct Blend {
  alignas(64) std::byte low[kMaxLanes * 8];
  alignas(64) std::byte high[kMaxLanes * 8];
};

// 1, which no operation makes anything special of: for lanes that are not active.
template <typename T>
constexpr T kOne = sizeof(T) == 4 ? T(0x3f800000) : static_cast<T>(0x3ff0000000000000);

template <typename T>
bool Mix(Batch& batch, std::uint32_t offset, bool is_wide, Blend* into) {
  EnvelopeBatch& kept = *batch.envelope;
  const T* nominal = batch.Register<T>(offset);
  auto* mixed_low = reinterpret_cast<T*>(into->low);
  auto* mixed_high = reinterpret_cast<T*>(into->high);
  if (is_wide) {
    const std::uint8_t* tags = kept.Tags(offset);
    const T* low = kept.Low<T>(offset);
    const T* high = kept.High<T>(offset);
    for (std::uint32_t i = 0; i < batch.lanes; ++i) {
      mixed_low[i] = tags[i] != 0 ? low[i] : nominal[i];
      mixed_high[i] = tags[i] != 0 ? high[i] : nominal[i];
    }
    std::uint8_t all = 0;
    if (batch.whole) {
      for (std::uint32_t i = 0; i < batch.lanes; ++i) all |= tags[i];
    } else {
      const std::uint8_t* mask = batch.Mask();
      for (std::uint32_t i = 0; i < batch.lanes; ++i) all |= mask[i] != 0 ? tags[i] : 0;
    }
    if (all > static_cast<std::uint8_t>(EnvelopeTag::kNumbers)) return false;
  } else {
    std::memcpy(mixed_low, nominal, batch.lanes * sizeof(T));
    std::memcpy(mixed_high, nominal, batch.lanes * sizeof(T));
  }
  if (batch.whole) return true;
  const std::uint8_t* mask = batch.Mask();
  for (std::uint32_t i = 0; i < batch.lanes; ++i) {
    mixed_low[i] = mask[i] != 0 ? mixed_low[i] : kOne<T>;
    mixed_high[i] = mask[i] != 0 ? mixed_high[i] : kOne<T>;
  }
  return true;
}

// Results of active lanes into a register of which others keep what they have.
template <typename T>
void Merge(Batch& batch, std::uint32_t offset, const Blend& made, const std::uint8_t* tags,
           bool any) {
  EnvelopeBatch& kept = *batch.envelope;
  std::uint8_t& has = kept.any[offset >> 6];
  if (has == 0 && !any) return;
  std::uint8_t* to = kept.Tags(offset);
  if (has == 0) std::memset(to, 0, kMaxLanes);
  has = 1;
  const auto* low = reinterpret_cast<const T*>(made.low);
  const auto* high = reinterpret_cast<const T*>(made.high);
  T* to_low = kept.Low<T>(offset);
  T* to_high = kept.High<T>(offset);
  const std::uint8_t* mask = batch.Mask();
  for (std::uint32_t i = 0; i < batch.lanes; ++i) {
    if (mask[i] == 0) continue;
    to[i] = any ? tags[i] : 0;
    if (!any) continue;  // a comparison's register is narrower than its operands
    to_low[i] = low[i];
    to_high[i] = high[i];
  }
}

}  // namespace

bool ComputeColumns(Batch& batch, const EnvelopeStep& step, bool is_wide,
                    const EnvelopeOptions& options) {
  static const EnvelopeColumnFunctions& functions = Chosen();
  if (step.result_count != 1 || step.operand_count > EnvelopeColumns::kMost) return false;
  const ColumnFunction function = functions.find(step.opcode, step.kind);
  if (function == nullptr) return false;
  EnvelopeBatch& kept = *batch.envelope;
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  EnvelopeColumns columns{.lanes = batch.lanes, .flushes = options.Flushes(step.kind)};
  Blend blends[EnvelopeColumns::kMost];
  const bool is_float = step.kind == Kind::kF32;
  for (std::uint32_t i = 0; i < step.operand_count; ++i) {
    const std::uint32_t offset = operands[i].offset;
    columns.wide[i] = is_wide && kept.any[offset >> 6] != 0;
    columns.low[i] = columns.high[i] = batch.registers + offset;
    if (!columns.wide[i] && batch.whole) continue;
    const bool are_numbers = is_float
                                 ? Mix<std::uint32_t>(batch, offset, columns.wide[i], &blends[i])
                                 : Mix<std::uint64_t>(batch, offset, columns.wide[i], &blends[i]);
    if (!are_numbers) return false;
    columns.low[i] = blends[i].low;
    columns.high[i] = blends[i].high;
  }
  const std::uint32_t result = operands[step.operand_count].offset;
  if (batch.whole) {
    columns.result_low = kept.low.data() + result;
    columns.result_high = kept.high.data() + result;
    columns.tags = kept.Tags(result);
    if (!function(&columns)) return false;
    kept.any[result >> 6] = columns.any ? 1 : 0;
    return true;
  }
  Blend made;
  std::uint8_t tags[kMaxLanes] = {};
  columns.result_low = made.low;
  columns.result_high = made.high;
  columns.tags = tags;
  if (!function(&columns)) return false;
  is_float ? Merge<std::uint32_t>(batch, result, made, tags, columns.any)
           : Merge<std::uint64_t>(batch, result, made, tags, columns.any);
  return true;
}

}  // namespace assay::interp
