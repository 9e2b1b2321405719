#include "tools/matrix/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

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
constexpr int kMostFits = 12;                // of one instruction
constexpr std::uint64_t kMostDisagreements = 1'000'000;
constexpr double kSecondsOfBatch = 4;

class Clock {
 public:
  explicit Clock(double limit) : limit_(limit) {}
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  bool IsOver() const { return limit_ > 0 && Seconds() > limit_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double limit_;
};

// What is known of one instruction.
struct Finding {
  Fit fit;
  std::uint64_t tiles = 0;  // compared with the present model, from tile 0 on
  std::uint64_t disagreements = 0;
  std::vector<Counterexample> examples;
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
    for (const MatrixInstruction& instruction : *chosen) {
      if (clock_.IsOver() || stop_) {
        outcome_.complete = false;
        outcome_.text += fmt::format("{}: not asked: the time is over\n", instruction.name);
        continue;
      }
      auto found = Ask(instruction);
      if (!found) return tl::unexpected<Error>(found.error());
      outcome_.text += Text(instruction, *found);
      outcome_.disagrees |= found->disagreements > 0 || found->fit.different > 0;
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
             {"instructions", ordered_json::array()}};
    if (options_.output.empty() || !base::Exists(options_.output)) return {};
    const auto text = base::ReadWholeFile(options_.output);
    if (!text) return tl::unexpected<Error>(text.error());
    const auto file = numerics::matrix::ParseModelFile(*text, options_.output);
    if (!file) return tl::unexpected<Error>(file.error());
    ordered_json old = base::ParseJson(*text);
    if (file->device != device_.name() || old.value("driver", "") != device_.driver()) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: is of the device '{}', not of '{}' with this driver; give "
                              "another --output",
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
    if (instruction.input == "s8") return model;
    model.block = model.k;
    model.result_bits = numerics::small_float::FormatOf(model.accumulator)->mantissa_bits;
    return model;
  }

  // The instruction in the file with the same seed: where to go on.
  std::uint64_t Continue(const MatrixInstruction& instruction, Model* model) const {
    for (const ordered_json& entry : json_["instructions"]) {
      if (entry.value("name", "") != instruction.name || !entry.contains("evidence")) continue;
      const ordered_json& evidence = entry["evidence"];
      if (evidence.value("seed", std::uint64_t{0}) != options_.seed ||
          evidence.value("disagreements", std::uint64_t{1}) != 0) {
        continue;
      }
      const auto file = numerics::matrix::ParseModelFile(base::JsonText(json_), options_.output);
      if (!file) continue;
      for (const Model& known : file->instructions) {
        if (known.name != instruction.name || known.m != instruction.m) continue;
        *model = known;
        return evidence.value("tiles", std::uint64_t{0});
      }
    }
    return 0;
  }

  Expected<Finding> Ask(const MatrixInstruction& instruction) {
    Samples samples{.seed = options_.seed};
    for (std::uint64_t i = 0; i < options_.samples; ++i) samples.tiles.push_back(i);
    auto results = device_.Tiles(instruction, options_.seed, 0, options_.samples);
    if (!results) return tl::unexpected<Error>(results.error());
    samples.results = *std::move(results);
    Model start = Shape(instruction);
    Finding finding;
    finding.tiles = Continue(instruction, &start);
    finding.fit = FitModel(start, samples, finding.tiles > 0, threads_);
    if (finding.tiles > 0 && !(finding.fit.model == start)) finding.tiles = 0;
    if (auto kept = Keep(instruction, finding); !kept) return tl::unexpected<Error>(kept.error());
    if (auto done = Compared(instruction, &samples, &finding); !done) {
      return tl::unexpected<Error>(done.error());
    }
    return finding;
  }

  Expected<void> Compared(const MatrixInstruction& instruction, Samples* samples,
                          Finding* finding) {
    const std::uint64_t wanted =
        (options_.dots + instruction.results() - 1) / instruction.results();
    std::size_t batch = 64;
    int fits = 1;
    while (finding->tiles < wanted && finding->disagreements < kMostDisagreements) {
      if (clock_.IsOver() || stop_) {
        outcome_.complete = false;
        break;
      }
      const double begun = clock_.Seconds();
      const std::size_t count =
          std::min<std::uint64_t>({batch, wanted - finding->tiles, kMostTiles});
      const auto compared = Compare(device_, instruction, finding->fit.model, options_.seed,
                                    finding->tiles, count, threads_);
      if (!compared) return tl::unexpected<Error>(compared.error());
      if (!compared->examples.empty() && fits++ < kMostFits) {
        auto changed = Refit(instruction, *compared, samples, finding);
        if (!changed) return tl::unexpected<Error>(changed.error());
        if (*changed) continue;  // from the first tile on
      }
      finding->tiles += compared->tiles;
      finding->disagreements += compared->disagreements + compared->unread_blocks;
      finding->examples.insert(finding->examples.end(), compared->examples.begin(),
                               compared->examples.end());
      if (auto kept = Keep(instruction, *finding); !kept) return kept;
      if (clock_.Seconds() - begun < kSecondsOfBatch) batch *= 2;
    }
    return {};
  }

  // With the tiles that refute the model; true: there is another model.
  Expected<bool> Refit(const MatrixInstruction& instruction, const Comparison& compared,
                       Samples* samples, Finding* finding) {
    const std::size_t count = std::min(kMostNewSamples, compared.examples.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t tile = compared.examples[i].tile;
      const auto results = device_.Tiles(instruction, options_.seed, tile, 1);
      if (!results) return tl::unexpected<Error>(results.error());
      samples->tiles.push_back(tile);
      samples->results.insert(samples->results.end(), results->begin(), results->end());
    }
    Fit fit = FitModel(finding->fit.model, *samples, true, threads_);
    if (fit.different > 0) {
      Fit whole = FitModel(Shape(instruction), *samples, false, threads_);
      if (whole.different < fit.different) fit = std::move(whole);
    }
    const bool changed = !(fit.model == finding->fit.model);
    finding->fit = std::move(fit);
    if (changed) {
      finding->tiles = finding->disagreements = 0;
      finding->examples.clear();
    }
    return changed;
  }

  ordered_json Entry(const MatrixInstruction& instruction, const Finding& finding) const {
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
    entry["evidence"] = {{"seed", options_.seed},
                         {"tiles", finding.tiles},
                         {"dot_products", finding.tiles * instruction.results()},
                         {"disagreements", finding.disagreements},
                         {"samples", finding.fit.dots},
                         {"unexplained_samples", finding.fit.different},
                         {"samples_that_refute_other_values", finding.fit.refuting},
                         {"other_values_that_fit_as_well", finding.fit.undetermined},
                         {"examples", examples}};
    return entry;
  }

  Expected<void> Keep(const MatrixInstruction& instruction, const Finding& finding) {
    ordered_json& list = json_["instructions"];
    const auto old = std::find_if(list.begin(), list.end(), [&](const ordered_json& entry) {
      return entry.value("name", "") == instruction.name;
    });
    ordered_json entry = Entry(instruction, finding);
    if (old == list.end()) {
      list.push_back(std::move(entry));
    } else {
      *old = std::move(entry);
    }
    if (options_.output.empty()) return {};
    return base::WriteFileAtomically(options_.output, base::JsonText(json_, 2) + "\n");
  }

  static std::string Text(const MatrixInstruction& instruction, const Finding& finding) {
    const Model& model = finding.fit.model;
    std::string text = fmt::format("{}: {}\n", base::Printable(instruction.name),
                                   base::JsonText(ModelToJson(model)));
    text += fmt::format("  {} of {} samples unexplained; {} of {} dot products disagree\n",
                        finding.fit.different, finding.fit.dots, finding.disagreements,
                        finding.tiles * instruction.results());
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
