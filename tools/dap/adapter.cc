// Messages: reading, checking, dispatching and sending.
#include "tools/dap/adapter.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/text.h"
#include "tools/shared/exit_code.h"

namespace assay::tools::dap {
namespace {

// More than that do not wait for a run to stop.
constexpr std::size_t kMostWaiting = 1024;

// Names, values and texts may be a module's, and clients show them at consoles that obey control
// characters.  What a client gives back, or reads as a file, is what it is.
void MakePrintable(OrderedJson* json, std::string_view key) {
  constexpr std::string_view kExact[] = {"path",
                                         "content",
                                         "data",
                                         "evaluateName",
                                         "dataId",
                                         "memoryReference",
                                         "instructionReference",
                                         "expression"};
  if (std::ranges::find(kExact, key) != std::end(kExact)) return;
  if (json->is_string()) {
    const auto& text = json->get_ref<const std::string&>();
    std::string shown = key == "name" ? base::Printable(text) : base::PrintableLines(text);
    if (shown != text) *json = std::move(shown);
  } else if (json->is_object()) {
    for (auto& [name, value] : json->items()) MakePrintable(&value, name);
  } else if (json->is_array()) {
    for (OrderedJson& value : *json) MakePrintable(&value, key);
  }
}

}  // namespace

std::span<const Adapter::Row> Adapter::Rows() {
  using A = Adapter;
  constexpr auto kAnswered = WhileRunning::kAnswered;
  constexpr auto kWaits = WhileRunning::kWaits;
  constexpr auto kRefused = WhileRunning::kRefused;
  static constexpr Row kRows[] = {
      {"initialize", &A::Initialize, Needs::kNothing, kAnswered},
      {"launch", &A::Launch, Needs::kInitialize, kAnswered},
      {"configurationDone", &A::ConfigurationDone, Needs::kLaunch, kAnswered},
      {"restart", &A::Restart, Needs::kLaunch, kAnswered},
      {"disconnect", &A::Disconnect, Needs::kNothing, kAnswered},
      {"terminate", &A::Terminate, Needs::kLaunch, kAnswered},
      {"cancel", &A::Cancel, Needs::kNothing, kAnswered},
      {"continue", &A::Continue, Needs::kStop, kRefused},
      {"next", &A::Next, Needs::kStop, kRefused},
      {"stepIn", &A::StepIn, Needs::kStop, kRefused},
      {"stepOut", &A::StepOut, Needs::kStop, kRefused},
      {"stepBack", &A::StepBack, Needs::kStop, kRefused},
      {"reverseContinue", &A::ReverseContinue, Needs::kStop, kRefused},
      {"pause", &A::Pause, Needs::kLaunch, kAnswered},
      {"exceptionInfo", &A::ExceptionInfo, Needs::kStop, kRefused},
      {"threads", &A::Threads, Needs::kLaunch, kAnswered},
      {"stackTrace", &A::StackTrace, Needs::kStop, kRefused},
      {"source", &A::Source, Needs::kLaunch, kAnswered},
      {"loadedSources", &A::LoadedSources, Needs::kLaunch, kAnswered},
      {"disassemble", &A::Disassemble, Needs::kLaunch, kWaits},
      {"breakpointLocations", &A::BreakpointLocations, Needs::kLaunch, kWaits},
      {"scopes", &A::Scopes, Needs::kStop, kRefused},
      {"variables", &A::Variables, Needs::kStop, kRefused},
      {"setVariable", &A::SetVariable, Needs::kStop, kRefused},
      {"setExpression", &A::SetExpression, Needs::kStop, kRefused},
      {"evaluate", &A::Evaluate, Needs::kStop, kRefused},
      {"readMemory", &A::ReadMemory, Needs::kStop, kRefused},
      {"writeMemory", &A::WriteMemory, Needs::kStop, kRefused},
      {"completions", &A::Completions, Needs::kStop, kRefused},
      {"setBreakpoints", &A::SetBreakpoints, Needs::kLaunch, kWaits},
      {"setFunctionBreakpoints", &A::SetFunctionBreakpoints, Needs::kLaunch, kWaits},
      {"setInstructionBreakpoints", &A::SetInstructionBreakpoints, Needs::kLaunch, kWaits},
      {"setExceptionBreakpoints", &A::SetExceptionBreakpoints, Needs::kLaunch, kWaits},
      {"dataBreakpointInfo", &A::DataBreakpointInfo, Needs::kStop, kRefused},
      {"setDataBreakpoints", &A::SetDataBreakpoints, Needs::kLaunch, kWaits},
  };
  return kRows;
}

// --- sending ----------------------------------------------------------------------------------

void Adapter::Send(OrderedJson message) {
  message["seq"] = next_seq_++;
  MakePrintable(&message, "");
  const std::string bytes = Framed(message);
  for (std::size_t sent = 0; sent < bytes.size() && !is_over_;) {
    const ssize_t done = write(output_, bytes.data() + sent, bytes.size() - sent);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      is_over_ = true;  // nobody listens
      return;
    }
    sent += static_cast<std::size_t>(done);
  }
}

void Adapter::Respond(const Request& request, const Body& body) {
  OrderedJson response{{"seq", 0},
                       {"type", "response"},
                       {"request_seq", request.seq},
                       {"success", body.has_value()},
                       {"command", request.command}};
  if (body) {
    if (!body->empty()) response["body"] = *body;
  } else {
    const std::string& message = body.error().message;
    response["message"] = message;
    // Braces would be variables of the format.
    response["body"]["error"] = {{"id", ExitCodeOf(body.error().kind)},
                                 {"format", "{message}"},
                                 {"variables", {{"message", message}}},
                                 {"showUser", request.command == "launch"}};
  }
  Send(std::move(response));
}

void Adapter::Event(const char* name, OrderedJson body) {
  OrderedJson event{{"seq", 0}, {"type", "event"}, {"event", name}};
  if (!body.empty()) event["body"] = std::move(body);
  Send(std::move(event));
}

void Adapter::Output(const char* category, const std::string& text) {
  if (!text.empty()) Event("output", {{"category", category}, {"output", text}});
}

// --- reading ----------------------------------------------------------------------------------

// Requests that came go to `waiting_`; false where there will be no more.
bool Adapter::Read(bool waits) {
  pollfd readable{input_, POLLIN, 0};
  const int ready = poll(&readable, 1, waits ? -1 : 0);
  if (ready <= 0) return ready == 0 || errno == EINTR;
  char bytes[65536];
  const ssize_t count = read(input_, bytes, sizeof bytes);
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) {
    if (reader_.IsInside()) {
      exit_code_ = kExitUsage;
      std::fprintf(stderr, "assay dap: the input ends inside of a message\n");
    }
    return false;
  }
  const auto fed = reader_.Feed(std::string_view(bytes, static_cast<std::size_t>(count)));
  while (!reader_.bodies().empty()) {
    const std::string body = std::move(reader_.bodies().front());
    reader_.bodies().pop_front();
    TakeBody(body);
  }
  if (fed) return true;
  // No way to find the next message.
  exit_code_ = kExitUsage;
  std::fprintf(stderr, "assay dap: %s\n", fed.error().message.c_str());
  Output("stderr", fed.error().message + "\n");
  return false;
}

void Adapter::TakeBody(const std::string& body) {
  Request request;
  const auto refuse = [&](const std::string& why) {
    Respond(request, Fail(ErrorKind::kUsage, why));
    if (request.seq != 0) return;
    // A response to no request of the client's is one that it may not show.
    std::fprintf(stderr, "assay dap: %s\n", why.c_str());
    Output("stderr", fmt::format("The debug adapter got what is no request: {}\n", why));
  };
  auto message = ParseBody(body);
  if (!message) return refuse(message.error().message);
  const Arguments fields(*message, "a message");
  const auto seq = fields.Integer("seq");
  if (seq) request.seq = *seq;
  const auto command = fields.Text("command");
  if (command) request.command = *command;
  const auto type = fields.Text("type");
  if (!type) return refuse(type.error().message);
  if (*type != "request") {
    return refuse(fmt::format("a message of type '{}'; clients send requests", *type));
  }
  if (!seq) return refuse(seq.error().message);
  if (!command) return refuse(command.error().message);
  const auto arguments = fields.Object("arguments");
  if (!arguments) return refuse(arguments.error().message);
  request.arguments = Arguments(arguments->json(), fmt::format("'{}'", *command));
  const auto rows = Rows();
  const auto row =
      std::ranges::find_if(rows, [&](const Row& one) { return one.command == *command; });
  if (row == rows.end()) return refuse(fmt::format("no request '{}'", *command));
  request.row = &*row;
  if (waiting_.size() >= kMostWaiting) return refuse("too many requests wait");
  // A cancelled request may stand in the same piece of input: it must not have begun.
  if (*command == "cancel") return Dispatch(request);
  waiting_.push_back(std::move(request));
}

// While a kernel runs.
DebugSession::Wish Adapter::WhenReadable() {
  using Wish = DebugSession::Wish;
  if (!Read(false)) is_over_ = true;
  TellProgress();
  std::deque<Request> later;
  while (!waiting_.empty() && !is_over_ && !ends_run_) {
    const Request request = std::move(waiting_.front());
    waiting_.pop_front();
    // In their order: what waits keeps what comes behind it from being answered before, but for
    // what is to end all this.
    if (request.row->while_running == WhileRunning::kWaits) {
      later.push_back(request);
    } else if (request.row->while_running == WhileRunning::kRefused) {
      if (later.empty()) {
        Respond(request, Fail(ErrorKind::kUsage, "notStopped"));
      } else {
        later.push_back(request);
      }
    } else {
      Dispatch(request);
    }
  }
  for (Request& request : waiting_) later.push_back(std::move(request));
  waiting_ = std::move(later);
  if (is_over_ || ends_run_) return Wish::kAbandon;
  const bool stops = pause_wanted_ || (!waiting_.empty() && !keeps_going_);
  return stops ? Wish::kStop : Wish::kGoOn;
}

// --- serving ----------------------------------------------------------------------------------

Expected<void> Adapter::Check(const Request& request) const {
  const auto fail = [](std::string why) { return Fail(ErrorKind::kUsage, std::move(why)); };
  const Needs needs = request.row->needs;
  if (needs >= Needs::kInitialize && !is_initialized_) {
    return fail(fmt::format("'{}' before 'initialize'", request.command));
  }
  if (needs >= Needs::kLaunch && session_ == nullptr) {
    return fail(fmt::format("'{}' before a 'launch' that succeeded", request.command));
  }
  if (needs < Needs::kStop) return {};
  if (is_running_) return fail("notStopped");
  if (!is_configured_) {
    return fail(fmt::format("'{}' before 'configurationDone': nothing runs", request.command));
  }
  if (is_terminated_ || session_->state() != DebugSession::State::kStopped) {
    return fail(
        fmt::format("'{}' after the run has ended; 'restart' begins again", request.command));
  }
  return {};
}

void Adapter::Dispatch(const Request& request) {
  const std::int64_t outer = std::exchange(now_, request.seq);
  after_ = nullptr;
  Body body = OrderedJson::object();
  if (const auto checked = Check(request); !checked) {
    body = tl::unexpected(checked.error());
  } else {
    try {
      body = (this->*request.row->handler)(request.arguments);
    } catch (const Json::exception& error) {
      body = Fail(ErrorKind::kInternal, std::string("an answer is wrong: ") + error.what());
    }
  }
  Respond(request, body);
  now_ = outer;
  const auto after = std::exchange(after_, nullptr);
  if (!after) return;
  try {
    after();
  } catch (const Json::exception& error) {
    // What the run does now is not known any more.
    Output("stderr", fmt::format("internal error: an answer is wrong: {}\n", error.what()));
    exit_code_ = ExitCodeOf(ErrorKind::kInternal);
    is_over_ = true;
  }
}

void Adapter::Loop() {
  while (!is_over_) {
    while (restart_wanted_ && !is_over_) BeginAgain();
    if (waiting_.empty() && !is_over_) {
      if (!Read(true)) return;
      continue;
    }
    if (is_over_) return;
    const Request request = std::move(waiting_.front());
    waiting_.pop_front();
    Dispatch(request);
  }
}

int Adapter::Serve() {
  std::error_code ignored;
  folder_ = std::filesystem::current_path(ignored);
  Loop();
  session_.reset();  // and with it the processes that run the kernel
  return exit_code_;
}

}  // namespace assay::tools::dap
