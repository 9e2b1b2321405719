// The elementary functions in double-double, from which those for double results are composed.
// Their relative errors are below 2^-74 unless a comment says otherwise; double_path_test.cc
// measures them against MPFR.  Internal to numerics.
#pragma once

#include "numerics/double_double.h"

namespace assay::numerics::ASSAY_DOUBLE_DOUBLE {

struct ScaledDd {
  Dd value;
  int scale = 0;  // times 2^scale
};

const Dd& Pi();
const Dd& HalfPi();
const Dd& OverPi();  // 1 / pi

// |x.hi| <= 1100.  The value without its scale is in [0.7, 1.5].
ScaledDd Exp(Dd x);
// |x.hi| <= 60.
Dd Expm1(Dd x);
// x.hi positive and normal; relative error below 2^-84 of the result.
Dd Log(Dd x);
// x.hi > -1 and below 2^900.
Dd Log1p(Dd x);

// The remainder of x by half turns of a quarter: x = quarter * pi / 2 + rest with |rest| <= pi / 4
// nearly; answers quarter modulo 4.  x is finite and not zero.
int ReduceAngle(double x, Dd* rest);
// |r| <= 0.79.
struct SinCosDd {
  Dd sin, cos;
};
SinCosDd SinCos(Dd r);

// x.hi >= 0, finite.
Dd Atan(Dd x);

// x = half / 2 + rest, |rest| <= 1/4, exactly; answers half modulo 4.
int ReduceByHalves(double x, double* rest);
// sin(pi x) and cos(pi x) of a rest.
SinCosDd SinCosPi(double rest);

}  // namespace assay::numerics::ASSAY_DOUBLE_DOUBLE
