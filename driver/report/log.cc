#include "driver/report/log.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "base/digest.h"
#include "base/json_text.h"
#include "driver/report/records.h"
#include "driver/report/report_file.h"
#include "driver/report/text.h"

namespace assay::driver {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// Findings as text on stderr, of a process.
constexpr std::size_t kMaxTexts = 20;
// Sources of a process, in bytes.
constexpr std::size_t kMaxSources = std::size_t{64} << 20;
constexpr std::chrono::seconds kFirstCounts{1};

std::uint64_t Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void PrintOnStderr(const std::string& text) {
  const int before = errno;
  const ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(ignored);
  errno = before;
}

}  // namespace

struct Log::State {
  explicit State(Settings given) : settings(std::move(given)) { Begin(); }

  // A new process: the findings of the one that it was copied from are not its own.
  void Begin() {
    process = getpid();
    start = Now();
    seen.clear();
    left_out.clear();
    saved_sources.clear();
    source_bytes = 0;
    has_begun = false;
    counts_changed = false;
    ended = false;
    next_counts = Clock::now() + kFirstCounts;
    counts_interval = kFirstCounts;
    file.reset();
    if (!settings.report_folder.empty()) file.emplace(settings.report_folder, start);
  }

  // Called with the lock.
  void Check() {
    if (getpid() != process) Begin();
    if (has_begun || !file) return;
    has_begun = true;
    Write(ProcessRecord(settings, start));
  }

  // False where the record is not in the file.
  bool Write(const ordered_json& record) {
    if (!file) return false;
    if (file->Append(base::JsonText(record))) return true;
    if (!std::exchange(has_failed, true)) {
      PrintOnStderr(fmt::format(
          "assay: cannot write the findings of process {} to '{}': give its user the right to, or "
          "make room there; they follow here\n",
          process, settings.report_folder));
    }
    return false;
  }

  struct Seen {
    std::uint64_t id = 0;
    std::uint64_t count = 0;
    std::uint64_t calls = 1;    // or launches
    std::uint64_t written = 1;  // the count that the file has
  };

  // Counts it; gives its number if it is new and kept.
  std::optional<std::uint64_t> Count(const std::string& key, std::string_view what,
                                     std::uint64_t times) {
    const auto found = seen.find(key);
    if (found != seen.end()) {
      found->second.count += times;
      ++found->second.calls;
      counts_changed = true;
      return std::nullopt;
    }
    if (seen.size() >= settings.keep_findings) {
      left_out[std::string(what)] += times;
      counts_changed = true;
      return std::nullopt;
    }
    const std::uint64_t id = seen.size() + 1;
    seen.emplace(key, Seen{.id = id, .count = times});
    if (times != 1) counts_changed = true;
    return id;
  }

  void Say(const std::string& text) {
    if (texts == kMaxTexts) {
      PrintOnStderr(
          "assay: more findings are not shown; `assay exec -- PROGRAM` collects all of them\n");
    }
    if (texts++ < kMaxTexts) PrintOnStderr(text);
  }

  void WriteCounts() {
    ordered_json counts = ordered_json::array();
    for (auto& [key, one] : seen) {
      if (one.count == one.written) continue;
      counts.push_back({one.id, one.count, one.calls});
      one.written = one.count;
    }
    ordered_json others = ordered_json::object();
    for (const auto& [what, count] : left_out) others[what] = count;
    counts_changed = false;
    if (counts.empty() && others.empty()) return;
    Write({{"type", "counts"}, {"counts", std::move(counts)}, {"left_out", std::move(others)}});
  }

  void WriteCountsNowAndThen() {
    if (!file || !counts_changed) return;
    const auto now = Clock::now();
    if (now < next_counts) return;
    WriteCounts();
    counts_interval *= 2;
    next_counts = now + counts_interval;
  }

  // The files that this finding's places are in, before it.
  void SaveSources(const LaunchFindings& launch) {
    if (!file) return;
    for (const ProgramSource& source : launch.sources) {
      const std::string digest = base::Sha256(source.text);
      if (!saved_sources.insert(source.path + "|" + digest).second) continue;
      source_bytes += source.text.size();
      if (source_bytes > kMaxSources || !file->SaveSource(digest, source.text)) continue;
      Write({{"type", "source"},
             {"path", source.path},
             {"digest", digest},
             {"program", launch.program}});
    }
  }

  std::mutex mutex;
  Settings settings;
  std::optional<ReportFile> file;  // nothing: text on stderr
  pid_t process = 0;
  std::uint64_t start = 0;
  bool has_begun = false;   // the first line is written
  bool has_failed = false;  // and that was said
  bool ended = false;
  std::unordered_map<std::string, Seen> seen;
  std::map<std::string, std::uint64_t> left_out;  // see ProcessLog::left_out
  std::set<std::string> saved_sources;
  std::set<std::string, std::less<>> missing;  // names that were told
  std::size_t source_bytes = 0;
  std::size_t texts = 0;  // printed on stderr
  bool counts_changed = false;
  Clock::time_point next_counts;
  std::chrono::seconds counts_interval = kFirstCounts;
};

namespace {

// A lock that another thread holds while the process forks would never be free in the child.
class Forks {
 public:
  static Forks& Get() {
    static auto* forks = new Forks;  // an application may fork while it ends
    return *forks;
  }
  void Add(Log::State* state) {
    const std::lock_guard lock(mutex_);
    states_.push_back(state);
  }
  void Remove(Log::State* state) {
    const std::lock_guard lock(mutex_);
    std::erase(states_, state);
  }

 private:
  Forks() {
    pthread_atfork([] { Get().Lock(); }, [] { Get().Unlock(); }, [] { Get().Unlock(); });
  }
  void Lock() {
    mutex_.lock();
    for (Log::State* state : states_) state->mutex.lock();
  }
  void Unlock() {
    for (Log::State* state : states_) state->mutex.unlock();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<Log::State*> states_;
};

Settings OfEnvironment() {
  std::vector<Error> errors;
  const auto lookup = [](const char* variable) { return secure_getenv(variable); };
  Settings settings = ReadSettings(lookup, &errors);
  for (const Error& error : errors) {
    PrintOnStderr(fmt::format("assay: error: {}; its default is used\n", error.message));
  }
  return settings;
}

}  // namespace

Log& Log::Get() {
  static auto* log = new Log(OfEnvironment());
  return *log;
}

Log::Log(Settings settings) : state_(std::make_unique<State>(std::move(settings))) {
  Forks::Get().Add(state_.get());
  const std::lock_guard lock(state_->mutex);
  state_->Check();
}

Log::~Log() { Forks::Get().Remove(state_.get()); }

const Settings& Log::settings() const { return state_->settings; }

bool Log::IsOn() const { return state_->settings.checks; }

void Log::Tell(const ApiFinding& finding) {
  if (!IsOn()) return;
  const std::string key = KeyOf(finding);
  const std::lock_guard lock(state_->mutex);
  state_->Check();
  if (const auto id = state_->Count(key, interp::NameOf(finding.rule), 1)) {
    if (!state_->Write(ApiRecord(*id, finding))) state_->Say(ApiText(finding));
  }
  state_->WriteCountsNowAndThen();
}

void Log::Tell(const LaunchFindings& launch) {
  if (!IsOn()) return;
  const std::lock_guard lock(state_->mutex);
  state_->Check();
  for (const interp::Finding& finding : launch.findings) {
    const auto id = state_->Count(KeyOf(launch, finding),
                                  fmt::format("{}/{}", interp::NameOf(finding.rule),
                                              interp::FindingClassName(finding.finding_class)),
                                  finding.count);
    if (!id) continue;
    state_->SaveSources(launch);
    if (!state_->Write(FindingRecord(*id, launch, finding))) {
      state_->Say(FindingText(launch, finding));
    }
  }
  if (launch.end != interp::LaunchEnd::kCompleted) {
    const auto id = state_->Count(KeyOf(launch), interp::LaunchEndName(launch.end), 1);
    if (id && !state_->Write(LaunchRecord(*id, launch))) state_->Say(LaunchText(launch));
  }
  state_->WriteCountsNowAndThen();
}

void Log::TellMissing(std::string_view name) {
  constexpr std::size_t kMost = 100;
  const std::lock_guard lock(state_->mutex);
  state_->Check();
  if (!state_->file || state_->missing.size() == kMost) return;
  if (state_->missing.emplace(name).second) state_->Write(MissingRecord(name));
}

void Log::TellEnd(const ProcessEnd& end) {
  const std::lock_guard lock(state_->mutex);
  // A child that only forked and ends has nothing to say.
  if (getpid() != state_->process || !state_->file || std::exchange(state_->ended, true)) return;
  state_->Check();
  state_->WriteCounts();
  state_->Write({{"type", "end"},
                 {"calls", end.calls},
                 {"launches", end.launches},
                 {"other_types", end.other_types}});
}

}  // namespace assay::driver
