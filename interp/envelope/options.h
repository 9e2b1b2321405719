// Which devices an envelope run is about.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "interp/program/scalar.h"
#include "numerics/operation.h"
#include "oracle/judge/verdict.h"

namespace assay::interp {

struct EnvelopeOptions {
  oracle::Profile profile = oracle::Profile::kFull;
  oracle::MathOptions build;  // of the program
  // Whether half and float numbers below the smallest normal one are kept (CL_FP_DENORM); double's
  // always are, but for build options.
  bool keeps_subnormal_halfs = false;
  bool keeps_subnormal_floats = false;

  // Of a run that computes as another device may: which value of those that are allowed.
  enum class Choice : std::uint8_t {
    kRandom,  // by a hash of the seed, the operation and its operands: a device gives one answer
    kLowest,
    kHighest,
  };
  Choice choice = Choice::kRandom;
  std::uint64_t seed = 0;

  bool Flushes(Kind kind) const {
    if (kind == Kind::kF64) return build.denorms_are_zero;
    return build.denorms_are_zero ||
           (kind == Kind::kF16 ? !keeps_subnormal_halfs : !keeps_subnormal_floats);
  }
  oracle::JudgeOptions For(const numerics::Operation& operation) const;
};

}  // namespace assay::interp
