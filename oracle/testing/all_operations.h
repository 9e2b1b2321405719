// Everything that a device can be asked for.
#pragma once

#include <vector>

#include "numerics/function.h"
#include "numerics/functions.h"
#include "numerics/operation.h"

namespace assay::oracle {

// Every conversion, and every built-in in every format and number of components that it has.
inline std::vector<numerics::Operation> AllOperations() {
  std::vector<numerics::Operation> operations = numerics::AllConversions();
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    const int least = info.function == numerics::Function::cross ? 3 : 1;
    const int most = info.IsGeometric() ? 4 : 1;
    for (numerics::Format format : numerics::kAllFormats) {
      for (int n = least; info.Supports(format) && n <= most; ++n) {
        operations.push_back(numerics::Operation::Builtin(info.function, format, n));
      }
    }
  }
  return operations;
}

// A geometric function has the width of its operands; everything else comes in all.
inline std::vector<int> WidthsOf(const numerics::Operation& operation) {
  const bool geometric = operation.kind == numerics::OperationKind::kBuiltin &&
                         numerics::Info(operation.function).IsGeometric();
  return geometric ? std::vector<int>{1} : std::vector<int>{1, 2, 3, 4, 8, 16};
}

}  // namespace assay::oracle
