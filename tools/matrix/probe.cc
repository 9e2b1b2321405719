#include "tools/matrix/probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/threads.h"
#include "numerics/matrix/model.h"
#include "tools/matrix/device.h"
#include "tools/matrix/fit.h"
#include "tools/matrix/search.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;
using numerics::matrix::Model;

constexpr std::size_t kMostExamples = 16;    // in a file
constexpr std::size_t kMostNewSamples = 64;  // tiles, from one comparison
constexpr int kMostFits = 6;                 // of one instruction
constexpr std::uint64_t kMostDisagreements = 1'000'000;
constexpr double kSecondsOfBatch = 2;
// Dot products of the first rounds; the further ones divide what is left.
constexpr std::uint64_t kFirstRounds[] = {100'000, 1'000'000, 10'000'000};
constexpr std::uint64_t kFurtherRounds = 16;

class Clock {
 public:
  explicit Clock(double limit) : limit_(limit) {}
  double Seconds() const { return base::SecondsSince(start_); }
  double limit() const { return limit_; }
  bool IsOver() const { return limit_ > 0 && Seconds() > limit_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double limit_;
};

// Of UTC, such as 2026-01-31.
std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  gmtime_r(&now, &day);
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

// What is known of one instruction.
struct Finding {
  MatrixInstruction instruction;
  Samples samples;
  Fit fit;
  std::uint64_t tiles = 0;  // compared with the present model, from tile 0 on
  std::uint64_t disagreements = 0;
  std::vector<Counterexample> examples = {};
  int fits = 1;
  std::size_t batch = 64;  // tiles

  std::uint64_t dots() const { return tiles * instruction.results(); }
};

class Prober {
 public:
  Prober(const ProbeOptions& options, MatrixDevice& device, const std::atomic<bool>& stop)
      : options_(options),
        device_(device),
        stop_(stop),
        threads_(base::ThreadCount(options.threads)),
        clock_(options.seconds) {}

  Expected<ProbeOutcome> Run() {
    if (auto read = ReadOutput(); !read) return tl::unexpected<Error>(read.error());
    auto chosen = Chosen();
    if (!chosen) return tl::unexpected<Error>(chosen.error());
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < chosen->size() && !IsOver(); ++i) {
      auto begun = Begin((*chosen)[i], chosen->size() - i);
      if (!begun) return tl::unexpected<Error>(begun.error());
      findings.push_back(*std::move(begun));
    }
    if (auto searched = SearchAll(&findings); !searched) {
      return tl::unexpected<Error>(searched.error());
    }
    for (const Finding& finding : findings) {
      outcome_.text += Text(finding);
      outcome_.disagrees |= finding.disagreements > 0 || finding.fit.different > 0;
      outcome_.complete &= finding.dots() >= options_.dots;
    }
    for (std::size_t i = findings.size(); i < chosen->size(); ++i) {
      outcome_.complete = false;
      outcome_.text +=
          fmt::format("{}: not asked: the time is over\n", base::Printable((*chosen)[i].name));
    }
    return outcome_;
  }

 private:
  Expected<std::vector<MatrixInstruction>> Chosen() const {
    if (options_.instructions.empty()) return device_.instructions();
    std::vector<MatrixInstruction> chosen;
    for (const std::string& name : options_.instructions) {
      const auto& all = device_.instructions();
      const auto found = std::find_if(all.begin(), all.end(),
                                      [&](const MatrixInstruction& x) { return x.name == name; });
      if (found == all.end()) {
        std::string names;
        for (const MatrixInstruction& x : all) names += (names.empty() ? "" : ", ") + x.name;
        return Fail(ErrorKind::kUsage,
                    fmt::format("--instructions: the device has no '{}'; it has {}", name,
                                base::Printable(names)));
      }
      chosen.push_back(*found);
    }
    return chosen;
  }

  Expected<void> ReadOutput() {
    json_ = {{"schema", "assay-matrix-model/1"},
             {"device", device_.name()},
             {"driver", device_.driver()},
             {"compiler", device_.compiler()},
             {"instructions", ordered_json::array()}};
    if (options_.output.empty() || !base::Exists(options_.output)) return {};
    const auto text = base::ReadWholeFile(options_.output);
    if (!text) return tl::unexpected<Error>(text.error());
    const auto file = numerics::matrix::ParseModelFile(*text, options_.output);
    if (!file) return tl::unexpected<Error>(file.error());
    ordered_json old = base::ParseJson(*text);
    if (file->device != device_.name() || old.value("driver", "") != device_.driver() ||
        old.value("compiler", "") != device_.compiler()) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: is of the device '{}', not of '{}' with this driver and "
                              "compiler; give another --output",
                              options_.output, base::Printable(file->device),
                              base::Printable(device_.name())));
    }
    json_ = std::move(old);
    return {};
  }

  static Model Shape(const MatrixInstruction& instruction) {
    Model model;
    model.name = instruction.name;
    model.input = instruction.input;
    model.accumulator = instruction.accumulator;
    model.m = instruction.m;
    model.n = instruction.n;
    model.k = instruction.k;
    if (numerics::matrix::IntegerBits(instruction.input) != 0) return model;
    model.block = model.k;
    model.result_bits = numerics::small_float::FormatOf(model.accumulator)->mantissa_bits;
    return model;
  }

  bool IsOver() const { return clock_.IsOver() || stop_; }

  // The fit in the file, if it explains the samples, and how many tiles agreed with the same seed.
  Expected<bool> Continue(Finding* finding) const {
    const MatrixInstruction& instruction = finding->instruction;
    for (const ordered_json& entry : json_["instructions"]) {
      if (entry.value("name", "") != instruction.name || !entry.contains("evidence")) continue;
      // A part of a file that was read without an error.
      const ordered_json alone{{"schema", json_["schema"]}, {"instructions", {entry}}};
      const auto file = numerics::matrix::ParseModelFile(base::JsonText(alone), options_.output);
      if (!file || file->instructions[0].m != instruction.m ||
          Differences(file->instructions[0], finding->samples, 0) > 0) {
        return false;
      }
      finding->fit.model = file->instructions[0];
      if (auto read = ReadEvidence(entry["evidence"], finding); !read) {
        return tl::unexpected<Error>(read.error());
      }
      return true;
    }
    return false;
  }

  Expected<void> ReadEvidence(const ordered_json& evidence, Finding* finding) const {
    Fit& fit = finding->fit;
    try {
      fit.dots = evidence.value("samples", std::size_t{0});
      fit.refuting = evidence.value("samples_that_refute_other_values", fit.refuting);
      fit.undetermined = evidence.value("other_values_that_fit_as_well", fit.undetermined);
      if (evidence.value("seed", std::uint64_t{0}) == options_.seed &&
          evidence.value("disagreements", std::uint64_t{1}) == 0) {
        finding->tiles = evidence.value("tiles", std::uint64_t{0});
      }
    } catch (const ordered_json::exception&) {
      return Fail(
          ErrorKind::kUsage,
          fmt::format("{}: the 'evidence' of {} is not what this command writes; remove it, "
                      "or give another --output",
                      options_.output, base::Printable(finding->instruction.name)));
    }
    return {};
  }

  // Reads samples and finds a model of one instruction.  `left`: how many have none yet.
  Expected<Finding> Begin(const MatrixInstruction& instruction, std::size_t left) {
    Finding finding{.instruction = instruction, .samples = {.seed = options_.seed}};
    Samples& samples = finding.samples;
    for (std::uint64_t i = 0; i < options_.samples; ++i) samples.tiles.push_back(i);
    auto results = device_.Tiles(instruction, options_.seed, 0, options_.samples);
    if (!results) return tl::unexpected<Error>(results.error());
    samples.results = *std::move(results);
    const auto continued = Continue(&finding);
    if (!continued) return tl::unexpected<Error>(continued.error());
    if (!*continued) {
      finding.fit = FitModel(Shape(instruction), samples, false, Within(left));
    }
    if (auto kept = Keep(finding); !kept) return tl::unexpected<Error>(kept.error());
    return finding;
  }

  // No search for numbers takes more than its part of the time that is left.
  FitOptions Within(std::size_t parts) const {
    const double now = clock_.Seconds();
    const double end = now + (clock_.limit() - now) / (2 * static_cast<double>(parts));
    return {.threads = threads_, .is_over = [this, end] {
              return stop_ || (clock_.limit() > 0 && clock_.Seconds() > end);
            }};
  }

  // Round after round, so that all instructions have equally many when the time is over.
  Expected<void> SearchAll(std::vector<Finding>* findings) {
    std::vector<std::uint64_t> goals;
    for (const std::uint64_t goal : kFirstRounds) {
      if (goal < options_.dots) goals.push_back(goal);
    }
    const std::uint64_t done = goals.empty() ? 0 : goals.back();
    for (std::uint64_t i = 1; i <= kFurtherRounds; ++i) {
      goals.push_back(done + (options_.dots - done) * i / kFurtherRounds);
    }
    for (const std::uint64_t goal : goals) {
      for (Finding& finding : *findings) {
        if (auto done_so_far = Reach(goal, findings->size(), &finding); !done_so_far) {
          return done_so_far;
        }
      }
    }
    return {};
  }

  // Compares until `goal` dot products agree.
  Expected<void> Reach(std::uint64_t goal, std::size_t parts, Finding* finding) {
    const MatrixInstruction& instruction = finding->instruction;
    const std::uint64_t wanted = (goal + instruction.results() - 1) / instruction.results();
    while (finding->tiles < wanted && finding->disagreements < kMostDisagreements && !IsOver()) {
      const double begun = clock_.Seconds();
      const std::size_t count =
          std::min<std::uint64_t>({finding->batch, wanted - finding->tiles, kMostTiles});
      const auto compared = Compare(device_, instruction, finding->fit.model, options_.seed,
                                    finding->tiles, count, threads_);
      if (!compared) return tl::unexpected<Error>(compared.error());
      if (!compared->examples.empty() && finding->fits++ < kMostFits) {
        auto changed = Refit(*compared, parts, finding);
        if (!changed) return tl::unexpected<Error>(changed.error());
        if (*changed) continue;  // from the first tile on
      }
      finding->tiles += compared->tiles;
      finding->disagreements += compared->disagreements + compared->unread_blocks;
      finding->examples.insert(finding->examples.end(), compared->examples.begin(),
                               compared->examples.end());
      if (auto kept = Keep(*finding); !kept) return kept;
      if (count == finding->batch && clock_.Seconds() - begun < kSecondsOfBatch) {
        finding->batch *= 2;
      }
    }
    return {};
  }

  // With the tiles that refute the model; true: there is another model.
  Expected<bool> Refit(const Comparison& compared, std::size_t parts, Finding* finding) {
    Samples& samples = finding->samples;
    const std::size_t count = std::min(kMostNewSamples, compared.examples.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t tile = compared.examples[i].tile;
      const auto results = device_.Tiles(finding->instruction, options_.seed, tile, 1);
      if (!results) return tl::unexpected<Error>(results.error());
      samples.tiles.push_back(tile);
      samples.results.insert(samples.results.end(), results->begin(), results->end());
    }
    Fit fit = FitModel(finding->fit.model, samples, true, Within(parts));
    if (fit.different > 0) {
      Fit whole = FitModel(Shape(finding->instruction), samples, false, Within(parts));
      if (whole.different < fit.different) fit = std::move(whole);
    }
    const bool changed = !(fit.model == finding->fit.model);
    finding->fit = std::move(fit);
    if (changed) {
      finding->tiles = finding->disagreements = 0;
      finding->batch = 64;
      finding->examples.clear();
    }
    return changed;
  }

  ordered_json Entry(const Finding& finding) const {
    ordered_json entry = ModelToJson(finding.fit.model);
    ordered_json examples = ordered_json::array();
    for (const Counterexample& x : finding.examples) {
      if (examples.size() == kMostExamples) break;
      examples.push_back({{"tile", x.tile},
                          {"row", x.row},
                          {"column", x.column},
                          {"device", fmt::format("0x{:x}", x.device)},
                          {"model", fmt::format("0x{:x}", x.model)}});
    }
    entry["evidence"] = {{"date", Today()},
                         {"seed", options_.seed},
                         {"tiles", finding.tiles},
                         {"dot_products", finding.dots()},
                         {"disagreements", finding.disagreements},
                         {"samples", finding.fit.dots},
                         {"unexplained_samples", finding.fit.different},
                         {"samples_that_refute_other_values", finding.fit.refuting},
                         {"other_values_that_fit_as_well", finding.fit.undetermined},
                         {"examples", examples}};
    return entry;
  }

  Expected<void> Keep(const Finding& finding) {
    ordered_json& list = json_["instructions"];
    const auto old = std::find_if(list.begin(), list.end(), [&](const ordered_json& entry) {
      return entry.value("name", "") == finding.instruction.name;
    });
    ordered_json entry = Entry(finding);
    if (old == list.end()) {
      list.push_back(std::move(entry));
    } else {
      *old = std::move(entry);
    }
    if (options_.output.empty()) return {};
    return base::WriteFileAtomically(options_.output, base::JsonText(json_, 2) + "\n");
  }

  static std::string Text(const Finding& finding) {
    const Model& model = finding.fit.model;
    std::string text = fmt::format("{}: {}\n", base::Printable(finding.instruction.name),
                                   base::JsonText(ModelToJson(model)));
    text +=
        fmt::format("  {} of {} samples unexplained; {} of {} dot products disagree\n",
                    finding.fit.different, finding.fit.dots, finding.disagreements, finding.dots());
    for (const auto& [name, values] : finding.fit.undetermined) {
      const std::size_t shown = std::min<std::size_t>(values.size(), 8);
      text +=
          fmt::format("  {} is not determined: also {}{}\n", name,
                      fmt::join(values.begin(), values.begin() + static_cast<long>(shown), ", "),
                      shown < values.size() ? ", ..." : "");
    }
    return text;
  }

  const ProbeOptions& options_;
  MatrixDevice& device_;
  const std::atomic<bool>& stop_;
  int threads_;
  Clock clock_;
  ordered_json json_;
  ProbeOutcome outcome_;
};

}  // namespace

Expected<ProbeOutcome> Probe(const ProbeOptions& options, const std::atomic<bool>& stop) {
  auto device = MatrixDevice::Open(options.pipe, options.timeout);
  if (!device) return tl::unexpected<Error>(device.error());
  return Prober(options, **device, stop).Run();
}

}  // namespace assay::tools
