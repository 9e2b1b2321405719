// Bodies of the geometric functions of functions.def (6.15.5).
#pragma once

#include "numerics/evaluate_call.h"

namespace assay::numerics {

void Dot(const Call& call);
void Cross(const Call& call);
void Length(const Call& call);
void Distance(const Call& call);
void Normalize(const Call& call);

}  // namespace assay::numerics
