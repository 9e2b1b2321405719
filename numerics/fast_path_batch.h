// The loop of BatchEvaluator over inputs that a certified fast path answers.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>

#include "numerics/evaluate.h"
#include "numerics/fast_path.h"

namespace assay::numerics {

class FastBatch {
 public:
  // Nothing where a result of the operation has no certified fast path.
  static std::optional<FastBatch> Find(const Operation& operation);

  // As BatchEvaluator::Evaluate.  `slow` evaluates all results of an item that has a zero, infinite
  // or NaN operand or that the fast path leaves open.
  using Slow = std::function<void(std::size_t item, Exact* results)>;
  void Evaluate(std::span<const ConstColumn> inputs, std::size_t begin, std::size_t end,
                Exact* results, const Slow& slow) const;

 private:
  template <Format kFormat, int kArity>
  void Loop(std::span<const ConstColumn> inputs, std::size_t begin, std::size_t end, Exact* results,
            const Slow& slow) const;
  template <Format kFormat>
  void LoopOfArity(std::span<const ConstColumn> inputs, std::size_t begin, std::size_t end,
                   Exact* results, const Slow& slow) const;

  Format format_{};
  int result_count_ = 1;
  // One operand and results that are all floating: NaN gives NaN.
  bool nan_to_nan_ = false;
  std::array<FastPath, 2> paths_{};
};

}  // namespace assay::numerics
