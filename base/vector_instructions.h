// The vector instructions that hot loops use by name: Intel's intrinsics.  On another processor
// SIMDe makes those of SSE2 of what it has (https://github.com/simd-everywhere/simde); loops for
// newer sets are not compiled there.
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/sse2.h>
#endif
