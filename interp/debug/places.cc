#include "interp/debug/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "frontend/cfg.h"
#include "frontend/debug_types.h"
#include "frontend/kernel_body.h"

namespace assay::interp {

using frontend::Op;

namespace {

std::optional<std::uint32_t> NumberOf(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

}  // namespace

DebugPlaces::DebugPlaces(const frontend::Module& module, const Program& program)
    : module_(module), program_(program) {
  FindFunctions();
  hides_kernel_ = CallsKernel();
  FindPlaces();
}

void DebugPlaces::FindFunctions() {
  function_of_.assign(module_.instructions.size(), frontend::kNone);
  has_scopes_.assign(module_.functions.size(), false);
  std::uint32_t now = frontend::kNone;
  for (std::uint32_t i = 0; i < module_.instructions.size(); ++i) {
    const frontend::Instruction& instruction = module_.instructions[i];
    if (instruction.opcode == Op::kFunction) {
      const frontend::Function* function = module_.FindFunction(instruction.result);
      if (function != nullptr) {
        now = static_cast<std::uint32_t>(function - module_.functions.data());
      }
    }
    function_of_[i] = now;
    if (now != frontend::kNone && module_.debug_info.locations[i].scope != 0) {
      has_scopes_[now] = true;
    }
    if (instruction.opcode == Op::kFunctionEnd) now = frontend::kNone;
  }
}

// Compilers make an entry point of its own that does nothing but call the kernel.
bool DebugPlaces::CallsKernel() const {
  int calls = 0;
  for (const DebugMarker& marker : program_.debug->markers) {
    if (marker.site != 0) continue;
    switch (module_.instructions[marker.origin].opcode) {
      case Op::kFunctionCall:
        ++calls;
        break;
      case Op::kLoad:
      case Op::kStore:
      case Op::kReturn:
        break;
      default:
        return false;
    }
  }
  return calls == 1;
}

void DebugPlaces::FindPlaces() {
  const auto& markers = program_.debug->markers;
  std::vector<std::uint32_t> site_depth(program_.sites.size(), 0);
  for (std::uint32_t site = 1; site < program_.sites.size(); ++site) {
    site_depth[site] = site_depth[program_.sites[site].caller] + 1;
  }
  std::map<std::tuple<std::uint32_t, frontend::Id, std::string>, std::uint32_t> frames;
  struct Inlined {
    std::uint32_t depth = 0;
    std::string function;
  };
  std::map<std::pair<frontend::Id, frontend::Id>, Inlined> inlined;  // by scope and inlined_at
  places_.resize(markers.size());
  for (std::uint32_t i = 0; i < markers.size(); ++i) {
    const auto [origin, site] = markers[i];
    frontend::SourceLocation location;
    if (origin < module_.debug_info.locations.size()) {
      location = module_.debug_info.locations[origin];
    }
    const std::uint32_t function = function_of_[origin];
    const bool is_prologue =
        function != frontend::kNone && has_scopes_[function] && location.scope == 0;
    DebugPlace& place = places_[i];
    if (location.IsKnown() && !is_prologue) {
      place.file = location.file;
      place.line = location.line;
      has_lines_ = true;
      if (main_file_ == 0) main_file_ = location.file;
    }
    const auto [known, is_new] = inlined.try_emplace({location.scope, location.inlined_at});
    if (is_new) {
      const auto all = frontend::SourceFramesAt(module_, location);
      known->second = {static_cast<std::uint32_t>(std::max<std::size_t>(all.size(), 1) - 1),
                       all.empty() ? std::string() : all.front().function};
    }
    place.depth = site_depth[site] + known->second.depth;
    const auto key = std::tuple(site, location.inlined_at, known->second.function);
    place.frame = frames.try_emplace(key, static_cast<std::uint32_t>(frames.size())).first->second;
  }
  // Markers of a block of the module follow each other, as long as its instructions do.
  std::uint32_t last = kNoMarker;
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    if (i == 0 || markers[i].site != markers[i - 1].site ||
        markers[i].origin < markers[i - 1].origin ||
        frontend::IsTerminator(module_.instructions[markers[i - 1].origin].opcode)) {
      last = kNoMarker;
    }
    if (places_[i].line == 0) continue;
    places_[i].starts_line = last == kNoMarker || places_[last].line != places_[i].line ||
                             places_[last].file != places_[i].file ||
                             places_[last].frame != places_[i].frame;
    last = i;
  }
}

std::string DebugPlaces::FunctionName(std::uint32_t function) const {
  if (function == frontend::kNone) return "?";
  const frontend::Function& one = module_.functions[function];
  std::string name(module_.NameOf(one.id));
  if (name.starts_with(frontend::kKernelBodyPrefix)) {
    name.erase(0, frontend::kKernelBodyPrefix.size());
  }
  if (!name.empty()) return name;
  for (const frontend::EntryPoint& entry : module_.entry_points) {
    if (entry.function == one.id) return entry.name;
  }
  return fmt::format("%{}", one.id);
}

std::optional<std::uint32_t> DebugPlaces::FindFile(std::string_view path) const {
  const auto& files = module_.debug_info.files;
  for (std::uint32_t i = 1; i < files.size(); ++i) {
    const std::string& known = files[i].path;
    if (known == path) return i;
    if (known.size() > path.size() && known.ends_with(path) &&
        known[known.size() - path.size() - 1] == '/') {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> DebugPlaces::MarkerOf(std::uint32_t site, std::uint32_t origin) const {
  const auto& markers = program_.debug->markers;
  for (std::uint32_t i = 0; i < markers.size(); ++i) {
    if (markers[i].site == site && markers[i].origin == origin) return i;
  }
  return std::nullopt;
}

// --- what people name -------------------------------------------------------------------------

DebugLocation DebugPlaces::At(std::uint32_t origin, std::vector<std::uint32_t> markers) const {
  DebugLocation location;
  location.markers = std::move(markers);
  const DebugPlace& place = places_[location.markers.front()];
  location.file = place.file;
  location.line = place.line;
  const std::string function = FunctionName(function_of_[origin]);
  location.text = place.line == 0
                      ? fmt::format("*{} in {}", origin, function)
                      : fmt::format("{}:{}", module_.debug_info.files[place.file].path, place.line);
  return location;
}

Expected<DebugLocation> DebugPlaces::Resolve(const std::string& text, std::uint32_t file) const {
  if (text.empty())
    return Fail(ErrorKind::kUsage,
                "no place: write a line, FILE:LINE, a function, %ID or *INSTRUCTION");
  if (text[0] == '%' && text.size() > 1) return ResolveId(text);
  if (text[0] == '*') return ResolveInstruction(text);
  if (const auto line = NumberOf(text)) {
    if (!has_lines_) {
      return Fail(ErrorKind::kUsage,
                  "the module says nothing about source lines; break at a function, at %ID, or at "
                  "*INSTRUCTION as `disassemble` shows them");
    }
    if (*line == 0) return Fail(ErrorKind::kUsage, "lines are counted from 1");
    return ResolveLine(file == 0 ? main_file_ : file, *line);
  }
  if (const std::size_t colon = text.rfind(':'); colon != std::string::npos) {
    const auto line = NumberOf(std::string_view(text).substr(colon + 1));
    const auto found = FindFile(std::string_view(text).substr(0, colon));
    if (!found) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("no code comes from a file '{}'; `info files` lists "
                              "those that there are",
                              text.substr(0, colon)));
    }
    if (!line) return ResolveFunction(text.substr(colon + 1));
    return ResolveLine(*found, *line);
  }
  return ResolveFunction(text);
}

// At each call site the first place of the line, or of the next line that has code.
Expected<DebugLocation> DebugPlaces::ResolveLine(std::uint32_t file, std::uint32_t line) const {
  std::uint32_t best = 0;
  for (const DebugPlace& place : places_) {
    if (place.file == file && place.line >= line && (best == 0 || place.line < best)) {
      best = place.line;
    }
  }
  const std::string& path = module_.debug_info.files[file].path;
  if (best == 0) {
    return Fail(ErrorKind::kUsage, fmt::format("{} has no code of this kernel at line {} or behind "
                                               "it",
                                               path, line));
  }
  std::map<std::uint32_t, std::uint32_t> first;  // by frame
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    if (places_[i].file != file || places_[i].line != best) continue;
    auto [place, added] = first.try_emplace(places_[i].frame, i);
    const auto& markers = program_.debug->markers;
    if (!added && markers[i].origin < markers[place->second].origin) place->second = i;
  }
  DebugLocation location;
  for (const auto& [frame, marker] : first) location.markers.push_back(marker);
  std::sort(location.markers.begin(), location.markers.end());
  location.file = file;
  location.line = best;
  location.text = fmt::format("{}:{}", path, best);
  return location;
}

// The first place of the programmer's in the function, at each of its call sites.
Expected<DebugLocation> DebugPlaces::ResolveFunction(const std::string& name) const {
  const auto& markers = program_.debug->markers;
  std::map<std::uint32_t, std::uint32_t> first;  // by frame
  std::map<std::uint32_t, std::uint32_t> begin;  // the same, whether or not it has a line
  std::uint32_t origin = 0;
  const auto look = [&](std::uint32_t i, bool in_source) {
    const auto& locations = module_.debug_info.locations;
    const auto inlined = frontend::SourceFramesAt(module_, locations[markers[i].origin]);
    const std::uint32_t function = function_of_[markers[i].origin];
    const bool is_it = inlined.empty() || !in_source ? FunctionName(function) == name
                                                     : inlined.front().function == name;
    if (!is_it || IsWrapper(markers[i].site)) return;
    if (places_[i].line != 0) first.try_emplace(places_[i].frame, i);
    const frontend::Instruction& instruction = module_.instructions[markers[i].origin];
    // What stores parameters into their variables.
    const bool stores_parameter =
        instruction.opcode == Op::kStore &&
        module_.Definition(module_.Operands(instruction)[1]) != nullptr &&
        module_.Definition(module_.Operands(instruction)[1])->opcode == Op::kFunctionParameter;
    if (!stores_parameter) begin.try_emplace(places_[i].frame, i);
  };
  for (std::uint32_t i = 0; i < places_.size(); ++i) look(i, true);
  // Debug information may call it something else than the module does.
  for (std::uint32_t i = 0; begin.empty() && first.empty() && i < places_.size(); ++i) {
    look(i, false);
  }
  if (first.empty()) first = begin;
  if (first.empty()) {
    std::string names;
    for (std::uint32_t function = 0; function < module_.functions.size(); ++function) {
      if (module_.functions[function].IsDeclaration()) continue;
      const std::string one = FunctionName(function);
      if (names.find(one) == std::string::npos) names += (names.empty() ? "" : ", ") + one;
    }
    return Fail(ErrorKind::kUsage,
                fmt::format("this kernel runs no function '{}'; the module has: {}", name, names));
  }
  std::vector<std::uint32_t> found;
  for (const auto& [frame, marker] : first) found.push_back(marker);
  std::sort(found.begin(), found.end());
  origin = markers[found.front()].origin;
  return At(origin, std::move(found));
}

Expected<DebugLocation> DebugPlaces::ResolveId(const std::string& text) const {
  const auto number = NumberOf(std::string_view(text).substr(1));
  const auto& markers = program_.debug->markers;
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < markers.size(); ++i) {
    const frontend::Instruction& instruction = module_.instructions[markers[i].origin];
    if (instruction.result == 0) continue;
    if (number ? instruction.result == *number
               : module_.NameOf(instruction.result) == text.substr(1)) {
      found.push_back(i);
    }
  }
  if (found.empty()) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("no instruction of this kernel that is executed has the result {}", text));
  }
  const std::uint32_t origin = markers[found.front()].origin;
  return At(origin, std::move(found));
}

Expected<DebugLocation> DebugPlaces::ResolveInstruction(const std::string& text) const {
  const auto number = NumberOf(std::string_view(text).substr(1));
  const auto& markers = program_.debug->markers;
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; number && i < markers.size(); ++i) {
    if (markers[i].origin == *number) found.push_back(i);
  }
  if (found.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} is no instruction of this kernel that is executed; `disassemble` "
                            "shows them",
                            text));
  }
  return At(*number, std::move(found));
}

}  // namespace assay::interp
