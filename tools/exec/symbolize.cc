#include "tools/exec/symbolize.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <system_error>

#include "base/run_tool.h"

namespace assay::tools {
namespace {

constexpr double kSeconds = 60;  // for a module; debug information may be gigabytes
constexpr std::size_t kMaxOutput = std::size_t{8} << 20;
constexpr std::size_t kAddresses = 500;  // in a command

// "/home/me/app.c:42 (discriminator 3)"; nothing is known of "??:0" and "??:?".
void TakeLine(std::string_view text, HostCall* call) {
  if (const std::size_t rest = text.find(" (discriminator"); rest != std::string_view::npos) {
    text = text.substr(0, rest);
  }
  std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.starts_with("??")) return;
  std::uint32_t line = 0;
  const auto parsed = std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
  if (parsed.ec != std::errc()) return;
  call->file = text.substr(0, colon);
  call->line = line;
}

// Whether a module still has the table of all its symbols.  In one that was stripped a symbolizer
// names the nearest exported function, whatever lies between.
bool HasSymbolTable(const std::string& module) {
  std::ifstream file(module, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    return false;
  }
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    const auto offset = header.e_shoff + static_cast<std::uint64_t>(i) * header.e_shentsize;
    file.seekg(static_cast<std::streamoff>(offset));
    if (!file.read(reinterpret_cast<char*>(&section), sizeof section)) return false;
    if (section.sh_type == SHT_SYMTAB) return true;
  }
  return false;
}

std::string Demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // "f" would be a type, float
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

// Without a prefix, if the text has it.
std::string_view Without(std::string_view text, std::string_view prefix) {
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return text;
}

std::vector<std::string> CommandFor(const std::string& module) {
  if (!base::FindProgram("addr2line").empty()) {
    return {"addr2line", "-a", "-f", "-C", "-i", "-e", module};
  }
  for (const char* name : {"llvm-symbolizer", "llvm-symbolizer-15", "llvm-symbolizer-14"}) {
    if (base::FindProgram(name).empty()) continue;
    return {name, "--output-style=GNU", "-a", "-f", "-C", "-i", "-e", module};
  }
  return {};
}

void Ask(const std::string& module, std::map<std::uint64_t, std::vector<HostCall>>* calls) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(module, error)) return;
  const std::vector<std::string> command = CommandFor(module);
  if (command.empty()) return;
  const bool knows_functions = HasSymbolTable(module);
  for (auto next = calls->begin(); next != calls->end();) {
    std::vector<std::string> argv = command;
    for (std::size_t i = 0; i < kAddresses && next != calls->end(); ++i, ++next) {
      argv.push_back(fmt::format("0x{:x}", next->first));
    }
    const auto result = base::RunTool(argv, kSeconds, kMaxOutput);
    if (!result || result->exit_status != 0) return;
    for (auto& [offset, resolved] : ParseSymbols(result->output)) {
      for (HostCall& call : resolved) {
        if (!knows_functions && call.line == 0) call.function.clear();
      }
      const auto place = calls->find(offset);
      if (place != calls->end()) place->second = std::move(resolved);
    }
  }
}

// Python's packages and its own modules, and headers that are installed.
bool IsOfLibrary(const std::string& file) {
  const auto has = [&](std::string_view part) { return file.find(part) != std::string::npos; };
  return has("/site-packages/") || has("/dist-packages/") || has("/lib/python3") ||
         file.starts_with("/usr/include/") || file.starts_with("<");
}

// What calls main(), or a thread's function.
bool IsStart(const HostCall& call) {
  const std::string name = std::filesystem::path(call.module).filename().string();
  return name.starts_with("libc.so") || name.starts_with("ld-linux") || call.function == "_start";
}

}  // namespace

std::string LineOfFile(const std::string& path, std::uint32_t number) {
  std::error_code error;
  if (!path.starts_with('/') || number == 0 || !std::filesystem::is_regular_file(path, error))
    return "";
  std::ifstream file(path);
  std::string line;
  for (std::uint32_t i = 0; i < number; ++i) {
    if (!std::getline(file, line)) return "";
  }
  return line;
}

std::map<std::uint64_t, std::vector<HostCall>> ParseSymbols(const std::string& output) {
  std::map<std::uint64_t, std::vector<HostCall>> calls;
  std::vector<HostCall>* current = nullptr;
  std::istringstream lines(output);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with("0x")) {
      std::uint64_t address = 0;
      const auto parsed = std::from_chars(line.data() + 2, line.data() + line.size(), address, 16);
      current = parsed.ec == std::errc() ? &calls[address] : nullptr;
      continue;
    }
    std::string place;
    if (current == nullptr || !std::getline(lines, place)) continue;
    HostCall call{.function = line == "??" ? "" : line};
    TakeLine(place, &call);
    current->push_back(std::move(call));
  }
  return calls;
}

void Symbolizer::Add(const std::vector<driver::HostFrame>& frames) {
  for (const driver::HostFrame& frame : frames) {
    if (frame.line == 0) modules_[frame.module].try_emplace(frame.offset);
  }
}

void Symbolizer::Resolve() {
  for (auto& [module, calls] : modules_) {
    Ask(module, &calls);
    for (auto& [offset, resolved] : calls) {
      for (HostCall& call : resolved) call.source_text = LineOfFile(call.file, call.line);
    }
  }
}

std::vector<HostCall> Symbolizer::CallsOf(const std::vector<driver::HostFrame>& frames) const {
  std::vector<HostCall> calls;
  for (const driver::HostFrame& frame : frames) {
    if (frame.line != 0) {
      calls.push_back({.function = frame.function,
                       .file = frame.file,
                       .line = frame.line,
                       .source_text = LineOfFile(frame.file, frame.line)});
      continue;
    }
    std::vector<HostCall> resolved;
    if (const auto module = modules_.find(frame.module); module != modules_.end()) {
      const auto found = module->second.find(frame.offset);
      if (found != module->second.end()) resolved = found->second;
    }
    if (resolved.empty()) resolved.emplace_back();
    for (HostCall& call : resolved) {
      call.module = frame.module;
      call.offset = frame.offset;
      if (call.function.empty()) call.function = Demangled(frame.function);
      calls.push_back(std::move(call));
    }
  }
  while (!calls.empty() && IsStart(calls.back())) calls.pop_back();
  return calls;
}

std::size_t MainCallOf(const std::vector<HostCall>& calls) {
  const auto first = [&](auto is_wanted) {
    return static_cast<std::size_t>(std::ranges::find_if(calls, is_wanted) - calls.begin());
  };
  const auto is_shown = [](const HostCall& call) { return !call.source_text.empty(); };
  for (const std::size_t found :
       {first([&](const HostCall& call) { return is_shown(call) && !IsOfLibrary(call.file); }),
        first(is_shown), first([](const HostCall& call) { return call.line != 0; })}) {
    if (found != calls.size()) return found;
  }
  return 0;
}

std::string HostCallText(const HostCall& call) {
  const std::string module = std::filesystem::path(call.module).filename().string();
  const std::string function = call.function.empty() ? "?" : call.function;
  if (call.line != 0) return fmt::format("{} ({}:{})", function, call.file, call.line);
  return module.empty() ? fmt::format("{} (0x{:x})", function, call.offset)
                        : fmt::format("{} in {}+0x{:x}", function, module, call.offset);
}

std::string KernelText(const std::string& name) {
  const std::string mangled(Without(name, "__sycl_kernel_"));
  return std::string(Without(Demangled(mangled), "typeinfo name for "));
}

}  // namespace assay::tools
