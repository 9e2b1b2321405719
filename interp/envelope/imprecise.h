// Computes as another conforming device may: handlers in the place of those that round correctly.
#pragma once

#include <memory>
#include <vector>

#include "interp/envelope/options.h"
#include "interp/execute/watch.h"
#include "interp/program/program.h"
#include "oracle/judge/enclosure.h"

namespace assay::interp {

class Imprecision final : public ImprecisionSource {
 public:
  Imprecision(const Program& program, const EnvelopeOptions& options);

  void Math(Batch& batch, const FlatInstruction& in) override;
  void Contracted(Batch& batch, const FlatInstruction& in, Kind kind, bool of_two) override;

 private:
  using Choice = EnvelopeOptions::Choice;
  static numerics::Bits Choose(Choice choice, numerics::ScalarType type, const oracle::Range& range,
                               std::uint64_t hash, numerics::Bits nominal);

  const Program& program_;
  const EnvelopeOptions& options_;
  std::vector<std::unique_ptr<oracle::Enclosure>> enclosures_;  // beside Program::math_calls
  std::vector<Choice> choices_;                                 // beside it, too
  Choice contraction_;
};

}  // namespace assay::interp
