// Branches that hang on ranges, and what is told.
#include <fmt/format.h>

#include <bit>

#include "interp/envelope/envelope.h"
#include "interp/envelope/integer_range.h"

namespace assay::interp {

using oracle::Open;
using oracle::Range;

namespace {

// Whether all values of a range lead to the same place.
bool LeadsToOnePlace(const FlatSwitch& table, Kind kind, const Range& range) {
  if (range.kind != Range::Kind::kIntegers) return false;
  const auto target = [&](std::uint64_t value) {
    for (const SwitchCase& one : table.cases) {
      if (one.value == value) return one.target;
    }
    return table.otherwise;
  };
  const std::uint64_t count = CountOf(kind, range);
  bool same = count != 0 && count <= 256;
  for (std::uint64_t i = 1; same && i < count; ++i) {
    same = target((range.low + i) & MaskOf(kind)) == target(range.low);
  }
  return same;
}

}  // namespace

void Envelope::Decide(Batch& batch, const FlatBlock& block) {
  std::uint64_t open = batch.envelope->Wide(block.condition) & batch.active & ~batch.envelope->lost;
  if (open == 0) return;
  if (block.end == End::kSwitch) {
    const ShadowOperand condition = {block.condition, BytesOf(block.condition_kind)};
    for (std::uint64_t rest = open; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (LeadsToOnePlace(batch.program->switches[block.cases], block.condition_kind,
                          Get(batch, condition, lane))) {
        open &= ~(std::uint64_t{1} << lane);
      }
    }
  }
  Tell(batch, block.place, open, Rule::kEnvelopeBranch, [] {
    return std::string(
        "conforming devices may go either way here: the condition hangs on a value that the "
        "specification leaves open");
  });
  Lose(batch, open);
}

void Envelope::Lose(Batch& batch, std::uint64_t lanes) {
  batch.envelope->lost |= lanes;
  if (lanes != 0) records_.is_undecided = true;
}

void Envelope::TellAccess(Batch& batch, std::uint32_t place, int lane) {
  Tell(batch, place, std::uint64_t{1} << lane, Rule::kEnvelopeAccess, [] {
    return std::string(
        "conforming devices may access other places here: the address hangs on a value that the "
        "specification leaves open");
  });
  Lose(batch, std::uint64_t{1} << lane);
}

void Envelope::TellOpen(Batch& batch, std::uint32_t place, std::uint64_t lanes, Open why,
                        std::string_view what) {
  Tell(batch, place, lanes, Rule::kEnvelopeOpen, [&] {
    return what.empty()
               ? fmt::format("nothing is known of the result: {}", OpenText(why))
               : fmt::format("nothing is known of the result of {}: {}", what, OpenText(why));
  });
}

}  // namespace assay::interp
