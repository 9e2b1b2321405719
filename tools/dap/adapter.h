// The Debug Adapter Protocol over two descriptors: passes requests to a DebugSession, and sends its
// answers.
//
// There is one thread.  While a kernel runs, the session calls back when a request arrives
// (DebugSession::Watch): some requests are answered at once, some stop the run for a moment, and
// the others are refused until the run has stopped.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "tools/dap/arguments.h"
#include "tools/dap/framing.h"
#include "tools/dap/hits.h"
#include "tools/dap/launch.h"
#include "tools/dap/log_message.h"
#include "tools/debug/session.h"
#include "tools/debug/terminal.h"
#include "tools/run/source_lines.h"

namespace assay::tools::dap {

// The address of a SPIR-V instruction is this plus its number in the module, which `disassemble`
// shows.  Objects in memory have addresses above 2^40.
inline constexpr std::uint64_t kFirstInstruction = 0x100000;

class Adapter {
 public:
  Adapter(int input, int output) : input_(input), output_(output) {}

  // Until the client goes; returns the exit code.
  int Serve();

 private:
  using Body = Expected<OrderedJson>;
  using Handler = Body (Adapter::*)(const Arguments& arguments);

  // What must have happened before a request is valid.
  enum class Needs : std::uint8_t { kNothing, kInitialize, kLaunch, kStop };
  // How a request is handled while a kernel runs.
  enum class WhileRunning : std::uint8_t {
    kAnswered,
    kWaits,    // the run stops for it, and continues
    kRefused,  // "notStopped"
  };
  struct Row {
    const char* command;
    Handler handler;
    Needs needs;
    WhileRunning while_running;
  };
  struct Request {
    std::int64_t seq = 0;
    std::string command;
    Arguments arguments{Json::object(), ""};
    const Row* row = nullptr;
  };
  // A work-item and one of its frames.
  struct FrameHandle {
    interp::DebugItemId item;
    std::uint64_t level = 0;

    debug::Target target() const { return {item, level}; }
  };
  // The meaning of a variablesReference.
  struct Container {
    enum class Kind : std::uint8_t {
      kArguments,
      kLocals,
      kGlobals,
      kRegisters,
      kObjects,
      kIds,  // of the work-item
      kExpression,
      kRange,  // elements of an expression, where there are too many for one list
    };
    Kind kind = Kind::kExpression;
    FrameHandle frame;
    std::string expression;
    std::uint64_t first = 0, count = 0;  // kRange
  };
  // A breakpoint as the client knows it.
  struct Placed {
    enum class Kind : std::uint8_t { kSource, kFunction, kInstruction, kData, kException };
    Kind kind = Kind::kSource;
    std::int64_t id = 0;  // the client's
    std::string source;   // of kSource: path or reference
    Json asked;           // the request, to recognise the same one
    int number = 0;       // the session's; 0: it could not be placed
    HitCondition hits;
    std::string log;  // "" : it stops
    OrderedJson answer;
  };
  // Where a run can stop.
  struct Stop {
    std::int64_t line = 0;    // from 1
    std::int64_t column = 0;  // as the client counts
    std::uint32_t origin = 0;
  };
  // The client's capabilities.
  struct Client {
    std::int64_t first_line = 1, first_column = 1;
    bool knows_types = false;
    bool knows_memory = false;
    bool knows_memory_event = false;
    bool knows_invalidated = false;
    bool knows_progress = false;
  };
  // The progress display of a long run.
  struct Progress {
    std::string id;  // "" : nothing is shown
    std::string title;
    std::chrono::steady_clock::time_point began;
    std::chrono::seconds told{0};
  };
  struct Page {
    std::int64_t start = 0, count = 0;  // 0: all
    std::string filter;                 // "indexed", "named" or ""
    std::string format;                 // the session's letter

    bool Has(std::int64_t place) const {
      return place >= start && (count == 0 || place - start < count);
    }
  };
  // The parts of a frame's name beside the function.
  struct FrameFormat {
    std::string letter;  // the session's, of values
    bool types = false, names = false, values = false;
    bool line = false;
  };
  struct Parts {
    std::vector<std::pair<std::string, std::string>> named;  // name and expression
    std::string indexed;                                     // "(x)[{}]"
    std::uint64_t count = 0;                                 // of elements
  };

  // adapter.cc: messages.
  static std::span<const Row> Rows();
  bool Read(bool waits);
  void TakeBody(const std::string& body);
  DebugSession::Wish WhenReadable();
  void Dispatch(const Request& request);
  Expected<void> Check(const Request& request) const;
  void Send(OrderedJson message);
  void Respond(const Request& request, const Body& body);
  void Event(const char* name, OrderedJson body);
  void Output(const char* category, const std::string& text);
  void Loop();

  // adapter_life.cc: beginning and end.
  Body Initialize(const Arguments& arguments);
  Body Launch(const Arguments& arguments);
  Body ConfigurationDone(const Arguments& arguments);
  Body Restart(const Arguments& arguments);
  Body Disconnect(const Arguments& arguments);
  Body Terminate(const Arguments& arguments);
  Body Cancel(const Arguments& arguments);
  Expected<void> Load();
  void TellNotKnown();
  void Begin();
  void BeginAgain();

  // adapter_run.cc: requests that move the run, and their events.
  Body Continue(const Arguments& arguments);
  Body Next(const Arguments& arguments);
  Body StepIn(const Arguments& arguments);
  Body StepOut(const Arguments& arguments);
  Body StepBack(const Arguments& arguments);
  Body ReverseContinue(const Arguments& arguments);
  Body Pause(const Arguments& arguments);
  Body ExceptionInfo(const Arguments& arguments);
  using Goal = interp::DebugGoal;
  Body Step(const Arguments& arguments, Goal::Kind by_line, Goal::Kind by_instruction,
            bool backward);
  void Move(const Goal& goal, bool backward, bool from_beginning = false);
  bool MayMove();
  void ServeWaiting();
  Expected<SessionStop> GoTo(std::uint64_t time);
  Expected<SessionStop> GoToEnd(std::uint64_t time);
  std::vector<int> SeenHits(const SessionStop& stop);
  void TellEnded();
  void Log(const Placed& placed, const debug::Where& where);
  bool PerformCommands(std::vector<int>* hits);
  void TellStop(const std::vector<int>& hits);
  void TellHits(const SessionStop& stop, const std::vector<int>& hits);
  void TellEnd();
  void Tell(std::string reason, std::string description, std::string text,
            const std::vector<int>& hits = {});
  void Mark(const interp::DebugItemId& item);
  void MarkNamed(const std::string& text);

  // adapter_progress.cc: progress of long runs.
  void BeginRunning(std::string title);
  void EndRunning();
  void TellProgress();
  void EndProgress();

  // adapter_frames.cc.
  Body StackTrace(const Arguments& arguments);
  static Expected<FrameFormat> FrameFormatOf(const Arguments& arguments);
  std::string ParametersOf(const FrameHandle& frame, const FrameFormat& format) const;
  OrderedJson StackFrame(const FrameHandle& handle, const debug::Frame& frame,
                         const FrameFormat& format);

  // adapter_places.cc: work-items, code.
  Body Threads(const Arguments& arguments);
  Body Source(const Arguments& arguments);
  Body LoadedSources(const Arguments& arguments);
  Body Disassemble(const Arguments& arguments);
  Body BreakpointLocations(const Arguments& arguments);
  std::int64_t ThreadOf(const interp::DebugItemId& item);
  Expected<interp::DebugItemId> ItemOf(std::int64_t thread) const;
  static std::string NameOf(const debug::Item& item);
  std::string StateOf(const debug::Item& item) const;
  std::vector<debug::Item> ItemsOfInterest() const;
  void ListFirst();
  OrderedJson SourceOf(std::uint32_t file) const;
  Expected<std::uint32_t> FileOf(const Arguments& source) const;
  std::int64_t ColumnOf(std::uint32_t file, std::uint32_t line, std::uint32_t column) const;
  Expected<std::vector<Stop>> StopsOf(std::uint32_t file, std::int64_t first,
                                      std::int64_t last) const;
  Expected<void> ListCode();

  // adapter_data.cc: variables and memory.
  Body Scopes(const Arguments& arguments);
  Body Variables(const Arguments& arguments);
  Body SetVariable(const Arguments& arguments);
  Body SetExpression(const Arguments& arguments);
  Body Evaluate(const Arguments& arguments);
  Body ReadMemory(const Arguments& arguments);
  Body WriteMemory(const Arguments& arguments);
  Body Completions(const Arguments& arguments);
  Expected<FrameHandle> FrameOf(const Arguments& arguments) const;
  Expected<Container> ContainerOf(const Arguments& arguments) const;
  std::int64_t NewContainer(Container container);
  Body Value(const FrameHandle& frame, const std::string& expression, const std::string& format);
  Body Whole(const FrameHandle& frame, const std::string& expression, const std::string& format);
  Body Assign(const FrameHandle& frame, const std::string& target, const std::string& value,
              const std::string& format);
  OrderedJson Variable(const FrameHandle& frame, const std::string& name,
                       const std::string& expression, const std::string& format);
  void Describe(const FrameHandle& frame, const std::string& expression,
                const debug::EvaluateAnswer& value, OrderedJson* variable);
  Expected<Parts> PartsOf(const FrameHandle& frame, const std::string& expression) const;
  Parts PartsOf(const FrameHandle& frame, const std::string& expression,
                const debug::EvaluateAnswer& value) const;
  Expected<OrderedJson> ScopeVariables(const Container& container, const Page& page);
  Expected<OrderedJson> ObjectVariables(const Container& container, const Page& page);
  Expected<OrderedJson> Elements(const Container& container, const Parts& parts, const Page& page);
  OrderedJson IdVariables(const Container& container, const Page& page);
  Expected<std::string> ExpressionOf(const Container& container, const std::string& name) const;
  Body Console(const FrameHandle& frame, bool has_frame, const std::string& text,
               const std::string& format);
  Body Command(const FrameHandle& frame, bool has_frame, const std::string& command);
  bool IsCurrent(const FrameHandle& frame) const;
  std::string ReferenceTo(const FrameHandle& frame, std::uint64_t address) const;
  void TellChanged();

  // adapter_breakpoints.cc.
  Body SetBreakpoints(const Arguments& arguments);
  Body SetFunctionBreakpoints(const Arguments& arguments);
  Body SetInstructionBreakpoints(const Arguments& arguments);
  Body SetExceptionBreakpoints(const Arguments& arguments);
  Body DataBreakpointInfo(const Arguments& arguments);
  Body SetDataBreakpoints(const Arguments& arguments);
  Body Replace(Placed::Kind kind, const std::string& source, const std::vector<Arguments>& asked);
  Expected<OrderedJson> Place(Placed* placed, const Arguments& asked);
  Expected<void> CheckLog(const Placed& placed, debug::ResolveRequest location) const;
  Expected<OrderedJson> PlaceAt(Placed* placed, const std::string& location, std::uint32_t file);
  Expected<OrderedJson> PlaceInLine(Placed* placed, const Arguments& asked, std::uint32_t file,
                                    std::int64_t line);
  Expected<OrderedJson> PlaceData(Placed* placed, const Arguments& asked);
  Expected<OrderedJson> PlaceException(Placed* placed, const Arguments& asked);
  void PlaceAllAgain();
  Expected<std::pair<FrameHandle, std::string>> WatchedOf(const Arguments& arguments) const;
  Placed* FindPlaced(int number);

  int input_;
  int output_;
  FrameReader reader_;
  std::deque<Request> waiting_;
  std::int64_t next_seq_ = 1;
  bool is_over_ = false;   // the client has disconnected
  bool ends_run_ = false;  // the run is not wanted any more
  int exit_code_ = 0;
  std::function<void()> after_;  // the response
  std::int64_t now_ = 0;         // the request that is served

  bool is_initialized_ = false;
  Client client_;
  std::filesystem::path folder_;  // where it was started; `cwd` is relative to it

  std::optional<Json> launch_arguments_;
  std::unique_ptr<LaunchOptions> options_;  // the session keeps pointers to it
  std::unique_ptr<DebugSession> session_;
  std::unique_ptr<SourceLines> lines_;
  std::unique_ptr<DebugTerminal> terminal_;
  std::string console_;  // the output of the terminal's commands
  bool is_configured_ = false;
  bool is_running_ = false;
  bool is_terminated_ = false;
  bool is_at_end_ = false;  // where stopAtEnd stopped it
  bool pause_wanted_ = false;
  bool keeps_going_ = false;  // requests that the run would be stopped for wait for its stop
  bool restart_wanted_ = false;
  std::int64_t moving_ = 0;  // the request that moves the run and is not answered yet
  int entry_number_ = 0;     // the breakpoint that stopOnEntry is
  Progress progress_;
  std::int64_t next_progress_ = 1;

  std::vector<Placed> placed_;
  std::int64_t next_breakpoint_ = 1;
  std::map<interp::DebugItemId, std::int64_t> threads_;
  std::vector<interp::DebugItemId> items_;     // by thread, from 1
  std::deque<interp::DebugItemId> marked_;     // are listed where they are there
  OrderedJson listed_ = OrderedJson::array();  // the last answer of `threads`, without states
  // Handles are not used again, so that one of an earlier stop is known to be one.
  std::int64_t next_handle_ = 1;
  std::map<std::int64_t, FrameHandle> frames_;
  std::map<std::int64_t, Container> containers_;
  std::set<std::string> viewed_;  // references whose memory the client has read
  struct Instruction {
    std::uint32_t origin;
    std::string text, function;
  };
  std::vector<Instruction> code_;  // of all functions in order, once requested
};

}  // namespace assay::tools::dap
