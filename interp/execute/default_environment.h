// The settings of the processor that numerics expects.
#pragma once

#include <optional>

#include "interp/program/program.h"
#include "numerics/float_environment.h"

namespace assay::interp {

// They hold for as long as it lives, whatever those of the kernel are.
class DefaultEnvironment {
 public:
  explicit DefaultEnvironment(const FloatControl& host) {
    if (!(host == FloatControl()))
      scope_.emplace(numerics::MakeFloatEnvironment(numerics::Rounding::kRte, false));
  }

 private:
  std::optional<numerics::FloatEnvironmentScope> scope_;
};

}  // namespace assay::interp
