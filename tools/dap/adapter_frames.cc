// Stack frames, named as the client wishes.
#include <fmt/format.h>

#include "tools/dap/adapter.h"
#include "tools/dap/text_units.h"

namespace assay::tools::dap {

Expected<Adapter::FrameFormat> Adapter::FrameFormatOf(const Arguments& arguments) {
  const auto letter = arguments.Format();
  if (!letter) return tl::unexpected(letter.error());
  const auto given = arguments.Object("format");
  if (!given) return tl::unexpected(given.error());
  FrameFormat format{.letter = *letter};
  bool has_parameters = false, shows_all = false;  // nothing is hidden
  const std::pair<const char*, bool*> flags[] = {
      {"parameters", &has_parameters},
      {"parameterTypes", &format.types},
      {"parameterNames", &format.names},
      {"parameterValues", &format.values},
      {"line", &format.line},
      {"includeAll", &shows_all},
  };
  for (const auto& [name, flag] : flags) {
    const auto value = given->Flag(name, false);
    if (!value) return tl::unexpected(value.error());
    *flag = *value;
  }
  if (has_parameters && !format.types && !format.names && !format.values) {
    format.names = format.values = true;
  }
  return format;
}

// "(float* in=0x10000000000, float k=1.5)", or what the format leaves of it.
std::string Adapter::ParametersOf(const FrameHandle& frame, const FrameFormat& format) const {
  if (!format.types && !format.names && !format.values) return "";
  DebugMessage question = About("variables", frame);
  question["limit"] = 4;
  question["format"] = format.letter;
  const auto answer = session_->Ask(question);
  std::string text;
  const DebugMessage none = DebugMessage::array();
  for (const DebugMessage& one : answer ? answer->at("variables") : none) {
    if (!one.at("argument").get<bool>()) continue;
    if (!text.empty()) text += ", ";
    if (format.types) text += TextOf(one, "type");
    if (format.types && format.names) text += " ";
    if (format.names) text += TextOf(one, "name");
    if (!format.values) continue;
    if (format.names || format.types) text += "=";
    text += one.contains("missing") ? "?" : ShortValue(TextOf(one, "value"));
  }
  return "(" + text + ")";
}

OrderedJson Adapter::StackFrame(const FrameHandle& handle, const DebugMessage& frame,
                                const FrameFormat& format) {
  const std::int64_t id = next_handle_++;
  frames_[id] = handle;
  const bool has_line = frame.contains("line");
  std::string name = TextOf(frame, "function");
  name += ParametersOf(handle, format);
  if (frame.at("inlined").get<bool>()) name += " [inlined]";
  OrderedJson one{{"id", id}, {"name", ""}, {"line", 0}, {"column", 0}};
  if (has_line) {
    const std::uint32_t file = frame.at("file_number");
    const std::uint32_t line = frame.at("line");
    one["source"] = SourceOf(file);
    one["line"] = line - 1 + client_.first_line;
    one["column"] = ColumnOf(file, line, frame.at("column"));
    if (format.line) name += fmt::format(" Line {}", line);
  }
  one["name"] = std::move(name);
  one["instructionPointerReference"] =
      fmt::format("{:#x}", kFirstInstruction + frame.at("origin").get<std::uint64_t>());
  return one;
}

Adapter::Body Adapter::StackTrace(const Arguments& arguments) {
  const auto thread = arguments.Integer("threadId");
  const auto start = arguments.Integer("startFrame", 0);
  const auto levels = arguments.Integer("levels", 0);
  const auto format = FrameFormatOf(arguments);
  if (!thread) return tl::unexpected(thread.error());
  if (!start) return tl::unexpected(start.error());
  if (!levels) return tl::unexpected(levels.error());
  if (!format) return tl::unexpected(format.error());
  if (*start < 0 || *levels < 0) {
    return Fail(ErrorKind::kUsage, "'startFrame' and 'levels' must not be negative");
  }
  const auto item = ItemOf(*thread);
  if (!item) return tl::unexpected(item.error());
  const auto [group, local] = *item;
  const auto where =
      session_->Ask({{"do", "where"}, {"group", group}, {"local", local}, {"later", true}});
  if (!where) return tl::unexpected(where.error());
  OrderedJson list = OrderedJson::array();
  // One that has not begun has none.
  const auto frames = session_->Ask({{"do", "frames"}, {"group", group}, {"local", local}});
  const DebugMessage all = frames ? frames->at("frames") : DebugMessage::array();
  const auto first = static_cast<std::uint64_t>(*start);
  for (std::uint64_t level = first;
       level < all.size() && (*levels == 0 || level - first < static_cast<std::uint64_t>(*levels));
       ++level) {
    list.push_back(StackFrame({group, local, level}, all.at(level), *format));
  }
  return OrderedJson{{"stackFrames", std::move(list)}, {"totalFrames", all.size()}};
}

}  // namespace assay::tools::dap
