// The messages between a debugger's front end and the process that runs the kernel.
//
// The front end sends a Request.  A question (a request with an `Answer`) is answered with that
// type, or with a Failure.  The process that runs sends the other messages by itself.
// interp/debug/codec.h writes messages as JSON and reads them.
//
// Members that are std::optional may be missing in a message; all others must be there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/expected.h"
#include "interp/debug/message_parts.h"

namespace assay::interp::debug {

// --- answers ----------------------------------------------------------------------------------

struct FramesAnswer {
  std::vector<Frame> frames;  // the innermost first
};

struct VariablesAnswer {
  std::vector<Variable> variables;
};

struct EvaluateAnswer {
  std::string type;
  std::uint64_t size = 0;
  std::vector<TypeMember> members;
  std::vector<Enumerator> enumerators;
  // The rest is empty where only a type was asked for.
  std::string value;
  std::string again;  // an expression with this value, for when variables have changed; "": none
  std::optional<ValueBits> bits;
  std::optional<std::uint64_t> address;  // of a value in memory
  std::string object;                    // in words: the object at this address
  std::string space;                     // address space
  std::optional<std::uint32_t> site;     // of private memory: the call whose variable it is
  std::vector<std::string> parts;        // names of members, "[0]" and so on, or "*"
  DebugItemId item;
  ValueFrame frame;
  bool is_constant = false;
  std::vector<std::string> warnings;
};

struct NumericsAnswer {
  int bits = 0;  // of the shadows; 0 without shadows
  std::vector<NumericPart> parts;
};

struct ShadowReportAnswer {
  int bits = 0;
  std::uint64_t operations = 0;
  std::vector<Loss> losses;  // the largest first
};

struct ExamineAnswer {
  std::vector<ExamineRow> rows;
};

struct ReadMemoryAnswer {
  std::string hex;
};

struct WriteMemoryAnswer {
  std::uint64_t bytes = 0;
};

struct ItemsAnswer {
  std::vector<Item> items;
};

struct GroupsAnswer {
  std::vector<Item> groups;  // the first 4096
  std::uint64_t count = 0;
  Ids local_size = {};
};

struct ObjectsAnswer {
  std::vector<MemoryObject> objects;
};

struct DisassembleAnswer {
  std::vector<CodeLine> instructions;
  std::string function;  // "" where all were asked for
};

struct FunctionsAnswer {
  std::vector<std::string> functions;
  std::vector<std::string> files;
  std::vector<PlaceLine> lines;
  std::uint32_t main_file = 0;
  std::string kernel;
};

struct ResolveAnswer {
  std::string text;
  std::uint32_t file_number = 0;
  std::uint32_t line = 0;
  std::uint64_t places = 0;
};

struct CheckAnswer {};

struct FindItemAnswer {
  Item item;
  bool begun = false;
  bool there = false;
  std::optional<Where> where;  // where it is there
};

// --- questions --------------------------------------------------------------------------------

struct WhereRequest {
  using Answer = Where;
  std::optional<DebugItemId> item;
  bool later = false;  // a work-item that has not begun is answered, too
};

struct FramesRequest {
  using Answer = FramesAnswer;
  Target target;
};

struct VariablesRequest {
  using Answer = VariablesAnswer;
  enum class Kind : std::uint8_t { kLocals, kGlobals, kRegisters };
  Kind kind = Kind::kLocals;
  Target target;
  std::string format;                // a letter, or ""
  std::optional<std::size_t> limit;  // elements of an array that are shown
};

struct EvaluateRequest {
  using Answer = EvaluateAnswer;
  Target target;
  std::string expression;
  std::string format;
  std::optional<std::size_t> limit;
  bool is_type = false;  // a type may stand for a value: only the answer's type is asked for
  bool assigns = false;
};

struct NumericsRequest {
  using Answer = NumericsAnswer;
  Target target;
  std::string expression;
  bool accumulated = false;  // the error against the shadow; otherwise that of one instruction
};

struct ShadowReportRequest {
  using Answer = ShadowReportAnswer;
};

struct ExamineRequest {
  using Answer = ExamineAnswer;
  Target target;
  std::string expression;
  std::string format;
  std::uint64_t count = 1;
  std::uint32_t size = 0;  // 0: as the format and the expression say
};

struct ReadMemoryRequest {
  using Answer = ReadMemoryAnswer;
  std::optional<DebugItemId> item;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

struct WriteMemoryRequest {
  using Answer = WriteMemoryAnswer;
  std::optional<DebugItemId> item;
  std::uint64_t address = 0;
  std::string hex;
};

struct ItemsRequest {
  using Answer = ItemsAnswer;
  bool all = false;                   // of all groups that run
  bool there = false;                 // only those that have begun and not returned
  std::optional<std::uint64_t> most;  // of a group
};

struct GroupsRequest {
  using Answer = GroupsAnswer;
};

struct ObjectsRequest {
  using Answer = ObjectsAnswer;
};

struct DisassembleRequest {
  using Answer = DisassembleAnswer;
  Target target;
  std::optional<std::string> function;  // without it the frame's
  bool all = false;
};

struct FunctionsRequest {
  using Answer = FunctionsAnswer;
};

// Whether a breakpoint can stand there.
struct ResolveRequest {
  using Answer = ResolveAnswer;
  std::string location;  // as DebugPlaces::Resolve takes it
  std::uint32_t file = 0;
  std::optional<std::string> condition;
  std::optional<Ids> global_id;
};

// Whether a condition means something somewhere.
struct CheckRequest {
  using Answer = CheckAnswer;
  std::string condition;
};

// A work-item by its global id, or the first one of a work-group.
struct FindItemRequest {
  using Answer = FindItemAnswer;
  Ids id = {};
  bool is_group = false;
};

// --- requests that are no questions -----------------------------------------------------------

struct Breakpoint {
  int number = 0;
  std::string location;
  std::uint32_t file = 0;
  std::string condition;
  std::optional<Ids> global_id;
  std::uint64_t ignore = 0;
  bool operator==(const Breakpoint&) const = default;
};

struct Watchpoint {
  int number = 0;
  DebugWatchKind kind = DebugWatchKind::kChange;
  std::string text;
  std::string type;  // its name; bytes without one
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::optional<DebugItemId> item;     // of private memory, or of a value in no memory
  std::optional<std::uint64_t> group;  // of local memory
  std::optional<std::uint32_t> site;   // of private memory: the call whose variable it is
  std::optional<ValueFrame> frame;     // of a value in no memory
  std::string condition;
  std::uint64_t ignore = 0;
};

// Go on to the goal.
struct RunRequest {
  DebugGoal goal;
  std::vector<Breakpoint> breakpoints;
  std::vector<Watchpoint> watchpoints;
  std::vector<std::string> catches;  // rules, families or "all"
  bool progress = false;             // send Progress now and then
};

struct InterruptRequest {};  // stop soon
struct CopyRequest {};       // fork, and pass a channel to the copy
struct ResultsRequest {};    // at the end: write what options ask for

using Request =
    std::variant<RunRequest, InterruptRequest, CopyRequest, ResultsRequest, WhereRequest,
                 FramesRequest, VariablesRequest, EvaluateRequest, NumericsRequest,
                 ShadowReportRequest, ExamineRequest, ReadMemoryRequest, WriteMemoryRequest,
                 ItemsRequest, GroupsRequest, ObjectsRequest, DisassembleRequest, FunctionsRequest,
                 ResolveRequest, CheckRequest, FindItemRequest>;

// --- messages of the process that runs --------------------------------------------------------

struct Failure {
  std::string message;
};

// The run stands still, and questions are answered.
struct Stopped {
  DebugStopReason reason = DebugStopReason::kGoal;
  std::uint64_t time = 0;
  std::vector<int> breakpoints;  // those that were met, watchpoints too
  bool meets_goal = false;
  std::vector<std::string> notes;
  std::vector<int> ended_watchpoints;
  std::vector<WatchHit> watch;
  std::vector<Hits> hits;  // since the run went on
  SearchResult search;
  std::optional<StopFinding> finding;
  std::string element;  // what the finding is about: "y[7]; y has 7 elements, 0 to 6"
  // Of a goal with several steps: those that are left, and where the next one begins.
  std::uint64_t count = 1;
  std::uint32_t start = kNoMarker;
  std::uint64_t launch = 1;
  std::string kernel;
  std::optional<bool> has_lines;  // missing where no launch runs
  Where where;
  Output output;
};

struct EndFinding {
  std::string rule;
  std::string message;
  std::string source;
  std::string text;  // as `assay run` writes it
};

// Why a run failed.
struct RunError {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;
};

// The run is over.
struct Ended {
  std::optional<RunError> error;  // then there is no report
  std::string end;                // LaunchEndName
  std::string message;
  std::vector<EndFinding> findings;
  std::uint64_t instructions = 0;
  int exit_code = 0;
  std::uint64_t time = 0;
  std::optional<ShadowReportAnswer> shadow;
  SearchResult search;
  Output output;
};

struct Progress {
  std::uint64_t time = 0;
  std::uint64_t groups_done = 0;
  std::optional<std::uint64_t> groups;
  std::optional<Ids> global_id;
};

// A copy of the process sleeps at this time; its channel comes with the message.
struct CheckpointLeft {
  std::uint64_t time = 0;
};

struct Copied {};  // the copy's channel comes with the message

struct ResultsWritten {
  std::string text;
  std::optional<std::string> error;
};

using Message =
    std::variant<Failure, Stopped, Ended, Output, Progress, CheckpointLeft, Copied, ResultsWritten,
                 Where, FramesAnswer, VariablesAnswer, EvaluateAnswer, NumericsAnswer,
                 ShadowReportAnswer, ExamineAnswer, ReadMemoryAnswer, WriteMemoryAnswer,
                 ItemsAnswer, GroupsAnswer, ObjectsAnswer, DisassembleAnswer, FunctionsAnswer,
                 ResolveAnswer, CheckAnswer, FindItemAnswer>;

}  // namespace assay::interp::debug
