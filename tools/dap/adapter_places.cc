// Work-items as threads, frames, source files and instructions.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tools/dap/adapter.h"
#include "tools/dap/text_units.h"

namespace assay::tools::dap {
namespace {

constexpr std::int64_t kMostInstructions = 100000;
// That are asked about: among them are some that are not listed.
constexpr std::uint64_t kMostOfGroup = 1024;

std::string FileName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

// --- work-items -------------------------------------------------------------------------------

std::int64_t Adapter::ThreadOf(const interp::DebugItemId& item) {
  const auto [place, added] =
      threads_.try_emplace(item, static_cast<std::int64_t>(items_.size()) + 1);
  if (added) items_.push_back(item);
  return place->second;
}

Expected<interp::DebugItemId> Adapter::ItemOf(std::int64_t thread) const {
  if (thread >= 1 && static_cast<std::uint64_t>(thread) <= items_.size()) {
    return items_[static_cast<std::size_t>(thread - 1)];
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("no thread {}; 'threads' lists work-items, and `item ID` in the console "
                          "names others",
                          thread));
}

// "item (3,0,0) group (0,0,0)".
std::string Adapter::NameOf(const debug::Item& item) {
  return fmt::format("item {} group {}", IdText(item.global_id), IdText(item.group_id));
}

// "waits at the barrier reduce.cl:12:3"; "" where nothing is to be said.
std::string Adapter::StateOf(const debug::Item& item) const {
  std::string state = item.state;
  const auto where = session_->Ask(debug::WhereRequest{.item = item.id});
  if (where && where->frame && (state == "runs" || state == "can go on" || state.empty())) {
    const debug::Frame& frame = *where->frame;
    state = frame.line ? fmt::format("at {}:{}", frame.file, *frame.line)
                       : fmt::format("at *{}", frame.origin);
  }
  for (const auto& file : session_->module().debug_info.files) {
    const std::size_t at = file.path.empty() ? std::string::npos : state.find(file.path + ":");
    if (at != std::string::npos) state.replace(at, file.path.size(), FileName(file.path));
  }
  return state;
}

// The one that is to run first: clients cannot pause a run of which they know no thread.
void Adapter::ListFirst() {
  listed_ = OrderedJson::array();
  const auto first = session_->Ask(debug::WhereRequest());
  if (!first || !first->item) return;
  listed_.push_back({{"id", ThreadOf(first->item->id)}, {"name", NameOf(*first->item)}});
}

// The one that runs, those that are of interest, and others of its group; one may come twice.
std::vector<debug::Item> Adapter::ItemsOfInterest() const {
  std::vector<debug::Item> all;
  const auto group = session_->Ask(debug::ItemsRequest{
      .there = true, .most = std::max<std::uint64_t>(options_->most_threads, kMostOfGroup)});
  const std::vector<debug::Item> items = group ? group->items : std::vector<debug::Item>();
  // With what each waits for, if it is one of the group.
  const auto add = [&](const std::optional<debug::Item>& item) {
    if (!item) return;
    const auto known = std::ranges::find(items, item->id, &debug::Item::id);
    all.push_back(known == items.end() ? *item : *known);
  };
  if (const auto current = session_->Ask(debug::WhereRequest())) add(current->item);
  for (const SessionBreakpoint& one : session_->breakpoints()) {
    if (!one.place.global_id) continue;
    const auto found = session_->Ask(debug::FindItemRequest{.id = *one.place.global_id});
    if (found && found->where) add(found->where->item);
  }
  for (const interp::DebugItemId& item : marked_) {
    const auto where = session_->Ask(debug::WhereRequest{.item = item, .later = true});
    if (where) add(where->item);
  }
  for (const debug::Item& item : items) {
    // There is nothing of it to look at.
    if (item.state != "has not begun") all.push_back(item);
  }
  return all;
}

Adapter::Body Adapter::Threads(const Arguments&) {
  if (is_terminated_) return OrderedJson{{"threads", OrderedJson::array()}};
  if (is_running_) return OrderedJson{{"threads", listed_}};
  OrderedJson list = OrderedJson::array();
  OrderedJson names = OrderedJson::array();
  std::set<interp::DebugItemId> there;
  for (const debug::Item& item : ItemsOfInterest()) {
    if (list.size() >= options_->most_threads || !there.insert(item.id).second) continue;
    const std::int64_t thread = ThreadOf(item.id);
    const std::string name = NameOf(item);
    const std::string state = StateOf(item);
    list.push_back({{"id", thread}, {"name", state.empty() ? name : name + ": " + state}});
    names.push_back({{"id", thread}, {"name", name}});
  }
  if (list.empty()) return OrderedJson{{"threads", listed_}};
  listed_ = std::move(names);  // while it runs nobody knows their states
  return OrderedJson{{"threads", std::move(list)}};
}

// --- source -----------------------------------------------------------------------------------

OrderedJson Adapter::SourceOf(std::uint32_t file) const {
  const auto& files = session_->module().debug_info.files;
  if (file == 0 || file >= files.size()) return OrderedJson::object();
  const std::string& path = files[file].path;
  OrderedJson source{{"name", FileName(path)}};
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(path, ignored);
  if (std::filesystem::is_regular_file(absolute, ignored)) {
    source["path"] = absolute.lexically_normal().string();
  } else {
    source["path"] = path;
    if (lines_->Count(file) != 0) source["sourceReference"] = file;
  }
  return source;
}

// The file that a client's source means.
Expected<std::uint32_t> Adapter::FileOf(const Arguments& source) const {
  const auto& files = session_->module().debug_info.files;
  const auto reference = source.Integer("sourceReference", 0);
  const auto path = source.Text("path", "");
  if (!reference) return tl::unexpected(reference.error());
  if (!path) return tl::unexpected(path.error());
  if (*reference > 0 && static_cast<std::uint64_t>(*reference) < files.size()) {
    return static_cast<std::uint32_t>(*reference);
  }
  std::error_code ignored;
  const auto wanted = std::filesystem::weakly_canonical(*path, ignored);
  for (std::uint32_t file = 1; file < files.size() && !path->empty(); ++file) {
    if (files[file].path == *path ||
        std::filesystem::weakly_canonical(files[file].path, ignored) == wanted) {
      return file;
    }
  }
  // One that was compiled elsewhere goes by its name.
  for (std::uint32_t file = 1; file < files.size() && !path->empty(); ++file) {
    if (!std::filesystem::exists(files[file].path, ignored) &&
        FileName(files[file].path) == FileName(*path)) {
      return file;
    }
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("the module has no code of '{}'{}", *path,
                          files.size() <= 1 ? "; it says nothing about its source" : ""));
}

Adapter::Body Adapter::Source(const Arguments& arguments) {
  const auto source = arguments.Object("source");
  const auto given = arguments.Integer("sourceReference", 0);
  if (!source) return tl::unexpected(source.error());
  if (!given) return tl::unexpected(given.error());
  const auto inner = source->Integer("sourceReference", 0);
  if (!inner) return tl::unexpected(inner.error());
  const std::int64_t reference = *inner > 0 ? *inner : *given;
  const auto& files = session_->module().debug_info.files;
  std::uint32_t file = 0;
  if (reference == 0 && source->Has("path")) {
    const auto named = FileOf(*source);
    if (!named) return tl::unexpected(named.error());
    file = *named;
  } else if (reference < 1 || static_cast<std::uint64_t>(reference) >= files.size()) {
    return Fail(ErrorKind::kUsage, fmt::format("no source {}", reference));
  } else {
    file = static_cast<std::uint32_t>(reference);
  }
  const std::uint32_t count = lines_->Count(file);
  if (count == 0) {
    return Fail(ErrorKind::kUsage, fmt::format("{} cannot be read", files[file].path));
  }
  std::string content;
  for (std::uint32_t line = 1; line <= count; ++line) content += lines_->Line(file, line) + "\n";
  return OrderedJson{{"content", std::move(content)}, {"mimeType", "text/x-opencl-src"}};
}

Adapter::Body Adapter::LoadedSources(const Arguments&) {
  OrderedJson sources = OrderedJson::array();
  for (std::uint32_t file = 1; file < session_->module().debug_info.files.size(); ++file) {
    sources.push_back(SourceOf(file));
  }
  return OrderedJson{{"sources", std::move(sources)}};
}

// As the client counts.
std::int64_t Adapter::ColumnOf(std::uint32_t file, std::uint32_t line, std::uint32_t column) const {
  // Of a line that cannot be read its bytes count.
  const std::string text = lines_->Line(file, line);
  const std::size_t before = column == 0 ? 0 : column - 1;
  return client_.first_column + (before > text.size() ? static_cast<std::int64_t>(before)
                                                      : CursorBehindBytes(text, before).unit);
}

// Where the run comes to these lines: once for what stands there in a row, and again wherever it
// may jump to, as to each part of `for (...)`.
Expected<std::vector<Adapter::Stop>> Adapter::StopsOf(std::uint32_t file, std::int64_t first,
                                                      std::int64_t last) const {
  const auto functions = session_->Ask(debug::FunctionsRequest());
  if (!functions) return tl::unexpected(functions.error());
  std::map<std::uint32_t, std::int64_t> lines;  // by instruction
  for (const debug::PlaceLine& one : functions->lines) {
    if (one.file == file) lines[one.origin] = one.line;
  }
  const frontend::Module& module = session_->module();
  const auto is_label = [](const auto& instruction) {
    return instruction.opcode == frontend::Op::kLabel;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> found;
  std::int64_t line_before = 0;
  std::uint32_t before = 0;
  for (const auto& [origin, line] : lines) {
    const bool comes =
        line != line_before || std::any_of(module.instructions.begin() + before,
                                           module.instructions.begin() + origin, is_label);
    line_before = line;
    before = origin;
    if (!comes || line < first || line > last) continue;
    // Of what an optimiser moved from elsewhere only the line is known.
    const auto& location = module.debug_info.locations[origin];
    const bool is_own = location.file == file && location.line == line;
    const std::int64_t column =
        ColumnOf(file, static_cast<std::uint32_t>(line), is_own ? location.column : 0);
    found.try_emplace({line, column}, origin);
  }
  std::vector<Stop> stops;
  for (const auto& [place, origin] : found) stops.push_back({place.first, place.second, origin});
  return stops;
}

Adapter::Body Adapter::BreakpointLocations(const Arguments& arguments) {
  if (!arguments.Has("source")) {
    return Fail(ErrorKind::kUsage, "'breakpointLocations' needs 'source'");
  }
  const auto source = arguments.Object("source");
  const auto line = arguments.Integer("line");
  if (!source) return tl::unexpected(source.error());
  if (!line) return tl::unexpected(line.error());
  const auto end = arguments.Integer("endLine", *line);
  if (!end) return tl::unexpected(end.error());
  const auto file = FileOf(*source);
  OrderedJson list = OrderedJson::array();
  if (!file) return OrderedJson{{"breakpoints", std::move(list)}};
  const auto stops = StopsOf(*file, *line - client_.first_line + 1, *end - client_.first_line + 1);
  if (!stops) return tl::unexpected(stops.error());
  for (const Stop& one : *stops) {
    list.push_back({{"line", one.line - 1 + client_.first_line}, {"column", one.column}});
  }
  return OrderedJson{{"breakpoints", std::move(list)}};
}

// --- instructions -----------------------------------------------------------------------------

Expected<void> Adapter::ListCode() {
  if (!code_.empty()) return {};
  const auto listed = session_->Ask(debug::DisassembleRequest{.all = true});
  if (!listed) return tl::unexpected(listed.error());
  for (const debug::CodeLine& one : listed->instructions) {
    code_.push_back({one.origin, one.text, one.function});
  }
  return {};
}

Adapter::Body Adapter::Disassemble(const Arguments& arguments) {
  const auto reference = arguments.Text("memoryReference");
  const auto bytes = arguments.Integer("offset", 0);
  const auto offset = arguments.Integer("instructionOffset", 0);
  const auto count = arguments.Integer("instructionCount");
  if (!reference) return tl::unexpected(reference.error());
  for (const auto* one : {&bytes, &offset, &count}) {
    if (!*one) return tl::unexpected(one->error());
  }
  const auto address = ParseAddress(*reference);
  if (!address) return tl::unexpected(address.error());
  if (*count < 0 || *count > kMostInstructions || *offset < -kMostInstructions ||
      *offset > kMostInstructions) {
    return Fail(ErrorKind::kUsage, fmt::format("at most {} instructions", kMostInstructions));
  }
  if (auto listed = ListCode(); !listed) return tl::unexpected(listed.error());
  const std::uint64_t place = *address + static_cast<std::uint64_t>(*bytes) - kFirstInstruction;
  if (code_.empty() || place > code_.back().origin) {
    return Fail(ErrorKind::kUsage, fmt::format("no instruction has the address {}", *reference));
  }
  const auto begin =
      std::ranges::lower_bound(code_, place, {}, &Instruction::origin) - code_.begin();
  OrderedJson list = OrderedJson::array();
  const auto& locations = session_->module().debug_info.locations;
  for (std::int64_t i = 0; i < *count; ++i) {
    const std::int64_t at = begin + *offset + i;
    if (at < 0 || at >= static_cast<std::int64_t>(code_.size())) {
      // As many as were asked for, at addresses that nothing else has.
      const std::uint64_t nowhere =
          at < 0 ? kFirstInstruction + code_.front().origin - static_cast<std::uint64_t>(-at)
                 : kFirstInstruction + code_.back().origin + static_cast<std::uint64_t>(at) -
                       code_.size() + 1;
      list.push_back({{"address", fmt::format("{:#x}", nowhere)},
                      {"instruction", "(nothing)"},
                      {"presentationHint", "invalid"}});
      continue;
    }
    const Instruction& one = code_[static_cast<std::size_t>(at)];
    OrderedJson instruction{{"address", fmt::format("{:#x}", kFirstInstruction + one.origin)},
                            {"instruction", one.text}};
    const bool is_first =
        at == 0 || code_[static_cast<std::size_t>(at) - 1].function != one.function;
    if (is_first) instruction["symbol"] = one.function;
    if (one.origin < locations.size() && locations[one.origin].IsKnown()) {
      instruction["location"] = SourceOf(locations[one.origin].file);
      instruction["line"] =
          static_cast<std::int64_t>(locations[one.origin].line) - 1 + client_.first_line;
    }
    list.push_back(std::move(instruction));
  }
  return OrderedJson{{"instructions", std::move(list)}};
}

}  // namespace assay::tools::dap
