// The text forms of docs/pipe-protocol.md, for pipes and recordings: the declarations of a device,
// and items as hexadecimal bits.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "numerics/evaluate.h"
#include "oracle/devices/device.h"

namespace assay::oracle::text {

// One declaration: "name Acme DSP", "format float denormals=no rounding=rtz", "profile embedded".
// The error is the reason only; the caller knows the place.
Expected<void> ApplyDeclaration(std::string_view line, DeviceDescription* description);
// The declarations that ApplyDeclaration reads, one per line.
std::vector<std::string> Declarations(const DeviceDescription& description);

// "sin float default": the text after the word "task".
std::string TaskText(const numerics::Operation& operation, MathMode math);
Expected<TaskSpec> ParseTask(std::string_view words);

std::string_view MathModeName(MathMode math);

// Appends the elements of one item in the order of the columns, separated by blanks, each with all
// of its type's digits.
template <typename AnyColumn>
void AppendItem(std::span<const AnyColumn> columns, std::size_t item, std::string* line);

// Reads as many numbers as the columns have elements from `line` into item `item`; the error says
// what was expected.
Expected<void> ParseItem(std::string_view line, std::span<const Column> columns, std::size_t item);

// Splits at blanks.
std::vector<std::string_view> Words(std::string_view line);

}  // namespace assay::oracle::text
