// The discs beside the functions in the complex plane.
#include "numerics/smoothness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "numerics/function.h"

namespace assay::numerics {
namespace {

using Complex = std::complex<double>;
using enum Function;
constexpr double kPi = std::numbers::pi;

// Lanczos, "A precision approximation of the gamma function", 1964; g = 7 and nine coefficients
// give ten digits and more.
Complex LogGammaRight(Complex z) {
  constexpr double kC[] = {0.99999999999980993,  676.5203681218851,     -1259.1392167224028,
                           771.32342877765313,   -176.61502916214059,   12.507343278686905,
                           -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  z -= 1;
  Complex sum = kC[0];
  for (int i = 1; i < 9; ++i) sum += kC[i] / (z + static_cast<double>(i));
  const Complex t = z + 7.5;
  return 0.5 * std::log(2 * kPi) + (z + 0.5) * std::log(t) - t + std::log(sum);
}

Complex Gamma(Complex z) {
  if (z.real() >= 0.5) return std::exp(LogGammaRight(z));
  return kPi / (std::sin(kPi * z) * std::exp(LogGammaRight(1.0 - z)));
}

// log |gamma| on the axis, continued: any branch of the logarithm near the axis has this real part,
// and the imaginary part that is 0 there.
Complex LogGamma(Complex z) {
  if (z.real() >= 0.5) return LogGammaRight(z);
  Complex sine = std::sin(kPi * z);
  if (std::sin(kPi * z.real()) < 0) sine = -sine;
  return std::log(kPi) - std::log(sine) - LogGammaRight(1.0 - z);
}

// erf from the axis to z, by Simpson's rule.
Complex ErfFrom(double center, double value, Complex z, double sign) {
  constexpr int kSteps = 200;
  const Complex step = (z - center) / static_cast<double>(kSteps);
  const auto slope = [](Complex t) { return 2 / std::sqrt(kPi) * std::exp(-t * t); };
  Complex sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const Complex from = center + step * static_cast<double>(i);
    sum += (slope(from) + 4.0 * slope(from + step / 2.0) + slope(from + step)) * step / 6.0;
  }
  return value + sign * sum;
}

struct Case {
  Function function;
  double least, most;  // magnitudes of operands
  bool negative;       // operands below zero, too
  std::function<Complex(Complex)> value;
};

Complex CubeRoot(Complex z) { return z.real() < 0 ? -std::pow(-z, 1.0 / 3) : std::pow(z, 1.0 / 3); }

std::vector<Case> Cases() {
  const double log2e = 1 / std::log(2.0), log10e = 1 / std::log(10.0);
  return {
      {exp, 1e-6, 80, true, [](Complex z) { return std::exp(z); }},
      {exp2, 1e-6, 120, true, [](Complex z) { return std::exp(z * std::log(2.0)); }},
      {exp10, 1e-6, 36, true, [](Complex z) { return std::exp(z * std::log(10.0)); }},
      {expm1, 1e-3, 80, true, [](Complex z) { return std::exp(z) - 1.0; }},
      {log, 1e-30, 1e30, false, [](Complex z) { return std::log(z); }},
      {log2, 1e-30, 1e30, false, [=](Complex z) { return std::log(z) * log2e; }},
      {log10, 1e-30, 1e30, false, [=](Complex z) { return std::log(z) * log10e; }},
      {log1p, 1e-3, 0.9999, true, [](Complex z) { return std::log(1.0 + z); }},
      {log1p, 1e-3, 1e30, false, [](Complex z) { return std::log(1.0 + z); }},
      {sin, 1e-6, 4000, true, [](Complex z) { return std::sin(z); }},
      {cos, 1e-6, 4000, true, [](Complex z) { return std::cos(z); }},
      {tan, 1e-6, 4000, true, [](Complex z) { return std::tan(z); }},
      {sinpi, 1e-6, 1000, true, [](Complex z) { return std::sin(kPi * z); }},
      {cospi, 1e-6, 1000, true, [](Complex z) { return std::cos(kPi * z); }},
      {tanpi, 1e-6, 1000, true, [](Complex z) { return std::tan(kPi * z); }},
      {asin, 1e-6, 0.99999, true, [](Complex z) { return std::asin(z); }},
      {acos, 1e-6, 0.99999, true, [](Complex z) { return std::acos(z); }},
      {atan, 1e-6, 1e10, true, [](Complex z) { return std::atan(z); }},
      {asinpi, 1e-6, 0.99999, true, [](Complex z) { return std::asin(z) / kPi; }},
      {acospi, 1e-6, 0.99999, true, [](Complex z) { return std::acos(z) / kPi; }},
      {atanpi, 1e-6, 1e10, true, [](Complex z) { return std::atan(z) / kPi; }},
      {asinh, 1e-6, 1e7, true, [](Complex z) { return std::asinh(z); }},
      {acosh, 1.00001, 1e10, false, [](Complex z) { return std::acosh(z); }},
      {atanh, 1e-6, 0.99999, true, [](Complex z) { return std::atanh(z); }},
      {sinh, 1e-6, 80, true, [](Complex z) { return std::sinh(z); }},
      {cosh, 1e-6, 80, true, [](Complex z) { return std::cosh(z); }},
      {tanh, 1e-6, 80, true, [](Complex z) { return std::tanh(z); }},
      {cbrt, 1e-30, 1e30, true, CubeRoot},
      {sqrt, 1e-30, 1e30, false, [](Complex z) { return std::sqrt(z); }},
      {rsqrt, 1e-30, 1e30, false, [](Complex z) { return 1.0 / std::sqrt(z); }},
      {recip_div, 1e-30, 1e30, true, [](Complex z) { return 1.0 / z; }},
      {degrees, 1e-30, 1e30, true, [](Complex z) { return z * (180 / kPi); }},
      {radians, 1e-30, 1e30, true, [](Complex z) { return z * (kPi / 180); }},
      {tgamma, 1e-6, 35, true, Gamma},
      {lgamma, 1e-6, 1000, true, LogGamma},
      {lgamma, 1e-6, 1e10, false, LogGamma},
  };
}

// Points on circles up to nearly the disc's edge.
std::vector<Complex> PointsOf(const Disc& disc, double center) {
  std::vector<Complex> points;
  for (double part : {0.5, 0.999}) {
    for (int i = 0; i < 48; ++i) {
      points.push_back(center + std::polar(part * disc.radius, 2 * kPi * i / 48));
    }
  }
  return points;
}

double RandomBetween(double least, double most, std::mt19937_64& random) {
  std::uniform_real_distribution<double> exponent(std::log(least), std::log(most));
  return std::exp(exponent(random));
}

TEST(DiscAround, BoundsTheFunction) {
  std::mt19937_64 random(1);
  for (const Case& c : Cases()) {
    int discs = 0;
    for (int n = 0; n < 400; ++n) {
      double x = RandomBetween(c.least, c.most, random);
      if (c.negative && n % 2 == 1) x = -x;
      const double value = c.value(x).real();
      const auto disc = DiscAround(c.function, x, value);
      if (!disc) continue;
      ++discs;
      for (Complex z : PointsOf(*disc, x)) {
        ASSERT_LE(std::abs(c.value(z)), disc->bound * (1 + 1e-9))
            << Info(c.function).name << ' ' << x << " at " << z;
      }
    }
    EXPECT_GT(discs, 150) << Info(c.function).name;
  }
}

TEST(DiscAround, BoundsTheErrorFunction) {
  std::mt19937_64 random(2);
  for (int n = 0; n < 400; ++n) {
    const double x = RandomBetween(1e-6, 10, random) * (n % 2 == 0 ? 1 : -1);
    for (Function function : {erf, erfc}) {
      const double sign = function == erf ? 1 : -1;
      const double value = function == erf ? std::erf(x) : std::erfc(x);
      const auto disc = DiscAround(function, x, value);
      ASSERT_TRUE(disc);
      for (Complex z : PointsOf(*disc, x)) {
        ASSERT_LE(std::abs(ErfFrom(x, value, z, sign)), disc->bound * (1 + 1e-9))
            << Info(function).name << ' ' << x << " at " << z;
      }
    }
  }
}

}  // namespace
}  // namespace assay::numerics
