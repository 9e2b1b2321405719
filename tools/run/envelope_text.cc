#include "tools/run/envelope_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/text.h"
#include "interp/execute/lane_bits.h"
#include "interp/rules/rule.h"

namespace assay::tools {

using base::Printable;
using interp::EnvelopeTag;
using interp::OpenScalar;
using nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kShown = 64;  // ranges of a printed buffer

// The type by which a scalar is printed: numbers where it has some, else the buffer's own.
interp::ElementType TypeOf(const interp::ElementType& of, const OpenScalar& scalar) {
  const bool is_whole = scalar.tag == EnvelopeTag::kPoint || scalar.tag == EnvelopeTag::kIntegers;
  if (is_whole && numerics::SizeOf(interp::ScalarOf(of)) == scalar.bytes) {
    if (const auto type = interp::ParseElementType(of.component)) return *type;
  }
  const bool is_number = scalar.tag == EnvelopeTag::kNumbers;
  const char* name = scalar.bytes == 1   ? "uchar"
                     : scalar.bytes == 2 ? (is_number ? "half" : "ushort")
                     : scalar.bytes == 4 ? (is_number ? "float" : "uint")
                                         : (is_number ? "double" : "ulong");
  return *interp::ParseElementType(name);
}

std::string ValueText(const interp::ElementType& type, std::uint64_t bits) {
  return interp::FormatElement(type, std::span(&bits, 1));
}

// "A to B, 3 steps".
std::string EndsText(const interp::ElementType& of, const OpenScalar& scalar) {
  if (scalar.tag == EnvelopeTag::kAnything) return "anything";
  const interp::ElementType type = TypeOf(of, scalar);
  if (scalar.steps == 0) return ValueText(type, scalar.low);
  return fmt::format("{} to {}, {}", ValueText(type, scalar.low), ValueText(type, scalar.high),
                     Times(scalar.steps, "step"));
}

ordered_json ScalarJson(const interp::ElementType& of, const OpenScalar& scalar) {
  ordered_json json = {{"offset", scalar.offset}, {"bytes", scalar.bytes}};
  if (scalar.tag == EnvelopeTag::kAnything) {
    json["anything"] = true;
    return json;
  }
  const interp::ElementType type = TypeOf(of, scalar);
  json["low"] = ValueText(type, scalar.low);
  json["high"] = ValueText(type, scalar.high);
  json["steps"] = scalar.steps;
  return json;
}

}  // namespace

std::string PlaceText(const interp::ElementType& of, const OpenScalar& scalar) {
  const std::uint64_t stride = std::max<std::uint64_t>(of.bytes, 1);
  std::string place = fmt::format("[{}]", scalar.offset / stride);
  const std::uint64_t inside = scalar.offset % stride;
  if (of.components > 1 && scalar.bytes != 0) {
    place += fmt::format(".s{:x}", inside / scalar.bytes);
  }
  return place;
}

std::string RangeText(const interp::ElementType& of, const OpenScalar& scalar,
                      std::span<const std::byte> observed, std::span<const std::byte> expected) {
  const interp::ElementType type = TypeOf(of, scalar);
  const auto at = [&](std::span<const std::byte> bytes) {
    return ValueText(type, interp::ReadBits(bytes.data() + scalar.offset, scalar.bytes));
  };
  return fmt::format("is {}, allowed is {}", at(observed),
                     scalar.tag == EnvelopeTag::kPoint ? at(expected) : EndsText(of, scalar));
}

std::string EnvelopeText(const RunReport& report, bool all) {
  if (report.settings.envelope == nullptr) return "";
  std::string text;
  for (const ReportedEnvelope& envelope : report.envelopes) {
    const interp::JobBuffer& buffer = report.buffers[envelope.buffer].buffer;
    const interp::EnvelopeSummary& summary = envelope.summary;
    if (summary.ranges == 0 && summary.unknown == 0) continue;
    text += fmt::format("envelope of {}: {} with several values", Printable(buffer.name),
                        Times(summary.ranges, "scalar"));
    if (summary.unknown != 0) {
      text += fmt::format(", {} of which nothing is known", Times(summary.unknown, "byte"));
    }
    if (summary.widest) {
      text += fmt::format("; the widest: {}: {}", PlaceText(buffer.type, *summary.widest),
                          EndsText(buffer.type, *summary.widest));
    }
    text += "\n";
    if (!report.buffers[envelope.buffer].printed) continue;
    std::uint64_t shown = 0;
    for (const OpenScalar& scalar : envelope.scalars) {
      if (!all && shown++ == kShown) {
        text += fmt::format("  ... {} left out (--print-all) ...\n",
                            Times(envelope.scalars.size() - kShown, "range"));
        break;
      }
      text +=
          fmt::format("  {}: {}\n", PlaceText(buffer.type, scalar), EndsText(buffer.type, scalar));
    }
  }
  if (text.empty()) text = "envelope: all conforming devices leave the same content\n";
  if (report.is_undecided) {
    text += "envelope: not decided everywhere; the notes above say where\n";
  }
  return text;
}

ordered_json EnvelopeJson(const RunReport& report) {
  const interp::EnvelopeOptions& options = *report.settings.envelope;
  ordered_json json = {{"profile", oracle::ProfileName(options.profile)},
                       {"keeps_subnormal_halfs", options.keeps_subnormal_halfs},
                       {"keeps_subnormal_floats", options.keeps_subnormal_floats},
                       {"undecided", report.is_undecided},
                       {"buffers", ordered_json::array()}};
  for (const ReportedEnvelope& envelope : report.envelopes) {
    const ReportedBuffer& reported = report.buffers[envelope.buffer];
    ordered_json one = {{"name", reported.buffer.name},
                        {"scalars_with_ranges", envelope.summary.ranges},
                        {"bytes_unknown", envelope.summary.unknown}};
    if (envelope.summary.widest) {
      one["widest"] = ScalarJson(reported.buffer.type, *envelope.summary.widest);
    }
    if (reported.printed) {
      one["scalars"] = ordered_json::array();
      for (const OpenScalar& scalar : envelope.scalars) {
        one["scalars"].push_back(ScalarJson(reported.buffer.type, scalar));
      }
    }
    json["buffers"].push_back(std::move(one));
  }
  return json;
}

bool IsOpenByFilters(const RunReport& report) {
  return report.is_undecided &&
         std::ranges::none_of(report.findings, [](const ReportedFinding& one) {
           return one.finding.rule == interp::Rule::kEnvelopeBranch ||
                  one.finding.rule == interp::Rule::kEnvelopeAccess;
         });
}

std::string WhyUndecided(const RunReport& report) {
  if (!report.is_undecided) return "";
  return IsOpenByFilters(report)
             ? "images are read through a linear filter, of whose precision the specification says "
               "nothing"
             : "a value that devices may have otherwise decides where the kernel goes";
}

interp::ValueLayout LayoutOf(const interp::ElementType& type, bool is_image) {
  const numerics::ScalarType scalar = interp::ScalarOf(type);
  return {.bytes = std::max(1u, static_cast<std::uint32_t>(numerics::SizeOf(scalar))),
          .is_float = !is_image && numerics::IsFloating(scalar),
          .is_of_three = !is_image && type.components == 3};
}

std::vector<OpenScalar> ByValues(const interp::ValueLayout& layout,
                                 std::vector<OpenScalar> scalars) {
  std::vector<OpenScalar> values;
  const auto is_byte = [&](std::size_t i, std::uint64_t offset) {
    return i < scalars.size() && scalars[i].tag == EnvelopeTag::kAnything &&
           scalars[i].bytes == 1 && scalars[i].offset == offset;
  };
  for (std::size_t i = 0; i < scalars.size();) {
    std::size_t count = 0;
    while (count < layout.bytes && is_byte(i + count, scalars[i].offset + count)) ++count;
    const bool is_value = count == layout.bytes && scalars[i].offset % layout.bytes == 0;
    values.push_back(scalars[i]);
    if (is_value) values.back().bytes = layout.bytes;
    i += is_value ? count : 1;
  }
  return values;
}

namespace {

// "2 elements are undefined and may be anything: [1], [4] to [6]".
std::string UndefinedText(const interp::ElementType& type,
                          std::span<const std::uint64_t> undefined) {
  constexpr std::size_t kNamed = 8;
  const std::uint64_t stride = std::max<std::uint64_t>(type.bytes, 1);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
  std::uint64_t elements = 0;
  for (const std::uint64_t offset : undefined) {
    const std::uint64_t element = offset / stride;
    if (!runs.empty() && runs.back().second == element) continue;
    ++elements;
    if (!runs.empty() && runs.back().second + 1 == element) {
      runs.back().second = element;
    } else {
      runs.emplace_back(element, element);
    }
  }
  std::string text =
      fmt::format("{} undefined and may be anything:",
                  elements == 1 ? "1 element is" : fmt::format("{} elements are", elements));
  for (std::size_t i = 0; i < std::min(runs.size(), kNamed); ++i) {
    const auto [first, last] = runs[i];
    text += fmt::format("{} [{}]", i == 0 ? "" : ",", first);
    if (last != first) text += fmt::format(" to [{}]", last);
  }
  return text + (runs.size() > kNamed ? " and others" : "");
}

}  // namespace

ReportedExpectation JudgeObserved(const interp::JobBuffer& buffer,
                                  const interp::EnvelopeRecord* record,
                                  std::span<const std::byte> observed,
                                  std::span<const std::byte> undefined, bool is_undecided) {
  ReportedExpectation judged{.what = fmt::format("observed {} {}", buffer.Kind(), buffer.name)};
  const std::span<const std::byte> expected = std::span(buffer.bytes);
  if (observed.size() != expected.size()) {
    judged.met = false;
    judged.message = fmt::format("the file has {}, and the buffer {}",
                                 Times(observed.size(), "byte"), Times(expected.size(), "byte"));
    return judged;
  }
  const interp::Violations found = interp::FindViolations(
      {.observed = observed, .expected = expected, .undefined = undefined, .record = record},
      LayoutOf(buffer.type, buffer.image.has_value()));
  judged.met = found.outside == 0;
  if (found.outside != 0) {
    judged.message =
        fmt::format("{} outside of the envelope; the first: {} {}", Times(found.outside, "value"),
                    PlaceText(buffer.type, *found.first),
                    RangeText(buffer.type, *found.first, observed, expected));
    if (is_undecided) judged.met.reset();
    if (is_undecided) judged.message += "; but the envelope is not decided everywhere";
  } else {
    judged.message = fmt::format("{} differ from the run and are allowed, {} are unknown",
                                 found.inside, found.unknown);
  }
  if (!found.undefined.empty()) {
    judged.message += "; " + UndefinedText(buffer.type, found.undefined);
  }
  return judged;
}

}  // namespace assay::tools
