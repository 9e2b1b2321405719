#include "tools/run/outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "base/digest.h"
#include "base/text.h"
#include "interp/job/image_content.h"
#include "numerics/literal.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kToldPlaces = 4;        // of a large one
constexpr std::size_t kMostOutcomes = 10000;  // that are kept
constexpr std::size_t kTextOutcomes = 16;     // that the text tells
constexpr std::size_t kDigestShown = 16;      // characters

std::string_view View(const interp::HostBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string ElementText(const interp::JobBuffer& described, const interp::HostBytes& bytes,
                        std::uint64_t element) {
  if (described.image) return interp::FormatColor(*described.image, bytes, element);
  std::string text;
  const auto scalar = interp::ScalarOf(described.type);
  for (const numerics::Bits bits : interp::ComponentsOf(described.type, bytes, element)) {
    text += (text.empty() ? "" : ",") + numerics::FormatDecimal(scalar, bits);
  }
  return text;
}

std::uint64_t BytesOfElement(const interp::JobBuffer& buffer) {
  return buffer.count == 0 ? 1 : std::max<std::uint64_t>(1, buffer.bytes.size() / buffer.count);
}

std::size_t HashOf(const ReportedOutcome& outcome) {
  std::size_t hash = outcome.contents.size();
  constexpr std::size_t kFactor = 0x9e3779b97f4a7c15;
  for (const OutcomeContent& content : outcome.contents) {
    hash = hash * kFactor + std::hash<std::string_view>()(View(content.bytes));
    hash = hash * kFactor + std::hash<std::string>()(content.sha256);
  }
  return hash;
}

// "out[1]=2": where there is one element, without its place.
std::string ContentText(const std::string& name, const interp::JobBuffer& described,
                        const OutcomeContent& content) {
  std::string text;
  const auto append = [&](std::uint64_t place, std::string_view value) {
    text += described.count == 1 ? fmt::format(" {}={};", name, value)
                                 : fmt::format(" {}[{}]={};", name, place, value);
  };
  if (content.sha256.empty()) {
    for (std::uint64_t i = 0; i < described.count && !content.bytes.empty(); ++i) {
      append(i, ElementText(described, content.bytes, i));
    }
    return text;
  }
  text = fmt::format(" {} has digest {};", name, content.sha256.substr(0, kDigestShown));
  for (std::size_t i = 0; i < content.places.size(); ++i) {
    append(content.places[i], content.values[i]);
  }
  if (content.differing > content.places.size()) {
    text += fmt::format(" and {} that differ from the first run's;",
                        Times(content.differing - content.places.size(), "other element"));
  }
  return text;
}

}  // namespace

Outcomes::Outcomes(std::vector<std::size_t> places, std::vector<std::string> names,
                   std::uint64_t small_elements)
    : small_elements_(small_elements), all_names_(std::move(names)) {
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  outcomes_.places = std::move(places);
}

void Outcomes::SetFirst(const RunReport& first) {
  if (outcomes_.places.empty()) {
    outcomes_.places.resize(first.buffers.size());
    std::iota(outcomes_.places.begin(), outcomes_.places.end(), std::size_t{0});
  }
  for (const std::size_t place : outcomes_.places) {
    const interp::JobBuffer& buffer = first.buffers[place].buffer;
    outcomes_.buffers.push_back(buffer.WithoutBytes());
    outcomes_.names.push_back(place < all_names_.size() ? all_names_[place] : buffer.name);
    first_.push_back(buffer);
  }
}

OutcomeContent Outcomes::ContentOf(const interp::JobBuffer& buffer,
                                   const interp::JobBuffer& first) const {
  OutcomeContent content;
  if (buffer.count <= small_elements_) {
    content.bytes = buffer.bytes;
    return content;
  }
  const bool is_first = View(buffer.bytes) == View(first.bytes);
  content.sha256 = base::Sha256(View(buffer.bytes));
  if (is_first || buffer.bytes.size() != first.bytes.size()) return content;
  const std::uint64_t stride = BytesOfElement(buffer);
  for (std::uint64_t i = 0; i < buffer.count && (i + 1) * stride <= buffer.bytes.size(); ++i) {
    if (View(buffer.bytes).substr(i * stride, stride) ==
        View(first.bytes).substr(i * stride, stride))
      continue;
    ++content.differing;
    if (content.places.size() == kToldPlaces) continue;
    content.places.push_back(i);
    content.values.push_back(ElementText(buffer, buffer.bytes, i));
  }
  return content;
}

ReportedOutcome Outcomes::Describe(const RunReport& run) const {
  ReportedOutcome outcome{.seed = run.replay.seed,
                          .choices = run.replay.choices,
                          .replay = run.replay.command,
                          .contents = {}};
  for (std::size_t i = 0; i < outcomes_.places.size(); ++i) {
    outcome.contents.push_back(ContentOf(run.buffers[outcomes_.places[i]].buffer, first_[i]));
  }
  return outcome;
}

void Outcomes::Add(ReportedOutcome outcome) {
  ++outcomes_.runs;
  const std::size_t hash = HashOf(outcome);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    ReportedOutcome& known = outcomes_.list[at->second];
    if (known.contents != outcome.contents) continue;
    ++known.runs;
    return;
  }
  if (outcomes_.list.size() == kMostOutcomes) {
    ++outcomes_.unlisted;
    return;
  }
  by_hash_.emplace(hash, outcomes_.list.size());
  outcomes_.list.push_back(std::move(outcome));
}

void Outcomes::AddRun(const RunReport& run) {
  if (run.end != interp::LaunchEnd::kCompleted) return AddUnended();
  if (first_.empty()) SetFirst(run);
  Add(Describe(run));
}

ReportedOutcomes Outcomes::Take() {
  std::ranges::stable_sort(outcomes_.list, std::greater<>(), &ReportedOutcome::runs);
  return std::move(outcomes_);
}

std::string OutcomesText(const RunReport& report) {
  const ReportedOutcomes& outcomes = *report.outcomes;
  const bool is_printed = std::ranges::any_of(report.buffers, &ReportedBuffer::printed);
  if (outcomes.list.size() < 2 && !is_printed) return "";
  std::string text =
      fmt::format("{} in {}", Times(outcomes.list.size(), "outcome"), Times(outcomes.runs, "run"));
  if (outcomes.unlisted != 0) text += fmt::format(", and others in {}", outcomes.unlisted);
  if (outcomes.unended != 0) {
    text += fmt::format("; {} did not come to an end", Times(outcomes.unended, "run"));
  }
  text += "\n";
  for (std::size_t i = 0; i < std::min(outcomes.list.size(), kTextOutcomes); ++i) {
    const ReportedOutcome& outcome = outcomes.list[i];
    text += fmt::format("  {:>8} :>", outcome.runs);
    for (std::size_t j = 0; j < outcome.contents.size(); ++j) {
      text +=
          ContentText(base::Printable(outcomes.names[j]), outcomes.buffers[j], outcome.contents[j]);
    }
    text += fmt::format("\n  = replay: {}\n", base::Printable(outcome.replay));
  }
  if (outcomes.list.size() > kTextOutcomes) {
    text += fmt::format("  ... {} left out (--json has them) ...\n",
                        Times(outcomes.list.size() - kTextOutcomes, "outcome"));
  }
  return text;
}

ordered_json OutcomesJson(const ReportedOutcomes& outcomes) {
  ordered_json list = ordered_json::array();
  for (const ReportedOutcome& outcome : outcomes.list) {
    ordered_json buffers = ordered_json::array();
    for (std::size_t i = 0; i < outcome.contents.size(); ++i) {
      const OutcomeContent& content = outcome.contents[i];
      const interp::JobBuffer& described = outcomes.buffers[i];
      ordered_json buffer{{"name", outcomes.names[i]}};
      if (content.sha256.empty()) {
        ordered_json data = ordered_json::array();
        for (std::uint64_t j = 0; j < described.count && !content.bytes.empty(); ++j) {
          data.push_back(ElementText(described, content.bytes, j));
        }
        buffer["values"] = std::move(data);
      } else {
        buffer["sha256"] = content.sha256;
        buffer["differing"] = content.differing;
        buffer["places"] = content.places;
        buffer["values"] = content.values;
      }
      buffers.push_back(std::move(buffer));
    }
    list.push_back({{"runs", outcome.runs},
                    {"seed", outcome.seed},
                    {"choices", outcome.choices},
                    {"replay", outcome.replay},
                    {"buffers", std::move(buffers)}});
  }
  return {{"runs", outcomes.runs},
          {"unended", outcomes.unended},
          {"unlisted", outcomes.unlisted},
          {"list", std::move(list)}};
}

}  // namespace assay::tools
