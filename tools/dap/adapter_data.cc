// Changing and reading: evaluate, set, memory, completions.
#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tools/dap/adapter.h"
#include "tools/dap/base64.h"
#include "tools/dap/text_units.h"

namespace assay::tools::dap {
namespace {

constexpr std::int64_t kMostMemory = 1 << 20;  // bytes in one answer
constexpr std::uint64_t kMostCopied = 100000;  // elements
constexpr std::size_t kMostViewed = 64;        // views of memory

// An address, and the work-item whose memory it is; without one the work-item that runs.
struct MemoryPlace {
  std::uint64_t address = 0;
  std::optional<interp::DebugItemId> item;
};

// Where bytes from a reference on are.
Expected<MemoryPlace> PlaceOf(const std::string& reference, std::int64_t offset) {
  const std::size_t at = reference.find('@');
  const auto start = ParseAddress(reference.substr(0, at));
  if (!start) return tl::unexpected(start.error());
  MemoryPlace place{.address = *start + static_cast<std::uint64_t>(offset)};
  if (at == std::string::npos) return place;
  const std::size_t slash = std::min(reference.find('/', at), reference.size());
  const auto group = ParseAddress(reference.substr(at + 1, slash - at - 1));
  const auto local = ParseAddress(reference.substr(std::min(slash + 1, reference.size())));
  if (!group || !local) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' is no 'memoryReference'", reference));
  }
  place.item = {*group, *local};
  return place;
}

constexpr std::string_view kIs = " = ";

// Columns of an assignment as ones of its value, which is what somebody typed: the value begins
// behind `before` bytes.  What is before it has none.
tl::unexpected<Error> AboutValue(Error error, std::size_t before) {
  static const std::regex kColumn("^column (\\d{1,9}): ");
  std::smatch found;
  const std::string message = error.message;
  if (std::regex_search(message, found, kColumn)) {
    const std::size_t column = std::stoul(found[1]);
    error.message = found.suffix();
    if (column > before) {
      error.message = fmt::format("column {}: {}", column - before, error.message);
    }
  }
  return tl::unexpected(std::move(error));
}

}  // namespace

Expected<Adapter::FrameHandle> Adapter::FrameOf(const Arguments& arguments) const {
  if (!arguments.Has("frameId")) {
    // The innermost frame of the work-item that runs.
    const auto& item = session_->stop().where.item;
    if (!item) return Fail(ErrorKind::kUsage, "no work-item runs");
    return FrameHandle{item->id, 0};
  }
  const auto id = arguments.Integer("frameId");
  if (!id) return tl::unexpected(id.error());
  const auto found = frames_.find(*id);
  if (found != frames_.end()) return found->second;
  return Fail(ErrorKind::kUsage,
              fmt::format("no frame {}; frames are of one stop and come from 'stackTrace'", *id));
}

// Whether it is of the work-item that runs.
bool Adapter::IsCurrent(const FrameHandle& frame) const {
  const auto& item = session_->stop().where.item;
  return item && item->id == frame.item;
}

// Private memory has the same addresses in all work-items, and local memory in all work-groups: a
// reference names the work-item if another one runs.
std::string Adapter::ReferenceTo(const FrameHandle& frame, std::uint64_t address) const {
  if (IsCurrent(frame)) return fmt::format("{:#x}", address);
  return fmt::format("{:#x}@{}/{}", address, frame.item.group, frame.item.local);
}

// --- values -----------------------------------------------------------------------------------

Adapter::Body Adapter::Value(const FrameHandle& frame, const std::string& expression,
                             const std::string& format) {
  const auto value = session_->Ask(
      debug::EvaluateRequest{.target = frame.target(), .expression = expression, .format = format});
  if (!value) return tl::unexpected(value.error());
  std::string result = value->value;
  for (const std::string& warning : value->warnings) {
    result += fmt::format(" (warning: {})", warning);
  }
  OrderedJson answer{{"result", std::move(result)}};
  Describe(frame, expression, *value, &answer);
  return answer;
}

// All of its elements, to be copied.
Adapter::Body Adapter::Whole(const FrameHandle& frame, const std::string& expression,
                             const std::string& format) {
  const auto value = session_->Ask(debug::EvaluateRequest{
      .target = frame.target(), .expression = expression, .format = format, .limit = kMostCopied});
  if (!value) return tl::unexpected(value.error());
  return OrderedJson{{"result", value->value}, {"variablesReference", 0}};
}

Adapter::Body Adapter::Assign(const FrameHandle& frame, const std::string& target,
                              const std::string& value, const std::string& format) {
  const auto changed =
      session_->Change(debug::EvaluateRequest{.target = frame.target(),
                                              .expression = target + std::string(kIs) + value,
                                              .format = format,
                                              .assigns = true});
  if (!changed) return AboutValue(changed.error(), target.size() + kIs.size());
  const auto now = Value(frame, target, format);
  after_ = [this] { TellChanged(); };
  if (!now) return OrderedJson{{"value", changed->value}};
  OrderedJson answer = *now;
  answer["value"] = answer.at("result");
  answer.erase("result");
  return answer;
}

void Adapter::TellChanged() {
  if (client_.knows_invalidated) Event("invalidated", {{"areas", {"variables"}}});
  if (!client_.knows_memory_event) return;
  // Any of it may be another name of what was changed.
  for (const std::string& reference : viewed_) {
    Event("memory", {{"memoryReference", reference}, {"offset", 0}, {"count", kMostMemory}});
  }
}

Adapter::Body Adapter::SetVariable(const Arguments& arguments) {
  const auto container = ContainerOf(arguments);
  const auto name = arguments.Text("name");
  const auto value = arguments.Text("value");
  const auto format = arguments.Format();
  if (!container) return tl::unexpected(container.error());
  if (!name) return tl::unexpected(name.error());
  if (!value) return tl::unexpected(value.error());
  if (!format) return tl::unexpected(format.error());
  const auto target = ExpressionOf(*container, *name);
  if (!target) return tl::unexpected(target.error());
  return Assign(container->frame, *target, *value, *format);
}

Adapter::Body Adapter::SetExpression(const Arguments& arguments) {
  const auto expression = arguments.Text("expression");
  const auto value = arguments.Text("value");
  const auto format = arguments.Format();
  const auto frame = FrameOf(arguments);
  if (!expression) return tl::unexpected(expression.error());
  if (!value) return tl::unexpected(value.error());
  if (!format) return tl::unexpected(format.error());
  if (!frame) return tl::unexpected(frame.error());
  return Assign(*frame, *expression, *value, *format);
}

// --- evaluate ---------------------------------------------------------------------------------

Adapter::Body Adapter::Evaluate(const Arguments& arguments) {
  const auto expression = arguments.Text("expression");
  const auto context = arguments.Text("context", "");
  const auto format = arguments.Format();
  const auto frame = FrameOf(arguments);
  if (!expression) return tl::unexpected(expression.error());
  if (!context) return tl::unexpected(context.error());
  if (!format) return tl::unexpected(format.error());
  if (!frame) return tl::unexpected(frame.error());
  if (*context == "clipboard") return Whole(*frame, *expression, *format);
  if (*context != "repl") return Value(*frame, *expression, *format);
  return Console(*frame, arguments.Has("frameId"), *expression, *format);
}

namespace {

// Who types the name of a variable that is not there, "k" or "q", means no `kill` and no `quit`.
bool EndsByAbbreviation(const std::string& word) {
  constexpr std::string_view kEnding[] = {"kill", "quit", "run"};
  const auto command = DebugTerminal::FindCommand(word);
  return command && word != (*command)->name &&
         std::ranges::find(kEnding, std::string_view((*command)->name)) != std::end(kEnding);
}

}  // namespace

// An expression where it is one, then an assignment, then a command of the terminal debugger: with
// a variable `n` in the frame, "n" is that.  Behind "-exec" there are commands only.
Adapter::Body Adapter::Console(const FrameHandle& frame, bool has_frame, const std::string& text,
                               const std::string& format) {
  constexpr std::string_view kExecute = "-exec ";
  std::string command = Trimmed(text);
  if (command.starts_with(kExecute)) {
    command = Trimmed(command.substr(kExecute.size()));
  } else if (command.find('\n') == std::string::npos) {
    auto value = Value(frame, command, format);
    if (value) return value;
    if (command.find('=') != std::string::npos) {
      const auto changed = session_->Change(
          debug::EvaluateRequest{.target = frame.target(), .expression = command, .assigns = true});
      if (changed) {
        after_ = [this] { TellChanged(); };
        return OrderedJson{{"result", changed->value}, {"variablesReference", 0}};
      }
    }
    std::string rest = command;
    const std::string word = TakeWord(&rest);
    const bool is_command = terminal_->IsCommand(word.substr(0, word.find('/')));
    if (!is_command || EndsByAbbreviation(word)) return value;
  }
  return Command(frame, has_frame, command);
}

// A command of the terminal debugger, or several in lines of their own.
Adapter::Body Adapter::Command(const FrameHandle& frame, bool has_frame,
                               const std::string& command) {
  const DebugTerminal::Selected before = frame.item;
  const bool is_current = !has_frame || IsCurrent(frame);
  terminal_->Select(is_current ? std::nullopt : before, frame.level);
  console_.clear();
  terminal_->Typed(command);
  const std::uint64_t time = session_->time();
  const DebugSession::State state = session_->state();
  keeps_going_ = true;
  moving_ = now_;
  BeginRunning(command);
  // Lines that belong together come together: what has no `end` in them would take the next ones.
  Expected<void> done;
  std::istringstream lines(command);
  for (std::string line; done && std::getline(lines, line);) done = terminal_->Execute(line);
  if (auto ended = terminal_->Finish(); done && !ended) done = ended;
  keeps_going_ = false;
  EndRunning();
  moving_ = 0;
  const bool has_moved = session_->time() != time || session_->state() != state;
  const DebugTerminal::Selected selected = terminal_->selected_item();
  const bool has_selected = selected && selected != before;
  after_ = [this, has_moved, has_selected, selected] {
    if (is_over_ || ends_run_) return;
    if (has_moved) return TellStop(session_->stop().breakpoints);
    if (!has_selected) return TellChanged();
    // A client shows the work-item that a stop is about.
    Mark(*selected);
    Event("stopped", {{"reason", "goto"},
                      {"description", "Selected"},
                      {"threadId", ThreadOf(*selected)},
                      {"allThreadsStopped", true}});
  };
  if (terminal_->wants_to_quit()) {
    after_ = [this] {
      is_terminated_ = true;
      Event("terminated", OrderedJson::object());
    };
  }
  if (!done) {
    // What was said before that.
    Output("console", console_);
    return tl::unexpected(done.error());
  }
  return OrderedJson{{"result", console_}, {"variablesReference", 0}};
}

// --- memory -----------------------------------------------------------------------------------

Adapter::Body Adapter::ReadMemory(const Arguments& arguments) {
  const auto reference = arguments.Text("memoryReference");
  const auto offset = arguments.Integer("offset", 0);
  const auto count = arguments.Integer("count");
  if (!reference) return tl::unexpected(reference.error());
  if (!offset) return tl::unexpected(offset.error());
  if (!count) return tl::unexpected(count.error());
  const auto place = PlaceOf(*reference, *offset);
  if (!place) return tl::unexpected(place.error());
  if (*count < 0) return Fail(ErrorKind::kUsage, "'count' must not be negative");
  OrderedJson answer{{"address", fmt::format("{:#x}", place->address)}};
  if (*count == 0) return answer;
  const auto read = session_->Ask(
      debug::ReadMemoryRequest{.item = place->item,
                               .address = place->address,
                               .bytes = static_cast<std::uint64_t>(std::min(*count, kMostMemory))});
  if (!read) {
    // A view of memory around an object asks for what is beside it, too.
    answer["unreadableBytes"] = *count;
    return answer;
  }
  const std::string& hex = read->hex;
  answer["data"] = Base64OfHex(hex);
  if (viewed_.size() < kMostViewed) viewed_.insert(*reference);
  const auto got = static_cast<std::int64_t>(hex.size() / 2);
  if (got < *count) answer["unreadableBytes"] = *count - got;
  return answer;
}

Adapter::Body Adapter::WriteMemory(const Arguments& arguments) {
  const auto reference = arguments.Text("memoryReference");
  const auto offset = arguments.Integer("offset", 0);
  const auto partly = arguments.Flag("allowPartial", false);
  const auto data = arguments.Text("data");
  if (!reference) return tl::unexpected(reference.error());
  if (!offset) return tl::unexpected(offset.error());
  if (!partly) return tl::unexpected(partly.error());
  if (!data) return tl::unexpected(data.error());
  const auto place = PlaceOf(*reference, *offset);
  if (!place) return tl::unexpected(place.error());
  auto hex = HexOfBase64(*data);
  if (!hex) return tl::unexpected(hex.error());
  if (*partly && !hex->empty()) {
    const auto there = session_->Ask(debug::ReadMemoryRequest{
        .item = place->item, .address = place->address, .bytes = hex->size() / 2});
    if (!there) return tl::unexpected(there.error());
    hex->resize(there->hex.size());
  }
  const auto changed = session_->Change(
      debug::WriteMemoryRequest{.item = place->item, .address = place->address, .hex = *hex});
  if (!changed) return tl::unexpected(changed.error());
  after_ = [this] { TellChanged(); };
  return OrderedJson{{"bytesWritten", hex->size() / 2}};
}

// --- completions ------------------------------------------------------------------------------

Adapter::Body Adapter::Completions(const Arguments& arguments) {
  const auto text = arguments.Text("text");
  const auto column = arguments.Integer("column");
  const auto frame = FrameOf(arguments);
  if (!text) return tl::unexpected(text.error());
  if (!column) return tl::unexpected(column.error());
  if (!frame) return tl::unexpected(frame.error());
  const Cursor cursor = CursorBehindUnits(*text, *column - client_.first_column);
  const std::string line = text->substr(0, cursor.byte);
  std::size_t start = line.size();
  while (start > 0 && (std::isalnum(static_cast<unsigned char>(line[start - 1])) != 0 ||
                       line[start - 1] == '_' || line[start - 1] == '-')) {
    --start;
  }
  const auto length = static_cast<std::int64_t>(line.size() - start);  // ASCII: units, too
  std::vector<std::string> found = terminal_->Complete(line);
  if (line.find(' ') == std::string::npos) {
    // What is an expression needs no command before it.
    for (std::string& name : terminal_->Complete("print " + line.substr(start))) {
      if (std::ranges::find(found, name) == found.end()) found.push_back(std::move(name));
    }
  }
  OrderedJson targets = OrderedJson::array();
  for (const std::string& one : found) {
    targets.push_back({{"label", one},
                       {"start", cursor.unit - length + client_.first_column},
                       {"length", length}});
  }
  return OrderedJson{{"targets", std::move(targets)}};
}

}  // namespace assay::tools::dap
