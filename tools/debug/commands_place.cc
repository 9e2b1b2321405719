// Commands about where a run stands.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "tools/debug/terminal.h"

namespace assay::tools {

std::string ShortValue(const std::string& value) {
  const std::size_t bits = value.find(" (0x");
  const std::size_t object = value.find(": ");
  return value.substr(0, std::min({bits, object, value.size()}));
}

// "square (x=2) at k.cl:4".
std::string DebugTerminal::FrameText(const debug::Frame& frame, std::uint64_t level) {
  std::string text = base::Printable(frame.function) + " (";
  const debug::VariablesRequest request{.target = {item_, level}, .limit = 4};
  if (const auto answer = session_.Ask(request)) {
    bool first = true;
    for (const debug::Variable& one : answer->variables) {
      if (!one.is_argument.value_or(false)) continue;
      text += fmt::format("{}{}={}", first ? "" : ", ", base::Printable(one.name),
                          one.missing ? "?" : base::Printable(ShortValue(one.value)));
      first = false;
    }
  }
  text += ")";
  if (frame.line) {
    text += fmt::format(" at {}:{}", base::Printable(frame.file), *frame.line);
  } else {
    text += fmt::format(" at *{}", frame.origin);
  }
  return text;
}

Expected<void> DebugTerminal::Backtrace(const std::string& arguments) {
  if (auto runs = NeedPlace(); !runs) return runs;
  std::string rest = arguments;
  const bool is_full = rest == "full" || rest.starts_with("full ");
  if (is_full) (void)TakeWord(&rest);
  const auto most = NumberOf(rest, 1000);
  if (!most) return tl::unexpected(most.error());
  const auto answer = session_.Ask(debug::FramesRequest{Here()});
  if (!answer) return tl::unexpected(answer.error());
  const std::vector<debug::Frame>& frames = answer->frames;
  for (std::uint64_t level = 0; level < std::min<std::uint64_t>(*most, frames.size()); ++level) {
    const debug::Frame& frame = frames.at(level);
    Say(fmt::format("#{:<2} {}{}\n", level, FrameText(frame, level),
                    frame.inlined ? " [inlined]" : ""));
    if (!is_full) continue;
    const std::uint64_t selected = std::exchange(frame_, level);
    auto told = InfoVariables("locals", "");
    frame_ = selected;
    if (!told) return told;
  }
  return {};
}

Expected<void> DebugTerminal::SelectFrame(std::uint64_t level) {
  if (auto runs = NeedPlace(); !runs) return runs;
  const auto answer = session_.Ask(debug::FramesRequest{Here()});
  if (!answer) return tl::unexpected(answer.error());
  const std::vector<debug::Frame>& frames = answer->frames;
  if (level >= frames.size()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("no frame {}; the outermost is {}", level, frames.size() - 1));
  }
  frame_ = level;
  Say(fmt::format("#{:<2} {}\n", level, FrameText(frames.at(level), level)));
  TellLine(frames.at(level));
  return {};
}

Expected<void> DebugTerminal::Frame(const std::string& arguments) {
  const auto level = NumberOf(arguments, frame_);
  if (!level) return tl::unexpected(level.error());
  return SelectFrame(*level);
}

Expected<void> DebugTerminal::Up(const std::string& arguments) {
  const auto count = NumberOf(arguments, 1);
  if (!count) return tl::unexpected(count.error());
  return SelectFrame(frame_ + *count);
}

Expected<void> DebugTerminal::Down(const std::string& arguments) {
  const auto count = NumberOf(arguments, 1);
  if (!count) return tl::unexpected(count.error());
  if (*count > frame_) return Fail(ErrorKind::kUsage, "no frame is further in");
  return SelectFrame(frame_ - *count);
}

std::uint32_t DebugTerminal::StandingLine() const {
  const auto answer = session_.Ask(debug::FramesRequest{Here()});
  return answer ? answer->frames.at(frame_).line.value_or(1) : 1;
}

// The lines around a place, those behind what was listed, or those before it (-).
Expected<void> DebugTerminal::List(const std::string& arguments) {
  const auto functions = session_.Ask(debug::FunctionsRequest());
  if (!functions) return tl::unexpected(functions.error());
  if (list_file_ == 0) list_file_ = functions->main_file;
  std::uint32_t first = list_line_;
  std::uint32_t last = 0;
  const std::uint32_t half = list_size_ / 2;
  const std::size_t comma = arguments.find(',');
  if (list_file_ == 0) return Disassemble("");  // no lines: what there is
  if (comma != std::string::npos) {
    const auto from = ParseCount(arguments.substr(0, comma), 1);
    const auto to = ParseCount(arguments.substr(comma + 1), 0);
    if (!from) return tl::unexpected(from.error());
    if (!to) return tl::unexpected(to.error());
    first = static_cast<std::uint32_t>(std::min<std::uint64_t>(*from, 1u << 30));
    last = static_cast<std::uint32_t>(std::min<std::uint64_t>(*to, 1u << 30));
    if (first == 0 || last < first)
      return Fail(ErrorKind::kUsage, "list FIRST,LAST, from line 1 on");
  } else if (arguments == "-") {
    if (list_line_ != 0 && list_first_ <= 1) {
      return Fail(ErrorKind::kUsage, "the first line was listed already");
    }
    const std::uint32_t before = list_line_ == 0 ? StandingLine() : list_first_;
    first = before > list_size_ ? before - list_size_ : 1;
    last = before > 1 ? before - 1 : 1;
  } else if (!arguments.empty()) {
    const auto number = ParseCount(arguments, 0);
    std::uint32_t line = 0;
    if (number) {
      line = static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, 1u << 30));
    } else {
      const auto answer =
          session_.Ask(debug::ResolveRequest{.location = arguments, .file = list_file_});
      if (!answer) return tl::unexpected(answer.error());
      line = answer->line;
      list_file_ = answer->file_number;
    }
    first = line > half ? line - half : 1;
  } else if (first == 0) {
    const std::uint32_t line = StandingLine();
    first = line > half ? line - half : 1;
  }
  if (last == 0) last = first + list_size_ - 1;
  const std::uint32_t count = lines_.Count(list_file_);
  const std::string& path = session_.module().debug_info.files[list_file_].path;
  if (count == 0) return Fail(ErrorKind::kUsage, fmt::format("{} cannot be read", path));
  if (first > count) {
    return Fail(ErrorKind::kUsage, fmt::format("{} has {} lines", path, count));
  }
  std::string text;
  for (std::uint32_t line = first; line <= std::min(last, count); ++line) {
    text += fmt::format("{}\t{}\n", line, lines_.Line(list_file_, line));
  }
  list_first_ = first;
  list_line_ = std::min(last, count) + 1;
  Say(text);
  return {};
}

Expected<void> DebugTerminal::Disassemble(const std::string& arguments) {
  debug::DisassembleRequest request{.target = Here()};
  if (!arguments.empty()) request.function = arguments;
  const auto answer = session_.Ask(request);
  if (!answer) return tl::unexpected(answer.error());
  std::string text = fmt::format("{}:\n", base::Printable(answer->function));
  std::uint32_t line = 0;
  for (const debug::CodeLine& one : answer->instructions) {
    const bool is_new = one.line != line && one.line != 0;
    text += fmt::format("{} *{:<6} {:<5} {}\n", one.here ? "=>" : "  ", one.origin,
                        is_new ? fmt::format(":{}", one.line) : "", one.text);
    line = one.line;
  }
  Say(text);
  return {};
}

// --- whom it is about -------------------------------------------------------------------------

Expected<void> DebugTerminal::Item(const std::string& arguments) {
  std::string rest = arguments;
  if (TakeWord(&rest) == "apply") return ThreadApply(rest);
  if (auto runs = NeedPlace(); !runs) return runs;
  if (arguments.empty()) {
    const auto where = session_.Ask(debug::WhereRequest{.item = item_});
    if (!where) return tl::unexpected(where.error());
    if (!where->item) return Fail(ErrorKind::kUsage, "no work-item runs");
    Say(fmt::format("Work-item {}, work-group {}\n", IdText(where->item->global_id),
                    IdText(where->item->group_id)));
    return {};
  }
  const auto ids = ParseIds(arguments);
  if (!ids) return tl::unexpected(ids.error());
  const auto found = session_.Ask(debug::FindItemRequest{.id = *ids});
  if (!found) return tl::unexpected(found.error());
  if (!found->there && found->begun) {
    return Fail(ErrorKind::kUsage,
                fmt::format("the work-item {} has returned; `break PLACE item ID` and "
                            "`reverse-continue` go back to it",
                            IdText(found->item.global_id)));
  }
  item_ = found->item.id;
  frame_ = 0;
  Say(fmt::format("[work-item {}, work-group {}]\n", IdText(found->item.global_id),
                  IdText(found->item.group_id)));
  if (!found->where || !found->where->frame) {
    Say("It has not begun; `step` goes to its first line, and others run meanwhile.\n");
    return {};
  }
  TellPlace(*found->where, true);
  return {};
}

Expected<void> DebugTerminal::Group(const std::string& arguments) {
  if (auto runs = NeedRun(); !runs) return runs;
  if (arguments.empty()) return InfoGroups();
  const auto ids = ParseIds(arguments);
  if (!ids) return tl::unexpected(ids.error());
  const auto found = session_.Ask(debug::FindItemRequest{.id = *ids, .is_group = true});
  if (!found) return tl::unexpected(found.error());
  return Item(IdText(found->item.global_id));
}

}  // namespace assay::tools
