// Bodies of functions.def whose results are read off the operands' bits.
#pragma once

#include "numerics/evaluate_bits.h"
#include "numerics/evaluate_call.h"

namespace assay::numerics {

template <IntegralRule kRule>
void Integral(const Call& call) {
  call.Out() = NumberOrNan(call.format, ToIntegral(call.format, call[0], kRule));
}

void FabsBits(const Call& call);
void CopySignBits(const Call& call);
void Frexp(const Call& call);
void Ilogb(const Call& call);
void Logb(const Call& call);
void Modf(const Call& call);
void Fract(const Call& call);
void Sign(const Call& call);
void Step(const Call& call);
void NanOfCode(const Call& call);
void NextAfter(const Call& call);
void Fmax(const Call& call);
void Fmin(const Call& call);
void Maxmag(const Call& call);
void Minmag(const Call& call);
void MaxCommon(const Call& call);
void MinCommon(const Call& call);
void Clamp(const Call& call);

}  // namespace assay::numerics
