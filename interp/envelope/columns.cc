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

// The lanes that are no numbers; 0: it has filled `into`.
template <typename T>
std::uint64_t Mix(Batch& batch, std::uint32_t offset, bool is_wide, Blend* into) {
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
    constexpr auto kNumbers = static_cast<std::uint8_t>(EnvelopeTag::kNumbers);
    std::uint8_t all = 0;
    for (std::uint32_t i = 0; i < batch.lanes; ++i) all |= tags[i];
    std::uint64_t others = 0;
    for (std::uint32_t i = 0; all > kNumbers && i < batch.lanes; ++i) {
      others |= std::uint64_t{tags[i] > kNumbers} << i;
    }
    if ((others & batch.active) != 0) return others & batch.active;
  } else {
    std::memcpy(mixed_low, nominal, batch.lanes * sizeof(T));
    std::memcpy(mixed_high, nominal, batch.lanes * sizeof(T));
  }
  if (batch.whole) return 0;
  const std::uint8_t* mask = batch.Mask();
  for (std::uint32_t i = 0; i < batch.lanes; ++i) {
    mixed_low[i] = mask[i] != 0 ? mixed_low[i] : kOne<T>;
    mixed_high[i] = mask[i] != 0 ? mixed_high[i] : kOne<T>;
  }
  return 0;
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

const EnvelopeColumnFunctions& Functions() {
  static const EnvelopeColumnFunctions& functions = Chosen();
  return functions;
}

std::uint64_t Compute(Batch& batch, const EnvelopeStep& step, bool is_wide,
                      ColumnFunction function, EnvelopeColumns columns, bool is_float) {
  EnvelopeBatch& kept = *batch.envelope;
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  Blend blends[EnvelopeColumns::kMost];
  for (std::uint32_t i = 0; i < step.operand_count; ++i) {
    const std::uint32_t offset = operands[i].offset;
    columns.wide[i] = is_wide && kept.any[offset >> 6] != 0;
    columns.low[i] = columns.high[i] = batch.registers + offset;
    if (!columns.wide[i] && batch.whole) continue;
    const std::uint64_t others =
        is_float ? Mix<std::uint32_t>(batch, offset, columns.wide[i], &blends[i])
                 : Mix<std::uint64_t>(batch, offset, columns.wide[i], &blends[i]);
    if (others != 0) return others;
    const std::uint8_t* tags = kept.Tags(offset);
    for (std::uint32_t lane = 0; columns.wide[i] && lane < batch.lanes; ++lane) {
      columns.wide_lanes[lane] |= tags[lane];
    }
    columns.low[i] = blends[i].low;
    columns.high[i] = blends[i].high;
  }
  const std::uint32_t result = operands[step.operand_count].offset;
  if (batch.whole) {
    columns.result_low = kept.low.data() + result;
    columns.result_high = kept.high.data() + result;
    columns.tags = kept.Tags(result);
    if (!function(&columns)) return columns.special;
    kept.any[result >> 6] = columns.any ? 1 : 0;
    return 0;
  }
  Blend made;
  std::uint8_t tags[kMaxLanes] = {};
  columns.result_low = made.low;
  columns.result_high = made.high;
  columns.tags = tags;
  if (!function(&columns)) return columns.special;
  is_float ? Merge<std::uint32_t>(batch, result, made, tags, columns.any)
           : Merge<std::uint64_t>(batch, result, made, tags, columns.any);
  return 0;
}

}  // namespace

std::uint64_t ComputeColumns(Batch& batch, const EnvelopeStep& step, bool is_wide,
                             const EnvelopeOptions& options) {
  if (step.result_count != 1 || step.operand_count > EnvelopeColumns::kMost) return batch.active;
  const ColumnFunction function = Functions().find(step.opcode, step.kind);
  if (function == nullptr) return batch.active;
  return Compute(batch, step, is_wide, function,
                 {.lanes = batch.lanes,
                  .active = batch.active,
                  .flushes = options.Flushes(step.kind)},
                 step.kind == Kind::kF32);
}

std::uint64_t ComputeMathColumns(Batch& batch, const EnvelopeStep& step,
                                 numerics::Function function, double ulp,
                                 const EnvelopeOptions& options) {
  const ColumnFunction columns = Functions().find_math(function);
  if (columns == nullptr || step.result_count != 1 || step.operand_count > 2 || ulp > 8) {
    return batch.active;
  }
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  bool is_wide = false;
  for (std::uint32_t i = 0; i < step.operand_count; ++i) {
    is_wide = is_wide || batch.envelope->any[operands[i].offset >> 6] != 0;
  }
  return Compute(batch, step, is_wide, columns,
                 {.lanes = batch.lanes,
                  .active = batch.active,
                  .flushes = options.Flushes(Kind::kF32),
                  .error = static_cast<std::uint64_t>(ulp * 0x1p29)},
                 true);
}

}  // namespace assay::interp
