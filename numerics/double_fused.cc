// The functions in double-double, with the instruction for fma.  Only plain code is here: a
// function of the standard library that is not inlined would be linked into the whole program with
// the instructions of this file.
#define ASSAY_DOUBLE_DOUBLE double_fused

#include "numerics/double_kernels.inc"
//
#include "numerics/double_angles.inc"
#include "numerics/double_arithmetic.inc"
#include "numerics/double_elementary.inc"
#include "numerics/double_special.inc"
//
#include "numerics/double_near.inc"
//
#include "numerics/double_quick.inc"
//
#include "numerics/double_quick_angles.inc"
//
#include "numerics/double_quick_pairs.inc"
//
#include "numerics/double_exact.inc"
//
#include "numerics/double_rows.inc"
//
#include "numerics/double_nearest.inc"
//
#include "numerics/double_results.inc"
