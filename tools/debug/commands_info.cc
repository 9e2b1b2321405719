// `info`.
#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "interp/rules/rule.h"
#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

// A line each; many of a group in the same state, one behind the other, have one line.
template <typename Line>
std::string Folded(const std::vector<debug::Item>& all, Line line, debug::Ids debug::Item::*id) {
  constexpr std::size_t kFold = 4;
  const bool is_of_groups = id == &debug::Item::group_id;
  std::string text;
  for (std::size_t i = 0; i < all.size();) {
    const bool selected = all[i].selected;
    std::size_t end = i + 1;
    while (!selected && end < all.size() && !all[end].selected && all[end].state == all[i].state &&
           (is_of_groups || all[end].group_id == all[i].group_id)) {
      ++end;
    }
    const bool folds = end - i >= kFold;
    if (!folds) end = i + 1;
    std::string ids = IdText(all[i].*id);
    if (folds) ids += " to " + IdText(all[end - 1].*id);
    text += (selected ? "* " : "  ") + line(all[i], std::move(ids));
    i = end;
  }
  return text;
}

}  // namespace

// With a name only the one that is called so.
Expected<void> DebugTerminal::InfoVariables(const std::string& which, const std::string& name) {
  if (which != "globals" || session_.state() == DebugSession::State::kEnded) {
    if (auto runs = NeedPlace(); !runs) return runs;
  }
  using Kind = debug::VariablesRequest::Kind;
  const auto answer =
      session_.Ask(debug::VariablesRequest{.kind = which == "registers" ? Kind::kRegisters
                                                   : which == "globals" ? Kind::kGlobals
                                                                        : Kind::kLocals,
                                           .target = Here(),
                                           .limit = print_limit_});
  if (!answer) return tl::unexpected(answer.error());
  std::string text;
  for (const debug::Variable& one : answer->variables) {
    if (one.is_argument && *one.is_argument != (which == "args")) continue;
    if (!name.empty() && name != one.name && name != one.called) continue;
    text +=
        fmt::format("{}{} = {}\n", base::Printable(one.name),
                    one.called.empty() ? "" : fmt::format(" ({})", base::Printable(one.called)),
                    one.missing ? fmt::format("<{}>", *one.missing) : base::Printable(one.value));
  }
  if (text.empty() && !name.empty()) {
    return Fail(ErrorKind::kUsage, fmt::format("no '{}' among the {} here", name,
                                               which == "args" ? "arguments" : which));
  }
  Say(text.empty() ? fmt::format("No {}.\n", which == "args" ? "arguments" : which) : text);
  return {};
}

Expected<void> DebugTerminal::InfoFrame() {
  if (auto runs = NeedPlace(); !runs) return runs;
  const auto answer = session_.Ask(debug::FramesRequest{Here()});
  if (!answer) return tl::unexpected(answer.error());
  const debug::Frame& frame = answer->frames.at(frame_);
  std::string text = fmt::format("Frame {} of {}: {}\n", frame_, answer->frames.size(),
                                 base::Printable(frame.function));
  if (frame.line) {
    text += fmt::format("  at {}:{}:{}\n", base::Printable(frame.file), *frame.line, frame.column);
  }
  text += fmt::format("  *{}  {}\n", frame.origin, base::Printable(frame.instruction));
  if (frame.inlined) text += "  inlined by the compiler\n";
  const auto& item = session_.stop().where.item;
  if (item && !item_) {
    text += fmt::format("  work-item {}, work-group {}\n", IdText(item->global_id),
                        IdText(item->group_id));
  }
  Say(text);
  return {};
}

Expected<void> DebugTerminal::InfoItems(bool all) {
  if (auto runs = NeedPlace(); !runs) return runs;
  auto answer = session_.Ask(debug::ItemsRequest{.all = all});
  if (!answer) return tl::unexpected(answer.error());
  for (debug::Item& one : answer->items) {
    if (item_) one.selected = one.id == *item_;
  }
  Say(Folded(
      answer->items,
      [](const debug::Item& one, const std::string& ids) {
        return fmt::format("{:<12} group {:<10} {}\n", ids, IdText(one.group_id), one.state);
      },
      &debug::Item::global_id));
  return {};
}

Expected<void> DebugTerminal::InfoGroups() {
  if (auto runs = NeedPlace(); !runs) return runs;
  const auto answer = session_.Ask(debug::GroupsRequest());
  if (!answer) return tl::unexpected(answer.error());
  std::string text =
      fmt::format("{} work-groups of {}\n", answer->count, IdText(answer->local_size));
  text += Folded(
      answer->groups,
      [](const debug::Item& one, const std::string& ids) {
        return fmt::format("{:<12} {}\n", ids, one.state);
      },
      &debug::Item::group_id);
  if (answer->groups.size() < answer->count) {
    text += fmt::format("  and those behind the first {}\n", answer->groups.size());
  }
  Say(text);
  return {};
}

Expected<void> DebugTerminal::InfoObjects() {
  const auto answer = session_.Ask(debug::ObjectsRequest());
  if (!answer) return tl::unexpected(answer.error());
  std::string text;
  for (const debug::MemoryObject& one : answer->objects) {
    text += fmt::format("{:#x}  {:<8} {:>8} bytes  {}{}\n", one.address, one.space, one.bytes,
                        base::Printable(one.name), one.writable ? "" : "  (read-only)");
  }
  Say(text.empty() ? "No objects.\n" : text);
  return {};
}

Expected<void> DebugTerminal::InfoSource() {
  const auto answer = session_.Ask(debug::FunctionsRequest());
  if (!answer) return tl::unexpected(answer.error());
  const std::uint32_t file = list_file_ != 0 ? list_file_ : answer->main_file;
  if (file == 0) {
    Say("The module says nothing about its source.\n");
    return {};
  }
  Say(fmt::format("{}, {} lines\n", base::Printable(session_.module().debug_info.files[file].path),
                  lines_.Count(file)));
  return {};
}

// Files or functions of the module.
Expected<void> DebugTerminal::InfoNames(const std::string& what) {
  const auto answer = session_.Ask(debug::FunctionsRequest());
  if (!answer) return tl::unexpected(answer.error());
  std::string text;
  for (const std::string& one : what == "files" ? answer->files : answer->functions) {
    text += one + "\n";
  }
  Say(text.empty() ? fmt::format("No {}.\n", what) : text);
  return {};
}

Expected<void> DebugTerminal::InfoLine(const std::string& place) {
  const auto answer = session_.Ask(debug::ResolveRequest{.location = place, .file = list_file_});
  if (!answer) return tl::unexpected(answer.error());
  Say(fmt::format("{}: {} place{}\n", base::Printable(answer->text), answer->places,
                  answer->places == 1 ? "" : "s"));
  return {};
}

std::string DebugTerminal::InfoCheckpoints() const {
  std::string text;
  for (const auto& [number, mark] : marks_) {
    text += fmt::format("{:<4} time {}\n", number, mark.time);
  }
  return text.empty() ? "No checkpoints.\n" : text;
}

std::string DebugTerminal::InfoDisplays() const {
  std::string text;
  for (const Displayed& one : displays_) {
    text += fmt::format("{:<4} {}\n", one.number, one.expression);
  }
  return text.empty() ? "No displays.\n" : text;
}

std::span<const std::string_view> DebugTerminal::InfoWords() {
  static constexpr std::string_view kWords[] = {
      "breakpoints", "locals", "args",    "globals", "registers",   "frame",     "source",
      "line",        "items",  "threads", "groups",  "objects",     "files",     "functions",
      "checkpoints", "time",   "display", "rules",   "watchpoints", "all-items", "shadow"};
  return kWords;
}

Expected<void> DebugTerminal::Info(const std::string& arguments) {
  std::string rest = arguments;
  const std::string word = TakeWord(&rest);
  std::string what;
  for (const std::string_view one : InfoWords()) {
    if (!word.empty() && one.starts_with(word) && (what.empty() || one == word)) what = one;
  }
  if (what == "breakpoints" || what == "watchpoints")
    return Say(InfoBreakpoints()), Expected<void>();
  if (what == "locals" || what == "args" || what == "globals" || what == "registers") {
    return InfoVariables(what, rest);
  }
  if (what == "frame") return InfoFrame();
  if (what == "source") return InfoSource();
  if (what == "items" || what == "threads") return InfoItems(false);
  if (what == "all-items") return InfoItems(true);
  if (what == "groups") return InfoGroups();
  if (what == "shadow") return InfoShadow();
  if (what == "objects") return InfoObjects();
  if (what == "files" || what == "functions") return InfoNames(what);
  if (what == "line") return InfoLine(rest);
  if (what == "checkpoints") return Say(InfoCheckpoints()), Expected<void>();
  if (what == "time") {
    if (auto runs = NeedPlace(); !runs) return runs;
    Say(fmt::format("Time {}: instructions that were begun, over all work-items\n",
                    session_.time()));
    return {};
  }
  if (what == "display") return Say(InfoDisplays()), Expected<void>();
  if (what == "rules") {
    std::string text;
    for (const interp::RuleRow& rule : interp::Rules()) text += std::string(rule.id) + "\n";
    Say(text);
    return {};
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("{}info breakpoints, locals, args, globals, registers [%ID], frame, "
                          "source, line PLACE, items, all-items, groups, objects, files, "
                          "functions, checkpoints, time, display, rules or shadow",
                          word.empty() ? "" : fmt::format("no '{}': ", base::Printable(word))));
}

}  // namespace assay::tools
