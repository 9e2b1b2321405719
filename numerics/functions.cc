#include "numerics/functions.h"

#include <array>
#include <cstddef>

#include "numerics/function.h"

namespace assay::numerics {
namespace {

using enum FunctionClass;

// "FF:FI" is one string in the table so that a row reads like a prototype.
constexpr std::string_view OperandsOf(std::string_view signature) {
  return signature.substr(0, signature.find(':'));
}
constexpr std::string_view ResultsOf(std::string_view signature) {
  return signature.substr(signature.find(':') + 1);
}

constexpr FunctionInfo kFunctions[] = {
#define ASSAY_FUNCTION(id, cls, signature, formats, expression, exact, ...) \
  {Function::id, #id, cls, OperandsOf(signature), ResultsOf(signature), formats, expression},
#include "numerics/functions.def"
#undef ASSAY_FUNCTION
};

constexpr bool SignaturesAreWellFormed() {
  constexpr std::string_view kOperandLetters = "FIUV", kResultLetters = "FIV";
  for (const FunctionInfo& info : kFunctions) {
    if (info.operands.empty() || info.operands.size() > 3) return false;
    if (info.results.empty() || info.results.size() > 2) return false;
    for (char c : info.operands) {
      if (kOperandLetters.find(c) == std::string_view::npos) return false;
    }
    for (char c : info.results) {
      if (kResultLetters.find(c) == std::string_view::npos) return false;
    }
    if (info.formats == 0) return false;
  }
  return true;
}
static_assert(SignaturesAreWellFormed(), "functions.def: a signature is not OPERANDS:RESULTS");

}  // namespace

std::span<const FunctionInfo> AllFunctions() { return kFunctions; }

// The enumerators and the rows come from the same table, in the same order.
const FunctionInfo& Info(Function function) {
  return kFunctions[static_cast<std::size_t>(function)];
}

std::optional<Function> FunctionFromName(std::string_view name) {
  for (const FunctionInfo& info : kFunctions) {
    if (info.name == name) return info.function;
  }
  return std::nullopt;
}

std::string_view FunctionClassName(FunctionClass cls) {
  constexpr std::array<std::string_view, 6> kNames = {"operator", "math",   "half_",
                                                      "native_",  "common", "geometric"};
  return kNames[static_cast<std::size_t>(cls)];
}

}  // namespace assay::numerics
