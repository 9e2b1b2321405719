// Which devices an envelope run is about.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "interp/program/scalar.h"
#include "numerics/operation.h"
#include "oracle/judge/verdict.h"

namespace assay::interp {

// The functions at which runs with --imprecision had a choice.  Several threads add to it.
class ImprecisionSites {
 public:
  void Add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_.insert(name);
  }
  std::set<std::string> Names() const {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> names_;
};

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
    kNominal,  // correctly rounded, as runs without imprecision
  };
  Choice choice = Choice::kRandom;
  // Of a function ("sin"), or of sums of products ("contraction"), in place of `choice`.
  std::map<std::string, Choice> of;
  std::shared_ptr<ImprecisionSites> sites;  // null: nobody asks
  Choice ChoiceOf(const std::string& name) const {
    const auto own = of.find(name);
    return own == of.end() ? choice : own->second;
  }
  std::uint64_t seed = 0;

  bool Flushes(Kind kind) const {
    if (kind == Kind::kF64) return build.denorms_are_zero;
    return build.denorms_are_zero ||
           (kind == Kind::kF16 ? !keeps_subnormal_halfs : !keeps_subnormal_floats);
  }
  oracle::JudgeOptions For(const numerics::Operation& operation) const;
};

}  // namespace assay::interp
