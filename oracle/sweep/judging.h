// Judges batches of answers of one operation and keeps the statistics.  Internal to the sweep.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "base/thread_pool.h"
#include "numerics/evaluate.h"
#include "oracle/devices/batch.h"
#include "oracle/judge/panel.h"
#include "oracle/sweep/double_screen.h"
#include "oracle/sweep/screen.h"
#include "oracle/sweep/statistics.h"

namespace assay::oracle {

class Judging {
 public:
  // `screens`: whether answers to neighbouring operands are screened first, which changes nothing
  // but the time.
  Judging(const JudgePanel& panel, std::vector<int> widths, std::size_t max_failures, int threads,
          bool screens = true);

  // The statistics of one batch; reference and verdicts on all threads.  Where `errors` is given
  // it receives the largest error of each item, over results and widths (NaN: none applies).
  // `prepare` is called before items [begin, end) are looked at, by the thread that judges them.
  // `so_far`: statistics with which those of the batch will be merged. What cannot be worse than
  // they are is then not always looked at, and what they have may be in the answer again.
  using PrepareItems = std::function<void(std::size_t begin, std::size_t end)>;
  Statistics JudgeBatch(const Batch& batch, std::vector<double>* errors = nullptr,
                        const PrepareItems& prepare = nullptr,
                        const Statistics* so_far = nullptr) const;

 private:
  struct Local;
  void JudgeChunk(const Batch& batch, std::size_t begin, std::size_t end, Local& local) const;
  bool JudgeQuickly(const Batch& batch, std::size_t begin, std::size_t end, Local& local) const;
  // The exact values of the first and the last item of a chunk.
  struct Ends;
  bool FindEnds(const Batch& batch, std::size_t begin, Ends* ends) const;
  bool JudgeUniform(const Batch& batch, std::size_t base, std::size_t begin, const Ends& ends,
                    Local& local) const;
  bool ScreenResult(const Batch& batch, std::size_t base, std::size_t begin, std::size_t result,
                    const Ends* ends, Local& local) const;
  void CountRefused(const Batch& batch, std::size_t base, std::size_t begin, Local& local) const;
  void JudgeScreened(const Batch& batch, std::size_t base, std::size_t begin, Local& local) const;
  void JudgeItem(const Batch& batch, std::size_t base, std::size_t item, Local& local) const;
  // A result of an item that some reading refuses at the first width.
  struct Refused {
    std::size_t item = 0, result = 0;
    std::uint8_t by = 0;
  };
  void CountAnswers(const Batch& batch, std::size_t base, std::span<const Refused> refused,
                    std::uint64_t times, Local& local) const;
  ErrorAt& PlaceOf(const Batch& batch, std::size_t item, Local& local) const;
  bool IsOneAnswer(const Batch& batch, std::size_t base, std::size_t begin, std::size_t end) const;
  bool AcceptsOpenly(const Batch& batch, std::size_t base, std::size_t item, std::size_t result,
                     std::span<const numerics::Exact> exact) const;
  bool AcceptsPlainly(const Batch& batch, std::size_t base, std::size_t item, std::size_t result,
                      std::span<const numerics::Exact> exact) const;
  bool AcceptsValues(const Batch& batch, std::size_t base, std::size_t item) const;
  bool JudgeDoubles(const Batch& batch, std::size_t begin, std::size_t end, Local& local) const;
  void EvaluateOpen(const Batch& batch, std::size_t begin, std::size_t end, Local& local) const;
  void Count(const Batch& batch, std::size_t begin, std::size_t end, Local& local) const;
  static std::size_t BaseWidth(const Batch& batch);
  bool SameResult(const Batch& batch, std::size_t w, std::size_t base, std::size_t item,
                  std::size_t result) const;
  Outcome OutcomeOf(const Batch& batch, std::size_t item, std::size_t width_index, int result,
                    std::span<const numerics::Bits> operands,
                    std::span<const numerics::Exact> exact,
                    std::span<const numerics::Bits> observed) const;
  // An answer of an item that was asked twice; the first has been judged.
  void JudgeDifference(const Batch& batch, const Difference& difference,
                       Statistics* statistics) const;
  bool AcceptsAtSight(const numerics::Exact& exact, numerics::Bits observed, int result,
                      double* ulp) const;
  void JudgeResult(const Batch& batch, std::size_t item, std::size_t width_index,
                   std::size_t result, numerics::Bits observed, const numerics::Exact* exact,
                   bool written, Local& local) const;
  std::uint8_t JudgeAnswer(const Batch& batch, std::size_t item, std::size_t width_index,
                           int result, const numerics::Exact* exact, bool at_sight,
                           Local& local) const;
  void JudgeWorstAtSight(const Batch& batch, std::size_t begin, Local& local) const;
  void AddRepeated(std::uint8_t refused_by, int width, std::uint64_t times, Local& local) const;
  void Place(const Batch& batch, std::size_t begin, std::size_t end, Local& local) const;
  void NumberPlaces(const Batch& batch, std::size_t begin, std::size_t end, Local& local) const;
  void KeepPlaces(Local& local) const;
  void StartFrom(const Statistics& so_far, Local& local) const;
  bool HasPlane() const { return places_.size() == 2; }

  const JudgePanel& panel_;
  const Judge& judge_;
  numerics::BatchEvaluator evaluator_;
  std::vector<int> widths_;
  std::size_t max_failures_;
  std::unique_ptr<base::ThreadPool> threads_;  // one piece of work at a time
  int thread_count_;
  std::vector<numerics::Slot> outputs_;
  std::vector<Screen> screens_;  // of each result; none where one of them has none
  std::optional<DoubleScreen> double_screen_;
  std::size_t argument_count_;
  std::size_t result_count_;
  std::vector<PlaceNumbers> places_;  // of the first operand, and of the second of two scalars
  std::array<std::vector<std::uint8_t>, 2> plane_indices_;
  // Where result r of an item stands: its column, and its component there.
  std::vector<std::pair<std::size_t, std::size_t>> result_place_;
};

}  // namespace assay::oracle
