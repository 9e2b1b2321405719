#include "tools/hunt/hunt.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/in_child.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/run_tool.h"
#include "base/threads.h"
#include "tools/hunt/journal.h"
#include "tools/hunt/probe.h"
#include "tools/shared/interrupt.h"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

// A batch knows the groups of batches at least so many before it: so many may be worked at a time.
constexpr std::uint64_t kKnownBehind = 4;
constexpr double kProbeSeconds = 50;
constexpr double kReductionSeconds = 5;  // behind the budget's end, for what was just found
constexpr double kGraceSeconds = 55;     // behind the budget's end, until a child is ended

// What batches wrote that did not end.
void RemoveUnfinished(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with(kNewFindings))
      fs::remove_all(entry.path(), error);
  }
}

// One hunt's batches: threads only start children and wait for them.
class Pool {
 public:
  Pool(const HuntOptions& options, const HuntTask& task, HuntReport* report, HuntJournal* journal,
       Clock::time_point end, const std::function<void(const HuntFinding&)>& told)
      : options_(options),
        task_(task),
        report_(*report),
        journal_(*journal),
        told_(told),
        end_(end) {
    const int most = options.jobs > 0 ? options.jobs : base::ThreadCount(0);
    jobs_ = std::clamp(most, 1, 64);
  }

  Expected<void> Run() {
    for (HuntBatch& batch : journal_.TakeDone()) {
      ++report_.resumed;
      next_ = batch.number + options_.shard.count;
      merged_ = next_;
      Merge(std::move(batch));
    }
    if (report_.resumed == 0) next_ = merged_ = options_.shard.index - 1;
    {
      std::vector<std::jthread> threads;
      const int count = working_ = std::min<int>(jobs_, static_cast<int>(kKnownBehind));
      for (int i = 0; i < count; ++i) {
        threads.emplace_back([this] {
          Work();
          const std::scoped_lock lock(mutex_);
          --working_;
          changed_.notify_all();
        });
      }
      std::unique_lock lock(mutex_);
      while (working_ > 0) {
        changed_.wait_for(lock, std::chrono::milliseconds(50));
        if (g_interrupted) stop_ = true;
      }
    }
    KeepUnmerged();
    if (error_) return tl::unexpected(*error_);
    return journal_.Write();
  }

 private:
  void Work();
  Expected<HuntBatch> InItsChild(std::uint64_t number, const std::vector<std::string>& known);
  bool IsOver(std::uint64_t number) const {
    const std::uint64_t most = options_.programs;
    return error_ || stop_ || Clock::now() > end_ ||
           (most != 0 && number * kProgramsOfBatch >= most);
  }
  bool HasEnough() const {
    return options_.stop_after_findings != 0 &&
           report_.groups.size() >= options_.stop_after_findings;
  }
  std::vector<std::string> KnownTo(std::uint64_t number) const;
  void MergeReady();
  void Merge(HuntBatch batch);
  void KeepUnmerged();
  void Keep(HuntFinding* finding);
  void AddGroup(const HuntFinding& finding, std::uint64_t batch);

  const HuntOptions& options_;
  const HuntTask& task_;
  HuntReport& report_;
  HuntJournal& journal_;
  const std::function<void(const HuntFinding&)>& told_;
  const Clock::time_point end_;
  int jobs_ = 1;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::uint64_t next_ = 0, merged_ = 0;  // batches to begin, and to merge
  std::map<std::uint64_t, HuntBatch> ready_;
  std::map<std::string, std::uint64_t> found_in_;  // groups, and the batch that found each
  std::atomic<bool> stop_ = false;                 // interrupted, or enough was found
  int working_ = 0;                                // threads
  std::optional<Error> error_;
};

std::vector<std::string> Pool::KnownTo(std::uint64_t number) const {
  std::vector<std::string> known;
  for (const auto& [group, batch] : found_in_) {
    if (batch + kKnownBehind * options_.shard.count <= number) known.push_back(group);
  }
  return known;
}

void Pool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    const std::uint64_t number = next_;
    if (IsOver(number)) return;
    if (number >= merged_ + kKnownBehind * options_.shard.count) {
      changed_.wait_for(lock, std::chrono::milliseconds(200));
      continue;
    }
    next_ += options_.shard.count;
    const std::vector<std::string> known = KnownTo(number);
    lock.unlock();
    auto batch = InItsChild(number, known);
    lock.lock();
    if (!batch) {
      // Beyond the budget a batch is lost, and done again by --resume.
      if (Clock::now() > end_ || stop_) return;
      batch = HuntBatch{.number = number,
                        .not_judged = kProgramsOfBatch,
                        .doubts = {fmt::format("batch {}: {}", number, batch.error().message)}};
    }
    ready_.emplace(number, std::move(*batch));
    MergeReady();
    changed_.notify_all();
  }
}

Expected<HuntBatch> Pool::InItsChild(std::uint64_t number, const std::vector<std::string>& known) {
  const auto seconds = [](double value) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
  };
  const double left = std::chrono::duration<double>(end_ - Clock::now()).count() + kGraceSeconds;
  const auto budget = base::Budget::Start({.seconds = left});
  const auto deadline = end_ + seconds(kReductionSeconds);
  const auto work = [&] {
    base::Packed out;
    const auto batch = WorkBatch(task_, number, known, deadline);
    out.Add(std::uint64_t{batch ? 1u : 0u});
    if (batch) {
      out.Add(base::JsonText(HuntBatchJson(*batch)));
    } else {
      out.Add(static_cast<std::uint64_t>(batch.error().kind));
      out.Add(batch.error().message);
    }
    return out.bytes();
  };
  const auto packed = base::InChild(budget, "a batch of programs", work, &stop_);
  if (!packed) return tl::unexpected(packed.error());
  base::Packed in(*packed);
  if (in.Number() == 0) {
    const auto kind = static_cast<ErrorKind>(in.Number());
    return Fail(kind, in.Text());
  }
  auto batch = HuntBatchFromJson(base::ParseJson(in.Text()));
  if (!batch) return Fail(ErrorKind::kInternal, "a batch's process gave no report");
  return std::move(*batch);
}

void Pool::MergeReady() {
  while (!HasEnough() && !ready_.empty() && ready_.begin()->first == merged_) {
    HuntBatch batch = std::move(ready_.begin()->second);
    ready_.erase(ready_.begin());
    merged_ += options_.shard.count;
    // Beside bugs that are small, what could not be made small in time is most likely one of them.
    std::erase_if(batch.findings, [&](const HuntFinding& one) {
      std::error_code ignored;
      const bool is_dropped = one.cause == kUnreduced && !found_in_.empty();
      if (is_dropped) fs::remove_all(one.folder, ignored);
      return is_dropped;
    });
    for (HuntFinding& one : batch.findings) Keep(&one);
    if (auto added = journal_.Add(batch); !added) error_ = added.error();
    Merge(std::move(batch));
  }
}

// What batches did and found that are not merged, because they or one before them did not end.
// They are not in the journal: --resume works them again, and finds the same.
void Pool::KeepUnmerged() {
  std::error_code error;
  std::vector<HuntFinding> findings;
  for (const auto& entry : fs::directory_iterator(task_.folder, error)) {
    if (HasEnough()) break;  // what others found is not counted
    const auto text = base::ReadWholeFile((entry.path() / kFindingFile).string());
    if (!text || !entry.path().filename().string().starts_with(kNewFindings)) continue;
    auto one = HuntFindingFromJson(base::ParseJson(*text));
    if (!one || one->cause == kUnreduced) continue;
    one->folder = entry.path().string();
    findings.push_back(std::move(*one));
  }
  std::ranges::sort(findings, {}, &HuntFinding::program);
  for (HuntFinding& one : findings) {
    Keep(&one);
    AddGroup(one, one.program / kProgramsOfBatch);
  }
  RemoveUnfinished(task_.folder);
  for (auto& [number, batch] : ready_) {
    if (HasEnough()) break;
    batch.findings.clear();  // they are kept by their files
    Merge(std::move(batch));
  }
}

// The files of a new group get its name; those of a known one go.
void Pool::Keep(HuntFinding* finding) {
  std::error_code error;
  const std::string made = finding->folder;
  finding->folder.clear();
  if (!options_.output.empty() && !found_in_.contains(finding->cause)) {
    std::string name = finding->cause;
    std::ranges::replace(name, ' ', '-');
    const std::string folder = options_.output + "/" + name;
    fs::remove_all(folder, error);  // what a run left that was killed
    fs::rename(made, folder, error);
    if (!error) finding->folder = folder;
    if (error) error_ = Error{ErrorKind::kDevice, fmt::format("{}: {}", folder, error.message())};
  }
  fs::remove_all(made, error);
}

void Pool::AddGroup(const HuntFinding& finding, std::uint64_t batch) {
  if (found_in_.emplace(finding.cause, batch).second) {
    report_.groups.push_back(finding);
    if (HasEnough()) stop_ = true;
    if (told_) told_(finding);
  } else {
    const auto group = std::ranges::find(report_.groups, finding.cause, &HuntFinding::cause);
    if (group != report_.groups.end()) group->count += finding.count;
  }
}

void Pool::Merge(HuntBatch batch) {
  ++report_.batches;
  report_.programs += batch.programs;
  report_.not_judged += batch.not_judged;
  report_.launches += batch.launches;
  report_.reference_seconds += batch.reference_seconds;
  report_.driver_seconds += batch.driver_seconds;
  for (std::string& doubt : batch.doubts) report_.doubts.push_back(std::move(doubt));
  for (const HuntFinding& one : batch.findings) AddGroup(one, batch.number);
  for (const auto& [cause, count] : batch.again) {
    const auto group = std::ranges::find(report_.groups, cause, &HuntFinding::cause);
    if (group != report_.groups.end()) group->count += count;
  }
}

std::string KindsText(const std::vector<HuntKind>& kinds) {
  std::string text;
  for (const HuntKindRow& row : HuntKinds()) {
    if (std::ranges::find(kinds, row.kind) == kinds.end()) continue;
    text += (text.empty() ? "" : ",") + std::string(row.name);
  }
  return text;
}

void CountCoverage(const HuntPlan& plan, HuntReport* report) {
  report->operations = plan.roots.size();
  report->features = plan.features.size();
  report->operations_covered =
      std::min<std::uint64_t>(report->programs * kRootsOfProgram, plan.roots.size());
  report->features_covered =
      std::min<std::uint64_t>(report->programs * kFeaturesOfProgram, plan.features.size());
}

}  // namespace

Expected<double> ParseHuntBudget(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double scale = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (end == text.c_str() || scale == 0 || !(number > 0) || number * scale > 1e8) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is no duration: 120s, 10m, 2h", text));
  }
  return number * scale;
}

Expected<std::vector<HuntKind>> ParseHuntKinds(const std::string& text) {
  std::vector<HuntKind> kinds;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, end - at);
    const auto row = std::ranges::find(HuntKinds(), word, &HuntKindRow::name);
    if (row == HuntKinds().end()) {
      std::string names;
      for (const HuntKindRow& one : HuntKinds())
        names += (names.empty() ? "" : ", ") + std::string(one.name);
      return Fail(ErrorKind::kUsage,
                  fmt::format("'{}' is no kind of programs; there are {}", word, names));
    }
    kinds.push_back(row->kind);
    at = end + 1;
  }
  return kinds;
}

Expected<HuntReport> Hunt(const HuntOptions& options,
                          const std::function<void(const HuntFinding&)>& told) {
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(options.budget));
  HandleInterrupts();
  const auto probe = ProbeDevice(options.platform, kProbeSeconds);
  if (!probe) return tl::unexpected(probe.error());
  if (options.is_spirv) {
    auto executor = HuntExecutor::Make(options.platform, probe->device, {.timeout = kProbeSeconds});
    if (!executor) return tl::unexpected(executor.error());
    if (auto taken = executor->CheckTakesSpirv(); !taken) return tl::unexpected(taken.error());
  }
  std::vector<HuntKind> kinds = options.kinds;
  if (kinds.empty()) {
    for (const HuntKindRow& row : HuntKinds()) kinds.push_back(row.kind);
  }
  std::optional<base::TemporaryFolder> temporary;
  HuntTask task{.platform = options.platform,
                .device = probe->device,
                .plan = PlanOf(probe->device, kinds, options.seed),
                .seed = options.seed,
                .folder = options.output,
                .is_spirv = options.is_spirv};
  if (options.output.empty()) {
    auto made = base::TemporaryFolder::Make();
    if (!made) return tl::unexpected(made.error());
    temporary.emplace(std::move(*made));
    task.folder = temporary->path();
  } else {
    std::error_code error;
    fs::create_directories(options.output, error);  // what fails here fails below, too
    RemoveUnfinished(options.output);
  }
  HuntReport report{.platform = options.platform,
                    .device = probe->name,
                    .driver = probe->driver,
                    .seed = options.seed,
                    .kinds = KindsText(kinds),
                    .is_spirv = options.is_spirv};
  if (task.plan.roots.empty() && task.plan.features.empty()) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} has nothing of these kinds: {}", report.device, report.kinds));
  }
  const std::string identity =
      base::JsonText(ordered_json{{"schema", kHuntSchema},
                                  {"device", report.device},
                                  {"driver", report.driver},
                                  {"seed", options.seed},
                                  {"kinds", report.kinds},
                                  {"spirv", options.is_spirv},
                                  {"shard", oracle::ShardText(options.shard)}});
  auto journal = HuntJournal::Open(options.output, identity, options.resumes);
  if (!journal) return tl::unexpected(journal.error());
  if (!options.corpus.empty()) {
    auto replays = ReplayCorpus(options.corpus, options.platform, end);
    if (!replays) return tl::unexpected(replays.error());
    report.replays = std::move(*replays);
  }
  if (auto hunted = Pool(options, task, &report, &*journal, end, told).Run(); !hunted) {
    return tl::unexpected(hunted.error());
  }
  CountCoverage(task.plan, &report);
  report.is_interrupted = g_interrupted;
  report.seconds = base::SecondsSince(start);
  return report;
}

}  // namespace assay::tools
