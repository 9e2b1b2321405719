#include "oracle/devices/library_names.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "numerics/near_names.h"
#include "numerics/shape.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Function;

Prototype PrototypeOf(const numerics::FunctionInfo& info) {
  // C's types are others than OpenCL C's.
  if (info.function == Function::pown || info.function == Function::rootn) return Prototype::kFL_F;
  if (info.function == Function::sincos) return Prototype::kSincos;
  if (info.results == "I") return Prototype::kF_I;
  if (info.results == "FF") return Prototype::kF_FF;
  if (info.results == "FI") return info.Arity() == 1 ? Prototype::kF_FI : Prototype::kFF_FI;
  if (info.operands == "FI") return Prototype::kFI_F;
  return info.Arity() == 1   ? Prototype::kF_F
         : info.Arity() == 2 ? Prototype::kFF_F
                             : Prototype::kFFF_F;
}

std::vector<LibraryFunction> MakeLibraryFunctions() {
  std::vector<LibraryFunction> all;
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    const std::string_view name = numerics::ShapeOf(info.function).libm;
    if (info.cls != numerics::FunctionClass::kMath || name.empty()) continue;
    all.push_back({info.function, name == "=" ? info.name : name, PrototypeOf(info)});
  }
  return all;
}

constexpr Format kFormats[] = {Format::kHalf, Format::kFloat, Format::kDouble};

std::vector<std::string> StemNames() {
  std::vector<std::string> names;
  for (const LibraryFunction& row : LibraryFunctions()) {
    names.emplace_back(numerics::Info(row.function).name);
  }
  return names;
}

// How many symbols a hash table of GNU's form has (glibc's elf/dl-lookup.c reads it so).
std::uint32_t CountOfGnuHash(const std::uint32_t* table) {
  const std::uint32_t buckets = table[0], first = table[1], bloom_words = table[2];
  const std::uint32_t* const heads = table + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
  const std::uint32_t* const chains = heads + buckets;
  const std::uint32_t last = *std::max_element(heads, heads + buckets);
  if (last < first) return first;
  std::uint32_t end = last;
  while ((chains[end - first] & 1) == 0) ++end;
  return end + 1;
}

struct SymbolTable {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::uint32_t count = 0;
};

SymbolTable TableOf(void* handle) {
  SymbolTable table;
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return table;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto at = entry->d_un.d_ptr;  // glibc has added the library's address
    if (entry->d_tag == DT_SYMTAB) table.symbols = reinterpret_cast<const ElfW(Sym)*>(at);
    if (entry->d_tag == DT_STRTAB) table.names = reinterpret_cast<const char*>(at);
    if (entry->d_tag == DT_HASH) table.count = reinterpret_cast<const std::uint32_t*>(at)[1];
    if (entry->d_tag == DT_GNU_HASH && table.count == 0) {
      table.count = CountOfGnuHash(reinterpret_cast<const std::uint32_t*>(at));
    }
  }
  return table;
}

// The prefix with which most of the names are C's; "" where there is none.
std::string PrefixOf(const std::vector<std::string>& exported) {
  std::map<std::string, int> prefixes;
  for (const std::string& name : exported) {
    std::string longest;
    for (const LibraryFunction& row : LibraryFunctions()) {
      for (const Format format : kFormats) {
        const std::string known = SymbolNames().Of(row, format);
        if (name.ends_with(known) && known.size() > longest.size()) longest = known;
      }
    }
    if (!longest.empty()) ++prefixes[name.substr(0, name.size() - longest.size())];
  }
  const auto most =
      std::ranges::max_element(prefixes, {}, [](const auto& one) { return one.second; });
  return most == prefixes.end() ? "" : most->first;
}

}  // namespace

std::span<const LibraryFunction> LibraryFunctions() {
  static const std::vector<LibraryFunction> kAll = MakeLibraryFunctions();
  return kAll;
}

const LibraryFunction* FindLibraryFunction(Function function) {
  const auto all = LibraryFunctions();
  const auto found = std::ranges::find(all, function, &LibraryFunction::function);
  return found == all.end() ? nullptr : &*found;
}

std::string SymbolNames::Of(const LibraryFunction& row, Format format) const {
  for (const Symbol& symbol : symbols) {
    if (symbol.function == row.function && symbol.format == format) return symbol.name;
  }
  const std::string_view suffix = format == Format::kHalf    ? "f16"
                                  : format == Format::kFloat ? "f"
                                                             : "";
  const std::size_t place = std::min(row.stem.find('%'), row.stem.size());
  const std::string_view rest = row.stem.substr(std::min(place + 1, row.stem.size()));
  return fmt::format("{}{}{}{}", prefix, row.stem.substr(0, place), suffix, rest);
}

std::string SymbolNames::Text() const {
  std::vector<std::string> parts;
  if (!prefix.empty()) parts.push_back("prefix " + prefix);
  for (const Symbol& symbol : symbols) {
    parts.push_back(fmt::format("{}:{}={}", numerics::Info(symbol.function).name,
                                numerics::Traits(symbol.format).name, symbol.name));
  }
  return parts.empty() ? "C's names" : fmt::format("{}", fmt::join(parts, ", "));
}

Expected<SymbolNames::Symbol> ParseSymbol(std::string_view text) {
  const std::size_t colon = text.find(':'), equals = text.find('=');
  if (colon == text.npos || equals == text.npos || colon > equals || equals + 1 == text.size()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is not FUNCTION:FORMAT=NAME, as in exp:float=my_expf", text));
  }
  const std::string_view function_name = text.substr(0, colon);
  const std::string_view format_name = text.substr(colon + 1, equals - colon - 1);
  const auto function = numerics::FunctionFromName(function_name);
  if (!function || FindLibraryFunction(*function) == nullptr) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format(
            "'{}': '{}' is no function with a counterpart in C; {}`assay list` has all functions",
            text, function_name, numerics::DidYouMean(function_name, StemNames())));
  }
  const auto format = numerics::FormatFromName(format_name);
  if (!format || std::ranges::find(kFormats, *format) == std::end(kFormats)) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("'{}': '{}' is no format of a library; it is one of half, float, double", text,
                    format_name));
  }
  return SymbolNames::Symbol{*function, *format, std::string(text.substr(equals + 1))};
}

std::vector<std::string> ExportedFunctions(void* handle) {
  const SymbolTable table = TableOf(handle);
  std::vector<std::string> names;
  for (std::uint32_t i = 0; table.symbols != nullptr && table.names != nullptr && i < table.count;
       ++i) {
    const ElfW(Sym)& symbol = table.symbols[i];
    const int type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC)) continue;
    names.emplace_back(table.names + symbol.st_name);
  }
  return names;
}

std::string NoKnownFunction(const std::vector<std::string>& exported) {
  if (exported.empty()) return "exports no function; is it a math library?";
  constexpr std::size_t kShown = 8;
  const std::vector<std::string> some(
      exported.begin(),
      exported.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, exported.size())));
  const std::string prefix = PrefixOf(exported);
  return fmt::format(
      "exports no C math function (sin, sinf, ...); it exports {}{}. {}", fmt::join(some, ", "),
      exported.size() > kShown ? fmt::format(" and {} more", exported.size() - kShown) : "",
      prefix.empty() ? "Name one with --symbol, as in --symbol exp:float=my_expf"
                     : fmt::format("Give --prefix {}, or name one with --symbol", prefix));
}

}  // namespace assay::oracle
