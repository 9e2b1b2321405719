#include "tools/sweep/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/run_tool.h"
#include "base/text.h"
#include "tools/shared/interrupt.h"
#include "tools/sweep/words.h"

namespace assay::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kToolSeconds = 60;
constexpr std::size_t kShownWords = 800;

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string LastWords(const std::string& path) {
  const auto log = base::ReadWholeFile(path);
  std::string words = log ? base::Printable(Trimmed(*log)) : "";
  if (words.size() > kShownWords) words = "..." + words.substr(words.size() - kShownWords);
  return words;
}

class Watcher {
 public:
  Watcher(const SweepPlan& plan, const SlurmOptions& options,
          const std::function<void(std::uint64_t)>& progress)
      : plan_(plan), options_(options), progress_(progress) {}

  Expected<bool> Run();

 private:
  std::vector<std::uint64_t> Missing() const;
  Expected<void> Submit(const std::vector<std::uint64_t>& missing);
  Expected<bool> Wait();
  Expected<QueueState> Ask();
  Expected<void> CheckUsage(const std::vector<std::uint64_t>& missing) const;
  tl::unexpected<Error> GiveUp(const std::vector<std::uint64_t>& missing) const;
  void Cancel() const;
  void Sleep() const;

  const SweepPlan& plan_;
  const SlurmOptions& options_;
  const std::function<void(std::uint64_t)>& progress_;
  std::string job_;
};

// A file appears when it is complete.
std::vector<std::uint64_t> Watcher::Missing() const {
  std::vector<std::uint64_t> missing;
  for (std::uint64_t index = 1; index <= plan_.count; ++index) {
    if (!base::Exists(ShardPath(plan_.folder, index))) missing.push_back(index);
  }
  return missing;
}

Expected<void> Watcher::Submit(const std::vector<std::uint64_t>& missing) {
  std::vector<std::string> argv = {
      "sbatch",           "--parsable",         "--requeue",
      "--job-name=assay", "--output=/dev/null", "--array=" + ArrayOf(missing)};
  argv.insert(argv.end(), options_.sbatch.begin(), options_.sbatch.end());
  argv.push_back(plan_.folder + "/" + kSlurmScript);
  const Clock::time_point start = Clock::now();
  for (;;) {
    const auto ran = base::RunTool(argv, kToolSeconds);
    if (!ran) return tl::unexpected<Error>(ran.error());
    if (ran->exit_status == 0) {
      // "JOB" or "JOB;CLUSTER", behind warnings if there are any.
      const std::string output = Trimmed(ran->output);
      const std::string line = output.substr(output.rfind('\n') + 1);
      job_ = line.substr(0, line.find(';'));
      return {};
    }
    const bool away = ran->output.find("contact") != std::string::npos ||
                      ran->output.find("timed out") != std::string::npos;
    const double waited = base::SecondsSince(start);
    if (!away || waited > options_.patience_seconds || g_interrupted) {
      return Fail(ErrorKind::kDevice,
                  fmt::format("sbatch refuses the job array ({}); options for it are given with "
                              "--sbatch, and a cluster's MaxArraySize limits --shards",
                              base::Printable(Trimmed(ran->output))));
    }
    Sleep();
  }
}

// Of the job in hand; a controller that is away is asked again.
Expected<QueueState> Watcher::Ask() {
  const Clock::time_point start = Clock::now();
  for (;;) {
    const auto ran = base::RunTool({"squeue", "-h", "-r", "-j", job_, "-o", "%T %r"}, kToolSeconds);
    if (ran && ran->exit_status == 0) return QueueStateFrom(ran->output);
    if (!ran && ran.error().kind == ErrorKind::kUsage) return tl::unexpected<Error>(ran.error());
    // A job that is over for some minutes is forgotten.
    if (ran && ran->output.find("Invalid job id") != std::string::npos) return QueueState{};
    const double waited = base::SecondsSince(start);
    if (g_interrupted) return QueueState{.alive = 1};
    if (waited > options_.patience_seconds) {
      return Fail(
          ErrorKind::kDevice,
          fmt::format("Slurm's controller does not answer for {:g} s ({}); job {} goes on, "
                      "and --resume takes what it has done",
                      waited, base::Printable(Trimmed(ran ? ran->output : ran.error().message)),
                      job_));
    }
    Sleep();
  }
}

// Until no task is left; false where the user interrupts.
Expected<bool> Watcher::Wait() {
  for (;;) {
    if (g_interrupted) return false;
    const auto state = Ask();
    if (!state) return tl::unexpected<Error>(state.error());
    progress_(plan_.count - Missing().size());
    if (state->alive == 0) return true;
    // Their node was lost while they were started: Slurm keeps them until somebody lets them go.
    if (state->held == state->alive)
      (void)base::RunTool({"scontrol", "release", job_}, kToolSeconds);
    Sleep();
  }
}

// Code 2 is the user's: another round would say the same.
Expected<void> Watcher::CheckUsage(const std::vector<std::uint64_t>& missing) const {
  for (const std::uint64_t index : missing) {
    const std::string path = ShardPath(plan_.folder, index);
    const auto code = base::ReadWholeFile(path + ".code");
    if (!code || Trimmed(*code) != "2") continue;
    return Fail(ErrorKind::kUsage, fmt::format("shard {}/{} refuses its options: {}", index,
                                               plan_.count, LastWords(path + ".log")));
  }
  return {};
}

tl::unexpected<Error> Watcher::GiveUp(const std::vector<std::uint64_t>& missing) const {
  std::string words;
  for (const std::uint64_t index : missing) {
    words = LastWords(ShardPath(plan_.folder, index) + ".log");
    if (!words.empty()) break;
  }
  return Fail(ErrorKind::kDevice,
              fmt::format("after {} job arrays these shards have no result: {}{}{}; the others are "
                          "in '{}': --resume goes on with it",
                          options_.rounds, ArrayOf(missing), words.empty() ? "" : ": ", words,
                          plan_.folder));
}

void Watcher::Cancel() const {
  if (!job_.empty()) (void)base::RunTool({"scancel", job_}, kToolSeconds);
}

void Watcher::Sleep() const {
  const auto end = Clock::now() + std::chrono::duration<double>(options_.poll_seconds);
  while (Clock::now() < end && !g_interrupted) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

Expected<bool> Watcher::Run() {
  std::vector<std::uint64_t> missing = Missing();
  for (int round = 0; round < options_.rounds && !missing.empty(); ++round) {
    if (auto submitted = Submit(missing); !submitted) {
      return tl::unexpected<Error>(submitted.error());
    }
    const auto over = Wait();
    if (!over) return tl::unexpected<Error>(over.error());
    if (!*over) {
      Cancel();
      return false;
    }
    missing = Missing();
    if (auto usage = CheckUsage(missing); !usage) return tl::unexpected<Error>(usage.error());
  }
  if (!missing.empty()) return GiveUp(missing);
  return true;
}

}  // namespace

std::string ArrayOf(const std::vector<std::uint64_t>& indices) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t last = i;
    while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1) ++last;
    ranges.push_back(i == last ? std::to_string(indices[i])
                               : fmt::format("{}-{}", indices[i], indices[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

QueueState QueueStateFrom(std::string_view output) {
  QueueState state;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.empty()) continue;
    constexpr std::string_view kOver[] = {"COMPLETED", "FAILED",    "CANCELLED",
                                          "TIMEOUT",   "NODE_FAIL", "PREEMPTED",
                                          "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY"};
    const bool over = std::any_of(std::begin(kOver), std::end(kOver),
                                  [&](std::string_view word) { return line.starts_with(word); });
    if (over) continue;
    ++state.alive;
    const bool held = line.find("held") != std::string_view::npos ||
                      line.find("JobHeld") != std::string_view::npos;
    if (line.starts_with("PENDING") && held) ++state.held;
  }
  return state;
}

Expected<bool> RunOnSlurm(const SweepPlan& plan, const SlurmOptions& options,
                          const std::function<void(std::uint64_t there)>& progress) {
  return Watcher(plan, options, progress).Run();
}

}  // namespace assay::tools
