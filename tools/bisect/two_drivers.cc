#include "tools/bisect/two_drivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "tools/bisect/c_types.h"
#include "tools/bisect/search.h"
#include "tools/bisect/trial.h"
#include "tools/run/envelope_text.h"
#include "tools/run/source_lines.h"

namespace assay::tools {
namespace {

using frontend::Id;
using Bytes = std::span<const std::byte>;

std::uint64_t BitsAt(Bytes bytes, std::uint64_t offset, std::uint32_t size) {
  std::uint64_t bits = 0;
  if (offset + size <= bytes.size()) std::memcpy(&bits, bytes.data() + offset, size);
  return bits;
}

bool IsNan(const interp::ElementType& type, std::uint64_t bits) {
  const auto scalar = interp::ScalarOf(type);
  return numerics::IsFloating(scalar) && numerics::IsNan(numerics::FormatOf(scalar), bits);
}

// The bits of a NaN are open.
bool Differ(const interp::ElementType& type, OfBoth<std::uint64_t> bits) {
  return bits[0] != bits[1] && !(IsNan(type, bits[0]) && IsNan(type, bits[1]));
}

class Comparison {
 public:
  Comparison(Subject subject, const TwoDriversOptions& options)
      : subject_(std::move(subject)),
        trials_{Trials(options.platforms[0], options.timeout, options.max_memory),
                Trials(options.platforms[1], options.timeout, options.max_memory)} {
    for (Trials& one : trials_) one.Define(subject_.macros());
  }

  Expected<TwoDriversReport> Run() {
    report_.launches = subject_.job().launches.size();
    if (auto kept = KeepOne(); !kept) return tl::unexpected(kept.error());
    report_.kernel = subject_.kernel();
    OfBoth<TrialOutcome> outcomes;
    for (std::size_t i = 0; i < 2; ++i) {
      auto outcome = trials_[i].Run(subject_.job(), true);
      if (!outcome) return tl::unexpected(outcome.error());
      if (!outcome->findings.empty()) {
        return Fail(ErrorKind::kUsage,
                    fmt::format("the kernel has undefined behavior, so drivers may compute "
                                "anything:\n{}",
                                outcome->findings[0]));
      }
      outcomes[i] = std::move(*outcome);
      report_.undecided[i] = outcomes[i].Doubt();
      if (outcomes[i].violations.empty()) continue;
      const Violation& first = outcomes[i].violations[0];
      report_.outside[i] = subject_.job().buffers[first.buffer].name + " " + first.text;
    }
    std::size_t buffer = 0;
    std::uint64_t byte = 0;
    if (FirstDifference(outcomes, &buffer, &byte)) {
      if (auto found = Find(buffer, byte); !found) {
        if (found.error().kind != ErrorKind::kUnsupported) return tl::unexpected(found.error());
        report_.not_found = found.error().message;
      }
    }
    Finish();
    return std::move(report_);
  }

 private:
  // Of several launches the first after which the memory differs, with the memory that the first
  // driver gives it; the last where none is.
  Expected<void> KeepOne() {
    const std::size_t all = subject_.job().launches.size();
    if (all == 1) return {};
    std::vector<std::vector<std::byte>> before;
    for (std::size_t launches = 1; launches <= all; ++launches) {
      auto first = trials_[0].Drive(subject_.First(launches));
      if (!first) return tl::unexpected(first.error());
      const auto second = trials_[1].Drive(subject_.First(launches));
      if (!second) return tl::unexpected(second.error());
      if (*first != *second || launches == all) {
        return subject_.Keep(launches - 1, std::move(before));
      }
      before = std::move(*first);
    }
    return {};
  }

  bool FirstDifference(const OfBoth<TrialOutcome>& outcomes, std::size_t* buffer,
                       std::uint64_t* byte) {
    const auto& buffers = subject_.job().buffers;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const Bytes one = outcomes[0].observed[i], other = outcomes[1].observed[i];
      const std::vector<std::byte>& undefined = outcomes[0].undefined[i];
      auto difference = Compare(buffers[i].type, one, other, undefined);
      if (!difference) continue;
      difference->buffer = buffers[i].name;
      const std::uint64_t begin = difference->element * buffers[i].type.bytes;
      report_.output = std::move(*difference);
      *buffer = i;
      for (*byte = begin; *byte < one.size(); ++*byte) {
        const bool is_defined = *byte >= undefined.size() || undefined[*byte] == std::byte{0};
        if (is_defined && one[*byte] != other[*byte]) break;
      }
      return true;
    }
    return false;
  }

  struct Slot {
    Id id = 0;
    std::uint32_t component = 0;
    std::uint32_t occurrence = 0;
  };

  Expected<void> Find(std::size_t buffer, std::uint64_t byte) {
    Search search(subject_, &trials_[0]);
    const std::string what =
        fmt::format("byte {} of {}", byte, subject_.job().buffers[buffer].name);
    if (auto known = search.FindWriter(buffer, byte, what); !known) return known;
    for (std::uint32_t window = 0; window < Search::kWindows; ++window) {
      const std::size_t before = slots_.size();
      if (auto done = Window(search, window * Search::kWindow); !done) return done;
      if (report_.found || slots_.size() < before + Search::kWindow) break;
    }
    if (report_.found) return {};
    if (auto done = ByCuts(search); !done) return done;
    if (!report_.found) {
      report_.not_found =
          "the kernel as it is written for the search computes the same on both, with and without "
          "each value written out";
    }
    return {};
  }

  Expected<void> Window(const Search& search, std::uint32_t from) {
    const auto job = search.LogJob(from);
    if (!job) return tl::unexpected(job.error());
    OfBoth<TrialOutcome> outcomes;
    for (std::size_t i = 0; i < 2; ++i) {
      auto outcome = trials_[i].Run(*job, false);
      if (!outcome) return tl::unexpected(outcome.error());
      outcomes[i] = std::move(*outcome);
    }
    const std::size_t where = PlaceOf(*job, "log_where");
    Slot last;
    for (std::uint32_t slot = 0; slot < Search::kWindow; ++slot) {
      OfBoth<Id> ids;
      for (std::size_t i = 0; i < 2; ++i) {
        ids[i] = static_cast<Id>(BitsAt(outcomes[i].observed[where], slot * std::uint64_t{4}, 4));
      }
      if (ids[0] == 0 && ids[1] == 0) return {};
      last = Next(last, ids[0] != 0 ? ids[0] : ids[1]);
      slots_.push_back(last);
      if (ids[0] != ids[1]) {
        report_.found = PartingAt(last, search);
        report_.found->is_path = true;
        return {};
      }
      if (TakeSlot(*job, outcomes, slot, last, search)) return {};
    }
    return {};
  }

  // Which component of which value, and which time, the next entry of a log is.
  Slot Next(const Slot& last, Id id) {
    const CTypes types(subject_.module());
    const std::uint32_t components = types.Components(subject_.module().TypeOf(id));
    const bool goes_on = last.id == id && last.component + 1 < components;
    return {id, goes_on ? last.component + 1 : 0, goes_on ? last.occurrence : occurrences_[id]++};
  }

  Parting PartingAt(const Slot& slot, const Search& search) const {
    return {.value = slot.id,
            .occurrence = slot.occurrence,
            .item = search.item(),
            .values_before = slots_.size() - 1};
  }

  // Whether the two have another value there; then it is what is looked for.
  bool TakeSlot(const interp::Job& job, const OfBoth<TrialOutcome>& outcomes, std::uint32_t slot,
                const Slot& of, const Search& search) {
    const auto [name, bytes] = LogOf(ProbedComponent(subject_.module(), of.id));
    const std::size_t buffer = PlaceOf(job, name);
    const std::uint64_t offset = std::uint64_t{slot} * bytes;
    const interp::ElementType& type = job.buffers[buffer].type;
    const OfBoth<std::uint64_t> bits = {BitsAt(outcomes[0].observed[buffer], offset, bytes),
                                        BitsAt(outcomes[1].observed[buffer], offset, bytes)};
    if (!Differ(type, bits)) return false;
    report_.found = PartingAt(of, search);
    Judge(type, buffer, offset, outcomes);
    return true;
  }

  // What both have there, and may have.
  void Judge(const interp::ElementType& type, std::size_t buffer, std::uint64_t offset,
             const OfBoth<TrialOutcome>& outcomes) {
    Parting& found = *report_.found;
    const auto width = static_cast<std::uint32_t>(type.bytes);
    for (std::size_t i = 0; i < 2; ++i) {
      const TrialOutcome& outcome = outcomes[i];
      const std::uint64_t bits = BitsAt(outcome.observed[buffer], offset, width);
      found.values[i] = interp::FormatElement(type, std::span(&bits, 1));
      found.is_undecided |= outcome.is_undecided || outcome.unknown != 0;
      interp::OpenScalar scalar{};
      scalar.offset = offset;
      scalar.bytes = width;
      scalar.tag = interp::EnvelopeTag::kPoint;
      if (const auto record = outcome.records.find(buffer); record != outcome.records.end()) {
        for (const auto& one : ByValues(LayoutOf(type, false), OpenScalars(record->second))) {
          if (one.offset == offset && one.bytes == width) scalar = one;
        }
      }
      for (const Violation& one : outcome.violations) {
        found.are_outside[i] |= one.buffer == buffer && one.scalar.offset == offset;
      }
      const std::string range =
          RangeText(type, scalar, outcome.observed[buffer], outcome.expected[buffer]);
      constexpr std::string_view kAllowed = "allowed is ";
      const std::size_t at = range.find(kAllowed);
      if (at != std::string::npos) found.allowed = range.substr(at + kAllowed.size());
    }
  }

  // Kernels that write out one value each, where one that writes out all computes the same on both.
  Expected<void> ByCuts(const Search& search) {
    const Id stored = search.StoredValue();
    std::size_t last = slots_.size();
    while (last > 0 && slots_[last - 1].id != stored) --last;
    std::vector<Slot> values;
    for (std::size_t i = 0; i < last; ++i) {
      if (slots_[i].component == 0) values.push_back(slots_[i]);
    }
    if (values.empty()) return {};
    std::size_t same = 0, parted = values.size() - 1;
    auto parts = PartsAlone(search, values[parted], parted);
    if (!parts || !*parts) return parts ? Expected<void>() : tl::unexpected(parts.error());
    while (same < parted) {
      const std::size_t middle = (same + parted) / 2;
      parts = PartsAlone(search, values[middle], middle);
      if (!parts) return tl::unexpected(parts.error());
      if (*parts) {
        parted = middle;
      } else {
        same = middle + 1;
      }
    }
    parts = PartsAlone(search, values[parted], parted);
    return parts ? Expected<void>() : tl::unexpected(parts.error());
  }

  Expected<bool> PartsAlone(const Search& search, const Slot& slot, std::size_t before) {
    const Divergence at = {.value = slot.id, .occurrence = slot.occurrence, .item = search.item()};
    Focus focus;
    const auto job = search.Cut(at, {}, &focus);
    if (!job) return tl::unexpected(job.error());
    OfBoth<TrialOutcome> outcomes;
    for (std::size_t i = 0; i < 2; ++i) {
      auto outcome = trials_[i].Run(*job, false, &focus);
      if (!outcome) return tl::unexpected(outcome.error());
      outcomes[i] = std::move(*outcome);
    }
    const std::size_t buffer = PlaceOf(*job, focus.buffer);
    const interp::ElementType& type = job->buffers[buffer].type;
    for (std::uint64_t offset = focus.first; offset < focus.end; offset += type.bytes) {
      const auto width = static_cast<std::uint32_t>(type.bytes);
      const OfBoth<std::uint64_t> bits = {BitsAt(outcomes[0].observed[buffer], offset, width),
                                          BitsAt(outcomes[1].observed[buffer], offset, width)};
      if (!Differ(type, bits)) continue;
      report_.found = Parting{.value = slot.id,
                              .occurrence = slot.occurrence,
                              .item = search.item(),
                              .values_before = before,
                              .is_alone = true};
      Judge(type, buffer, offset, outcomes);
      return true;
    }
    return false;
  }

  void Finish() {
    for (std::size_t i = 0; i < 2; ++i) {
      report_.devices[i] = trials_[i].device();
      report_.drivers[i] = trials_[i].driver();
      report_.runs[i] = trials_[i].runs();
    }
    if (!report_.found) return;
    report_.global_id = subject_.GlobalId(report_.found->item);
    const frontend::Module& module = subject_.module();
    const frontend::Instruction* one = module.Definition(report_.found->value);
    if (one == nullptr) return;
    report_.instruction = module.Text(*one);
    const auto place = static_cast<std::size_t>(one - module.instructions.data());
    if (place >= module.debug_info.locations.size()) return;
    const frontend::SourceLocation& location = module.debug_info.locations[place];
    if (!location.IsKnown()) return;
    report_.source = DescribeLocation(module.debug_info, location);
    report_.source_text = SourceLines(module, subject_.job().modules, subject_.job().reads)
                              .Line(location.file, location.line);
  }

  Subject subject_;
  OfBoth<Trials> trials_;
  TwoDriversReport report_;
  std::vector<Slot> slots_;  // what was logged, in order
  std::map<Id, std::uint32_t> occurrences_;
};

}  // namespace

Expected<TwoDriversReport> CompareDrivers(Subject subject, const TwoDriversOptions& options) {
  return Comparison(std::move(subject), options).Run();
}

}  // namespace assay::tools
