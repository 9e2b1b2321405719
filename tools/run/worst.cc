#include "tools/run/worst.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <utility>

#include "tools/run/merge.h"
#include "tools/run/spread.h"

namespace assay::tools {
namespace {

using Choice = interp::EnvelopeOptions::Choice;

constexpr std::uint64_t kRandomRuns = 8;
constexpr int kRounds = 2;  // over all functions

const char* NameOf(Choice choice) {
  switch (choice) {
    case Choice::kRandom:
      return "random";
    case Choice::kLowest:
      return "lowest";
    case Choice::kHighest:
      return "highest";
    case Choice::kNominal:
      break;
  }
  return "nominal";
}

class Search {
 public:
  Search(const interp::Job& job, const PreparedRun& prepared)
      : job_(job), prepared_(prepared), sites_(std::make_shared<interp::ImprecisionSites>()) {}

  Expected<RunReport> Run() {
    auto nominal = One({.choice = Choice::kNominal}, prepared_.settings.seed, false);
    if (!nominal) return nominal;
    nominal_ = std::move(nominal->buffers);
    for (const Choice choice : {Choice::kLowest, Choice::kHighest, Choice::kNominal}) {
      if (auto done = Climb({.choice = choice}); !done) return FailedBy(done);
    }
    for (std::uint64_t i = 0; i < kRandomRuns; ++i) {
      const auto done = Try({.choice = Choice::kRandom}, prepared_.settings.seed + i);
      if (!done) return FailedBy(done);
    }
    return Report();
  }

 private:
  struct Way {
    Choice choice = Choice::kNominal;
    std::map<std::string, Choice> of = {};
  };

  template <typename T>
  static tl::unexpected<Error> FailedBy(const Expected<T>& failed) {
    return tl::unexpected<Error>(failed.error());
  }

  Expected<RunReport> One(const Way& way, std::uint64_t seed, bool is_last) {
    PreparedRun prepared = prepared_;
    auto options = std::make_shared<interp::EnvelopeOptions>(*prepared.settings.imprecision);
    options->choice = way.choice;
    options->of = way.of;
    options->sites = sites_;
    prepared.settings.imprecision = std::move(options);
    if (!is_last) prepared.settings.detectors = {};
    ++runs_;
    return RunOnce(job_, prepared,
                   {.budget = job_.load.budget,
                    .seed = seed,
                    .threads = prepared.options->threads,
                    .shows_output = is_last});
  }

  // One function after the other to another end, as long as that leads farther.
  Expected<void> Climb(Way way) {
    auto reached = Try(way, prepared_.settings.seed);
    for (int round = 0; reached && round < kRounds; ++round) {
      const std::uint64_t before = *reached;
      for (const std::string& name : sites_->Names()) {
        for (const Choice choice : {Choice::kNominal, Choice::kLowest, Choice::kHighest}) {
          Way other = way;
          other.of[name] = choice;
          const auto tried = Try(other, prepared_.settings.seed);
          if (!tried) return FailedBy(tried);
          if (*tried <= *reached) continue;
          reached = tried;
          way = other;
        }
      }
      if (*reached == before) break;
    }
    if (!reached) return FailedBy(reached);
    return {};
  }

  // How far it is.
  Expected<std::uint64_t> Try(const Way& way, std::uint64_t seed) {
    if (WhyStopped(job_.load.budget)) return 0;
    auto report = One(way, seed, false);
    if (!report) return tl::unexpected(report.error());
    if (report->end != interp::LaunchEnd::kCompleted) return 0;
    spread_.Add(report->buffers);
    const Distance distance = DistanceOf(nominal_, report->buffers);
    if (distance.steps <= best_.steps) return distance.steps;
    best_ = distance;
    best_way_ = way;
    best_seed_ = seed;
    return distance.steps;
  }

  Expected<RunReport> Report() {
    auto report = One(best_way_, best_seed_, true);
    if (!report) return report;
    spread_.Add(nominal_);
    report->spread = spread_.Take();
    ReportedWorst worst = {.runs = runs_, .steps = best_.steps};
    std::vector<std::string> words;
    const auto choice_of = [&](const std::string& name) {
      const auto own = best_way_.of.find(name);
      return own == best_way_.of.end() ? best_way_.choice : own->second;
    };
    for (const std::string& name : sites_->Names()) {
      worst.choices[name] = NameOf(choice_of(name));
      words.push_back(fmt::format("{} {}", name, NameOf(choice_of(name))));
    }
    worst.how = best_way_.choice == Choice::kRandom
                    ? fmt::format("random values of seed {}", best_seed_)
                    : fmt::format("{}", fmt::join(words, ", "));
    if (best_.steps != 0) {
      const interp::JobBuffer& buffer = nominal_[best_.buffer].buffer;
      const auto width = static_cast<std::uint64_t>(buffer.type.components);
      worst.buffer = buffer.name;
      worst.place =
          width == 1 ? fmt::format("[{}]", best_.component)
                     : fmt::format("[{}].s{:x}", best_.component / width, best_.component % width);
    }
    report->worst = std::move(worst);
    return report;
  }

  const interp::Job& job_;
  const PreparedRun& prepared_;
  std::shared_ptr<interp::ImprecisionSites> sites_;
  std::vector<ReportedBuffer> nominal_;
  Spread spread_;
  Distance best_;
  Way best_way_;
  std::uint64_t best_seed_ = 0;
  std::uint64_t runs_ = 0;
};

}  // namespace

Expected<RunReport> RunWorst(const interp::Job& job, const PreparedRun& prepared) {
  return Search(job, prepared).Run();
}

}  // namespace assay::tools
