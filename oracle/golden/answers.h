// A device's answers to the vectors of a golden file, read from a file and judged offline.
//
// A text has one vector in each line, in the order of the golden file: its results; or operands and
// results; or, as TestFloat writes them, operands, results and flags as bare hexadecimal digits.
// Operands must be those of the vector.  Fields are separated by blanks or commas; `#` begins a
// comment.  A file whose name ends in ".raw" has the bytes of the results, little-endian, vector
// after vector.
#pragma once

#include <memory>
#include <string>

#include "oracle/devices/device.h"
#include "oracle/golden/golden.h"

namespace assay::oracle {

// kUsage names the line that does not fit.  `flushes`: the device flushes subnormals.
Expected<std::unique_ptr<Device>> OpenAnswers(const std::string& path, const GoldenFile& file,
                                              bool flushes);

}  // namespace assay::oracle
