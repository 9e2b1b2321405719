// Breakpoints of every kind: each request says all of a kind, and what is the same stays.
#include <fmt/format.h>

#include <algorithm>

#include "interp/rules/rule.h"
#include "tools/dap/adapter.h"

namespace assay::tools::dap {
namespace {

// A data breakpoint's id: where the object is, and whose it is.  What is in no memory has the
// address 0, and is what its name means in the frame of that level, which `bytes` is then.
struct DataId {
  std::uint64_t address = 0, bytes = 0, group = 0, local = 0;
  std::string type, name;
};

std::string IdOf(const DataId& id) {
  return fmt::format("{:#x}/{}/{}/{}/{}/{}", id.address, id.bytes, id.group, id.local, id.type,
                     id.name);
}

Expected<DataId> ParseDataId(const std::string& text) {
  std::string parts[6];
  std::string_view rest = text;
  for (int i = 0; i < 6; ++i) {
    const std::size_t slash = i < 5 ? rest.find('/') : rest.size();
    if (slash == std::string_view::npos) {
      return Fail(ErrorKind::kUsage, fmt::format("'{}' is no 'dataId' of this session", text));
    }
    parts[i] = rest.substr(0, slash);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  DataId id{.type = parts[4], .name = parts[5]};
  std::uint64_t* const numbers[] = {&id.address, &id.bytes, &id.group, &id.local};
  for (int i = 0; i < 4; ++i) {
    const auto number = ParseAddress(parts[i]);
    if (!number) {
      return Fail(ErrorKind::kUsage, fmt::format("'{}' is no 'dataId' of this session", text));
    }
    *numbers[i] = *number;
  }
  return id;
}

OrderedJson Unverified(const std::string& why) {
  return {{"verified", false}, {"message", why}, {"reason", "failed"}};
}

// Rules and families of names, separated by commas.
std::vector<std::string> Names(const std::string& text) {
  std::vector<std::string> names;
  for (std::string rest = text; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string name = Trimmed(rest.substr(0, comma));
    if (!name.empty()) names.push_back(name);
    rest.erase(0, std::min(comma + 1, rest.size()));
  }
  return names;
}

}  // namespace

Adapter::Placed* Adapter::FindPlaced(int number) {
  const auto found = std::ranges::find_if(
      placed_, [&](const Placed& one) { return number != 0 && one.number == number; });
  return found == placed_.end() ? nullptr : &*found;
}

// --- placing ----------------------------------------------------------------------------------

// Names that its place does not know would be told at each hit, and never as wanted.
Expected<void> Adapter::CheckLog(const Placed& placed, debug::ResolveRequest location) const {
  for (const LogPart& part : PartsOfLog(placed.log)) {
    if (!part.is_expression) continue;
    location.condition = part.text;
    const auto checked = session_->Ask(location);
    if (checked) continue;
    constexpr std::string_view kCondition = "condition ";
    std::string why = checked.error().message;
    if (why.starts_with(kCondition)) why.erase(0, kCondition.size());
    return Fail(ErrorKind::kUsage, fmt::format("log message: {}", why));
  }
  return {};
}

Expected<OrderedJson> Adapter::PlaceAt(Placed* placed, const std::string& location,
                                       std::uint32_t file) {
  const Arguments asked(placed->asked, "the breakpoint");
  const auto condition = asked.Text("condition", "");
  if (!condition) return tl::unexpected(condition.error());
  debug::ResolveRequest request{.location = location, .file = file};
  if (!Trimmed(*condition).empty()) request.condition = *condition;
  const auto added = session_->AddBreakpoint(request, false);
  if (!added) return tl::unexpected(added.error());
  (*added)->ignore = placed->hits.Ignored();
  (*added)->logs = !placed->log.empty();
  const int number = (*added)->number;
  const bool waits = (*added)->waits;
  if (!waits) {
    if (const auto log = CheckLog(*placed, request); !log) {
      session_->DeleteBreakpoint(number);
      return tl::unexpected(log.error());
    }
  }
  placed->number = number;
  if (waits) return Unverified("this kernel has no such place; it waits for another launch");
  const auto resolved = session_->Ask(request);
  if (!resolved) return tl::unexpected(resolved.error());
  OrderedJson answer{{"verified", true}};
  if (resolved->line != 0) {
    answer["source"] = SourceOf(resolved->file_number);
    answer["line"] = std::int64_t{resolved->line} - 1 + client_.first_line;
  }
  return answer;
}

// At the column that was asked for, or the next one, or else the last one of the line.
Expected<OrderedJson> Adapter::PlaceInLine(Placed* placed, const Arguments& asked,
                                           std::uint32_t file, std::int64_t line) {
  const auto column = asked.Integer("column");
  if (!column) return tl::unexpected(column.error());
  const auto stops = StopsOf(file, line, line);
  if (!stops) return tl::unexpected(stops.error());
  const auto place =
      std::ranges::find_if(*stops, [&](const Stop& one) { return one.column >= *column; });
  // A line without code: where the line's breakpoint goes.
  if (stops->empty()) return PlaceAt(placed, fmt::format("{}", line), file);
  const Stop& stop = place == stops->end() ? stops->back() : *place;
  const auto first = std::ranges::min_element(*stops, {}, &Stop::origin);
  auto answer = stop.origin == first->origin
                    ? PlaceAt(placed, fmt::format("{}", line), file)
                    : PlaceAt(placed, fmt::format("*{}", stop.origin), file);
  if (answer && answer->contains("line")) (*answer)["column"] = stop.column;
  return answer;
}

Expected<OrderedJson> Adapter::PlaceData(Placed* placed, const Arguments& asked) {
  const auto text = asked.Text("dataId");
  const auto access = asked.Text("accessType", "write");
  const auto condition = asked.Text("condition", "");
  if (!text) return tl::unexpected(text.error());
  if (!access) return tl::unexpected(access.error());
  if (!condition) return tl::unexpected(condition.error());
  using Kind = interp::DebugWatchKind;
  const Kind kind = *access == "write"  ? Kind::kChange
                    : *access == "read" ? Kind::kRead
                                        : Kind::kAccess;
  if (kind == Kind::kAccess && *access != "readWrite") {
    return Fail(ErrorKind::kUsage,
                fmt::format("'accessType' must be read, write or readWrite, not '{}'", *access));
  }
  const auto id = ParseDataId(*text);
  if (!id) return tl::unexpected(id.error());
  debug::Target where;
  const bool is_in_memory = id->address != 0;
  // An object that work-items share may be watched whoever runs.
  if (session_->Ask(debug::WhereRequest{.item = interp::DebugItemId{id->group, id->local}})) {
    where = {interp::DebugItemId{id->group, id->local}, is_in_memory ? 0 : id->bytes};
  }
  if (auto good = session_->CheckCondition(Trimmed(*condition)); !good) {
    return tl::unexpected(good.error());
  }
  const auto added = session_->AddWatchpoint(
      kind, is_in_memory ? fmt::format("*({}*){}ul", id->type, id->address) : id->name, where);
  if (!added) return tl::unexpected(added.error());
  (*added)->what = id->name;
  if (is_in_memory) (*added)->watch.bytes = id->bytes;
  if (!Trimmed(*condition).empty()) (*added)->condition = *condition;
  (*added)->ignore = placed->hits.Ignored();
  placed->number = (*added)->number;
  return OrderedJson{{"verified", true}};
}

Expected<OrderedJson> Adapter::PlaceException(Placed* placed, const Arguments& asked) {
  const auto rule = asked.Text("rule");
  if (!rule) return tl::unexpected(rule.error());
  const auto added = session_->AddCatchpoint(*rule, false);
  if (!added) return tl::unexpected(added.error());
  placed->number = (*added)->number;
  return OrderedJson{{"verified", true}};
}

Expected<OrderedJson> Adapter::Place(Placed* placed, const Arguments& asked) {
  if (options_->no_debug) return Fail(ErrorKind::kUsage, "the run is without debugging");
  const auto hits = asked.Text("hitCondition", "");
  const auto log = asked.Text("logMessage", "");
  if (!hits) return tl::unexpected(hits.error());
  if (!log) return tl::unexpected(log.error());
  const auto condition = ParseHitCondition(*hits);
  if (!condition) return tl::unexpected(condition.error());
  placed->hits = *condition;
  placed->log = *log;
  switch (placed->kind) {
    case Placed::Kind::kSource: {
      const auto line = asked.Integer("line");
      if (!line) return tl::unexpected(line.error());
      const auto source = Json::parse(placed->source);
      const auto file = FileOf(Arguments(source, "'source'"));
      if (!file) return tl::unexpected(file.error());
      const std::int64_t place = *line - client_.first_line + 1;
      if (asked.Has("column")) return PlaceInLine(placed, asked, *file, place);
      return PlaceAt(placed, fmt::format("{}", place), *file);
    }
    case Placed::Kind::kFunction: {
      const auto name = asked.Text("name");
      if (!name) return tl::unexpected(name.error());
      return PlaceAt(placed, *name, 0);
    }
    case Placed::Kind::kInstruction: {
      const auto reference = asked.Text("instructionReference");
      const auto offset = asked.Integer("offset", 0);
      if (!reference) return tl::unexpected(reference.error());
      if (!offset) return tl::unexpected(offset.error());
      const auto address = ParseAddress(*reference);
      if (!address) return tl::unexpected(address.error());
      const std::uint64_t place =
          *address + static_cast<std::uint64_t>(*offset) - kFirstInstruction;
      return PlaceAt(placed, fmt::format("*{}", place), 0);
    }
    case Placed::Kind::kData:
      return PlaceData(placed, asked);
    case Placed::Kind::kException:
      return PlaceException(placed, asked);
  }
  return Fail(ErrorKind::kInternal, "no such breakpoint");
}

Adapter::Body Adapter::Replace(Placed::Kind kind, const std::string& source,
                               const std::vector<Arguments>& asked) {
  // Each is looked up in the run that stands still; nobody sets more by hand.
  constexpr std::size_t kMostBreakpoints = 1000;
  if (asked.size() > kMostBreakpoints || placed_.size() > 10 * kMostBreakpoints) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} breakpoints beside {} others; at most {} are accepted at once",
                            asked.size(), placed_.size(), kMostBreakpoints));
  }
  std::vector<Placed> old;
  std::vector<Placed> kept;
  for (Placed& one : placed_) {
    (one.kind == kind && one.source == source ? old : kept).push_back(std::move(one));
  }
  placed_ = std::move(kept);
  OrderedJson answers = OrderedJson::array();
  for (const Arguments& one : asked) {
    const auto same = std::ranges::find_if(old, [&](const Placed& candidate) {
      return candidate.asked == one.json() && session_->FindBreakpoint(candidate.number) != nullptr;
    });
    Placed placed{.kind = kind, .source = source, .asked = one.json()};
    placed.id = next_breakpoint_;
    if (same != old.end()) {
      placed = std::move(*same);
      old.erase(same);
    } else {
      const auto answer = Place(&placed, one);
      placed.answer = answer ? *answer : Unverified(answer.error().message);
      placed.answer["id"] = next_breakpoint_++;
    }
    answers.push_back(placed.answer);
    placed_.push_back(std::move(placed));
  }
  for (const Placed& one : old) session_->DeleteBreakpoint(one.number);
  return OrderedJson{{"breakpoints", std::move(answers)}};
}

// In another session than where they were placed first.
void Adapter::PlaceAllAgain() {
  for (Placed& one : placed_) {
    one.number = 0;
    const auto answer = Place(&one, Arguments(one.asked, "the breakpoint"));
    OrderedJson now = answer ? *answer : Unverified(answer.error().message);
    now["id"] = one.id;
    if (now == one.answer) continue;
    one.answer = now;
    if (one.kind == Placed::Kind::kException) continue;
    Event("breakpoint", {{"reason", "changed"}, {"breakpoint", std::move(now)}});
  }
}

// Watchpoints of which the function or kernel has returned.
void Adapter::TellEnded() {
  for (const SessionStop::EndedWatchpoint& ended : session_->stop().ended) {
    Placed* placed = FindPlaced(ended.number);
    if (placed == nullptr) continue;
    placed->number = 0;
    placed->answer = Unverified("the function or kernel whose variable it is has returned");
    placed->answer["id"] = placed->id;
    Event("breakpoint", {{"reason", "changed"}, {"breakpoint", placed->answer}});
  }
}

// --- requests ---------------------------------------------------------------------------------

Adapter::Body Adapter::SetBreakpoints(const Arguments& arguments) {
  if (!arguments.Has("source")) return Fail(ErrorKind::kUsage, "'setBreakpoints' needs 'source'");
  const auto source = arguments.Object("source");
  const auto asked = arguments.Objects("breakpoints");
  if (!source) return tl::unexpected(source.error());
  if (!asked) return tl::unexpected(asked.error());
  // Older clients give lines only.
  std::vector<Arguments> all = *asked;
  if (!arguments.Has("breakpoints") && arguments.Has("lines")) {
    const Json& lines = arguments.json().at("lines");
    if (!lines.is_array()) return Fail(ErrorKind::kUsage, "'lines' must be an array of integers");
    for (const Json& line : lines) all.emplace_back(Json{{"line", line}}, "a line");
  }
  for (const Arguments& one : all) {
    if (const auto line = one.Integer("line"); !line) return tl::unexpected(line.error());
  }
  const auto path = source->Text("path", "");
  const auto reference = source->Integer("sourceReference", 0);
  if (!path) return tl::unexpected(path.error());
  if (!reference) return tl::unexpected(reference.error());
  const Json key = *reference > 0 ? Json{{"sourceReference", *reference}} : Json{{"path", *path}};
  return Replace(Placed::Kind::kSource, key.dump(), all);
}

Adapter::Body Adapter::SetFunctionBreakpoints(const Arguments& arguments) {
  const auto asked = arguments.Objects("breakpoints");
  if (!asked) return tl::unexpected(asked.error());
  for (const Arguments& one : *asked) {
    if (const auto name = one.Text("name"); !name) return tl::unexpected(name.error());
  }
  return Replace(Placed::Kind::kFunction, "", *asked);
}

Adapter::Body Adapter::SetInstructionBreakpoints(const Arguments& arguments) {
  const auto asked = arguments.Objects("breakpoints");
  if (!asked) return tl::unexpected(asked.error());
  for (const Arguments& one : *asked) {
    const auto reference = one.Text("instructionReference");
    if (!reference) return tl::unexpected(reference.error());
  }
  return Replace(Placed::Kind::kInstruction, "", *asked);
}

Adapter::Body Adapter::SetDataBreakpoints(const Arguments& arguments) {
  const auto asked = arguments.Objects("breakpoints");
  if (!asked) return tl::unexpected(asked.error());
  for (const Arguments& one : *asked) {
    if (const auto id = one.Text("dataId"); !id) return tl::unexpected(id.error());
  }
  return Replace(Placed::Kind::kData, "", *asked);
}

// A filter may mean several rules: each is a breakpoint of the session.
Adapter::Body Adapter::SetExceptionBreakpoints(const Arguments& arguments) {
  const auto filters = arguments.Texts("filters");
  const auto chosen = arguments.Objects("filterOptions");
  if (!filters) return tl::unexpected(filters.error());
  if (!chosen) return tl::unexpected(chosen.error());
  std::vector<std::pair<std::string, std::string>> all;  // filter and condition
  for (const std::string& filter : *filters) all.emplace_back(filter, "");
  for (const Arguments& one : *chosen) {
    const auto filter = one.Text("filterId");
    const auto condition = one.Text("condition", "");
    if (!filter) return tl::unexpected(filter.error());
    if (!condition) return tl::unexpected(condition.error());
    all.emplace_back(*filter, *condition);
  }
  std::vector<Arguments> asked;
  std::vector<std::size_t> ends;  // of each filter's rules
  for (const auto& [filter, condition] : all) {
    constexpr std::string_view kFamily = "family:";
    std::vector<std::string> rules;
    if (filter == "findings") rules = {"all"};
    if (filter == "rules") rules = Names(condition);
    for (const interp::RuleRow& rule : interp::Rules()) {
      if (filter.starts_with(kFamily) && rule.family == filter.substr(kFamily.size())) {
        rules.emplace_back(rule.id);
      }
    }
    if (rules.empty() && filter != "rules") {
      return Fail(ErrorKind::kUsage, fmt::format("no exception filter '{}'", filter));
    }
    for (const std::string& rule : rules) asked.emplace_back(Json{{"rule", rule}}, "a filter");
    ends.push_back(asked.size());
  }
  const auto placed = Replace(Placed::Kind::kException, "", asked);
  if (!placed) return tl::unexpected(placed.error());
  OrderedJson answers = OrderedJson::array();
  std::size_t next = 0;
  for (const std::size_t end : ends) {
    OrderedJson answer = next == end
                             ? Unverified("name rules or families: race, memory-out-of-bounds")
                             : OrderedJson{{"verified", true}};
    for (; next < end; ++next) {
      const OrderedJson& one = placed->at("breakpoints").at(next);
      if (!one.at("verified").get<bool>()) answer = one;
    }
    answers.push_back(std::move(answer));
  }
  return OrderedJson{{"breakpoints", std::move(answers)}};
}

// What is to be watched, as an expression and the frame that it is of.
Expected<std::pair<Adapter::FrameHandle, std::string>> Adapter::WatchedOf(
    const Arguments& arguments) const {
  const auto name = arguments.Text("name");
  const auto is_address = arguments.Flag("asAddress", false);
  if (!name) return tl::unexpected(name.error());
  if (!is_address) return tl::unexpected(is_address.error());
  if (arguments.Has("variablesReference") && !*is_address) {
    const auto container = ContainerOf(arguments);
    if (!container) return tl::unexpected(container.error());
    auto part = ExpressionOf(*container, *name);
    if (!part) return tl::unexpected(part.error());
    return std::pair(container->frame, std::move(*part));
  }
  const auto frame = FrameOf(arguments);
  if (!frame) return tl::unexpected(frame.error());
  if (!*is_address) return std::pair(*frame, *name);
  const auto address = ParseAddress(*name);
  if (!address) return tl::unexpected(address.error());
  return std::pair(*frame, fmt::format("*(uchar*){:#x}ul", *address));
}

Adapter::Body Adapter::DataBreakpointInfo(const Arguments& arguments) {
  const auto watched = WatchedOf(arguments);
  const auto bytes = arguments.Integer("bytes", 0);
  if (!watched) return tl::unexpected(watched.error());
  if (!bytes) return tl::unexpected(bytes.error());
  if (*bytes < 0) return Fail(ErrorKind::kUsage, "'bytes' must not be negative");
  const auto& [frame, expression] = *watched;
  const auto value =
      session_->Ask(debug::EvaluateRequest{.target = frame.target(), .expression = expression});
  const auto refuse = [](const std::string& why) {
    return OrderedJson{{"dataId", nullptr}, {"description", why}};
  };
  if (!value) return refuse(value.error().message);
  if (!value->address) {
    if (value->is_constant) {
      return refuse(fmt::format("'{}' is a constant", expression));
    }
    const DataId id{.bytes = frame.level,
                    .group = frame.item.group,
                    .local = frame.item.local,
                    .name = expression};
    return OrderedJson{{"dataId", IdOf(id)},
                       {"description", expression + " (not in memory: changes of its value)"},
                       {"accessTypes", {"write"}},
                       {"canPersist", false}};
  }
  DataId id{.address = *value->address,
            .bytes = value->size,
            .group = frame.item.group,
            .local = frame.item.local,
            .type = value->type,
            .name = expression};
  std::string description = fmt::format("{} ({})", expression, value->object);
  if (*bytes != 0) {
    id.bytes = static_cast<std::uint64_t>(*bytes);
    const auto there = session_->Ask(
        debug::ReadMemoryRequest{.item = frame.item, .address = id.address, .bytes = id.bytes});
    if (!there) return refuse(there.error().message);
    if (there->hex.size() / 2 != id.bytes) {
      return refuse(fmt::format("the object does not reach {} bytes from there on", id.bytes));
    }
    description = fmt::format("{} bytes from {}", id.bytes, description);
  }
  return OrderedJson{{"dataId", IdOf(id)},
                     {"description", std::move(description)},
                     {"accessTypes", {"read", "write", "readWrite"}},
                     {"canPersist", false}};
}

}  // namespace assay::tools::dap
