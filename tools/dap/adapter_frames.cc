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
  const auto answer = session_->Ask(
      debug::VariablesRequest{.target = frame.target(), .format = format.letter, .limit = 4});
  std::string text;
  for (const debug::Variable& one : answer ? answer->variables : std::vector<debug::Variable>()) {
    if (!one.is_argument.value_or(false)) continue;
    if (!text.empty()) text += ", ";
    if (format.types) text += one.type;
    if (format.types && format.names) text += " ";
    if (format.names) text += one.name;
    if (!format.values) continue;
    if (format.names || format.types) text += "=";
    text += one.missing ? "?" : ShortValue(one.value);
  }
  return "(" + text + ")";
}

OrderedJson Adapter::StackFrame(const FrameHandle& handle, const debug::Frame& frame,
                                const FrameFormat& format) {
  const std::int64_t id = next_handle_++;
  frames_[id] = handle;
  std::string name = frame.function;
  name += ParametersOf(handle, format);
  if (frame.inlined) name += " [inlined]";
  OrderedJson one{{"id", id}, {"name", ""}, {"line", 0}, {"column", 0}};
  if (frame.line) {
    const std::uint32_t line = *frame.line;
    one["source"] = SourceOf(frame.file_number);
    one["line"] = line - 1 + client_.first_line;
    one["column"] = ColumnOf(frame.file_number, line, frame.column);
    if (format.line) name += fmt::format(" Line {}", line);
  }
  one["name"] = std::move(name);
  one["instructionPointerReference"] = fmt::format("{:#x}", kFirstInstruction + frame.origin);
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
  const auto where = session_->Ask(debug::WhereRequest{.item = *item, .later = true});
  if (!where) return tl::unexpected(where.error());
  OrderedJson list = OrderedJson::array();
  // One that has not begun has none.
  const auto answer = session_->Ask(debug::FramesRequest{{.item = *item}});
  const std::vector<debug::Frame> all = answer ? answer->frames : std::vector<debug::Frame>();
  const auto first = static_cast<std::uint64_t>(*start);
  for (std::uint64_t level = first;
       level < all.size() && (*levels == 0 || level - first < static_cast<std::uint64_t>(*levels));
       ++level) {
    list.push_back(StackFrame({*item, level}, all.at(level), *format));
  }
  return OrderedJson{{"stackFrames", std::move(list)}, {"totalFrames", all.size()}};
}

}  // namespace assay::tools::dap
