// `info`.
#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "interp/rules/rule.h"
#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

// A line each; many of a group in the same state, one behind the other, have one line.
template <typename IsSelected, typename Line>
std::string Folded(const DebugMessage& all, IsSelected is_selected, Line line, const char* id) {
  constexpr std::size_t kFold = 4;
  std::string text;
  for (std::size_t i = 0; i < all.size();) {
    const bool selected = is_selected(all[i]);
    std::size_t end = i + 1;
    while (
        !selected && end < all.size() && !is_selected(all[end]) &&
        all[end].at("state") == all[i].at("state") &&
        (std::string_view(id) == "group_id" || all[end].at("group_id") == all[i].at("group_id"))) {
      ++end;
    }
    const bool folds = end - i >= kFold;
    if (!folds) end = i + 1;
    std::string ids = IdText(all[i].at(id));
    if (folds) ids += " to " + IdText(all[end - 1].at(id));
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
  DebugMessage request = About(which == "registers" ? "registers"
                               : which == "globals" ? "globals"
                                                    : "variables");
  request["limit"] = print_limit_;
  const auto answer = session_.Ask(request);
  if (!answer) return tl::unexpected(answer.error());
  std::string text;
  for (const DebugMessage& one : answer->at("variables")) {
    if (one.contains("argument") && one.at("argument").get<bool>() != (which == "args")) continue;
    const std::string called = TextOf(one, "called");
    if (!name.empty() && name != TextOf(one, "name") && name != called) continue;
    text += fmt::format("{}{} = {}\n", base::Printable(TextOf(one, "name")),
                        called.empty() ? "" : fmt::format(" ({})", base::Printable(called)),
                        one.contains("missing") ? fmt::format("<{}>", TextOf(one, "missing"))
                                                : base::Printable(TextOf(one, "value")));
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
  const auto answer = session_.Ask(About("frames"));
  if (!answer) return tl::unexpected(answer.error());
  const DebugMessage& frames = answer->at("frames");
  const DebugMessage& frame = frames.at(frame_);
  std::string text = fmt::format("Frame {} of {}: {}\n", frame_, frames.size(),
                                 base::Printable(TextOf(frame, "function")));
  if (frame.contains("line")) {
    text +=
        fmt::format("  at {}:{}:{}\n", base::Printable(TextOf(frame, "file")),
                    frame.at("line").get<std::uint32_t>(), frame.at("column").get<std::uint32_t>());
  }
  text += fmt::format("  *{}  {}\n", frame.at("origin").get<std::uint32_t>(),
                      base::Printable(TextOf(frame, "instruction")));
  if (frame.at("inlined").get<bool>()) text += "  inlined by the compiler\n";
  const DebugMessage where = session_.stop().value("where", DebugMessage::object());
  if (where.contains("global_id") && !item_) {
    text += fmt::format("  work-item {}, work-group {}\n", IdText(where.at("global_id")),
                        IdText(where.at("group_id")));
  }
  Say(text);
  return {};
}

Expected<void> DebugTerminal::InfoItems(bool all) {
  if (auto runs = NeedPlace(); !runs) return runs;
  const auto answer = session_.Ask({{"do", "items"}, {"all", all}});
  if (!answer) return tl::unexpected(answer.error());
  const auto is_selected = [&](const DebugMessage& one) {
    return item_ ? one.at("group") == item_->first && one.at("local") == item_->second
                 : one.at("selected").get<bool>();
  };
  Say(Folded(
      answer->at("items"), is_selected,
      [](const DebugMessage& one, std::string ids) {
        return fmt::format("{:<12} group {:<10} {}\n", ids, IdText(one.at("group_id")),
                           TextOf(one, "state"));
      },
      "global_id"));
  return {};
}

Expected<void> DebugTerminal::InfoGroups() {
  if (auto runs = NeedPlace(); !runs) return runs;
  const auto answer = session_.Ask({{"do", "groups"}});
  if (!answer) return tl::unexpected(answer.error());
  std::string text = fmt::format("{} work-groups of {}\n", answer->at("count").get<std::uint64_t>(),
                                 IdText(answer->at("local_size")));
  const DebugMessage& groups = answer->at("groups");
  text += Folded(
      groups, [](const DebugMessage& one) { return one.at("selected").get<bool>(); },
      [](const DebugMessage& one, std::string ids) {
        return fmt::format("{:<12} {}\n", ids, TextOf(one, "state"));
      },
      "group_id");
  if (groups.size() < answer->at("count").get<std::uint64_t>()) {
    text += fmt::format("  and those behind the first {}\n", groups.size());
  }
  Say(text);
  return {};
}

Expected<void> DebugTerminal::InfoObjects() {
  const auto answer = session_.Ask({{"do", "objects"}});
  if (!answer) return tl::unexpected(answer.error());
  std::string text;
  for (const DebugMessage& one : answer->at("objects")) {
    text += fmt::format("{:#x}  {:<8} {:>8} bytes  {}{}\n", one.at("address").get<std::uint64_t>(),
                        TextOf(one, "space"), one.at("bytes").get<std::uint64_t>(),
                        base::Printable(TextOf(one, "name")),
                        one.at("writable").get<bool>() ? "" : "  (read-only)");
  }
  Say(text.empty() ? "No objects.\n" : text);
  return {};
}

Expected<void> DebugTerminal::InfoSource() {
  const auto answer = session_.Ask({{"do", "functions"}});
  if (!answer) return tl::unexpected(answer.error());
  const std::uint32_t file =
      list_file_ != 0 ? list_file_ : answer->at("main_file").get<std::uint32_t>();
  if (file == 0) {
    Say("The module says nothing about its source.\n");
    return {};
  }
  Say(fmt::format("{}, {} lines\n", base::Printable(session_.module().debug_info.files[file].path),
                  lines_.Count(file)));
  return {};
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
  if (what == "files" || what == "functions") {
    const auto answer = session_.Ask({{"do", "functions"}});
    if (!answer) return tl::unexpected(answer.error());
    std::string text;
    for (const DebugMessage& one : answer->at(what)) text += one.get<std::string>() + "\n";
    Say(text.empty() ? fmt::format("No {}.\n", what) : text);
    return {};
  }
  if (what == "line") {
    DebugMessage question{{"do", "resolve"}, {"location", rest}, {"file", list_file_}};
    const auto answer = session_.Ask(question);
    if (!answer) return tl::unexpected(answer.error());
    Say(fmt::format("{}: {} place{}\n", base::Printable(TextOf(*answer, "text")),
                    answer->at("places").get<std::size_t>(), answer->at("places") == 1 ? "" : "s"));
    return {};
  }
  if (what == "checkpoints") {
    std::string text;
    for (const auto& [number, mark] : marks_) {
      text += fmt::format("{:<4} time {}\n", number, mark.time);
    }
    Say(text.empty() ? "No checkpoints.\n" : text);
    return {};
  }
  if (what == "time") {
    if (auto runs = NeedPlace(); !runs) return runs;
    Say(fmt::format("Time {}: instructions that were begun, over all work-items\n",
                    session_.time()));
    return {};
  }
  if (what == "display") {
    std::string text;
    for (const Displayed& one : displays_)
      text += fmt::format("{:<4} {}\n", one.number, one.expression);
    Say(text.empty() ? "No displays.\n" : text);
    return {};
  }
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
