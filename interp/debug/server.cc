#include "interp/debug/server.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/decode.h"
#include "interp/debug/element.h"

namespace assay::interp {

using Json = DebugServer::Json;
using frontend::Op;
using frontend::SourceKind;
using frontend::SourceType;

namespace {

constexpr std::pair<std::string_view, DebugGoal::Kind> kGoals[] = {
    {"continue", DebugGoal::Kind::kContinue},
    {"step", DebugGoal::Kind::kStep},
    {"next", DebugGoal::Kind::kNext},
    {"until", DebugGoal::Kind::kUntil},
    {"finish", DebugGoal::Kind::kFinish},
    {"stepi", DebugGoal::Kind::kStepInstruction},
    {"nexti", DebugGoal::Kind::kNextInstruction},
    {"barrier", DebugGoal::Kind::kBarrier},
    {"time", DebugGoal::Kind::kTime},
    {"call", DebugGoal::Kind::kCall},
    {"item", DebugGoal::Kind::kItem},
    {"write", DebugGoal::Kind::kWrite},
};

std::string_view ReasonName(DebugStop::Reason reason) {
  constexpr std::string_view kNames[] = {"start",       "goal",     "breakpoint",
                                         "watchpoint",  "finding",  "returned",
                                         "interrupted", "searched", "end"};
  return kNames[static_cast<int>(reason)];
}

std::uint64_t FirstId(const LaunchState& launch, int d) { return launch.range.offset[d]; }
std::uint64_t LastId(const LaunchState& launch, int d) {
  return launch.range.offset[d] + launch.range.global[d] - 1;
}

template <typename T>
T ValueOr(const Json& json, const char* key, T otherwise) {
  return json.contains(key) ? json.at(key).get<T>() : otherwise;
}

// Of a launch that is over the program is gone, and the texts are there.
Json DescribeHits(const DebugProgram* program, std::span<const DebugWatchHit> hits) {
  Json all = Json::array();
  for (const DebugWatchHit& hit : hits) {
    const bool is_over = program == nullptr || !hit.text.empty();
    Json one{{"number", hit.number},
             {"value", is_over ? hit.text : FormatValue(*program, hit.value)}};
    if (hit.old_value) {
      one["old"] = hit.old_value->bytes.empty() ? "<no value>"
                   : is_over                    ? hit.old_text
                                                : FormatValue(*program, *hit.old_value);
    }
    all.push_back(std::move(one));
  }
  return all;
}

Json DescribeFinding(const Finding& finding) {
  return {
      {"rule", NameOf(finding.rule)}, {"message", finding.message}, {"history", finding.history}};
}

}  // namespace

Json DebugServer::Answer(const Json& request) {
  try {
    auto answer = Dispatch(request);
    if (answer) return std::move(*answer);
    return {{"error", answer.error().message}};
  } catch (const Json::exception& error) {
    return {{"error", std::string("a request that is not understood: ") + error.what()}};
  }
}

Expected<Json> DebugServer::Dispatch(const Json& request) {
  const std::string what = request.at("do").get<std::string>();
  if (what == "shadow_report") return ShadowReport();
  if (core_.program() == nullptr) return Fail(ErrorKind::kUsage, "nothing runs");
  if (what == "where") {
    const auto item = ItemOf(request);
    if (item) return Where(*item);
    if (request.value("later", false)) return WhereLater(request);
    return tl::unexpected(item.error());
  }
  if (what == "frames") return Frames(request);
  if (what == "variables") return Variables(request);
  if (what == "globals") return Globals(request);
  if (what == "registers") return Registers(request);
  if (what == "evaluate") return Evaluate(request);
  if (what == "error" || what == "ulp") return Numerics(request);
  if (what == "examine") return Examine(request);
  if (what == "read_memory") return ReadMemory(request);
  if (what == "write_memory") return WriteMemory(request);
  if (what == "items") return Items(request);
  if (what == "groups") return Groups();
  if (what == "objects") return Objects();
  if (what == "disassemble") return Disassemble(request);
  if (what == "functions") return Functions();
  if (what == "resolve") return Resolve(request);
  if (what == "check") {
    const auto condition = core_.ParseCondition(request.at("condition"));
    if (!condition) return tl::unexpected(condition.error());
    return Json::object();
  }
  if (what == "find_item") return FindItem(request);
  return Fail(ErrorKind::kUsage, fmt::format("no request '{}'", what));
}

// --- runs -------------------------------------------------------------------------------------

Expected<DebugGoal> DebugServer::GoalOf(const Json& request) const {
  DebugGoal goal;
  const std::string name = request.at("goal").get<std::string>();
  const auto found =
      std::ranges::find_if(kGoals, [&](const auto& one) { return one.first == name; });
  if (found == std::end(kGoals)) return Fail(ErrorKind::kUsage, fmt::format("no goal '{}'", name));
  goal.kind = found->second;
  goal.whole_group = ValueOr(request, "whole_group", false);
  if (request.contains("group")) {
    goal.item = DebugItemId{request.at("group").get<std::uint64_t>(),
                            request.at("local").get<std::uint64_t>()};
  }
  goal.start_marker = ValueOr(request, "start", kNoMarker);
  goal.count = std::max<std::uint64_t>(ValueOr(request, "count", std::uint64_t{1}), 1);
  goal.time = ValueOr(request, "time", std::uint64_t{0});
  goal.address = ValueOr(request, "address", std::uint64_t{0});
  goal.bytes = ValueOr(request, "bytes", std::uint64_t{0});
  goal.searches = request.contains("search_end");
  goal.search_end = ValueOr(request, "search_end", std::uint64_t{0});
  goal.stops_at_breakpoints = ValueOr(request, "stops", true);
  if (request.contains("checkpoint_at")) {
    goal.checkpoint_at = request.at("checkpoint_at").get<std::vector<std::uint64_t>>();
  }
  return goal;
}

Expected<void> DebugServer::Prepare(const Json& request) {
  try {
    auto goal = GoalOf(request);
    if (!goal) return tl::unexpected(goal.error());
    core_.goal = std::move(*goal);
    core_.RemoveAll();
    for (const Json& json : request.value("breakpoints", Json::array())) {
      DebugBreakpoint breakpoint{.number = json.at("number"),
                                 .location = json.at("location"),
                                 .file = ValueOr(json, "file", 0u),
                                 .condition = json.value("condition", std::string())};
      breakpoint.ignore = ValueOr(json, "ignore", std::uint64_t{0});
      if (json.contains("global_id")) breakpoint.global_id = json.at("global_id");
      core_.AddOrWait(breakpoint);
    }
    for (const Json& json : request.value("watchpoints", Json::array())) {
      DebugWatchpoint watchpoint{.number = json.at("number"), .text = json.at("text")};
      const std::string kind = json.at("kind");
      watchpoint.kind = kind == "read"     ? DebugWatchpoint::Kind::kRead
                        : kind == "access" ? DebugWatchpoint::Kind::kAccess
                                           : DebugWatchpoint::Kind::kChange;
      if (json.contains("frame")) {
        watchpoint.frame = {json.at("frame").at("function"), json.at("frame").at("inlined_at")};
        watchpoint.site = json.at("frame").at("site").get<std::uint32_t>();
      }
      watchpoint.address = ValueOr(json, "address", Address{0});
      watchpoint.bytes = ValueOr(json, "bytes", std::uint64_t{0});
      watchpoint.condition = json.value("condition", std::string());
      watchpoint.ignore = ValueOr(json, "ignore", std::uint64_t{0});
      if (json.contains("item")) {
        watchpoint.item = DebugItemId{json.at("item")[0], json.at("item")[1]};
      } else if (json.contains("group")) {
        watchpoint.group = json.at("group").get<std::uint64_t>();
      }
      watchpoint.type = json.value("type", std::string());
      if (json.contains("site")) watchpoint.site = json.at("site").get<std::uint32_t>();
      if (auto added = core_.Add(watchpoint); !added) return added;
    }
    core_.caught_rules = request.value("catch", std::vector<std::string>());
  } catch (const Json::exception& error) {
    return Fail(ErrorKind::kInternal, std::string("a run that is not understood: ") + error.what());
  }
  core_.Resume();
  return {};
}

Json DebugServer::Progress() const {
  Json json{{"time", core_.time}};
  const DebugProgram* program = core_.program();
  if (program == nullptr) return json;
  const LaunchState& launch = program->launch;
  const std::uint64_t begun = launch.next_group;
  std::uint64_t running = 0;
  for (const auto& worker : program->workers) {
    const bool runs = worker.get() == core_.current().worker || !worker->current().empty();
    if (runs && worker->group() < begun) ++running;
  }
  json["groups_done"] = begun - std::min(begun, running);
  json["groups"] = launch.GroupCount();
  const DebugItem& item = core_.current();
  if (item.worker != nullptr) json["global_id"] = item.worker->GlobalIdOf(item.group, item.local);
  return json;
}

Json DebugServer::DescribeSearch(const DebugStop& stop) const {
  Json json = Json::object();
  if (stop.count_left != 0) json["count_left"] = stop.count_left;
  if (stop.first_time) json["first_time"] = *stop.first_time;
  if (!stop.found_time) return json;
  json["found"] = {{"time", *stop.found_time},
                   {"reason", ReasonName(stop.found_reason)},
                   {"breakpoints", stop.found_breakpoints},
                   {"watch", DescribeHits(core_.program(), stop.watch_hits)}};
  if (stop.finding) json["found"]["finding"] = DescribeFinding(*stop.finding);
  return json;
}

Json DebugServer::Describe(const DebugStop& stop) {
  Json json{{"event", "stopped"}, {"reason", ReasonName(stop.reason)}, {"time", stop.time}};
  json["breakpoints"] = stop.breakpoints;
  json["meets_goal"] = stop.meets_goal;
  json["notes"] = stop.notes;
  json["ended_watchpoints"] = stop.ended_watchpoints;
  json["watch"] = DescribeHits(core_.program(), stop.watch_hits);
  Json hits = Json::object();
  for (const DebugBreakpoint& one : core_.breakpoints()) {
    hits[fmt::format("{}", one.number)] = one.hits;
  }
  for (const DebugWatchpoint& one : core_.watchpoints()) {
    hits[fmt::format("{}", one.number)] = one.hits;
  }
  json["hits"] = std::move(hits);
  if (stop.reason == DebugStop::Reason::kSearched) {
    json.update(DescribeSearch(stop));
  } else if (stop.finding) {
    json["finding"] = DescribeFinding(*stop.finding);
    if (core_.program() != nullptr) {
      const std::string element = DescribeAccessed(core_.program(), core_.current());
      if (!element.empty()) json["element"] = element;
    }
  }
  // The steps that are left, and where the next one begins.
  if (core_.goal.count > 1) json["count"] = core_.goal.count;
  if (core_.goal.start_marker != kNoMarker) json["start"] = core_.goal.start_marker;
  if (core_.program() != nullptr) {
    json["launch"] = core_.launches();
    json["kernel"] = core_.program()->program.kernel;
    json["has_lines"] = core_.program()->places.has_lines();
    json["where"] = Where(core_.current());
  }
  return json;
}

// --- work-items -------------------------------------------------------------------------------

Expected<DebugItem> DebugServer::ItemOf(const Json& request) const {
  if (!request.contains("group")) return core_.current();
  const DebugItemId id{request.at("group"), request.at("local")};
  const auto item = core_.Find(id);
  if (item) return *item;
  return Fail(ErrorKind::kUsage,
              core_.HasBegun(id) ? "the work-item has returned" : "the work-item has not begun");
}

Expected<DebugScope> DebugServer::ScopeOfRequest(const Json& request) const {
  const auto item = ItemOf(request);
  if (!item) return tl::unexpected(item.error());
  return ScopeOf(core_.program(), *item, ValueOr(request, "frame", 0u), core_.time);
}

Json DebugServer::FrameJson(const DebugFrame& frame) const {
  const DebugProgram& program = *core_.program();
  Json json{{"function", frame.function},
            {"origin", frame.origin},
            {"site", frame.site},
            {"inlined", frame.is_inlined}};
  if (frame.location.IsKnown()) {
    json["file"] = program.module.debug_info.files[frame.location.file].path;
    json["file_number"] = frame.location.file;
    json["line"] = frame.location.line;
    json["column"] = frame.location.column;
  }
  const frontend::Instruction& instruction = program.module.instructions[frame.origin];
  json["instruction"] = program.module.Text(instruction);
  // Of a frame that called another one: the value of the call, when it has returned.
  const frontend::Type* type = program.module.types.Find(instruction.type);
  const bool has_value = type != nullptr && type->kind != frontend::TypeKind::kVoid;
  if (instruction.result != 0 && has_value) json["result"] = fmt::format("%{}", instruction.result);
  return json;
}

Json DebugServer::Where(const DebugItem& item) const {
  const DebugProgram& program = *core_.program();
  Json json = Json::object();
  if (item.worker == nullptr) return json;
  const auto global = item.worker->GlobalIdOf(item.group, item.local);
  json["group"] = item.group;
  json["local"] = item.local;
  json["global_id"] = global;
  json["group_id"] = program.launch.GroupId(item.group);
  json["marker"] = item.marker;
  if (item.marker == kNoMarker) return json;
  const DebugMarker marker = program.program.debug->markers[item.marker];
  const auto frames = program.frames.At(marker.origin, marker.site);
  const DebugPlace& place = program.places.At(item.marker);
  json["frame"] = FrameJson(frames.front());
  // What a function begins with is no line of the programmer's.
  if (place.line == 0) json["frame"].erase("line");
  json["depth"] = place.depth;
  json["frame_key"] = place.frame;
  json["starts_line"] = place.starts_line;
  return json;
}

// Who is at no place yet, of a work-group that has not begun.
Expected<Json> DebugServer::WhereLater(const Json& request) const {
  const LaunchState& launch = core_.program()->launch;
  const DebugItemId id{request.at("group"), request.at("local")};
  const std::uint64_t most = launch.local[0] * launch.local[1] * launch.local[2];
  if (id.group >= launch.GroupCount() || id.local >= most || core_.HasBegun(id)) {
    return Fail(ErrorKind::kUsage, "the work-item has returned");
  }
  return Json{{"group", id.group},
              {"local", id.local},
              {"global_id", core_.program()->workers[0]->GlobalIdOf(id.group, id.local)},
              {"group_id", launch.GroupId(id.group)},
              {"state", "has not begun"}};
}

// Whom the kernel has been called for, and where they are.
std::string DebugServer::StateOf(const RunningBatch& running) const {
  const DebugProgram& program = *core_.program();
  if (running.alive == 0) return "returned";
  if (&running.batch == core_.current().batch) return "runs";
  if (!running.parked.empty()) {
    const FlatBlock& block = program.program.blocks[running.parked.front().block];
    const FlatSync& sync = program.program.syncs[block.sync];
    const std::uint32_t origin = program.program.places[sync.instruction.place].origin;
    const auto& locations = program.module.debug_info.locations;
    const std::string source = DescribeLocation(program.module.debug_info, locations[origin]);
    const std::string_view what = sync.opcode == Opcode::kBarrier ? "waits at the barrier"
                                  : sync.ordered                  ? "waits for its turn"
                                  : sync.of_subgroup              ? "waits for its sub-group"
                                                                  : "waits for its group";
    return source.empty() ? fmt::format("{} *{}", what, origin)
                          : fmt::format("{} {}", what, source);
  }
  if (running.batch.marker == kNoMarker || running.ready.empty() ||
      running.ready.front().block == 0) {
    return "has not begun";
  }
  return "can go on";
}

// With "there" only those that can be looked at, and with "most" no more of them than that.
Json DebugServer::GroupItems(const Worker& worker, const Json& request) const {
  Json list = Json::array();
  const bool there = ValueOr(request, "there", false);
  const std::size_t most = ValueOr(request, "most", ~std::size_t{0});
  const auto add = [&](std::uint64_t local, std::string state) {
    list.push_back(
        {{"group", worker.group()},
         {"local", local},
         {"global_id", worker.GlobalIdOf(worker.group(), local)},
         {"group_id", core_.program()->launch.GroupId(worker.group())},
         {"state", std::move(state)},
         {"selected", core_.current().worker == &worker && core_.current().local == local}});
  };
  if (!worker.current().empty()) {
    for (const RunningBatch* running : worker.current()) {
      if (list.size() >= most) break;
      if (!there || running->alive != 0) add(running->first, StateOf(*running));
    }
    return list;
  }
  // Nobody waits: one after the other.
  const bool runs = core_.current().worker == &worker;
  for (std::uint64_t local = 0; runs && local < worker.group_items(); ++local) {
    const std::uint64_t now = core_.current().local;
    if (there && local != now) continue;
    add(local, local < now ? "returned" : local == now ? "runs" : "has not begun");
  }
  return list;
}

Expected<Json> DebugServer::Items(const Json& request) {
  Json list = Json::array();
  const bool all = ValueOr(request, "all", false);
  for (const auto& worker : core_.program()->workers) {
    if (!all && worker.get() != core_.current().worker) continue;
    for (Json& item : GroupItems(*worker, request)) list.push_back(std::move(item));
  }
  return Json{{"items", std::move(list)}};
}

Expected<Json> DebugServer::Groups() {
  const LaunchState& launch = core_.program()->launch;
  Json list = Json::array();
  const std::uint64_t begun = launch.next_group;
  for (std::uint64_t group = 0; group < std::min<std::uint64_t>(launch.GroupCount(), 4096);
       ++group) {
    std::string state = group < begun ? "has ended" : "has not begun";
    for (const auto& worker : core_.program()->workers) {
      const bool runs = worker.get() == core_.current().worker || !worker->current().empty();
      if (group < begun && runs && worker->group() == group) state = "runs";
    }
    list.push_back({{"group", group},
                    {"group_id", launch.GroupId(group)},
                    {"state", state},
                    {"selected", core_.current().group == group}});
  }
  return Json{
      {"groups", std::move(list)}, {"count", launch.GroupCount()}, {"local_size", launch.local}};
}

// Linear ids of a work-item by its global id, or of the first of a group by its id.
Expected<Json> DebugServer::FindItem(const Json& request) {
  const LaunchState& launch = core_.program()->launch;
  const bool is_group = request.contains("group_id");
  const std::array<std::uint64_t, 3> id = request.at(is_group ? "group_id" : "global_id");
  std::array<std::uint64_t, 3> group = id;
  std::array<std::uint64_t, 3> local = {0, 0, 0};
  if (!is_group) {
    for (int d = 0; d < 3; ++d) {
      if (id[d] < launch.range.offset[d] ||
          id[d] - launch.range.offset[d] >= launch.range.global[d]) {
        return Fail(
            ErrorKind::kUsage,
            fmt::format("no work-item ({},{},{}): ids are {} to {}, {} to {} and {} to {}", id[0],
                        id[1], id[2], FirstId(launch, 0), LastId(launch, 0), FirstId(launch, 1),
                        LastId(launch, 1), FirstId(launch, 2), LastId(launch, 2)));
      }
      group[d] = (id[d] - launch.range.offset[d]) / launch.local[d];
      local[d] = (id[d] - launch.range.offset[d]) % launch.local[d];
    }
  }
  for (int d = 0; d < 3; ++d) {
    if (group[d] >= launch.groups[d]) {
      return Fail(ErrorKind::kUsage, fmt::format("no work-group ({},{},{}): there are {} x {} x {}",
                                                 group[0], group[1], group[2], launch.groups[0],
                                                 launch.groups[1], launch.groups[2]));
    }
  }
  std::array<std::uint64_t, 3> size = launch.local;
  for (int d = 0; d < 3; ++d) {
    size[d] = std::min(launch.local[d], launch.range.global[d] - group[d] * launch.local[d]);
  }
  const DebugItemId found{(group[2] * launch.groups[1] + group[1]) * launch.groups[0] + group[0],
                          (local[2] * size[1] + local[1]) * size[0] + local[0]};
  std::array<std::uint64_t, 3> first = {0, 0, 0};
  for (int d = 0; d < 3; ++d) first[d] = launch.range.offset[d] + group[d] * launch.local[d];
  Json json{{"group", found.group},
            {"local", found.local},
            {"global_id", is_group ? first : id},
            {"group_id", group},
            {"begun", core_.HasBegun(found)},
            {"there", core_.Find(found).has_value()}};
  if (const auto item = core_.Find(found)) json["where"] = Where(*item);
  return json;
}

// --- code -------------------------------------------------------------------------------------

Expected<Json> DebugServer::Frames(const Json& request) {
  const auto item = ItemOf(request);
  if (!item) return tl::unexpected(item.error());
  if (item->marker == kNoMarker) return Fail(ErrorKind::kUsage, "the work-item has not begun");
  const DebugMarker marker = core_.program()->program.debug->markers[item->marker];
  Json list = Json::array();
  for (const DebugFrame& frame : core_.program()->frames.At(marker.origin, marker.site)) {
    list.push_back(FrameJson(frame));
  }
  return Json{{"frames", std::move(list)}};
}

// A function by its name, the frame's one, or (with "all") each.
Expected<Json> DebugServer::Disassemble(const Json& request) {
  const DebugProgram& program = *core_.program();
  const bool is_all = ValueOr(request, "all", false);
  std::uint32_t function = frontend::kNone;
  std::uint32_t here = frontend::kNone;
  const auto size_of = [&](std::uint32_t one) {
    std::uint32_t size = 0;
    for (const auto& block : program.module.functions[one].blocks.Of(program.module.blocks)) {
      size += block.instructions.count;
    }
    return size;
  };
  if (request.contains("function")) {
    const std::string name = request.at("function");
    for (std::uint32_t i = 0; i < program.module.functions.size(); ++i) {
      if (program.module.functions[i].IsDeclaration()) continue;
      if (program.places.FunctionName(i) != name) continue;
      // Not what a compiler puts around a kernel, under its name.
      if (function == frontend::kNone || size_of(i) > size_of(function)) function = i;
    }
    if (function == frontend::kNone) {
      return Fail(ErrorKind::kUsage, fmt::format("the module has no function '{}'", name));
    }
  } else if (!is_all) {
    const auto scope = ScopeOfRequest(request);
    if (!scope) return tl::unexpected(scope.error());
    here = scope->frame.origin;
    function = program.places.FunctionOf(here);
  }
  Json list = Json::array();
  for (std::uint32_t i = 0; i < program.module.instructions.size(); ++i) {
    const std::uint32_t own = program.places.FunctionOf(i);
    if (is_all ? own == frontend::kNone : own != function) continue;
    const frontend::Instruction& instruction = program.module.instructions[i];
    const bool is_line = instruction.opcode == Op::kLine || instruction.opcode == Op::kNoLine;
    const bool is_debug =
        instruction.opcode == Op::kExtInst &&
        frontend::IsDebugSet(program.module.SetOf(program.module.Operands(instruction)[0]));
    if (is_line || is_debug) continue;
    const frontend::SourceLocation& location = program.module.debug_info.locations[i];
    list.push_back({{"origin", i},
                    {"text", program.module.Text(instruction)},
                    {"line", location.line},
                    {"here", i == here}});
    if (is_all) list.back()["function"] = program.places.FunctionName(own);
  }
  Json answer{{"instructions", std::move(list)}};
  if (!is_all) answer["function"] = program.places.FunctionName(function);
  return answer;
}

Expected<Json> DebugServer::Functions() {
  const DebugProgram& program = *core_.program();
  Json functions = Json::array();
  for (std::uint32_t i = 0; i < program.module.functions.size(); ++i) {
    if (program.module.functions[i].IsDeclaration()) continue;
    // A kernel may have a function around it with its name.
    const Json name = program.places.FunctionName(i);
    if (std::ranges::find(functions, name) == functions.end()) functions.push_back(name);
  }
  Json files = Json::array();
  for (std::size_t i = 1; i < program.module.debug_info.files.size(); ++i) {
    files.push_back(program.module.debug_info.files[i].path);
  }
  Json lines = Json::array();
  for (std::uint32_t i = 0; i < program.places.size(); ++i) {
    const DebugPlace& place = program.places.At(i);
    if (place.line == 0) continue;
    lines.push_back({place.file, place.line, program.program.debug->markers[i].origin});
  }
  return Json{{"functions", std::move(functions)},
              {"files", std::move(files)},
              {"lines", std::move(lines)},
              {"main_file", program.places.main_file()},
              {"kernel", program.program.kernel}};
}

Expected<Json> DebugServer::Resolve(const Json& request) {
  const auto location =
      core_.program()->places.Resolve(request.at("location"), ValueOr(request, "file", 0u));
  if (!location) return tl::unexpected(location.error());
  if (request.contains("condition")) {
    const std::string condition = request.at("condition");
    const DebugMarker marker = core_.program()->program.debug->markers[location->markers.front()];
    const auto frames = core_.program()->frames.At(marker.origin, marker.site);
    const auto parsed = ParseDebugExpression(condition, &core_.program()->types);
    auto good = parsed ? CheckCalls(core_.program(), *parsed) : tl::unexpected(parsed.error());
    if (good) good = CheckNames(core_.program(), frames.front(), *parsed);
    if (!good) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("condition '{}': {}", condition, good.error().message));
    }
  }
  if (request.contains("global_id")) {
    if (const auto item = FindItem({{"global_id", request.at("global_id")}}); !item) return item;
  }
  return Json{{"text", location->text},
              {"file_number", location->file},
              {"line", location->line},
              {"markers", location->markers},
              {"places", location->markers.size()}};
}

Expected<Json> DebugServer::Objects() {
  const DebugProgram& program = *core_.program();
  Json list = Json::array();
  const auto regions =
      program.workers.empty() ? program.launch.memory->regions() : program.workers[0]->regions();
  for (const Region& region : regions) {
    if (region.address == 0 || region.is_continuation || region.ended) continue;
    if (region.space == AddressSpace::kPrivate &&
        (region.variable >= program.program.variables.size() ||
         program.program.variables[region.variable].address != region.address)) {
      continue;
    }
    list.push_back({{"address", region.address},
                    {"bytes", region.bytes},
                    {"space", AddressSpaceName(region.space)},
                    {"name", program.launch.memory->NameOf(region.object)},
                    {"writable", region.writable}});
  }
  return Json{{"objects", std::move(list)}};
}

}  // namespace assay::interp
