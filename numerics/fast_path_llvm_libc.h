// The double functions of LLVM libc (Debian: libllvmlibc-22-dev). The library says that they are
// correctly rounded; the fast paths only need an error below one ulp.  The functions are in a
// namespace of the library's version, so that they cannot be confused with the host's libm.
#pragma once

#ifndef ASSAY_LLVM_LIBC_NAMESPACE
#define ASSAY_LLVM_LIBC_NAMESPACE __llvm_libc_22_1_8_
#endif

namespace ASSAY_LLVM_LIBC_NAMESPACE {
double acos(double);
double asin(double);
double atan(double);
double atan2(double, double);
double cbrt(double);
double cos(double);
double exp(double);
double exp10(double);
double exp2(double);
double expm1(double);
double log(double);
double log10(double);
double log1p(double);
double log2(double);
double sin(double);
double tan(double);
}  // namespace ASSAY_LLVM_LIBC_NAMESPACE

namespace assay::numerics {
namespace libc = ASSAY_LLVM_LIBC_NAMESPACE;
}  // namespace assay::numerics
