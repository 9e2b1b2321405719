#include "tools/run/subgroup_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "interp/job/image_content.h"
#include "interp/rules/rule.h"
#include "numerics/literal.h"
#include "tools/run/many.h"
#include "tools/run/merge.h"
#include "tools/run/replay.h"

namespace assay::tools {
namespace {

using Clock = std::chrono::steady_clock;
using interp::LaunchEnd;
using Sizes = std::vector<std::uint32_t>;

// One content of a buffer, and the sizes that leave it.
struct Content {
  interp::JobBuffer buffer;
  Sizes sizes;
};

std::string ElementText(const interp::JobBuffer& buffer, std::uint64_t element) {
  if (element >= buffer.count) return "nothing";
  return buffer.image ? interp::FormatColor(*buffer.image, buffer.bytes, element)
                      : interp::FormatElement(
                            buffer.type, interp::ComponentsOf(buffer.type, buffer.bytes, element));
}

bool IsSame(const interp::JobBuffer& one, const interp::JobBuffer& other) {
  return one.count == other.count && std::ranges::equal(one.bytes, other.bytes);
}

// The first element in which two contents differ, by their bytes: NaNs may be equal as text.
std::uint64_t FirstDifference(const interp::JobBuffer& one, const interp::JobBuffer& other) {
  const auto [here, there] = std::ranges::mismatch(one.bytes, other.bytes);
  const auto byte = static_cast<std::uint64_t>(here - one.bytes.begin());
  const std::uint64_t elements = std::max<std::uint64_t>(one.count, 1);
  return byte / std::max<std::uint64_t>(one.bytes.size() / elements, 1);
}

class SizeRuns {
 public:
  SizeRuns(const interp::Job& job, const PreparedRun& prepared,
           std::span<const std::uint32_t> sizes)
      : job_(job), prepared_(prepared), sizes_(sizes.begin(), sizes.end()) {}

  Expected<RunReport> Run() {
    const auto start = Clock::now();
    for (const std::uint32_t size : sizes_) {
      if (WhyStopped(job_.load.budget) && !done_.empty()) break;
      auto report = RunWith(size);
      if (report) {
        Add(size, std::move(*report));
        continue;
      }
      // A size that the kernel does not allow leaves the others.  What is wrong with the arguments
      // is wrong with every size.
      if (report.error().kind != ErrorKind::kUsage) return report;
      if (!error_) error_ = report.error();
      refused_.push_back(size);
    }
    if (done_.empty()) return tl::unexpected(*error_);
    return Take(base::SecondsSince(start));
  }

 private:
  // A rule and a place: launch, instruction, calls around it.
  using Key = std::tuple<interp::Rule, std::size_t, std::uint32_t, std::vector<std::uint32_t>>;

  Expected<RunReport> RunWith(std::uint32_t size) const {
    RunOptions options = *prepared_.options;
    options.sub_group_size = fmt::to_string(size);
    options.quiet = true;  // as with many seeds
    PreparedRun prepared = prepared_;
    prepared.options = &options;
    interp::Job job = job_;
    job.sub_group_size = size;
    return RunAsAsked(std::move(job), prepared);
  }

  std::string CommandWith(std::uint32_t size) const {
    RunOptions options = *prepared_.options;
    options.sub_group_size = fmt::to_string(size);
    return RunCommand(options, prepared_.settings.seed, prepared_.choices);
  }

  void Add(std::uint32_t size, RunReport report) {
    done_.push_back(size);
    with_findings_ += report.findings.empty() ? 0 : 1;
    const std::string name = fmt::format("sub-group size {}: ", size);
    if (report.end != LaunchEnd::kCompleted) report.message = name + report.message;
    for (ReportedExpectation& expectation : report.expectations) {
      if (expectation.met != true) expectation.message = name + expectation.message;
    }
    if (report.end == LaunchEnd::kCompleted) AddBuffers(size, report.buffers);
    std::vector<ReportedFinding> findings = std::exchange(report.findings, {});
    std::vector<ReportedFinding> hidden = std::exchange(report.hidden, {});
    if (done_.size() == 1) {
      merged_ = std::move(report);
    } else {
      Join(std::move(report));
    }
    AddFindings(size, std::move(findings), &merged_.findings, &found_);
    AddFindings(size, std::move(hidden), &merged_.hidden, &hidden_);
  }

  void Join(RunReport report) {
    merged_.instructions += report.instructions;
    for (const auto& [opcode, count] : report.counts) merged_.counts[opcode] += count;
    for (std::size_t i = 0; i < merged_.ignores.size(); ++i) {
      merged_.ignores[i].hidden += report.ignores[i].hidden;
    }
    if (report.end != LaunchEnd::kCompleted &&
        (merged_.end == LaunchEnd::kCompleted || report.end == LaunchEnd::kStopped)) {
      merged_.end = report.end;
      merged_.message = report.message;
    }
    // What is not met is kept, or else what is not judged.
    for (std::size_t i = 0; i < merged_.expectations.size(); ++i) {
      const auto badness = [](const ReportedExpectation& expectation) {
        return !expectation.met ? 1 : *expectation.met ? 0 : 2;
      };
      if (badness(report.expectations[i]) > badness(merged_.expectations[i])) {
        merged_.expectations[i] = std::move(report.expectations[i]);
      }
    }
  }

  void AddBuffers(std::uint32_t size, std::span<const ReportedBuffer> buffers) {
    contents_.resize(std::max(contents_.size(), buffers.size()));
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      std::vector<Content>& contents = contents_[i];
      const auto same = std::ranges::find_if(contents, [&](const Content& content) {
        return IsSame(content.buffer, buffers[i].buffer);
      });
      if (same != contents.end()) {
        same->sizes.push_back(size);
      } else {
        contents.push_back({buffers[i].buffer, {size}});
      }
    }
  }

  void AddFindings(std::uint32_t size, std::vector<ReportedFinding> findings,
                   std::vector<ReportedFinding>* merged, std::map<Key, std::size_t>* places) {
    for (ReportedFinding& reported : findings) {
      const interp::Finding& finding = reported.finding;
      const Key key{finding.rule, reported.launch, finding.place.instruction, finding.place.calls};
      const auto [place, is_new] = places->emplace(key, merged->size());
      found_with_[key].push_back(size);
      if (is_new) {
        reported.runs = 1;
        merged->push_back(std::move(reported));
        continue;
      }
      ReportedFinding& first = (*merged)[place->second];
      first.finding.count += finding.count;
      ++first.runs;
    }
  }

  // Says of each finding that is not there with every size with which it is.
  void TellSizes(std::vector<ReportedFinding>* findings) const {
    for (ReportedFinding& reported : *findings) {
      interp::Finding& finding = reported.finding;
      const Sizes& with = found_with_.at(
          {finding.rule, reported.launch, finding.place.instruction, finding.place.calls});
      if (with.size() == done_.size()) continue;
      Sizes without;
      std::ranges::set_difference(done_, with, std::back_inserter(without));
      finding.history.push_back(fmt::format("with sub-group size {}, not with {}",
                                            SubgroupSizesText(with), SubgroupSizesText(without)));
    }
  }

  // A buffer whose content is not the same with every size.
  void TellContents(std::span<const Content> contents) {
    const interp::JobBuffer& first = contents[0].buffer;
    std::uint64_t element = ~std::uint64_t{0};
    for (const Content& other : contents.subspan(1)) {
      element = std::min(element, FirstDifference(first, other.buffer));
    }
    ReportedFinding reported{.finding = interp::Finding(interp::Rule::kSubgroupSize)};
    const std::string place =
        first.image ? interp::PlaceText(*first.image, element) : fmt::format("element {}", element);
    reported.finding.message = fmt::format("the content of {} '{}' depends on the sub-group size",
                                           first.Kind(), first.name);
    for (const Content& content : contents) {
      reported.finding.history.push_back(
          fmt::format("with sub-group size {} {} is {}: {}", SubgroupSizesText(content.sizes),
                      place, ElementText(content.buffer, element), CommandWith(content.sizes[0])));
    }
    reported.launch = merged_.launches.empty() ? 0 : merged_.launches.size() - 1;
    reported.seed = prepared_.settings.seed;
    reported.runs = done_.size();
    reported.replay = merged_.replay.command;
    merged_.findings.push_back(std::move(reported));
  }

  RunReport Take(double seconds) {
    // That of all sizes.
    merged_.replay =
        ReplayOf(*prepared_.options, prepared_.sources, prepared_.settings.seed, prepared_.choices);
    TellSizes(&merged_.findings);
    TellSizes(&merged_.hidden);
    for (const std::vector<Content>& contents : contents_) {
      if (contents.size() > 1) TellContents(contents);
    }
    const auto stop = WhyStopped(job_.load.budget);
    const bool is_cut = done_.size() + refused_.size() < sizes_.size();
    if (stop && is_cut && merged_.end == LaunchEnd::kCompleted) {
      merged_.end = stop->end;
      merged_.message = stop->message;
    }
    if (!refused_.empty() && merged_.message.empty()) {
      merged_.message = fmt::format("not with sub-group size {}: {}", SubgroupSizesText(refused_),
                                    error_->message);
    }
    merged_.seconds = seconds;
    merged_.runs = ReportedRuns{.what = "sub-group sizes",
                                .first_seed = prepared_.settings.seed,
                                .planned = sizes_.size(),
                                .done = done_.size(),
                                .with_findings = with_findings_,
                                .exhausted = done_.size() == sizes_.size()};
    return std::move(merged_);
  }

  const interp::Job& job_;
  const PreparedRun& prepared_;
  const Sizes sizes_;
  Sizes done_, refused_;
  std::optional<Error> error_;  // of the first size that was refused
  std::uint64_t with_findings_ = 0;
  RunReport merged_;
  std::vector<std::vector<Content>> contents_;  // by buffer, in the order of the sizes
  std::map<Key, std::size_t> found_, hidden_;   // places in merged_'s lists
  std::map<Key, Sizes> found_with_;
};

}  // namespace

std::vector<std::uint32_t> ParseSubgroupSizes(std::string_view text) {
  Sizes sizes;
  if (text == "all") {
    for (std::uint32_t size = 1; size <= interp::kMaxSubgroupSize; ++size) sizes.push_back(size);
    return sizes;
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto size =
        numerics::ParseLiteral(numerics::ScalarType::kUint, std::string(text.substr(at, end - at)));
    if (!size || *size < 1 || *size > interp::kMaxSubgroupSize) return {};
    sizes.push_back(static_cast<std::uint32_t>(*size));
    at = end + 1;
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

std::string SubgroupSizesText(std::span<const std::uint32_t> sizes) {
  // Three in a row, or more, are a range.
  std::vector<std::string> words;
  for (std::size_t i = 0; i < sizes.size();) {
    std::size_t end = i + 1;
    while (end < sizes.size() && sizes[end] == sizes[end - 1] + 1) ++end;
    if (end - i > 2) {
      words.push_back(fmt::format("{} to {}", sizes[i], sizes[end - 1]));
      i = end;
    } else {
      words.push_back(fmt::to_string(sizes[i++]));
    }
  }
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

Expected<RunReport> RunSubgroupSizes(const interp::Job& job, const PreparedRun& prepared,
                                     std::span<const std::uint32_t> sizes) {
  return SizeRuns(job, prepared, sizes).Run();
}

}  // namespace assay::tools
