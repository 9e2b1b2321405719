/* {"schema":"assay-golden/1","tool":"assay 0.1.0","truth":"MPFR 4.2.0, GMP 6.2.1, LLVM libc 22.1.8","command":"assay golden make sin --formats float --rounding rte --digits 40 --inputs in1.txt","function":"sin","format":"float","arguments":["float"],"results":["float"],"rounding":"rte","digits":40,"limits":{"full":{"limit":"4","clause":"OpenCL C 7.4; environment specification, ULP values, full profile","other_computations":false,"flushing":false},"embedded":{"limit":"4","clause":"OpenCL C 7.4; environment specification, ULP values, embedded profile","other_computations":false,"flushing":false},"relaxed":{"limit":"2^-11 abs in [-pi, pi]","clause":"OpenCL C 7.4; environment specification, ULP values, unsafe math optimizations","other_computations":false,"flushing":true}},"count":2}
*/
#ifndef ASSAY_GOLDEN_SIN_FLOAT_RTE_H
#define ASSAY_GOLDEN_SIN_FLOAT_RTE_H

#include <stddef.h>
#include <stdint.h>

#ifndef ASSAY_GOLDEN_H
#define ASSAY_GOLDEN_H

/* Which answers conform, of a device that keeps subnormals.  The head above says where other
   computations and flushing may add some. */
enum assay_golden_kind {
  ASSAY_GOLDEN_NO_LIMIT,       /* the operation does not exist in this profile */
  ASSAY_GOLDEN_ANYTHING,
  ASSAY_GOLDEN_NAN,            /* any NaN */
  ASSAY_GOLDEN_RANGE,          /* low to high in the order -inf .. -0, +0 .. +inf */
  ASSAY_GOLDEN_INTEGERS,       /* low or high */
  ASSAY_GOLDEN_LOW_SEVEN_BITS  /* the sign and the low seven bits of low's magnitude */
};
enum assay_golden_profile {
  ASSAY_GOLDEN_FULL,
  ASSAY_GOLDEN_EMBEDDED,
  ASSAY_GOLDEN_RELAXED /* -cl-fast-relaxed-math */
};
struct assay_golden_accepted {
  uint8_t kind;
  uint64_t low, high;
};

static inline int64_t assay_golden_order(uint64_t bits, int width) {
  const uint64_t sign = (uint64_t)1 << (width - 1);
  const int64_t magnitude = (int64_t)(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude - 1 : magnitude;
}

/* `width`: bits of the type; `infinity`: its bits, 0 for an integer type. */
static inline int assay_golden_accepts(struct assay_golden_accepted accepted, uint64_t observed,
                                       int width, uint64_t infinity) {
  const uint64_t sign = (uint64_t)1 << (width - 1);
  const int is_nan = infinity != 0 && (observed & (sign - 1)) > infinity;
  switch (accepted.kind) {
    case ASSAY_GOLDEN_NAN:
      return is_nan;
    case ASSAY_GOLDEN_RANGE:
      return !is_nan &&
             assay_golden_order(accepted.low, width) <= assay_golden_order(observed, width) &&
             assay_golden_order(observed, width) <= assay_golden_order(accepted.high, width);
    case ASSAY_GOLDEN_INTEGERS:
      return observed == accepted.low || observed == accepted.high;
    case ASSAY_GOLDEN_LOW_SEVEN_BITS: {
      const int32_t want = (int32_t)(uint32_t)accepted.low;
      const int32_t have = (int32_t)(uint32_t)observed;
      const int64_t magnitude = have < 0 ? -(int64_t)have : have;
      return (want == 0 || have == 0 || (want < 0) == (have < 0)) &&
             (magnitude & 127) == (want < 0 ? -(int64_t)want : want);
    }
    default:
      return 1;
  }
}

#endif

struct assay_golden_sin_float_rte_vector {
  uint64_t args[1];
  uint64_t expected[1];
  struct assay_golden_accepted accepted[1][3]; /* by result and profile */
};

static const struct assay_golden_sin_float_rte_vector assay_golden_sin_float_rte[2] = {
{{0x3f800000u}, {0x3f576aa4u}, {{{3, 0x3f576aa1u, 0x3f576aa8u}, {3, 0x3f576aa1u, 0x3f576aa8u}, {3, 0x3f574aa5u, 0x3f578aa4u}}}}, /* given */
{{0x7fc00000u}, {0x7fc00000u}, {{{2, 0, 0}, {2, 0, 0}, {1, 0, 0}}}}, /* given */
};
enum { assay_golden_sin_float_rte_count = 2 };

static inline int assay_golden_sin_float_rte_accepts(size_t vector, int result, int profile,
    uint64_t observed) {
  if (result == 0) return assay_golden_accepts(assay_golden_sin_float_rte[vector].accepted[0][profile],
      observed, 32, 0x7f800000u);
  return 0;
}

#endif
/* sha256: a8c334336580cd23d0e40a16d1d9d88230ea27cbb29b940c96b81c642534b7ab */
