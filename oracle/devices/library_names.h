// What the functions of a C math library are called, and how they are called.
//
// Names and prototypes are those of C23 7.12 (with the TS 18661 and POSIX spellings where C23 has
// none: sincos, lgamma_r).  Users may give others.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "numerics/format.h"
#include "numerics/functions.h"

namespace assay::oracle {

// The prototypes, T being the type of the format.
enum class Prototype {
  kF_F,     // T f(T)
  kFF_F,    // T f(T, T)
  kFFF_F,   // T f(T, T, T)
  kF_I,     // int f(T)
  kFI_F,    // T f(T, int)
  kFL_F,    // T f(T, long long)
  kF_FI,    // T f(T, int*)
  kF_FF,    // T f(T, T*)
  kSincos,  // void f(T, T*, T*)
  kFF_FI,   // T f(T, T, int*)
};

struct LibraryFunction {
  numerics::Function function;
  std::string_view stem;  // the name at double; '%' is where the suffix goes if not at the end
  Prototype prototype;
};

// Every built-in that has a counterpart in C.
std::span<const LibraryFunction> LibraryFunctions();
// Null: it has none.
const LibraryFunction* FindLibraryFunction(numerics::Function function);

// The names that a library has for them.
struct SymbolNames {
  struct Symbol {
    numerics::Function function;
    numerics::Format format;
    std::string name;
  };
  std::string prefix;           // before C's name: "my_" of my_sinf
  std::vector<Symbol> symbols;  // these are whole names

  // The name at a format: "sinf", "lgammaf_r".  bfloat16 has no type in the C++ of this build.
  std::string Of(const LibraryFunction& row, numerics::Format format) const;
  // "C's names", "prefix my_, exp:float=fast_exp": what they are, for a report.
  std::string Text() const;
};

// "exp:float=fast_exp": FUNCTION:FORMAT=NAME.
Expected<SymbolNames::Symbol> ParseSymbol(std::string_view text);

// The functions that a library from dlopen exports, in the order of its table.
std::vector<std::string> ExportedFunctions(void* handle);

// Why none of these is a function of C, and what to do: names some of them, and a prefix that would
// do.
std::string NoKnownFunction(const std::vector<std::string>& exported);

}  // namespace assay::oracle
