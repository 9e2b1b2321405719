#include "oracle/sweep/search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "base/parallel_chunks.h"
#include "numerics/evaluate.h"
#include "oracle/sweep/boxes.h"
#include "oracle/sweep/flat_boxes.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Exact;

constexpr double kRounded = 0.5;  // the error of a device that rounds the exact value
constexpr std::size_t kCapacity = std::size_t{1} << 14;  // inputs of a request at most
constexpr std::size_t kRound = std::size_t{1} << 12;     // random inputs of a request

// Random inputs as the plan draws them, which takes its ways of drawing in turn: primes, so that
// each of them is the first of a group now and then.
constexpr std::size_t kOfDrawnFast = 31;  // so many, of which one is asked
constexpr std::size_t kOfDrawnSlow = 11;  // where MPFR evaluates all of them
constexpr double kDrawnUntil = 0.125;     // of the evaluations
// Where no answer errs (functions with exact results), there is nothing to go by, and the ways of
// drawing know more of a function than boxes do.
constexpr double kBlindDrawnUntil = 0.8;
constexpr double kBlindBoxesUntil = 0.9;

// Boxes.
constexpr std::size_t kCutOfDepth = 16;  // boxes of one depth that are cut in a round, at most
constexpr std::size_t kHard = 6;         // chosen inputs of a half
constexpr std::size_t kPlain = 2;        // and others; of a flat half, only these
constexpr std::size_t kDrawnFast = 128;  // random points of a half from which they are chosen
constexpr std::size_t kDrawnSlow = 16;   // where MPFR evaluates all of them
constexpr double kBoxesUntil = 0.6;

// Climbing.
constexpr std::size_t kClimbers = 32;      // inputs from which it climbs at a time
constexpr std::size_t kSuccessors = 4096;  // inputs to climb from at most
constexpr int kPatience = 4;               // rounds without a larger error until the next one
constexpr std::size_t kNearHard = 24;      // chosen inputs beside one

// A device errs by k + f or by k + 1 - f units of the gap, for a whole k and the fraction f of the
// exact value.  By how much the smallest of these errors above `ulp` exceeds it: where that is
// little, a device that computes a little less exactly than it is known to shows a larger error.
// Beside an error of 0.5, these are the inputs that are hard to round.
double ExcessOf(const Exact& exact, double ulp) {
  if (exact.kind != numerics::ResultKind::kFinite || exact.prescribed || exact.fraction >= 1) {
    return 1;
  }
  const double below = exact.fraction - ulp, above = 1 - exact.fraction - ulp;
  return std::min(below - std::floor(below), above - std::floor(above));
}

// Chooses inputs by the reference.
class Chooser {
 public:
  explicit Chooser(const SearchTask& task)
      : task_(task),
        evaluator_(task.operation),
        results_(static_cast<std::size_t>(task.operation.ResultCount())) {}

  std::size_t Drawn() const { return evaluator_.IsFast() ? kDrawnFast : kDrawnSlow; }
  std::size_t OfDrawn() const { return evaluator_.IsFast() ? kOfDrawnFast : kOfDrawnSlow; }

  // Of each group of so many candidates: the last `plain` ones, and of the others those `hard` ones
  // that show the least excess over the error `known` of the group; the earlier of equal ones.
  std::vector<Arguments> Choose(std::span<const Arguments> candidates, std::size_t group,
                                std::size_t hard, std::size_t plain,
                                std::span<const double> known) {
    const std::vector<double> excesses = ExcessesOf(candidates, group, known);
    std::vector<Arguments> chosen;
    std::vector<std::size_t> order;
    for (std::size_t begin = 0; begin < candidates.size(); begin += group) {
      order.resize(group - plain);
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = begin + i;
      const std::size_t count = std::min(hard, order.size());
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                        order.end(), [&](std::size_t a, std::size_t b) {
                          return excesses[a] != excesses[b] ? excesses[a] < excesses[b] : a < b;
                        });
      for (std::size_t i = 0; i < count; ++i) chosen.push_back(candidates[order[i]]);
      for (std::size_t i = group - plain; i < group; ++i) chosen.push_back(candidates[begin + i]);
    }
    return chosen;
  }

 private:
  std::vector<double> ExcessesOf(std::span<const Arguments> candidates, std::size_t group,
                                 std::span<const double> known) const {
    const auto arity = static_cast<std::size_t>(task_.operation.ArgumentCount());
    const ColumnSet columns(task_.operation.Inputs(), candidates.size());
    std::vector<double> excesses(candidates.size(), 1);
    const std::vector<numerics::ScalarType> types = task_.operation.ResultTypes();
    constexpr std::size_t kPiece = 1024;
    base::ParallelChunks(
        task_.threads, candidates.size(), kPiece, [&](int, std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            columns.Scatter(i, std::span(candidates[i]).first(arity));
          }
          std::vector<Exact> exact((end - begin) * results_);
          evaluator_.Evaluate(columns.Readable(), begin, end, exact.data());
          for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t r = 0; r < results_; ++r) {
              if (!numerics::IsFloating(types[r])) continue;
              const double excess = ExcessOf(exact[(i - begin) * results_ + r], known[i / group]);
              excesses[i] = std::min(excesses[i], excess);
            }
          }
        });
    return excesses;
  }

  const SearchTask& task_;
  numerics::BatchEvaluator evaluator_;
  std::size_t results_;
};

class Hunt {
 public:
  Hunt(BatchRunner& runner, const Judging& judging, const SearchTask& task, Statistics* statistics)
      : runner_(runner),
        judging_(judging),
        task_(task),
        statistics_(*statistics),
        space_(task.operation.ArgumentTypes(), task.range),
        flat_(task.operation, space_),
        chooser_(task),
        leads_(task.operation),
        key_(StreamKey(task.operation, task.seed) ^ kStream) {
    batch_.inputs = ColumnSet(task.operation.Inputs(), kCapacity);
    for (std::size_t w = 0; w < runner.widths().size(); ++w) {
      batch_.outputs.emplace_back(task.operation.Outputs(), kCapacity);
    }
    batch_.asked.assign(runner.widths().size(), true);
  }

  Expected<SearchResult> Run();

 private:
  static constexpr std::uint64_t kStream = 0x5ea7c400;  // another one than the plan's

  // A place to climb from.
  struct Climber {
    Asked at;
    int idle = 0;  // rounds without a larger error
  };
  // A half that a round has made, and the inputs that are asked of it.
  struct Half {
    Leaf leaf;
    bool is_flat = false;
    std::size_t inputs = 0;
  };

  bool Stopped() const { return task_.stop != nullptr && task_.stop->load(); }
  std::uint64_t Left(std::uint64_t until) const {
    return until > result_.evaluations ? until - result_.evaluations : 0;
  }
  Expected<void> Ask(std::vector<Arguments>* inputs, std::vector<double>* errors);
  std::vector<Half> Cut(std::vector<Leaf> leaves);
  std::vector<Arguments> Sample(std::span<Half> halves);
  Expected<void> DrawInputs(std::uint64_t until);
  Expected<bool> CutRound(std::uint64_t until);
  Expected<void> CutUntil(std::uint64_t until);
  Expected<void> Climb();
  std::vector<Arguments> Beside(const Asked& at);

  BatchRunner& runner_;
  const Judging& judging_;
  const SearchTask& task_;
  Statistics& statistics_;
  const OperandSpace space_;
  const FlatBoxes flat_;
  Chooser chooser_;
  Leads leads_;
  BoxQueue queue_;
  SearchResult result_;
  Statistics found_;  // only its worst
  Batch batch_;
  std::uint64_t key_;
  std::uint64_t drawn_ = 0;  // streams that were taken
  std::uint64_t item_ = 0;   // the next one of those drawn like the plan's
};

// Asks as many of the inputs as are left, and cuts the list there.
Expected<void> Hunt::Ask(std::vector<Arguments>* inputs, std::vector<double>* errors) {
  const std::uint64_t left = Left(task_.evaluations);
  if (inputs->size() > left) inputs->resize(static_cast<std::size_t>(left));
  errors->clear();
  std::vector<double> part;
  for (std::size_t begin = 0; begin < inputs->size(); begin += batch_.count) {
    if (Stopped()) return Fail(ErrorKind::kDevice, "interrupted");
    batch_.first_item = task_.first_item + result_.evaluations;
    batch_.count = std::min(kCapacity, inputs->size() - begin);
    for (std::size_t i = 0; i < batch_.count; ++i) {
      batch_.inputs.Scatter(i, std::span((*inputs)[begin + i]).first(space_.Arity()));
    }
    if (Expected<void> ran = runner_.Run(batch_); !ran) return ran;
    const Statistics judged = judging_.JudgeBatch(batch_, &part);
    if (judged.has_worst) found_.OfferWorst(judged.worst);
    statistics_.Merge(judged, task_.max_failures);
    errors->insert(errors->end(), part.begin(), part.end());
    result_.evaluations += batch_.count;
    if (task_.progress) task_.progress(result_.evaluations);
  }
  return {};
}

// The halves of the leaves, with what is known of the leaves' inputs; flat ones are the last.
std::vector<Hunt::Half> Hunt::Cut(std::vector<Leaf> leaves) {
  std::vector<Half> halves;
  std::vector<Box> boxes;
  for (const Leaf& leaf : leaves) {
    const auto cut = space_.Halves(leaf.box);
    if (!cut) {
      queue_.End(leaf);
      continue;
    }
    for (const Box& box : {cut->first, cut->second}) {
      Half half{.leaf = {.box = box, .known = {}, .depth = leaf.depth + 1}};
      for (const Asked& asked : leaf.known) {
        if (space_.Contains(box, asked.args)) half.leaf.known.push_back(asked);
      }
      boxes.push_back(box);
      halves.push_back(std::move(half));
    }
  }
  const std::vector<bool> flat = flat_.Prove(boxes);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i].is_flat = flat[i];
  std::stable_partition(halves.begin(), halves.end(),
                        [](const Half& half) { return !half.is_flat; });
  result_.boxes += halves.size();
  return halves;
}

// The inputs to ask of the halves, one half after the other.
std::vector<Arguments> Hunt::Sample(std::span<Half> halves) {
  std::vector<Arguments> candidates, plain;
  std::vector<double> known;
  for (Half& half : halves) {
    ItemStream stream(key_, drawn_++);
    std::vector<Arguments>& drawn = half.is_flat ? plain : candidates;
    const auto& inputs = half.leaf.known;
    if (!half.is_flat) {
      known.push_back(inputs.empty() ? kRounded : std::max(inputs.front().ulp, kRounded));
    }
    half.inputs = half.is_flat ? kPlain : kHard + kPlain;
    for (std::size_t i = 0; i < (half.is_flat ? kPlain : chooser_.Drawn()); ++i) {
      space_.Draw(half.leaf.box, stream, drawn.emplace_back());
    }
  }
  std::vector<Arguments> inputs =
      chooser_.Choose(candidates, chooser_.Drawn(), kHard, kPlain, known);
  inputs.insert(inputs.end(), plain.begin(), plain.end());
  return inputs;
}

// Random inputs of the same kinds as the plan's, those that are hardest to round, as more leads.
Expected<void> Hunt::DrawInputs(std::uint64_t until) {
  const RandomArguments random(task_.operation, task_.seed ^ kStream, task_.range);
  const auto arity = static_cast<std::ptrdiff_t>(space_.Arity());
  const std::size_t group = chooser_.OfDrawn();
  std::vector<double> errors;
  while (Left(until) > 0) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(Left(until), kRound));
    std::vector<Arguments> candidates(count * group);
    for (Arguments& args : candidates) random.Draw(item_++, args);
    std::vector<Arguments> inputs =
        chooser_.Choose(candidates, group, 1, 0, std::vector<double>(count, kRounded));
    if (Expected<void> asked = Ask(&inputs, &errors); !asked) return asked;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      if (!std::isfinite(errors[i])) continue;
      leads_.Learn({.args = {inputs[i].begin(), inputs[i].begin() + arity}, .ulp = errors[i]});
    }
  }
  return {};
}

// False: there is nothing more to cut.
Expected<bool> Hunt::CutRound(std::uint64_t until) {
  std::vector<Leaf> leaves = queue_.Take(kCutOfDepth);
  if (leaves.empty()) return false;
  const auto affordable = static_cast<std::size_t>(Left(until) / (2 * (kHard + kPlain))) + 1;
  while (leaves.size() > affordable) {
    queue_.Add(std::move(leaves.back()));
    leaves.pop_back();
  }
  std::vector<Half> halves = Cut(std::move(leaves));
  std::vector<Arguments> inputs = Sample(halves);
  std::vector<double> errors;
  if (Expected<void> asked = Ask(&inputs, &errors); !asked) {
    return tl::unexpected<Error>(asked.error());
  }
  std::size_t item = 0;
  for (Half& half : halves) {
    const bool is_asked = item + half.inputs <= errors.size();  // the evaluations have sufficed
    for (std::size_t i = 0; i < half.inputs && item < errors.size(); ++i, ++item) {
      half.leaf.Learn({.args = inputs[item], .ulp = errors[item]});
    }
    // Where the device errs although the result is one, the box is searched like others.
    const auto& known = half.leaf.known;
    if (half.is_flat && is_asked && (known.empty() || known.front().ulp <= kRounded)) {
      ++result_.excluded;
      result_.excluded_share += space_.ShareOf(half.leaf.box);
      continue;
    }
    queue_.Add(std::move(half.leaf));
  }
  return true;
}

// Candidates beside an input: last the neighbours in each operand, before them others in which some
// operands move by steps of any size.
std::vector<Arguments> Hunt::Beside(const Asked& at) {
  ItemStream stream(key_, drawn_++);
  std::vector<Arguments> beside;
  const auto move = [&](Arguments& args, std::size_t operand, bool up, std::uint64_t step) {
    const Axis& axis = space_.At(operand);
    const std::uint64_t place = *axis.PlaceOf(args[operand]);
    const std::uint64_t room = up ? axis.Whole().high - place : place - axis.Whole().low;
    args[operand] = axis.At(up ? place + std::min(step, room) : place - std::min(step, room));
  };
  const std::size_t others = chooser_.Drawn();
  for (std::size_t i = 0; i < others; ++i) {
    Arguments args = at.args;
    const std::size_t first = stream.Below(space_.Arity());
    for (std::size_t operand = 0; operand < space_.Arity(); ++operand) {
      if (operand != first && stream.Coin()) continue;
      const std::uint64_t whole = space_.At(operand).Whole().high - space_.At(operand).Whole().low;
      // Every other candidate by any number of bits, the others by up to a quarter of a binade.
      const int most = std::max(static_cast<int>(std::bit_width(whole)) * 25 / 32, 1);
      const int bits = i % 2 == 0 ? stream.Between(1, most) : most;
      const std::uint64_t step = stream.Next() >> (64 - bits);
      move(args, operand, stream.Coin(), step + 1);
    }
    beside.push_back(args);
  }
  for (std::size_t operand = 0; operand < space_.Arity(); ++operand) {
    for (const bool up : {false, true}) {
      Arguments args = at.args;
      move(args, operand, up, 1);
      beside.push_back(args);
    }
  }
  return beside;
}

Expected<void> Hunt::Climb() {
  const std::vector<Asked> starts = queue_.Best(kSuccessors);
  std::size_t next = 0;
  std::vector<Climber> climbers;
  while (Left(task_.evaluations) > 0) {
    std::erase_if(climbers, [](const Climber& climber) { return climber.idle >= kPatience; });
    while (climbers.size() < kClimbers && next < starts.size() && starts[next].ulp > 0) {
      climbers.push_back({.at = starts[next++]});
    }
    if (climbers.empty()) return {};
    std::vector<Arguments> candidates;
    std::vector<double> known;
    for (const Climber& climber : climbers) {
      known.push_back(climber.at.ulp);
      const std::vector<Arguments> beside = Beside(climber.at);
      candidates.insert(candidates.end(), beside.begin(), beside.end());
    }
    const std::size_t neighbours = 2 * space_.Arity();
    std::vector<Arguments> inputs =
        chooser_.Choose(candidates, chooser_.Drawn() + neighbours, kNearHard, neighbours, known);
    const std::size_t each = inputs.size() / climbers.size();
    std::vector<double> errors;
    if (Expected<void> asked = Ask(&inputs, &errors); !asked) return asked;
    for (std::size_t c = 0; c < climbers.size(); ++c) {
      ++climbers[c].idle;
      for (std::size_t i = c * each; i < (c + 1) * each && i < errors.size(); ++i) {
        if (!(errors[i] > climbers[c].at.ulp) || !std::isfinite(errors[i])) continue;
        climbers[c] = {.at = {.args = inputs[i], .ulp = errors[i]}};
      }
    }
  }
  return {};
}

Expected<void> Hunt::CutUntil(std::uint64_t until) {
  while (Left(until) > 0) {
    const Expected<bool> went_on = CutRound(until);
    if (!went_on) return tl::unexpected<Error>(went_on.error());
    if (!*went_on) break;
  }
  return {};
}

Expected<SearchResult> Hunt::Run() {
  const auto until = [this](double share) {
    return static_cast<std::uint64_t>(share * static_cast<double>(task_.evaluations));
  };
  for (const Lead& lead : task_.leads) leads_.Learn(lead);
  Expected<void> searched = DrawInputs(until(kDrawnUntil));
  const std::vector<Lead> known = leads_.List();
  const bool is_blind = known.empty() || known.front().ulp == 0;
  if (searched && is_blind) searched = DrawInputs(until(kBlindDrawnUntil));
  Leaf whole{.box = space_.Whole(), .known = {}, .depth = 0};
  for (const Lead& lead : leads_.List()) {
    Asked asked{.ulp = lead.ulp, .is_lead = true};
    std::copy(lead.args.begin(), lead.args.end(), asked.args.begin());
    if (space_.Contains(whole.box, asked.args)) whole.known.push_back(asked);
  }
  queue_.Add(std::move(whole));
  if (searched) searched = CutUntil(until(is_blind ? kBlindBoxesUntil : kBoxesUntil));
  if (searched) searched = Climb();
  // Where there is nowhere to climb from.
  if (searched) searched = CutUntil(task_.evaluations);
  if (!searched && !Stopped()) return tl::unexpected<Error>(searched.error());
  result_.complete = searched.has_value();
  result_.has_worst = found_.has_worst;
  result_.worst = found_.worst;
  return std::move(result_);
}

}  // namespace

Expected<SearchResult> SearchForErrors(BatchRunner& runner, const Judging& judging,
                                       const SearchTask& task, Statistics* statistics) {
  return Hunt(runner, judging, task, statistics).Run();
}

}  // namespace assay::oracle
