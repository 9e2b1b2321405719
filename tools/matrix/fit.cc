#include "tools/matrix/fit.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

#include "base/parallel_chunks.h"
#include "numerics/matrix/random_tiles.h"
#include "numerics/matrix/tile.h"
#include "numerics/small_float/format.h"

namespace assay::tools {
namespace {

using namespace numerics::matrix;  // NOLINT(google-build-using-namespace): the whole file's subject

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr int kMostAlignmentBits = 38;

// The operands of all samples, made once for all candidates.
class Problem {
 public:
  Problem(const Model& shape, const Samples& samples)
      : samples_(samples),
        a_size_(static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.k)),
        b_size_(static_cast<std::size_t>(shape.k) * static_cast<std::size_t>(shape.n)),
        c_size_(static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.n)) {
    const std::size_t tiles = samples.tiles.size();
    a_.resize(tiles * a_size_);
    b_.resize(tiles * b_size_);
    c_.resize(tiles * c_size_);
    for (std::size_t i = 0; i < tiles; ++i) {
      FillTile(shape, samples.seed, samples.tiles[i], &a_[i * a_size_], &b_[i * b_size_],
               &c_[i * c_size_]);
    }
  }

  std::size_t dots() const { return samples_.tiles.size() * c_size_; }

  // Tiles with so many dot products, at least four.
  std::size_t TilesOf(std::size_t dots) const {
    return std::min(samples_.tiles.size(), std::max<std::size_t>(4, dots / c_size_));
  }

  // Counts differences in the first `tiles` tiles, until there are more than `limit`.
  std::size_t Differences(const Model& model, std::size_t limit, std::size_t tiles = kAll) const {
    Tile tile(model);
    std::vector<std::uint32_t> d(c_size_);
    std::size_t different = 0;
    tiles = std::min(tiles, samples_.tiles.size());
    for (std::size_t i = 0; i < tiles && different <= limit; ++i) {
      tile.Compute(&a_[i * a_size_], &b_[i * b_size_], &c_[i * c_size_], d.data());
      for (std::size_t e = 0; e < c_size_; ++e) {
        different += d[e] != samples_.results[i * c_size_ + e] ? 1 : 0;
      }
    }
    return different;
  }

 private:
  const Samples& samples_;
  std::size_t a_size_, b_size_, c_size_;
  std::vector<std::uint32_t> a_, b_, c_;
};

// One number of a model: its name, all its values, and how to give the model one of them.
struct Parameter {
  std::string name;
  std::vector<std::string> values;
  std::function<int(const Model&)> get;  // the place of the model's value
  std::function<void(Model*, std::size_t)> set;
};

template <typename T>
Parameter Choice(std::string name, T Model::*member, std::vector<T> values,
                 std::vector<std::string> names) {
  return {std::move(name), std::move(names),
          [member, values](const Model& model) {
            const auto found = std::find(values.begin(), values.end(), model.*member);
            return static_cast<int>(found - values.begin());
          },
          [member, values](Model* model, std::size_t i) { model->*member = values[i]; }};
}

template <typename Enum, std::size_t N>
Parameter Named(std::string name, Enum Model::*member, const std::string_view (&names)[N],
                std::size_t count = N) {
  std::vector<Enum> values;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<Enum>(i));
    texts.emplace_back(names[i]);
  }
  return Choice(std::move(name), member, values, texts);
}

Parameter Numbers(std::string name, int Model::*member, const std::vector<int>& values) {
  std::vector<std::string> texts;
  for (const int value : values) texts.push_back(std::to_string(value));
  return Choice(std::move(name), member, values, texts);
}

Parameter Flag(std::string name, bool Model::*member) {
  return Choice<bool>(std::move(name), member, {true, false}, {"true", "false"});
}

std::vector<int> Range(int first, int last) {
  std::vector<int> values;
  for (int value = first; value <= last; ++value) values.push_back(value);
  return values;
}

std::vector<int> Blocks(int k) {
  std::vector<int> blocks;
  for (int block = std::min(k, kMaxBlock); block >= 1; --block) {
    if (k % block == 0) blocks.push_back(block);
  }
  return blocks;
}

int MantissaBits(const Model& model) {
  return numerics::small_float::FormatOf(model.accumulator)->mantissa_bits;
}

// What decides over ordinary numbers, which is searched as a whole, and the rest.
constexpr std::size_t kSearchedAsAWhole = 8;
std::vector<Parameter> ParametersOf(const Model& model) {
  std::vector<int> result_bits = Range(7, MantissaBits(model));
  std::reverse(result_bits.begin(), result_bits.end());
  // None, and those near the smallest normal number.
  const int normal = numerics::small_float::FormatOf(model.accumulator)->min_exponent();
  std::vector<int> minimum = Range(normal - 24, normal + 8);
  minimum.insert(minimum.begin(), -1000);
  return {
      Numbers("block", &Model::block, Blocks(model.k)),
      Named("grouping", &Model::grouping, kGroupingNames),
      Named("addend", &Model::addend, kAddendNames),
      Named("product_exponent", &Model::product_exponent, kProductExponentNames),
      Numbers("alignment_bits", &Model::alignment_bits, Range(0, kMostAlignmentBits)),
      Named("truncation", &Model::truncation, kTruncationNames),
      Numbers("result_bits", &Model::result_bits, result_bits),
      Named("result_rounding", &Model::result_rounding, numerics::small_float::kRoundingNames, 2),
      Numbers("minimum_exponent", &Model::minimum_exponent, minimum),
      Flag("subnormal_inputs", &Model::subnormal_inputs),
      Flag("subnormal_results", &Model::subnormal_results),
      Named("zero_sign", &Model::zero_sign, kZeroSignNames)};
}

bool IsValid(const Model& model) {
  // One block has one grouping.
  if (model.block == model.k && model.grouping != Grouping::kConsecutive) return false;
  return CheckModel(model, "").has_value();
}

// The most frequent NaN of the device.
std::uint32_t NanOf(const Model& model, const Samples& samples) {
  const numerics::small_float::Format& format = *numerics::small_float::FormatOf(model.accumulator);
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t bits : samples.results) {
    if (numerics::small_float::Decode(format, bits).kind == numerics::small_float::Kind::kNan) {
      ++counts[bits];
    }
  }
  std::pair<std::uint32_t, std::size_t> best{static_cast<std::uint32_t>(format.nan()), 0};
  for (const auto& [bits, count] : counts) {
    if (count > best.second) best = {bits, count};
  }
  return best.first;
}

// Mantissa bits that any finite result uses.
int UsedBits(const Model& model, const Samples& samples) {
  const int mantissa_bits = MantissaBits(model);
  const auto& format = *numerics::small_float::FormatOf(model.accumulator);
  std::uint32_t used = 0;
  for (const std::uint32_t bits : samples.results) {
    const bool finite = (bits & format.infinity()) != format.infinity();
    if (finite) used |= bits & static_cast<std::uint32_t>(format.mantissa_mask());
  }
  return used == 0 ? mantissa_bits : mantissa_bits - std::countr_zero(used);
}

class Search {
 public:
  Search(const Model& start, const Samples& samples, const FitOptions& options)
      : problem_(start, samples),
        samples_(samples),
        options_(options),
        parameters_(ParametersOf(start)),
        used_bits_(UsedBits(start, samples)),
        best_(start) {}

  // All combinations of the first parameters: the more samples, the fewer of them are left.
  void Whole() {
    std::vector<Candidate> candidates;
    best_.minimum_exponent = -1000;
    best_.nan = NanOf(best_, samples_);
    Enumerate(best_, 0, &candidates);
    for (std::size_t tiles = problem_.TilesOf(kFirstSieve); candidates.size() > 1 && !IsOver();
         tiles = std::min(4 * tiles, samples_.tiles.size())) {
      Measure(&candidates, tiles);
      std::stable_sort(
          candidates.begin(), candidates.end(),
          [](const Candidate& x, const Candidate& y) { return x.different < y.different; });
      if (tiles == samples_.tiles.size()) break;
      candidates.resize(std::min(candidates.size(), std::max(candidates.size() / 8, kLeastLeft)));
    }
    best_ = candidates.front().model;
  }

  // Changes one parameter at a time while that explains more.
  void Singly() {
    different_ = problem_.Differences(best_, kAll);
    for (bool better = true; better && different_ > 0;) {
      better = false;
      for (const Parameter& parameter : parameters_) {
        if (different_ > 0 && !IsOver()) better |= Improve(parameter);
      }
    }
  }

  Fit Result() {
    Fit fit{.model = best_, .dots = problem_.dots(), .different = different_};
    for (const Parameter& parameter : parameters_) {
      if (!IsOver()) Weigh(parameter, &fit);
    }
    return fit;
  }

 private:
  static constexpr std::size_t kFirstSieve = 1024;  // dot products
  static constexpr std::size_t kLeastLeft = 16;     // candidates
  struct Candidate {
    Model model;
    std::size_t value = 0;  // of the parameter
    std::size_t different = kAll;
  };

  bool IsOver() const { return options_.is_over && options_.is_over(); }

  void Enumerate(const Model& model, std::size_t from, std::vector<Candidate>* candidates) {
    if (from == kSearchedAsAWhole) {
      // With c in the sum, the results show their bits.
      const bool fits = model.addend == Addend::kLast || model.result_bits == used_bits_;
      if (fits && IsValid(model)) candidates->push_back({model});
      return;
    }
    for (std::size_t i = 0; i < parameters_[from].values.size(); ++i) {
      Model changed = model;
      parameters_[from].set(&changed, i);
      Enumerate(changed, from + 1, candidates);
    }
  }

  // Counts the differences of every candidate; those beyond `limit` need not be exact.
  void Measure(std::vector<Candidate>* candidates, std::size_t tiles, std::size_t limit = kAll) {
    base::ParallelChunks(options_.threads, candidates->size(), 1,
                         [&](int, std::size_t begin, std::size_t end) {
                           for (std::size_t i = begin; i < end; ++i) {
                             Candidate& x = (*candidates)[i];
                             x.different = problem_.Differences(x.model, limit, tiles);
                           }
                         });
  }

  // The model with every other value of a parameter.
  std::vector<Candidate> Others(const Parameter& parameter) const {
    std::vector<Candidate> others;
    const int own = parameter.get(best_);
    for (std::size_t i = 0; i < parameter.values.size(); ++i) {
      Candidate other{best_, i};
      parameter.set(&other.model, i);
      if (static_cast<int>(i) != own && IsValid(other.model)) others.push_back(std::move(other));
    }
    return others;
  }

  bool Improve(const Parameter& parameter) {
    std::vector<Candidate> others = Others(parameter);
    Measure(&others, kAll, different_);
    bool better = false;
    for (const Candidate& other : others) {
      if (other.different >= different_) continue;
      different_ = other.different;
      best_ = other.model;
      better = true;
    }
    return better;
  }

  void Weigh(const Parameter& parameter, Fit* fit) {
    std::vector<Candidate> others = Others(parameter);
    Measure(&others, kAll);
    std::size_t least = kAll;
    for (const Candidate& other : others) {
      if (other.different <= different_) {
        fit->undetermined[parameter.name].push_back(parameter.values[other.value]);
      }
      least = std::min(least, other.different);
    }
    if (least != kAll) fit->refuting[parameter.name] = least - std::min(least, different_);
  }

  Problem problem_;
  const Samples& samples_;
  const FitOptions& options_;
  std::vector<Parameter> parameters_;
  int used_bits_;
  Model best_;
  std::size_t different_ = kAll;
};

}  // namespace

Fit FitModel(const Model& start, const Samples& samples, bool from_start,
             const FitOptions& options) {
  if (numerics::matrix::IntegerBits(start.input) != 0) {
    Model model = start;
    model.arithmetic = Arithmetic::kInteger;
    const Problem problem(model, samples);
    return {.model = model, .dots = problem.dots(), .different = problem.Differences(model, kAll)};
  }
  Search search(start, samples, options);
  if (!from_start) search.Whole();
  search.Singly();
  return search.Result();
}

std::size_t Differences(const Model& model, const Samples& samples, std::size_t limit) {
  return Problem(model, samples).Differences(model, limit);
}

}  // namespace assay::tools
