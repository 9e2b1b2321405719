// Beginning and end of a session.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "interp/rules/rule.h"
#include "tools/dap/adapter.h"
#include "tools/debug/load.h"

namespace assay::tools::dap {
namespace {

OrderedJson ExceptionFilters() {
  OrderedJson filters = OrderedJson::array();
  filters.push_back({{"filter", "findings"},
                     {"label", "Findings"},
                     {"description", "Stop at undefined behaviour of every kind"},
                     {"default", true}});
  filters.push_back({{"filter", "rules"},
                     {"label", "Findings of some rules"},
                     {"description", "Stop at findings of the rules that the condition names"},
                     {"default", false},
                     {"supportsCondition", true},
                     {"conditionDescription", "race, memory-out-of-bounds"}});
  for (const std::string_view family : interp::RuleFamilies()) {
    if (family == "host") continue;  // no run of a kernel finds those
    filters.push_back({{"filter", std::string("family:") + std::string(family)},
                       {"label", fmt::format("Findings about {}", family)},
                       {"default", false}});
  }
  return filters;
}

OrderedJson Capabilities() {
  OrderedJson capabilities = OrderedJson::object();
  for (const char* name : {"supportsConfigurationDoneRequest",
                           "supportsFunctionBreakpoints",
                           "supportsConditionalBreakpoints",
                           "supportsHitConditionalBreakpoints",
                           "supportsLogPoints",
                           "supportsEvaluateForHovers",
                           "supportsClipboardContext",
                           "supportsStepBack",
                           "supportsSetVariable",
                           "supportsSetExpression",
                           "supportsRestartRequest",
                           "supportsTerminateRequest",
                           "supportsExceptionInfoRequest",
                           "supportsExceptionFilterOptions",
                           "supportsDataBreakpoints",
                           "supportsDataBreakpointBytes",
                           "supportsReadMemoryRequest",
                           "supportsWriteMemoryRequest",
                           "supportsDisassembleRequest",
                           "supportsInstructionBreakpoints",
                           "supportsSteppingGranularity",
                           "supportsLoadedSourcesRequest",
                           "supportsValueFormattingOptions",
                           "supportsCompletionsRequest",
                           "supportsBreakpointLocationsRequest",
                           "supportsCancelRequest",
                           "supportsDelayedStackTraceLoading"}) {
    capabilities[name] = true;
  }
  capabilities["exceptionBreakpointFilters"] = ExceptionFilters();
  return capabilities;
}

}  // namespace

Adapter::Body Adapter::Initialize(const Arguments& arguments) {
  if (is_initialized_) return Fail(ErrorKind::kUsage, "a second 'initialize'");
  const auto adapter = arguments.Text("adapterID");
  const auto lines = arguments.Flag("linesStartAt1", true);
  const auto columns = arguments.Flag("columnsStartAt1", true);
  const auto types = arguments.Flag("supportsVariableType", false);
  const auto memory = arguments.Flag("supportsMemoryReferences", false);
  const auto memory_event = arguments.Flag("supportsMemoryEvent", false);
  const auto invalidated = arguments.Flag("supportsInvalidatedEvent", false);
  const auto progress = arguments.Flag("supportsProgressReporting", false);
  const auto format = arguments.Text("pathFormat", "path");
  if (!adapter) return tl::unexpected(adapter.error());
  for (const auto* flag :
       {&lines, &columns, &types, &memory, &memory_event, &invalidated, &progress}) {
    if (!*flag) return tl::unexpected(flag->error());
  }
  if (!format) return tl::unexpected(format.error());
  if (*format != "path") {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("'pathFormat' is '{}'; files are named by paths here", *format));
  }
  is_initialized_ = true;
  client_ = {.first_line = *lines ? 1 : 0,
             .first_column = *columns ? 1 : 0,
             .knows_types = *types,
             .knows_memory = *memory,
             .knows_memory_event = *memory_event,
             .knows_invalidated = *invalidated,
             .knows_progress = *progress};
  return Capabilities();
}

// Of what was launched before, breakpoints stay only.
Expected<void> Adapter::Load() {
  auto options = std::make_unique<LaunchOptions>();
  const Arguments arguments(*launch_arguments_, "'launch'");
  if (auto read = ReadLaunch(arguments, options.get()); !read) return read;
  std::error_code error;
  std::filesystem::current_path(folder_ / options->cwd, error);
  if (error) {
    return Fail(ErrorKind::kUsage,
                fmt::format("launch: cwd '{}': {}", options->cwd, error.message()));
  }
  auto loaded = LoadForDebugger(&options->run);
  if (!loaded) {
    return Fail(loaded.error().kind, InAttributes(loaded.error().message));
  }
  loaded->prepared.shadow_bits = options->shadow_bits;
  const std::vector<std::string> modules = loaded->job.modules;
  const base::ReadScope reads = loaded->job.reads;
  auto session =
      DebugSession::Start(std::move(loaded->job), std::move(loaded->prepared),
                          [this](std::string_view text) { Output("stdout", std::string(text)); });
  if (!session) return tl::unexpected(session.error());
  terminal_.reset();
  session_ = std::move(*session);
  options_ = std::move(options);
  session_->Watch(input_, [this] { return WhenReadable(); });
  session_->stops_at_findings = false;
  lines_ = std::make_unique<SourceLines>(session_->module(), modules, reads);
  terminal_ = std::make_unique<DebugTerminal>(session_.get(), modules, reads);
  terminal_->sink = [this](const std::string& text) { console_ += text; };
  terminal_->tell_logged = [this](int number, const SessionStop& stop) {
    const Placed* placed = FindPlaced(number);
    const SessionBreakpoint* one = session_->FindBreakpoint(number);
    if (placed == nullptr || one == nullptr || !placed->hits.Holds(one->hits)) return;
    Log(*placed, stop.where);
  };
  terminal_->wants_end = [this] {
    return WhenReadable() == DebugSession::Wish::kAbandon || std::exchange(pause_wanted_, false);
  };
  threads_.clear();
  items_.clear();
  marked_.clear();
  frames_.clear();
  containers_.clear();
  viewed_.clear();
  code_.clear();
  ListFirst();
  is_terminated_ = is_at_end_ = false;
  return {};
}

void Adapter::TellNotKnown() {
  for (const UnknownAttribute& one : options_->not_known) {
    Output("console",
           fmt::format("The launch attribute '{}' means nothing here{}\n", one.name,
                       one.near.empty() ? std::string(".")
                                        : fmt::format("; did you mean '{}'?", one.near)));
  }
}

Adapter::Body Adapter::Launch(const Arguments& arguments) {
  if (session_ != nullptr) {
    return Fail(ErrorKind::kUsage, "a second 'launch'; 'restart' begins the run again");
  }
  launch_arguments_ = arguments.json();
  if (auto loaded = Load(); !loaded) return tl::unexpected(loaded.error());
  after_ = [this] {
    TellNotKnown();
    Event("initialized", OrderedJson::object());
  };
  return OrderedJson::object();
}

Adapter::Body Adapter::ConfigurationDone(const Arguments&) {
  if (is_configured_) return Fail(ErrorKind::kUsage, "a second 'configurationDone'");
  is_configured_ = true;
  after_ = [this] { Begin(); };
  return OrderedJson::object();
}

// From the first instruction to what stops it.
void Adapter::Begin() {
  if (session_->state() == DebugSession::State::kEnded) return TellEnd();  // no work-items
  for (const OrderedJson& one : listed_) {
    Event("thread", {{"reason", "started"}, {"threadId", one.at("id")}});
  }
  if (options_->no_debug) {
    BeginRunning("Running without debugging");
    const auto ended = session_->Run();
    EndRunning();
    if (is_over_) return;
    if (!ended) Output("stderr", ended.error().message + "\n");
    if (ends_run_) return;
    return TellEnd();
  }
  if (options_->stop_on_entry) {
    const auto functions = session_->Ask(debug::FunctionsRequest());
    if (functions) {
      const auto added = session_->AddBreakpoint({.location = functions->kernel}, true);
      if (added) entry_number_ = (*added)->number;
    }
  }
  // Beginning again is going back to the first checkpoint.
  const auto first = GoTo(0);
  if (is_over_ || ends_run_) return;
  if (!first) {
    Output("stderr", first.error().message + "\n");
    return TellEnd();
  }
  // Where it stands, at the first instruction, there may be a breakpoint, too.
  Move({}, false, true);
  session_->DeleteBreakpoint(std::exchange(entry_number_, 0));
}

Adapter::Body Adapter::Restart(const Arguments& arguments) {
  if (!is_configured_) return Fail(ErrorKind::kUsage, "'restart' before 'configurationDone'");
  const auto fresh = arguments.Object("arguments");
  if (!fresh) return tl::unexpected(fresh.error());
  if (arguments.Has("arguments")) launch_arguments_ = fresh->json();
  ends_run_ = is_running_;
  restart_wanted_ = true;  // by the loop, to which a run that goes on returns first
  return OrderedJson::object();
}

// The files are read again: somebody may have changed the kernel.
void Adapter::BeginAgain() {
  // What the client shows of the last stop is not so any more.
  if (!ends_run_ && !is_terminated_ && !listed_.empty()) {
    Event("continued", {{"threadId", listed_.at(0).at("id")}, {"allThreadsContinued", true}});
  }
  restart_wanted_ = ends_run_ = false;
  if (auto loaded = Load(); !loaded) {
    Output("stderr", loaded.error().message + "\n");
    is_terminated_ = true;
    return Event("terminated", OrderedJson::object());
  }
  TellNotKnown();
  if (!options_->no_debug && session_->state() != DebugSession::State::kEnded) {
    // Objects that are watched are there from the first instruction on.
    (void)GoTo(0);
    if (is_over_ || ends_run_) return;
  }
  PlaceAllAgain();
  Begin();
}

Adapter::Body Adapter::Disconnect(const Arguments&) {
  after_ = [this] { is_over_ = true; };
  return OrderedJson::object();
}

Adapter::Body Adapter::Terminate(const Arguments&) {
  ends_run_ = is_running_;
  const bool is_news = !is_terminated_;
  is_terminated_ = true;
  after_ = [this, is_news] {
    EndProgress();
    if (is_news) Event("terminated", OrderedJson::object());
  };
  return OrderedJson::object();
}

// Of a request that waits: it is answered as cancelled.  Of one that runs, and of what shows its
// progress: it is stopped.
Adapter::Body Adapter::Cancel(const Arguments& arguments) {
  const auto id = arguments.Integer("requestId", 0);
  const auto progress = arguments.Text("progressId", "");
  if (!id) return tl::unexpected(id.error());
  if (!progress) return tl::unexpected(progress.error());
  if (is_running_ && !progress->empty() && *progress == progress_.id && !options_->no_debug) {
    pause_wanted_ = true;
  }
  if (*id == 0) return OrderedJson::object();
  const auto found =
      std::ranges::find_if(waiting_, [&](const Request& one) { return one.seq == *id; });
  if (found != waiting_.end()) {
    const Request request = std::move(*found);
    waiting_.erase(found);
    Respond(request, Fail(ErrorKind::kUsage, "cancelled"));
  } else if (is_running_ && moving_ == *id) {
    pause_wanted_ = true;
  }
  return OrderedJson::object();
}

}  // namespace assay::tools::dap
