// What the input buffers of random programs have.
#pragma once

#include "interp/job/job.h"
#include "tools/hunt/program.h"

namespace assay::tools {

// in_BASE: a function of the program's data seed and the base alone.  Half of the integers are
// ones at which instructions go wrong: the least, the largest, powers of two and their neighbours.
// Floating-point numbers are multiples of 1/8 between -8 and 8, so that few operations on them
// stay far from subnormal numbers and overflow.
interp::JobBuffer HuntInput(HuntBase base, const HuntProgram& program);
// Of an image: random bits of integers, eighths of floats.
interp::JobBuffer HuntImage(const HuntCells& cells, std::uint64_t data_seed);

}  // namespace assay::tools
