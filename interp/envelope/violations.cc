#include "interp/envelope/violations.h"

#include <algorithm>

#include "interp/execute/lane_bits.h"
#include "interp/program/scalar.h"

namespace assay::interp {
namespace {

class Values {
 public:
  Values(const LeftMemory& left, const ValueLayout& layout) : left_(left), layout_(layout) {
    if (left.record != nullptr) scalars_ = OpenScalars(*left.record);
  }

  Violations Find() {
    const std::uint64_t size = left_.observed.size(), width = layout_.bytes;
    for (std::uint64_t at = 0; at < size;) {
      // A value of the type, and the scalars that begin in it: those may be wider.
      std::uint64_t end = at;
      const std::size_t first = next_;
      for (std::uint64_t wanted = at + 1; end < std::min(wanted, size);) {
        end = std::min((wanted + width - 1) / width * width, size);
        wanted = end;
        while (next_ < scalars_.size() && scalars_[next_].offset < end) {
          wanted = std::max(wanted, scalars_[next_].offset + scalars_[next_].bytes);
          ++next_;
        }
      }
      Look(at, end, std::span(scalars_).subspan(first, next_ - first));
      at = end;
    }
    return std::move(found_);
  }

 private:
  bool DiffersAt(std::uint64_t at) const { return left_.observed[at] != left_.expected[at]; }

  bool AreNans(std::uint64_t at, std::uint64_t end) const {
    if (!layout_.is_float || end - at != layout_.bytes) return false;
    const numerics::Format format = FormatOf(FloatKind(static_cast<int>(layout_.bytes) * 8));
    const auto is_nan = [&](std::span<const std::byte> of) {
      return numerics::IsNan(format, ReadBits(of.data() + at, layout_.bytes));
    };
    return is_nan(left_.observed) && is_nan(left_.expected);
  }

  void Look(std::uint64_t at, std::uint64_t end, std::span<const OpenScalar> scalars) {
    if (layout_.is_of_three && at / layout_.bytes % 4 == 3) return;
    const auto undefined = left_.undefined.subspan(std::min(at, left_.undefined.size()));
    const auto is_set = [](std::byte bits) { return bits != std::byte{0}; };
    if (std::ranges::any_of(undefined.first(std::min(end - at, undefined.size())), is_set)) {
      found_.undefined.push_back(at);
      return;
    }
    if (AreNans(at, end)) return;
    bool is_outside = false, is_unknown = false, differs = false;
    const auto look_at_bytes = [&](std::uint64_t byte, std::uint64_t last) {
      for (; byte < last; ++byte) {
        if (!DiffersAt(byte)) continue;
        is_outside = true;
        if (found_.first) continue;
        const bool is_whole = end - at == layout_.bytes;
        found_.first = OpenScalar{.offset = is_whole ? at : byte,
                                  .bytes = is_whole ? layout_.bytes : 1,
                                  .tag = EnvelopeTag::kPoint};
      }
    };
    std::uint64_t done = at;
    for (const OpenScalar& scalar : scalars) {
      look_at_bytes(done, scalar.offset);
      done = scalar.offset + scalar.bytes;
      const std::uint64_t seen = ReadBits(left_.observed.data() + scalar.offset, scalar.bytes);
      if (!scalar.Contains(seen)) {
        is_outside = true;
        if (!found_.first) found_.first = scalar;
      } else if (seen != ReadBits(left_.expected.data() + scalar.offset, scalar.bytes)) {
        (scalar.tag == EnvelopeTag::kAnything ? is_unknown : differs) = true;
      }
    }
    look_at_bytes(done, end);
    if (is_outside) {
      ++found_.outside;
    } else if (is_unknown) {
      ++found_.unknown;
    } else if (differs) {
      ++found_.inside;
    }
  }

  const LeftMemory& left_;
  const ValueLayout& layout_;
  std::vector<OpenScalar> scalars_;
  std::size_t next_ = 0;
  Violations found_;
};

}  // namespace

Violations FindViolations(const LeftMemory& left, const ValueLayout& layout) {
  return Values(left, layout).Find();
}

}  // namespace assay::interp
