#include "numerics/fast_path_batch.h"

#include <cstring>

namespace assay::numerics {
namespace {

template <typename T>
T Load(const ConstColumn& column, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(column.data) + index * sizeof(T), sizeof(T));
  return value;
}

template <Format kFormat>
Bits LoadBits(const ConstColumn& column, std::size_t index) {
  if constexpr (Traits(kFormat).width == 64) return Load<std::uint64_t>(column, index);
  if constexpr (Traits(kFormat).width == 32) return Load<std::uint32_t>(column, index);
  return Load<std::uint16_t>(column, index);
}

// False where the operand is zero, infinite or NaN.
template <Format kFormat>
bool LoadOperand(const ConstColumn& column, std::size_t index, double* value) {
  if (!IsFloating(column.slot.type)) {
    *value = Load<std::int32_t>(column, index);
    return true;
  }
  const Bits bits = LoadBits<kFormat>(column, index);
  // One comparison: magnitudes 1 to Infinity - 1.
  if (Magnitude(kFormat, bits) - 1 >= Infinity(kFormat) - 1) return false;
  *value = FiniteToDouble<kFormat>(bits);
  return true;
}

}  // namespace

std::optional<FastBatch> FastBatch::Find(const Operation& operation) {
  if (operation.kind != OperationKind::kBuiltin) return std::nullopt;
  FastBatch batch;
  batch.format_ = operation.format;
  batch.result_count_ = operation.ResultCount();
  const FunctionInfo& info = Info(operation.function);
  batch.nan_to_nan_ = info.operands == "F" && info.results.find('I') == std::string_view::npos;
  if (batch.result_count_ > static_cast<int>(batch.paths_.size())) return std::nullopt;
  for (int result = 0; result < batch.result_count_; ++result) {
    const FastPath* path = FindFastPathOfResult(operation.function, operation.format, result);
    if (path == nullptr) return std::nullopt;
    batch.paths_[static_cast<std::size_t>(result)] = *path;
  }
  return batch;
}

template <Format kFormat, int kArity>
void FastBatch::Loop(std::span<const ConstColumn> inputs, std::size_t begin, std::size_t end,
                     Exact* results, const Slow& slow) const {
  const auto count = static_cast<std::size_t>(result_count_);
  for (std::size_t item = begin; item < end; ++item, results += count) {
    double args[3] = {};
    bool answered = true;
    for (std::size_t i = 0; i < kArity; ++i) {
      answered = LoadOperand<kFormat>(inputs[i], item, &args[i]) && answered;
    }
    if (nan_to_nan_ && !answered && IsNan(kFormat, LoadBits<kFormat>(inputs[0], item))) {
      for (std::size_t r = 0; r < count; ++r) results[r] = Exact::Nan();
      continue;
    }
    for (std::size_t r = 0; r < count && answered; ++r) {
      answered = Answer(paths_[r], kFormat, args, results + r);
    }
    if (!answered) [[unlikely]]
      slow(item, results);
  }
}

template <Format kFormat>
void FastBatch::LoopOfArity(std::span<const ConstColumn> inputs, std::size_t begin, std::size_t end,
                            Exact* results, const Slow& slow) const {
  switch (inputs.size()) {
    case 1:
      return Loop<kFormat, 1>(inputs, begin, end, results, slow);
    case 2:
      return Loop<kFormat, 2>(inputs, begin, end, results, slow);
    default:
      return Loop<kFormat, 3>(inputs, begin, end, results, slow);
  }
}

void FastBatch::Evaluate(std::span<const ConstColumn> inputs, std::size_t begin, std::size_t end,
                         Exact* results, const Slow& slow) const {
  switch (format_) {
    case Format::kHalf:
      return LoopOfArity<Format::kHalf>(inputs, begin, end, results, slow);
    case Format::kBfloat16:
      return LoopOfArity<Format::kBfloat16>(inputs, begin, end, results, slow);
    case Format::kDouble:
      return LoopOfArity<Format::kDouble>(inputs, begin, end, results, slow);
    case Format::kFloat:
      break;
  }
  return LoopOfArity<Format::kFloat>(inputs, begin, end, results, slow);
}

}  // namespace assay::numerics
