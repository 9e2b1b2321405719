// The names of messages and of their members in JSON: tables for interp/debug/codec.cc.
#pragma once

#include <array>
#include <tuple>

#include "interp/debug/messages.h"

namespace assay::interp::debug {

template <typename Class, typename Type>
struct Member {
  constexpr Member(const char* its_name, Type Class::*its_place)
      : name(its_name), place(its_place) {}
  const char* name;
  Type Class::*place;
};

// Of a struct: all its members.  Of an enumeration: the names of its values, in their order.  Of a
// request or message: its name.
struct NoTable {};
template <typename T>
constexpr NoTable kMembers;
template <typename T>
constexpr NoTable kEnumNames;
template <typename T>
constexpr NoTable kName;

// --- enumerations -----------------------------------------------------------------------------

template <>
constexpr std::array kEnumNames<DebugGoal::Kind> = {"continue", "step",  "next",  "until",
                                                    "finish",   "stepi", "nexti", "barrier",
                                                    "time",     "call",  "item",  "write"};
template <>
constexpr std::array kEnumNames<DebugWatchKind> = {"change", "read", "access"};
template <>
constexpr std::array kEnumNames<DebugStopReason> = {
    "start",    "goal",        "breakpoint", "watchpoint", "finding",
    "returned", "interrupted", "searched",   "end",        "logged"};
template <>
constexpr std::array kEnumNames<ErrorKind> = {"usage", "unsupported", "device", "internal"};
template <>
constexpr std::array kEnumNames<ValueBits::Kind> = {"signed", "unsigned", "float", "pointer"};
template <>
constexpr std::array kEnumNames<VariablesRequest::Kind> = {"locals", "globals", "registers"};

// --- members ----------------------------------------------------------------------------------

template <>
constexpr auto kMembers<DebugItemId> = std::tuple(Member("group", &DebugItemId::group),
                                                  Member("local", &DebugItemId::local));
template <>
constexpr auto kMembers<DebugGoal> = std::tuple(
    Member("kind", &DebugGoal::kind), Member("whole_group", &DebugGoal::whole_group),
    Member("item", &DebugGoal::item), Member("start_marker", &DebugGoal::start_marker),
    Member("count", &DebugGoal::count), Member("time", &DebugGoal::time),
    Member("address", &DebugGoal::address), Member("bytes", &DebugGoal::bytes),
    Member("searches", &DebugGoal::searches), Member("search_end", &DebugGoal::search_end),
    Member("stops_at_breakpoints", &DebugGoal::stops_at_breakpoints),
    Member("checkpoint_at", &DebugGoal::checkpoint_at));
template <>
constexpr auto kMembers<Target> = std::tuple(Member("item", &Target::item),
                                             Member("frame", &Target::frame));
template <>
constexpr auto kMembers<Frame> =
    std::tuple(Member("function", &Frame::function), Member("origin", &Frame::origin),
               Member("site", &Frame::site), Member("inlined", &Frame::inlined),
               Member("file", &Frame::file), Member("file_number", &Frame::file_number),
               Member("line", &Frame::line), Member("column", &Frame::column),
               Member("instruction", &Frame::instruction), Member("result", &Frame::result));
template <>
constexpr auto kMembers<Item> = std::tuple(Member("id", &Item::id),
                                           Member("global_id", &Item::global_id),
                                           Member("group_id", &Item::group_id),
                                           Member("state", &Item::state),
                                           Member("selected", &Item::selected));
template <>
constexpr auto kMembers<Where> = std::tuple(Member("item", &Where::item),
                                            Member("marker", &Where::marker),
                                            Member("frame", &Where::frame),
                                            Member("frame_key", &Where::frame_key));
template <>
constexpr auto kMembers<WatchHit> = std::tuple(Member("number", &WatchHit::number),
                                               Member("old_value", &WatchHit::old_value),
                                               Member("value", &WatchHit::value));
template <>
constexpr auto kMembers<StopFinding> = std::tuple(Member("rule", &StopFinding::rule),
                                                  Member("message", &StopFinding::message),
                                                  Member("history", &StopFinding::history));
template <>
constexpr auto kMembers<Found> = std::tuple(Member("time", &Found::time),
                                            Member("reason", &Found::reason),
                                            Member("breakpoints", &Found::breakpoints),
                                            Member("watch", &Found::watch),
                                            Member("finding", &Found::finding));
template <>
constexpr auto kMembers<SearchResult> = std::tuple(Member("count_left", &SearchResult::count_left),
                                                   Member("first_time", &SearchResult::first_time),
                                                   Member("found", &SearchResult::found));
template <>
constexpr auto kMembers<Hits> = std::tuple(Member("number", &Hits::number),
                                           Member("hits", &Hits::hits));
template <>
constexpr auto kMembers<Output> = std::tuple(Member("text", &Output::text),
                                             Member("end", &Output::end));
template <>
constexpr auto kMembers<Variable> = std::tuple(Member("name", &Variable::name),
                                               Member("called", &Variable::called),
                                               Member("type", &Variable::type),
                                               Member("value", &Variable::value),
                                               Member("missing", &Variable::missing),
                                               Member("is_argument", &Variable::is_argument));
template <>
constexpr auto kMembers<TypeMember> = std::tuple(Member("name", &TypeMember::name),
                                                 Member("type", &TypeMember::type),
                                                 Member("offset", &TypeMember::offset));
template <>
constexpr auto kMembers<Enumerator> = std::tuple(Member("name", &Enumerator::name),
                                                 Member("value", &Enumerator::value));
template <>
constexpr auto kMembers<ValueBits> = std::tuple(Member("kind", &ValueBits::kind),
                                                Member("bits", &ValueBits::bits),
                                                Member("components", &ValueBits::components));
template <>
constexpr auto kMembers<ValueFrame> = std::tuple(Member("site", &ValueFrame::site),
                                                 Member("function", &ValueFrame::function),
                                                 Member("inlined_at", &ValueFrame::inlined_at));
template <>
constexpr auto kMembers<NumericPlace> = std::tuple(Member("origin", &NumericPlace::origin),
                                                   Member("source", &NumericPlace::source),
                                                   Member("instruction",
                                                          &NumericPlace::instruction));
template <>
constexpr auto kMembers<AccumulatedError> = std::tuple(
    Member("shadow", &AccumulatedError::shadow), Member("ulp", &AccumulatedError::ulp),
    Member("kept", &AccumulatedError::kept), Member("precision", &AccumulatedError::precision),
    Member("place", &AccumulatedError::place));
template <>
constexpr auto kMembers<InstructionError> = std::tuple(
    Member("exact", &InstructionError::exact), Member("ulp", &InstructionError::ulp),
    Member("place", &InstructionError::place), Member("operands", &InstructionError::operands));
template <>
constexpr auto kMembers<NumericPart> = std::tuple(Member("value", &NumericPart::value),
                                                  Member("missing", &NumericPart::missing),
                                                  Member("accumulated", &NumericPart::accumulated),
                                                  Member("instruction", &NumericPart::instruction));
template <>
constexpr auto kMembers<Loss> =
    std::tuple(Member("place", &Loss::place), Member("executions", &Loss::executions),
               Member("lost", &Loss::lost), Member("lost_in_chain", &Loss::lost_in_chain),
               Member("precision", &Loss::precision), Member("own_error", &Loss::own_error),
               Member("error", &Loss::error), Member("adds_up", &Loss::adds_up),
               Member("reason", &Loss::reason), Member("decisions", &Loss::decisions),
               Member("otherwise", &Loss::otherwise), Member("global_id", &Loss::global_id),
               Member("time", &Loss::time));
template <>
constexpr auto kMembers<ExamineRow> = std::tuple(Member("address", &ExamineRow::address),
                                                 Member("object", &ExamineRow::object),
                                                 Member("values", &ExamineRow::values));
template <>
constexpr auto kMembers<MemoryObject> = std::tuple(Member("address", &MemoryObject::address),
                                                   Member("bytes", &MemoryObject::bytes),
                                                   Member("space", &MemoryObject::space),
                                                   Member("name", &MemoryObject::name),
                                                   Member("writable", &MemoryObject::writable));
template <>
constexpr auto kMembers<CodeLine> = std::tuple(Member("origin", &CodeLine::origin),
                                               Member("text", &CodeLine::text),
                                               Member("line", &CodeLine::line),
                                               Member("here", &CodeLine::here),
                                               Member("function", &CodeLine::function));
template <>
constexpr auto kMembers<PlaceLine> = std::tuple(Member("file", &PlaceLine::file),
                                                Member("line", &PlaceLine::line),
                                                Member("origin", &PlaceLine::origin));
template <>
constexpr auto kMembers<FramesAnswer> = std::tuple(Member("frames", &FramesAnswer::frames));
template <>
constexpr auto kMembers<VariablesAnswer> = std::tuple(Member("variables",
                                                             &VariablesAnswer::variables));
template <>
constexpr auto kMembers<EvaluateAnswer> = std::tuple(
    Member("type", &EvaluateAnswer::type), Member("size", &EvaluateAnswer::size),
    Member("members", &EvaluateAnswer::members),
    Member("enumerators", &EvaluateAnswer::enumerators), Member("value", &EvaluateAnswer::value),
    Member("again", &EvaluateAnswer::again), Member("bits", &EvaluateAnswer::bits),
    Member("address", &EvaluateAnswer::address), Member("object", &EvaluateAnswer::object),
    Member("space", &EvaluateAnswer::space), Member("site", &EvaluateAnswer::site),
    Member("parts", &EvaluateAnswer::parts), Member("item", &EvaluateAnswer::item),
    Member("frame", &EvaluateAnswer::frame), Member("is_constant", &EvaluateAnswer::is_constant),
    Member("warnings", &EvaluateAnswer::warnings));
template <>
constexpr auto kMembers<NumericsAnswer> = std::tuple(Member("bits", &NumericsAnswer::bits),
                                                     Member("parts", &NumericsAnswer::parts));
template <>
constexpr auto kMembers<ShadowReportAnswer> =
    std::tuple(Member("bits", &ShadowReportAnswer::bits),
               Member("operations", &ShadowReportAnswer::operations),
               Member("losses", &ShadowReportAnswer::losses));
template <>
constexpr auto kMembers<ExamineAnswer> = std::tuple(Member("rows", &ExamineAnswer::rows));
template <>
constexpr auto kMembers<ReadMemoryAnswer> = std::tuple(Member("hex", &ReadMemoryAnswer::hex));
template <>
constexpr auto kMembers<WriteMemoryAnswer> = std::tuple(Member("bytes", &WriteMemoryAnswer::bytes));
template <>
constexpr auto kMembers<ItemsAnswer> = std::tuple(Member("items", &ItemsAnswer::items));
template <>
constexpr auto kMembers<GroupsAnswer> = std::tuple(Member("groups", &GroupsAnswer::groups),
                                                   Member("count", &GroupsAnswer::count),
                                                   Member("local_size", &GroupsAnswer::local_size));
template <>
constexpr auto kMembers<ObjectsAnswer> = std::tuple(Member("objects", &ObjectsAnswer::objects));
template <>
constexpr auto kMembers<DisassembleAnswer> =
    std::tuple(Member("instructions", &DisassembleAnswer::instructions),
               Member("function", &DisassembleAnswer::function));
template <>
constexpr auto kMembers<FunctionsAnswer> = std::tuple(
    Member("functions", &FunctionsAnswer::functions), Member("files", &FunctionsAnswer::files),
    Member("lines", &FunctionsAnswer::lines), Member("main_file", &FunctionsAnswer::main_file),
    Member("kernel", &FunctionsAnswer::kernel));
template <>
constexpr auto kMembers<ResolveAnswer> = std::tuple(
    Member("text", &ResolveAnswer::text), Member("file_number", &ResolveAnswer::file_number),
    Member("line", &ResolveAnswer::line), Member("places", &ResolveAnswer::places));
template <>
constexpr auto kMembers<CheckAnswer> = std::tuple();
template <>
constexpr auto kMembers<FindItemAnswer> = std::tuple(Member("item", &FindItemAnswer::item),
                                                     Member("begun", &FindItemAnswer::begun),
                                                     Member("there", &FindItemAnswer::there),
                                                     Member("where", &FindItemAnswer::where));
template <>
constexpr auto kMembers<WhereRequest> = std::tuple(Member("item", &WhereRequest::item),
                                                   Member("later", &WhereRequest::later));
template <>
constexpr auto kMembers<FramesRequest> = std::tuple(Member("target", &FramesRequest::target));
template <>
constexpr auto kMembers<VariablesRequest> = std::tuple(Member("kind", &VariablesRequest::kind),
                                                       Member("target", &VariablesRequest::target),
                                                       Member("format", &VariablesRequest::format),
                                                       Member("limit", &VariablesRequest::limit));
template <>
constexpr auto kMembers<EvaluateRequest> = std::tuple(
    Member("target", &EvaluateRequest::target), Member("expression", &EvaluateRequest::expression),
    Member("format", &EvaluateRequest::format), Member("limit", &EvaluateRequest::limit),
    Member("is_type", &EvaluateRequest::is_type), Member("assigns", &EvaluateRequest::assigns));
template <>
constexpr auto kMembers<NumericsRequest> = std::tuple(
    Member("target", &NumericsRequest::target), Member("expression", &NumericsRequest::expression),
    Member("accumulated", &NumericsRequest::accumulated));
template <>
constexpr auto kMembers<ShadowReportRequest> = std::tuple();
template <>
constexpr auto kMembers<ExamineRequest> = std::tuple(
    Member("target", &ExamineRequest::target), Member("expression", &ExamineRequest::expression),
    Member("format", &ExamineRequest::format), Member("count", &ExamineRequest::count),
    Member("size", &ExamineRequest::size));
template <>
constexpr auto kMembers<ReadMemoryRequest> = std::tuple(Member("item", &ReadMemoryRequest::item),
                                                        Member("address",
                                                               &ReadMemoryRequest::address),
                                                        Member("bytes", &ReadMemoryRequest::bytes));
template <>
constexpr auto kMembers<WriteMemoryRequest> = std::tuple(Member("item", &WriteMemoryRequest::item),
                                                         Member("address",
                                                                &WriteMemoryRequest::address),
                                                         Member("hex", &WriteMemoryRequest::hex));
template <>
constexpr auto kMembers<ItemsRequest> = std::tuple(Member("all", &ItemsRequest::all),
                                                   Member("there", &ItemsRequest::there),
                                                   Member("most", &ItemsRequest::most));
template <>
constexpr auto kMembers<GroupsRequest> = std::tuple();
template <>
constexpr auto kMembers<ObjectsRequest> = std::tuple();
template <>
constexpr auto kMembers<DisassembleRequest> = std::tuple(
    Member("target", &DisassembleRequest::target),
    Member("function", &DisassembleRequest::function), Member("all", &DisassembleRequest::all));
template <>
constexpr auto kMembers<FunctionsRequest> = std::tuple();
template <>
constexpr auto kMembers<ResolveRequest> =
    std::tuple(Member("location", &ResolveRequest::location), Member("file", &ResolveRequest::file),
               Member("condition", &ResolveRequest::condition),
               Member("global_id", &ResolveRequest::global_id));
template <>
constexpr auto kMembers<CheckRequest> = std::tuple(Member("condition", &CheckRequest::condition));
template <>
constexpr auto kMembers<FindItemRequest> =
    std::tuple(Member("id", &FindItemRequest::id), Member("is_group", &FindItemRequest::is_group));
template <>
constexpr auto kMembers<Breakpoint> = std::tuple(Member("number", &Breakpoint::number),
                                                 Member("location", &Breakpoint::location),
                                                 Member("file", &Breakpoint::file),
                                                 Member("condition", &Breakpoint::condition),
                                                 Member("global_id", &Breakpoint::global_id),
                                                 Member("ignore", &Breakpoint::ignore));
template <>
constexpr auto kMembers<Watchpoint> =
    std::tuple(Member("number", &Watchpoint::number), Member("kind", &Watchpoint::kind),
               Member("text", &Watchpoint::text), Member("type", &Watchpoint::type),
               Member("address", &Watchpoint::address), Member("bytes", &Watchpoint::bytes),
               Member("item", &Watchpoint::item), Member("group", &Watchpoint::group),
               Member("site", &Watchpoint::site), Member("frame", &Watchpoint::frame),
               Member("condition", &Watchpoint::condition), Member("ignore", &Watchpoint::ignore));
template <>
constexpr auto kMembers<RunRequest> = std::tuple(Member("goal", &RunRequest::goal),
                                                 Member("breakpoints", &RunRequest::breakpoints),
                                                 Member("watchpoints", &RunRequest::watchpoints),
                                                 Member("catches", &RunRequest::catches),
                                                 Member("progress", &RunRequest::progress));
template <>
constexpr auto kMembers<InterruptRequest> = std::tuple();
template <>
constexpr auto kMembers<CopyRequest> = std::tuple();
template <>
constexpr auto kMembers<ResultsRequest> = std::tuple();
template <>
constexpr auto kMembers<Failure> = std::tuple(Member("message", &Failure::message));
template <>
constexpr auto kMembers<Stopped> = std::tuple(
    Member("reason", &Stopped::reason), Member("time", &Stopped::time),
    Member("breakpoints", &Stopped::breakpoints), Member("meets_goal", &Stopped::meets_goal),
    Member("notes", &Stopped::notes), Member("ended_watchpoints", &Stopped::ended_watchpoints),
    Member("watch", &Stopped::watch), Member("hits", &Stopped::hits),
    Member("search", &Stopped::search), Member("finding", &Stopped::finding),
    Member("element", &Stopped::element), Member("count", &Stopped::count),
    Member("start", &Stopped::start), Member("launch", &Stopped::launch),
    Member("kernel", &Stopped::kernel), Member("has_lines", &Stopped::has_lines),
    Member("where", &Stopped::where), Member("output", &Stopped::output));
template <>
constexpr auto kMembers<EndFinding> = std::tuple(Member("rule", &EndFinding::rule),
                                                 Member("message", &EndFinding::message),
                                                 Member("source", &EndFinding::source),
                                                 Member("text", &EndFinding::text));
template <>
constexpr auto kMembers<RunError> = std::tuple(Member("kind", &RunError::kind),
                                               Member("message", &RunError::message));
template <>
constexpr auto kMembers<Ended> =
    std::tuple(Member("error", &Ended::error), Member("end", &Ended::end),
               Member("message", &Ended::message), Member("findings", &Ended::findings),
               Member("instructions", &Ended::instructions), Member("exit_code", &Ended::exit_code),
               Member("time", &Ended::time), Member("shadow", &Ended::shadow),
               Member("search", &Ended::search), Member("output", &Ended::output));
template <>
constexpr auto kMembers<Progress> = std::tuple(Member("time", &Progress::time),
                                               Member("groups_done", &Progress::groups_done),
                                               Member("groups", &Progress::groups),
                                               Member("global_id", &Progress::global_id));
template <>
constexpr auto kMembers<CheckpointLeft> = std::tuple(Member("time", &CheckpointLeft::time));
template <>
constexpr auto kMembers<Copied> = std::tuple();
template <>
constexpr auto kMembers<ResultsWritten> = std::tuple(Member("text", &ResultsWritten::text),
                                                     Member("error", &ResultsWritten::error));

// --- requests and messages --------------------------------------------------------------------

template <>
constexpr const char* kName<RunRequest> = "run";
template <>
constexpr const char* kName<InterruptRequest> = "interrupt";
template <>
constexpr const char* kName<CopyRequest> = "copy";
template <>
constexpr const char* kName<ResultsRequest> = "results";
template <>
constexpr const char* kName<WhereRequest> = "where";
template <>
constexpr const char* kName<FramesRequest> = "frames";
template <>
constexpr const char* kName<VariablesRequest> = "variables";
template <>
constexpr const char* kName<EvaluateRequest> = "evaluate";
template <>
constexpr const char* kName<NumericsRequest> = "numerics";
template <>
constexpr const char* kName<ShadowReportRequest> = "shadow_report";
template <>
constexpr const char* kName<ExamineRequest> = "examine";
template <>
constexpr const char* kName<ReadMemoryRequest> = "read_memory";
template <>
constexpr const char* kName<WriteMemoryRequest> = "write_memory";
template <>
constexpr const char* kName<ItemsRequest> = "items";
template <>
constexpr const char* kName<GroupsRequest> = "groups";
template <>
constexpr const char* kName<ObjectsRequest> = "objects";
template <>
constexpr const char* kName<DisassembleRequest> = "disassemble";
template <>
constexpr const char* kName<FunctionsRequest> = "functions";
template <>
constexpr const char* kName<ResolveRequest> = "resolve";
template <>
constexpr const char* kName<CheckRequest> = "check";
template <>
constexpr const char* kName<FindItemRequest> = "find_item";
template <>
constexpr const char* kName<Failure> = "failure";
template <>
constexpr const char* kName<Stopped> = "stopped";
template <>
constexpr const char* kName<Ended> = "ended";
template <>
constexpr const char* kName<Output> = "output";
template <>
constexpr const char* kName<Progress> = "progress";
template <>
constexpr const char* kName<CheckpointLeft> = "checkpoint_left";
template <>
constexpr const char* kName<Copied> = "copied";
template <>
constexpr const char* kName<ResultsWritten> = "results_written";
template <>
constexpr const char* kName<Where> = "where";
template <>
constexpr const char* kName<FramesAnswer> = "frames_answer";
template <>
constexpr const char* kName<VariablesAnswer> = "variables_answer";
template <>
constexpr const char* kName<EvaluateAnswer> = "evaluate_answer";
template <>
constexpr const char* kName<NumericsAnswer> = "numerics_answer";
template <>
constexpr const char* kName<ShadowReportAnswer> = "shadow_report_answer";
template <>
constexpr const char* kName<ExamineAnswer> = "examine_answer";
template <>
constexpr const char* kName<ReadMemoryAnswer> = "read_memory_answer";
template <>
constexpr const char* kName<WriteMemoryAnswer> = "write_memory_answer";
template <>
constexpr const char* kName<ItemsAnswer> = "items_answer";
template <>
constexpr const char* kName<GroupsAnswer> = "groups_answer";
template <>
constexpr const char* kName<ObjectsAnswer> = "objects_answer";
template <>
constexpr const char* kName<DisassembleAnswer> = "disassemble_answer";
template <>
constexpr const char* kName<FunctionsAnswer> = "functions_answer";
template <>
constexpr const char* kName<ResolveAnswer> = "resolve_answer";
template <>
constexpr const char* kName<CheckAnswer> = "check_answer";
template <>
constexpr const char* kName<FindItemAnswer> = "find_item_answer";

}  // namespace assay::interp::debug
