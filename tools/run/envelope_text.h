// What an envelope run tells, as text and as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "interp/envelope/violations.h"
#include "tools/run/report.h"

namespace assay::tools {

// "[3]", "[3].s1": the component of a buffer's element.
std::string PlaceText(const interp::ElementType& of, const interp::OpenScalar& scalar);
// "is A, allowed is B to C, 3 steps"; of a scalar that all devices have alike: "is A, allowed is
// B", B as in `expected`.
std::string RangeText(const interp::ElementType& of, const interp::OpenScalar& scalar,
                      std::span<const std::byte> observed, std::span<const std::byte> expected);

// Unknown bytes that together are a value of the type, as one.
std::vector<interp::OpenScalar> ByValues(const interp::ValueLayout& layout,
                                         std::vector<interp::OpenScalar> scalars);

// A line a buffer, and its ranges where it is printed; "" of a run without envelopes.
std::string EnvelopeText(const RunReport& report, bool all);
nlohmann::ordered_json EnvelopeJson(const RunReport& report);

// Whether values outside of the envelope are no faults only because images are read through a
// linear filter, of whose precision the specification says nothing.
bool IsOpenByFilters(const RunReport& report);
// Why values outside of the envelope are no faults; "" where they are.
std::string WhyUndecided(const RunReport& report);

// How the bytes of a buffer of this type are compared; of an image's channels the bits.
interp::ValueLayout LayoutOf(const interp::ElementType& type, bool is_image);

// Whether the bytes that a device left in a buffer lie inside of its envelope.  `record` is null
// where all devices leave what the run left; `undefined` has a 1 for each undefined bit, or is
// empty.
ReportedExpectation JudgeObserved(const interp::JobBuffer& buffer,
                                  const interp::EnvelopeRecord* record,
                                  std::span<const std::byte> observed,
                                  std::span<const std::byte> undefined, bool is_undecided);

}  // namespace assay::tools
