#include "tools/debug/inferior.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/called_as.h"
#include "base/file.h"
#include "base/json_text.h"
#include "interp/debug/core.h"
#include "interp/debug/server.h"
#include "tools/run/finding_text.h"
#include "tools/run/junit.h"
#include "tools/run/options.h"
#include "tools/run/sarif.h"

namespace assay::tools {
namespace {

using Clock = std::chrono::steady_clock;

// Replaying from one checkpoint to the next takes about as long.
constexpr std::chrono::milliseconds kBetweenCheckpoints(150);
// A run of less is not worth a line.
constexpr std::chrono::milliseconds kBetweenProgress(300);

// The channel to the front end.  A signal's handler sees nothing else of the process.
std::atomic<int> g_lifeline{-1};

void EndWithFrontEnd(int) {
  const int saved = errno;
  pollfd end{g_lifeline.load(), 0, 0};  // that nobody is at the other end is always told
  if (poll(&end, 1, 0) > 0) _exit(0);
  errno = saved;
}

// A process that computes for long, while it prepares a kernel or answers, does not look at its
// channel.  From here on it looks once a second.
void LookForFrontEnd(int descriptor) {
  g_lifeline = descriptor;
  struct sigaction action {};
  action.sa_handler = EndWithFrontEnd;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval every_second{{1, 0}, {1, 0}};
  setitimer(ITIMER_REAL, &every_second, nullptr);
}

debug::Ended SummaryOf(const Expected<RunReport>& report) {
  debug::Ended ended;
  if (!report) {
    ended.error = {report.error().kind, report.error().message};
    return ended;
  }
  for (const ReportedFinding& reported : report->findings) {
    const std::string text = FindingText(reported, {.spirv = true});
    ended.findings.push_back({.rule = std::string(interp::NameOf(reported.finding.rule)),
                              .message = reported.finding.message,
                              .source = reported.finding.source,
                              .text = base::CommandsAsCalled(text)});
  }
  ended.end = interp::LaunchEndName(report->end);
  ended.message = report->message;
  ended.instructions = report->instructions;
  ended.exit_code = RunExitCode(*report);
  return ended;
}

// --print, --counts, --save, --json, --sarif and --junit: "text" is for who types, "error" says
// what could not be written.
Expected<std::string> Results(const RunReport& report, const RunOptions& options,
                              const interp::Job& job) {
  std::string text;
  const auto saves = SavesOf(options, job);
  if (!saves) return tl::unexpected(saves.error());
  for (const std::string& name : options.print) {
    const auto buffer = FindBuffer(job, "--print", name);
    if (!buffer) return tl::unexpected(buffer.error());
    text += BufferText(report.buffers.at(*buffer).buffer, options.print_all, {},
                       report.buffers.at(*buffer).unwritten);
  }
  if (options.counts) text += CountsText(report.counts);
  for (const SavedBuffer& save : *saves) {
    if (auto written = WriteSaved(report, save.buffer, save.path); !written)
      return tl::unexpected(written.error());
  }
  const auto write = [&](const std::string& path, const std::string& content) -> Expected<void> {
    if (path != "-") return base::WriteFileAtomically(path, content);
    text += content;
    return {};
  };
  if (!options.sarif.empty()) {
    const auto json = SarifOf(report, CurrentFolder(), {.root = options.source_root});
    if (auto done = write(options.sarif, base::JsonText(json, 1) + "\n"); !done) {
      return tl::unexpected(done.error());
    }
  }
  if (!options.junit.empty()) {
    if (auto done = write(options.junit, RunJUnit(report)); !done) {
      return tl::unexpected(done.error());
    }
  }
  if (!options.json.empty()) {
    const auto json = RunReportToJson(report);
    if (auto done = write(options.json, base::JsonText(json, 1) + "\n"); !done) {
      return tl::unexpected(done.error());
    }
  }
  return text;
}

debug::ResultsWritten WriteResults(const Expected<RunReport>& report, const RunOptions& options,
                                   const interp::Job& job) {
  if (!report) return {};
  const auto text = Results(*report, options, job);
  if (!text) return {.error = text.error().message};
  return {.text = *text};
}

class Inferior : public interp::DebugClient {
 public:
  explicit Inferior(DebugChannel channel)
      : channel_(std::move(channel)), core_(this), server_(&core_) {
    LookForFrontEnd(channel_.descriptor());
  }

  interp::DebugCore& core() { return core_; }
  void Output(std::string_view text) {
    output_.append(text);
    output_end_ += text.size();
  }

  void Stopped(const interp::DebugStop& stop) override {
    TellStop(stop);
    Serve(&stop);
  }

  void Pause(bool is_wanted) override {
    if (channel_.IsReady()) {
      // While it runs it is told nothing but to stop, or that nobody is there.
      const auto request = channel_.ReceiveRequest();
      if (!request) _exit(0);
      core_.interrupted = true;
    }
    if (!output_.empty()) {
      if (!channel_.Send(TakeOutput())) _exit(0);
    }
    if (tells_progress_ && Clock::now() - last_progress_ >= kBetweenProgress) {
      last_progress_ = Clock::now();
      if (!channel_.Send(server_.Progress())) _exit(0);
    }
    if (!is_wanted && Clock::now() - last_checkpoint_ < kBetweenCheckpoints) return;
    last_checkpoint_ = Clock::now();
    LeaveCheckpoint();
  }

  void Ended(const Expected<RunReport>& report, const RunOptions& options, const interp::Job& job) {
    debug::Ended ended = SummaryOf(report);
    ended.time = core_.time;
    if (const auto shadow = server_.Ask(debug::ShadowReportRequest())) ended.shadow = *shadow;
    if (core_.goal.searches) ended.search = server_.DescribeSearch(core_.Searched());
    ended.output = TakeOutput();
    (void)channel_.Send(ended);
    if (!WritesResults(options)) return;
    // Nobody asks at the end of a way back, or of a copy.
    const auto request = channel_.ReceiveRequest();
    if (request && std::holds_alternative<debug::ResultsRequest>(*request)) {
      (void)channel_.Send(WriteResults(report, options, job));
    }
  }

 private:
  debug::Output TakeOutput() { return {std::exchange(output_, ""), output_end_}; }

  void TellStop(const interp::DebugStop& stop) {
    debug::Stopped stopped = server_.Describe(stop);
    stopped.output = TakeOutput();
    if (!channel_.Send(stopped)) _exit(0);
  }

  // Answers until the run is to go on; `stop` is where it stands, if it looked there already.
  void Serve(const interp::DebugStop* stop = nullptr) {
    const Clock::time_point begin = Clock::now();
    for (;;) {
      const auto request = channel_.ReceiveRequest();
      if (!request) {
        if (request.error().kind == ErrorKind::kDevice) _exit(0);
        if (!channel_.Send(debug::Failure{request.error().message})) _exit(0);
        continue;
      }
      if (const auto* run = std::get_if<debug::RunRequest>(&*request)) {
        if (!GoesOn(*run, stop)) continue;
        // A person takes all the time.
        if (core_.program() != nullptr) core_.program()->launch.deadline += Clock::now() - begin;
        return;
      }
      if (std::holds_alternative<debug::InterruptRequest>(*request))
        continue;  // it stopped already
      if (std::holds_alternative<debug::CopyRequest>(*request)) {
        Copy();
        continue;
      }
      // Timers are not inherited.  A checkpoint that sleeps is only ever copied, and needs none.
      if (!std::exchange(looks_for_front_end_, true)) LookForFrontEnd(channel_.descriptor());
      if (!channel_.Send(server_.Answer(*request))) _exit(0);
    }
  }

  bool GoesOn(const debug::RunRequest& request, const interp::DebugStop* stop) {
    const auto prepared = server_.Prepare(request);
    if (!prepared) {
      if (!channel_.Send(debug::Failure{prepared.error().message})) _exit(0);
      return false;
    }
    const bool is_there = stop != nullptr && stop->reason != interp::DebugStop::Reason::kStart;
    if (is_there && core_.goal.kind == interp::DebugGoal::Kind::kTime &&
        core_.goal.time <= core_.time) {
      // It stands there, whatever it was that stopped it.
      TellStop({.time = stop->time});
      return false;
    }
    core_.looks_again = is_there && std::exchange(is_copy_, false) && core_.goal.searches;
    last_checkpoint_ = last_progress_ = Clock::now();
    tells_progress_ = request.progress;
    return true;
  }

  // A copy of this process goes on in another channel, which the front end gets; this one waits for
  // the next request.  In the copy this returns with the channel changed.
  void Copy() {
    auto pair = DebugChannel::Create();
    const pid_t child = pair ? fork() : -1;
    if (child == 0) {
      channel_ = std::move(pair->second);
      is_copy_ = true;
      looks_for_front_end_ = false;
      return;
    }
    if (child < 0) {
      const std::string why = pair ? std::strerror(errno) : pair.error().message;
      if (!channel_.Send(debug::Failure{"no copy of the process can be made: " + why})) _exit(0);
      return;
    }
    if (!channel_.Send(debug::Copied(), &pair->first)) _exit(0);
  }

  // What sleeps is the copy: the run goes on.
  void LeaveCheckpoint() {
    auto pair = DebugChannel::Create();
    if (!pair) return;
    const pid_t child = fork();
    if (child < 0) return;  // without it the way back is longer
    if (child != 0) {
      if (!channel_.Send(debug::CheckpointLeft{core_.time}, &pair->first)) _exit(0);
      return;
    }
    channel_ = std::move(pair->second);
    looks_for_front_end_ = false;
    pair->first.Close();  // it would never see that nobody is there
    output_.clear();
    core_.interrupted = false;
    Serve();
  }

  DebugChannel channel_;
  interp::DebugCore core_;
  interp::DebugServer server_;
  std::string output_;  // since the last message
  std::uint64_t output_end_ = 0;
  Clock::time_point last_checkpoint_ = Clock::now();
  Clock::time_point last_progress_ = Clock::now();
  bool tells_progress_ = false;
  bool is_copy_ = false;  // of a process that stood still
  bool looks_for_front_end_ = true;
};

// A kernel must not read what is typed, and nobody waits for copies.
void Detach() {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
  std::signal(SIGCHLD, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);
}

// Runs `body` in another process with the second end of a channel.
template <typename Body>
Expected<DebugChannel> Start(Body body) {
  auto pair = DebugChannel::Create();
  if (!pair) return tl::unexpected(pair.error());
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    return Fail(ErrorKind::kDevice,
                fmt::format("no process can be made: {}", std::strerror(errno)));
  }
  if (child == 0) {
    pair->first.Close();
    // The front end's child ends at once, so that nobody has to wait for the one that runs.
    if (fork() != 0) _exit(0);
    Detach();
    // Nothing of the front end's but this channel: an end that is kept open here keeps others
    // alive.
    constexpr int kChannel = STDERR_FILENO + 1;
    if (pair->second.descriptor() != kChannel) {
      dup2(pair->second.descriptor(), kChannel);
      pair->second.Close();
      pair->second = DebugChannel(kChannel);
    }
    close_range(kChannel + 1, ~0U, 0);
    body(std::move(pair->second));
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return std::move(pair->first);
}

// Time is a person's; a thread that watches is in no copy of a process, so this one is made anew.
base::Budget MemoryOf(const PreparedRun& prepared) {
  return base::Budget::Start({.memory_bytes = prepared.settings.max_memory});
}

}  // namespace

bool WritesResults(const RunOptions& options) {
  return !options.print.empty() || !options.save.empty() || !options.json.empty() ||
         !options.sarif.empty() || !options.junit.empty() || options.counts;
}

Expected<DebugChannel> StartInferior(const interp::Job& job, const PreparedRun& prepared) {
  return Start([&](DebugChannel channel) {
    Inferior inferior(std::move(channel));
    if (prepared.shadow_bits != 0) inferior.core().KeepShadows(prepared.shadow_bits);
    RunVariant variant{.budget = MemoryOf(prepared),
                       .seed = prepared.settings.seed,
                       .choices = prepared.choices,
                       .threads = 1,
                       .shows_output = false,
                       .debug = &inferior.core(),
                       .output = [&](std::string_view text) { inferior.Output(text); }};
    inferior.Ended(RunOnce(job, prepared, variant), *prepared.options, job);
  });
}

Expected<DebugChannel> StartPlainRun(const interp::Job& job, const PreparedRun& prepared) {
  return Start([&](DebugChannel channel) {
    std::string output;
    // It is told nothing but to stop, or that nobody waits for it any more; and behind its end to
    // write its results.
    std::mutex sending;
    std::optional<Expected<RunReport>> report;  // when it has been told of
    std::thread([&channel, &sending, &report, &prepared, &job] {
      const auto request = channel.ReceiveRequest();
      if (!request) _exit(0);
      const std::lock_guard lock(sending);
      if (report) {
        if (std::holds_alternative<debug::ResultsRequest>(*request)) {
          (void)channel.Send(WriteResults(*report, *prepared.options, job));
        }
        _exit(0);
      }
      (void)channel.Send(debug::Stopped{.reason = interp::DebugStop::Reason::kInterrupted});
      _exit(0);
    }).detach();
    RunVariant variant{.budget = MemoryOf(prepared),
                       .seed = prepared.settings.seed,
                       .choices = prepared.choices,
                       .threads = prepared.settings.threads,
                       .shows_output = false,
                       .output = [&](std::string_view text) { output.append(text); }};
    auto result = RunOnce(job, prepared, variant);
    debug::Ended ended = SummaryOf(result);
    ended.output.end = output.size();
    ended.output.text = std::move(output);
    {
      const std::lock_guard lock(sending);
      (void)channel.Send(ended);
      if (!WritesResults(*prepared.options)) _exit(0);
      report = std::move(result);
    }
    for (;;) pause();  // the thread ends the process
  });
}

}  // namespace assay::tools
