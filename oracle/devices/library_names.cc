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

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Function;

constexpr LibraryFunction kLibraryFunctions[] = {
    {Function::acos, "acos", Prototype::kF_F},
    {Function::acospi, "acospi", Prototype::kF_F},
    {Function::asin, "asin", Prototype::kF_F},
    {Function::asinpi, "asinpi", Prototype::kF_F},
    {Function::atan, "atan", Prototype::kF_F},
    {Function::atan2, "atan2", Prototype::kFF_F},
    {Function::atanpi, "atanpi", Prototype::kF_F},
    {Function::atan2pi, "atan2pi", Prototype::kFF_F},
    {Function::acosh, "acosh", Prototype::kF_F},
    {Function::asinh, "asinh", Prototype::kF_F},
    {Function::atanh, "atanh", Prototype::kF_F},
    {Function::cbrt, "cbrt", Prototype::kF_F},
    {Function::ceil, "ceil", Prototype::kF_F},
    {Function::copysign, "copysign", Prototype::kFF_F},
    {Function::cos, "cos", Prototype::kF_F},
    {Function::cosh, "cosh", Prototype::kF_F},
    {Function::cospi, "cospi", Prototype::kF_F},
    {Function::erfc, "erfc", Prototype::kF_F},
    {Function::erf, "erf", Prototype::kF_F},
    {Function::exp, "exp", Prototype::kF_F},
    {Function::exp2, "exp2", Prototype::kF_F},
    {Function::exp10, "exp10", Prototype::kF_F},
    {Function::expm1, "expm1", Prototype::kF_F},
    {Function::fabs, "fabs", Prototype::kF_F},
    {Function::fdim, "fdim", Prototype::kFF_F},
    {Function::floor, "floor", Prototype::kF_F},
    {Function::fma, "fma", Prototype::kFFF_F},
    {Function::fmax, "fmax", Prototype::kFF_F},
    {Function::fmin, "fmin", Prototype::kFF_F},
    {Function::fmod, "fmod", Prototype::kFF_F},
    {Function::frexp, "frexp", Prototype::kF_FI},
    {Function::hypot, "hypot", Prototype::kFF_F},
    {Function::ilogb, "ilogb", Prototype::kF_I},
    {Function::ldexp, "ldexp", Prototype::kFI_F},
    {Function::lgamma, "lgamma", Prototype::kF_F},
    {Function::lgamma_r, "lgamma%_r", Prototype::kF_FI},
    {Function::log, "log", Prototype::kF_F},
    {Function::log2, "log2", Prototype::kF_F},
    {Function::log10, "log10", Prototype::kF_F},
    {Function::log1p, "log1p", Prototype::kF_F},
    {Function::logb, "logb", Prototype::kF_F},
    {Function::maxmag, "fmaximum_mag_num", Prototype::kFF_F},
    {Function::minmag, "fminimum_mag_num", Prototype::kFF_F},
    {Function::modf, "modf", Prototype::kF_FF},
    {Function::nextafter, "nextafter", Prototype::kFF_F},
    {Function::pow, "pow", Prototype::kFF_F},
    {Function::pown, "pown", Prototype::kFL_F},
    {Function::powr, "powr", Prototype::kFF_F},
    {Function::remainder, "remainder", Prototype::kFF_F},
    {Function::remquo, "remquo", Prototype::kFF_FI},
    {Function::rint, "rint", Prototype::kF_F},
    {Function::rootn, "rootn", Prototype::kFL_F},
    {Function::round, "round", Prototype::kF_F},
    {Function::rsqrt, "rsqrt", Prototype::kF_F},
    {Function::sin, "sin", Prototype::kF_F},
    {Function::sincos, "sincos", Prototype::kSincos},
    {Function::sinh, "sinh", Prototype::kF_F},
    {Function::sinpi, "sinpi", Prototype::kF_F},
    {Function::sqrt, "sqrt", Prototype::kF_F},
    {Function::tan, "tan", Prototype::kF_F},
    {Function::tanh, "tanh", Prototype::kF_F},
    {Function::tanpi, "tanpi", Prototype::kF_F},
    {Function::tgamma, "tgamma", Prototype::kF_F},
    {Function::trunc, "trunc", Prototype::kF_F},
};

constexpr Format kFormats[] = {Format::kHalf, Format::kFloat, Format::kDouble};

std::vector<std::string> StemNames() {
  std::vector<std::string> names;
  for (const LibraryFunction& row : kLibraryFunctions) {
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
  const ElfW(Sym)* symbols = nullptr;
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
    for (const LibraryFunction& row : kLibraryFunctions) {
      for (const Format format : kFormats) {
        const std::string known = SymbolNames().Of(row, format);
        if (name.ends_with(known) && known.size() > longest.size()) longest = known;
      }
    }
    if (!longest.empty()) ++prefixes[name.substr(0, name.size() - longest.size())];
  }
  const auto most = std::ranges::max_element(prefixes, {}, [](const auto& one) { return one.second; });
  return most == prefixes.end() ? "" : most->first;
}

}  // namespace

std::span<const LibraryFunction> LibraryFunctions() { return kLibraryFunctions; }

const LibraryFunction* FindLibraryFunction(Function function) {
  const auto* const found =
      std::ranges::find(kLibraryFunctions, function, &LibraryFunction::function);
  return found == std::end(kLibraryFunctions) ? nullptr : found;
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
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}': '{}' is no function with a counterpart in C; {}`assay list` has all functions",
                            text, function_name, numerics::DidYouMean(function_name, StemNames())));
  }
  const auto format = numerics::FormatFromName(format_name);
  if (!format || std::ranges::find(kFormats, *format) == std::end(kFormats)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}': '{}' is no format of a library; it is one of half, float, double", text,
                            format_name));
  }
  return SymbolNames::Symbol{*function, *format, std::string(text.substr(equals + 1))};
}

std::vector<std::string> ExportedFunctions(void* handle) {
  const SymbolTable table = TableOf(handle);
  std::vector<std::string> names;
  for (std::uint32_t i = 0; table.symbols != nullptr && table.names != nullptr && i < table.count; ++i) {
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
  const std::vector<std::string> some(exported.begin(),
                                      exported.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, exported.size())));
  const std::string prefix = PrefixOf(exported);
  return fmt::format("exports no C math function (sin, sinf, ...); it exports {}{}. {}", fmt::join(some, ", "),
                     exported.size() > kShown ? fmt::format(" and {} more", exported.size() - kShown) : "",
                     prefix.empty() ? "Name one with --symbol, as in --symbol exp:float=my_expf"
                                    : fmt::format("Give --prefix {}, or name one with --symbol", prefix));
}

}  // namespace assay::oracle
