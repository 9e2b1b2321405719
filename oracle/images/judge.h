// Verdicts about the answers of a row: by the specification, and by the conformance suite.
//
// The specification (numerics/image): unsampled reads, reads through exact samplers and writes must
// be in the sets of AllowedOfUnsampled, AllowedOfSampled and AllowedOfWrite.  Of all other samplers
// "the relative error or precision of the addressing mode calculations and the image filter
// operation are not defined" (OpenCL C 8.2): no answer is wrong by the text, and the judge counts
// what lies outside of that which float arithmetic can give.  Where the text is ambiguous, the
// reading decides that accuses nobody: a subnormal coordinate may be zero (7.5.3), and the border
// of CL_sRGB, which neither list of 6.15.15.1.1 has, may have either alpha.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/images/cases.h"
#include "oracle/images/row.h"

namespace assay::oracle {

enum class ImageFault : std::uint8_t {
  kNone,
  kNotAllowed,        // outside the set that the text gives
  kNotBySuite,        // outside the suite's tolerance
  kOutsideFloat,      // no fault: outside what float arithmetic gives, where the text is silent
  kNotWritten,        // the memory for the answer is as it was
  kWrittenBeside,     // an element that no work-item wrote has changed
  kNotDeterministic,  // asked twice: two answers that conform
  kWrongQuery,
  kFormatMissing,
};
std::string_view FaultText(ImageFault fault);

// One answer, for reports.
struct ImageSighting {
  ImageFault fault = ImageFault::kNone;
  std::string how;    // "CLK_NORMALIZED_COORDS_FALSE | ...; float coordinates", "width"
  std::string input;  // coordinates; the color that is written
  std::string observed, expected, before;
  double error = 0;  // ulps of float or half, codes, or units of an integer; inf: another class
};

enum class ImageVerdict : std::uint8_t {
  kPass,
  kFail,
  kNotDefined,        // the text defines none of the answers
  kNotAsked,          // the suite asks none of this
  kNotDeterministic,  // two answers to one question: neither conforming nor not
  kUnsupported,
  kNotMeasured,
};
std::string_view VerdictText(ImageVerdict verdict);  // "not defined by the text"
std::string_view VerdictName(ImageVerdict verdict);  // in JSON: "not_defined"

struct ImageTally {
  std::uint64_t answers = 0;
  std::uint64_t defined = 0;        // by the text
  std::uint64_t failures = 0;       // by the text, and what is wrong by every reading
  std::uint64_t outside_float = 0;  // of those that the text does not define
  std::uint64_t suite_asked = 0, suite_failures = 0;
  std::uint64_t suite_rtz_failures = 0;  // of writes to half: were the mode round toward zero
  std::uint64_t not_deterministic = 0;
  std::optional<ImageSighting> worst;  // the largest error of all answers
  std::optional<ImageSighting> suite_first;
  std::optional<ImageSighting> outside_worst;
  std::vector<ImageSighting> recorded;  // failures, and answers that were not deterministic

  ImageVerdict BySpecification() const;
  ImageVerdict BySuite() const;
};

// The two answers of a request: the second one was asked in another order, with other poison.
struct ReadAnswers {
  std::vector<FourWords> first, second;
  std::vector<bool> unwritten;
};
void JudgeReads(const ImageCase& asked, const ReadAnswers& answers, bool is_gpu,
                std::size_t max_failures, ImageTally* tally);

struct WriteAnswers {
  std::vector<std::byte> before_first, first;  // the whole image
  std::vector<std::byte> before_second, second;
};
void JudgeWrites(const ImageCase& asked, const WriteAnswers& answers, std::size_t max_failures,
                 ImageTally* tally);

void JudgeQuery(const ImageRequest& request, std::span<const std::uint32_t> answers,
                std::size_t max_failures, ImageTally* tally);

// The formats that a full-profile device of this version must have.
void JudgeFormats(const ImageAbilities& abilities, ImageShape shape, std::size_t max_failures,
                  ImageTally* tally);

// "read 2d 29x13, linear, clamp, normalized coordinates, float".
std::string HowText(const ImageRequest& request);

}  // namespace assay::oracle
