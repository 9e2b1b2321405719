// Judges batches of answers of one operation and keeps the statistics.  Internal to the sweep.
#pragma once

#include <vector>

#include "numerics/evaluate.h"
#include "oracle/batch.h"
#include "oracle/statistics.h"
#include "oracle/verdict.h"

namespace assay::oracle {

class Judging {
 public:
  Judging(const Judge& judge, std::vector<int> widths, std::size_t max_failures, int threads);

  // The statistics of one batch; reference and verdicts on all threads.  Where `errors` is given
  // it receives the largest error of each item, over results and widths (NaN: none applies).
  Statistics JudgeBatch(const Batch& batch, std::vector<double>* errors = nullptr) const;

 private:
  struct Local;
  void JudgeChunk(const Batch& batch, std::size_t begin, std::size_t end, Local& local) const;
  static std::size_t BaseWidth(const Batch& batch);
  bool SameResult(const Batch& batch, std::size_t w, std::size_t base, std::size_t item,
                  std::size_t result) const;
  std::vector<std::vector<numerics::Bits>> LanesOf(const Batch& batch, std::size_t item,
                                                   int width) const;
  bool JudgeAnswer(const Batch& batch, std::size_t item, std::size_t width_index, int result,
                   const numerics::Exact* exact, Local& local) const;
  int BinadeOf(const Batch& batch, std::size_t item) const;

  const Judge& judge_;
  numerics::BatchEvaluator evaluator_;
  std::vector<int> widths_;
  std::size_t max_failures_;
  int threads_;
  std::vector<numerics::Slot> outputs_;
  std::size_t argument_count_;
  std::size_t result_count_;
  // Where result r of an item stands: its column, and its component there.
  std::vector<std::pair<std::size_t, std::size_t>> result_place_;
};

}  // namespace assay::oracle
