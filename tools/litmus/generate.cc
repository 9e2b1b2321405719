#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "tools/litmus/program.h"

namespace assay::tools::litmus {
namespace {

constexpr std::string_view kRegisters = "litmus_registers";

// A variable that processes share.
struct Variable {
  std::string name;
  std::string type;
  Space space = Space::kGlobal;
  std::vector<std::int64_t> initial;
  bool is_shown = false;
  int line = 1;
  std::set<std::size_t> groups;  // that use it
};

// A process with its place in the kernel's index space.
struct Placed {
  const Process* process = nullptr;
  std::size_t group = 0;
  std::size_t item = 0;  // local id
  Translated code;
};

int BitsOfOpenClType(std::string_view type) { return type == "long" || type == "ulong" ? 64 : 32; }

class Generator {
 public:
  explicit Generator(const Program& program) : program_(program) {}

  Expected<Test> Run() {
    test_.path = program_.path;
    test_.name = program_.name;
    test_.kernel = "litmus";
    test_.question = program_.question;
    for (const auto step :
         {&Generator::Place, &Generator::CollectVariables, &Generator::CollectInitials,
          &Generator::Show, &Generator::CheckBarriers}) {
      if (auto good = (this->*step)(); !good) return tl::unexpected(good.error());
    }
    Describe();
    Write();
    return std::move(test_);
  }

 private:
  tl::unexpected<Error> Wrong(int line, const std::string& message,
                              ErrorKind kind = ErrorKind::kUsage) const {
    return Fail(kind, fmt::format("{}:{}: {}", program_.path, line, message));
  }

  // Without scopes a process is a work-group, unless they need a common one.
  bool SharesOneGroup() const {
    return std::ranges::any_of(program_.processes, [](const Process& process) {
      return process.body.find("barrier") != std::string_view::npos ||
             std::ranges::any_of(process.parameters, [](const Parameter& parameter) {
               return parameter.space == Space::kLocal;
             });
    });
  }

  Expected<void> Place() {
    const bool shares = SharesOneGroup();
    std::map<std::pair<int, int>, std::vector<std::pair<litmus::Place, const Process*>>> groups;
    std::set<int> devices;
    for (const Process& process : program_.processes) {
      const litmus::Place place =
          process.place.value_or(litmus::Place{.work_group = shares ? 0 : process.number});
      groups[{place.device, place.work_group}].emplace_back(place, &process);
      devices.insert(place.device);
    }
    device_is_group_ = devices.size() > 1;
    if (device_is_group_ && groups.size() != devices.size()) {
      return Wrong(program_.processes[0].line,
                   "several devices with several work-groups; assay runs one device, or devices of "
                   "one work-group each",
                   ErrorKind::kUnsupported);
    }
    std::size_t largest = 1, sub_groups = 1;
    for (auto& [key, members] : groups) {
      std::map<int, std::size_t> sizes;
      for (const auto& [place, process] : members) {
        largest = std::max(largest, ++sizes[place.sub_group]);
      }
      sub_groups = std::max(sub_groups, sizes.size());
    }
    if (sub_groups > 1) test_.sub_group_size = static_cast<std::uint32_t>(largest);
    test_.groups = groups.size();
    std::size_t group = 0;
    for (auto& [key, members] : groups) {
      if (auto placed = PlaceGroup(group++, largest, members); !placed) return placed;
    }
    return {};
  }

  Expected<void> PlaceGroup(std::size_t group, std::size_t sub_group_size,
                            const std::vector<std::pair<litmus::Place, const Process*>>& members) {
    std::map<int, std::size_t> sub_groups;  // their work-items so far
    for (const auto& [place, process] : members) sub_groups[place.sub_group] = 0;
    for (const auto& [place, process] : members) {
      const auto number = static_cast<std::size_t>(
          std::distance(sub_groups.begin(), sub_groups.find(place.sub_group)));
      const std::size_t item = number * sub_group_size + sub_groups[place.sub_group]++;
      test_.group_size = std::max<std::uint64_t>(test_.group_size, item + 1);
      auto code = Translate(*process, device_is_group_, program_.path);
      if (!code) return tl::unexpected(code.error());
      placed_.push_back({process, group, item, std::move(*code)});
    }
    return {};
  }

  Variable* FindVariable(std::string_view name) {
    const auto found = std::ranges::find(variables_, name, &Variable::name);
    return found == variables_.end() ? nullptr : &*found;
  }

  Expected<void> CollectVariables() {
    for (const Placed& placed : placed_) {
      for (const Parameter& parameter : placed.process->parameters) {
        Variable* variable = FindVariable(parameter.name);
        if (variable == nullptr) {
          variables_.push_back({.name = parameter.name,
                                .type = parameter.type,
                                .space = parameter.space,
                                .initial = {0},
                                .line = parameter.line,
                                .groups = {}});
          variable = &variables_.back();
        }
        if (variable->space != parameter.space) {
          return Wrong(parameter.line,
                       fmt::format("{} is in global memory here and in local memory at line {}, "
                                   "or the other way round; it is one variable",
                                   parameter.name, variable->line));
        }
        if (variable->type != parameter.type) {
          return Wrong(parameter.line,
                       fmt::format("{} is of type {} here and of type {} at line {}",
                                   parameter.name, parameter.type, variable->type, variable->line));
        }
        variable->groups.insert(placed.group);
      }
    }
    return {};
  }

  Expected<void> CollectInitials() {
    for (const Initial& initial : program_.initials) {
      const Location& location = initial.location;
      if (location.process) {
        if (!initial.values.empty()) {
          registers_[{*location.process, location.name}] = initial.values[0];
        }
        continue;
      }
      Variable* variable = FindVariable(location.name);
      if (variable == nullptr) {
        variables_.push_back({.name = location.name,
                              .type = initial.type.empty() ? "int" : initial.type,
                              .initial = {0},
                              .line = location.line,
                              .groups = {}});
        variable = &variables_.back();
      }
      if (!initial.values.empty()) variable->initial = initial.values;
      // "int x[2]" has two elements; "[x]=1" and "x[1]=1" name one.
      if (location.has_element && initial.values.empty())
        variable->initial.resize(location.element);
    }
    return {};
  }

  Expected<void> Show() {
    for (const Location& location : program_.locations) {
      if (auto shown = location.process ? ShowRegister(location) : ShowVariable(location); !shown) {
        return shown;
      }
    }
    return {};
  }

  Expected<void> ShowRegister(const Location& location) {
    const auto placed = std::ranges::find_if(placed_, [&](const Placed& candidate) {
      return candidate.process->number == *location.process;
    });
    if (placed == placed_.end()) {
      return Wrong(location.line, fmt::format("there is no process P{}", *location.process));
    }
    const auto& registers = placed->code.registers;
    const auto known =
        std::ranges::find(registers, location.name, &std::pair<std::string, std::string>::first);
    if (known == registers.end()) {
      const bool is_parameter =
          std::ranges::find(placed->process->parameters, location.name, &Parameter::name) !=
          placed->process->parameters.end();
      if (is_parameter) {
        return Wrong(location.line,
                     fmt::format("{} is a parameter of P{}, whose value is an address; ask for the "
                                 "variable: {}",
                                 location.name, *location.process, location.name));
      }
      return Wrong(location.line, fmt::format("P{} has no register {}; declare it there: int {}",
                                              *location.process, location.name, location.name));
    }
    shown_registers_.push_back({placed->process->number, location.name});
    test_.shown.push_back({.name = location.Text(),
                           .element = shown_registers_.size() - 1,
                           .bits = BitsOfOpenClType(known->second)});
    return {};
  }

  Expected<void> ShowVariable(const Location& location) {
    Variable* variable = FindVariable(location.name);
    if (variable == nullptr) {
      return Wrong(location.line, fmt::format("no process has a parameter {}", location.name));
    }
    if (variable->space == Space::kLocal && variable->groups.size() > 1) {
      return Wrong(location.line,
                   fmt::format("each of {} work-groups has a variable {} in its local memory; ask "
                               "for a register",
                               variable->groups.size(), location.name));
    }
    variable->is_shown = true;
    if (variable->initial.size() <= location.element)
      variable->initial.resize(location.element + 1);
    test_.shown.push_back({.name = location.Text(),
                           .element = location.element,
                           .bits = BitsOfOpenClType(variable->type)});
    return {};
  }

  // The processes of a work-group wait at the same barriers, in the same order.
  Expected<void> CheckBarriers() {
    for (const Placed& placed : placed_) {
      const auto first = std::ranges::find(placed_, placed.group, &Placed::group);
      const auto& here = placed.code.segments;
      const auto& there = first->code.segments;
      for (std::size_t i = 0; i < std::max(here.size(), there.size()); ++i) {
        const std::string a = i < here.size() ? here[i].barrier + here[i].barrier_id : "";
        const std::string b = i < there.size() ? there[i].barrier + there[i].barrier_id : "";
        if (a == b) continue;
        return Wrong(i < here.size() ? here[i].barrier_line : placed.process->line,
                     fmt::format("P{} and P{} are in one work-group, and their barriers differ",
                                 first->process->number, placed.process->number));
      }
    }
    return {};
  }

  // Arguments, and the places of what is shown in them.
  void Describe() {
    std::map<std::string, std::size_t> arguments;
    for (const Variable& variable : variables_) {
      if (variable.space == Space::kLocal && !variable.is_shown) continue;
      arguments[variable.name] = test_.arguments.size();
      test_.arguments.push_back(fmt::format("{}[{}]={}", variable.type, variable.initial.size(),
                                            fmt::join(variable.initial, ",")));
    }
    const std::size_t registers = test_.arguments.size();
    if (!shown_registers_.empty()) {
      test_.arguments.push_back(fmt::format("long[{}]=0", shown_registers_.size()));
    }
    for (std::size_t i = 0; i < test_.shown.size(); ++i) {
      const Location& location = program_.locations[i];
      test_.shown[i].argument = location.process ? registers : arguments.at(location.name);
    }
  }

  void Write() {
    std::vector<std::string> parameters;
    for (const Variable& variable : variables_) {
      const bool is_local = variable.space == Space::kLocal;
      if (is_local && !variable.is_shown) continue;
      parameters.push_back(
          fmt::format("global {}* {}{}", variable.type, is_local ? "litmus_" : "", variable.name));
    }
    if (!shown_registers_.empty()) parameters.push_back(fmt::format("global long* {}", kRegisters));
    std::string& text = test_.source;
    text = fmt::format("kernel void {}({}) {{\n", test_.kernel, fmt::join(parameters, ", "));
    WriteDeclarations();
    text += "switch (get_group_id(0)) {\n";
    for (std::size_t group = 0; group < test_.groups; ++group) WriteGroup(group);
    text += "}\n";
    WriteLocalResults();
    text += "}\n";
  }

  void WriteDeclarations() {
    std::string& text = test_.source;
    for (const Placed& placed : placed_) {
      for (const auto& [name, type] : placed.code.registers) {
        const auto initial = registers_.find({placed.process->number, name});
        text += fmt::format("{} {} = {};\n", type, RegisterName(placed.process->number, name),
                            initial == registers_.end() ? 0 : initial->second);
      }
    }
    std::string filled;
    for (const Variable& variable : variables_) {
      if (variable.space != Space::kLocal) continue;
      text +=
          fmt::format("local {} {}[{}];\n", variable.type, variable.name, variable.initial.size());
      for (std::size_t i = 0; i < variable.initial.size(); ++i) {
        filled += fmt::format(" {}[{}] = {};", variable.name, i, variable.initial[i]);
      }
    }
    if (filled.empty()) return;
    text +=
        fmt::format("if (get_local_id(0) == 0) {{{} }}\nbarrier(CLK_LOCAL_MEM_FENCE);\n", filled);
  }

  void WriteGroup(std::size_t group) {
    std::string& text = test_.source;
    const auto first = std::ranges::find(placed_, group, &Placed::group);
    text += fmt::format("case {}:\n", group);
    for (std::size_t i = 0; i < first->code.segments.size(); ++i) {
      text += "switch (get_local_id(0)) {\n";
      for (const Placed& placed : placed_) {
        if (placed.group == group) WriteSegment(placed, i);
      }
      text += "}\n";
      const Segment& segment = first->code.segments[i];
      if (!segment.barrier.empty()) {
        text += fmt::format("#line {}\n{};\n", segment.barrier_line, segment.barrier);
      }
    }
    text += "break;\n";
  }

  // The lines of a segment are those of the test, so that findings name them.
  void WriteSegment(const Placed& placed, std::size_t index) {
    const Segment& segment = placed.code.segments[index];
    std::string& text = test_.source;
    text += fmt::format("case {}: {{\n#line {}\n{}\n", placed.item, segment.line, segment.code);
    if (segment.barrier.empty()) {
      for (std::size_t i = 0; i < shown_registers_.size(); ++i) {
        const auto& [process, name] = shown_registers_[i];
        if (process != placed.process->number) continue;
        text += fmt::format("{}[{}] = {};\n", kRegisters, i, RegisterName(process, name));
      }
    }
    text += "} break;\n";
  }

  void WriteLocalResults() {
    std::string copies;
    for (const Variable& variable : variables_) {
      if (variable.space != Space::kLocal || !variable.is_shown) continue;
      copies += fmt::format(" if (get_group_id(0) == {}) {{", *variable.groups.begin());
      for (std::size_t i = 0; i < variable.initial.size(); ++i) {
        copies += fmt::format(" litmus_{}[{}] = {}[{}];", variable.name, i, variable.name, i);
      }
      copies += " }";
    }
    if (copies.empty()) return;
    test_.source +=
        fmt::format("barrier(CLK_LOCAL_MEM_FENCE);\nif (get_local_id(0) == 0) {{{} }}\n", copies);
  }

  const Program& program_;
  Test test_;
  bool device_is_group_ = false;  // each device has one work-group, which stands for it
  std::vector<Placed> placed_;
  std::vector<Variable> variables_;
  std::map<std::pair<int, std::string>, std::int64_t> registers_;  // initial values
  std::vector<std::pair<int, std::string>> shown_registers_;
};

}  // namespace

Expected<Test> Generate(const Program& program) { return Generator(program).Run(); }

bool IsLitmusPath(std::string_view path) { return path.ends_with(".litmus"); }

Expected<Test> ReadLitmus(std::string_view text, const std::string& path) {
  const auto program = ReadProgram(text, path);
  if (!program) return tl::unexpected(program.error());
  return Generate(*program);
}

}  // namespace assay::tools::litmus
