// The product of matrices that lie in the registers of a sub-group (MatrixCall).
#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/execute/execute.h"
#include "interp/execute/subgroup.h"
#include "numerics/matrix/product.h"

namespace assay::interp {
namespace {

using numerics::matrix::Shape;

std::uint64_t LowBits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// The elements of a, b or c with what is undefined of them.
struct Elements {
  std::vector<std::uint64_t> bits;
  std::vector<std::uint32_t> origins;  // of undefined ones, one more; 0: defined
};

// Reads registers and elements of one work-item after the other.
class Gatherer {
 public:
  Gatherer(std::span<const SubgroupPart> parts, const FlatSync& sync, std::uint32_t size)
      : parts_(parts), sync_(sync), size_(size) {}

  // The registers from operand `first` on.  The elements of work-items that are not there are zero.
  Elements Gather(const MatrixOperand& operand, std::size_t first, std::size_t count) const {
    Elements elements;
    elements.bits.resize(count);
    elements.origins.resize(count);
    ForLanes([&](const RunningBatch& running, int lane, std::uint32_t id) {
      for (std::uint32_t part = 0; part < operand.parts; ++part) {
        const std::uint32_t offset = sync_.operands[first + part];
        const Kind kind = sync_.operand_kinds[first + part];
        const std::uint64_t bits = ReadLane(running, offset, kind, lane);
        std::uint64_t undefined = 0;
        if (running.batch.tainted) {
          const std::uint32_t bytes = BytesOf(kind);
          std::memcpy(&undefined,
                      running.batch.undefined + offset + static_cast<std::size_t>(lane) * bytes,
                      bytes);
        }
        for (std::uint32_t i = 0; i < operand.elements; ++i) {
          const std::uint32_t place =
              operand.places[std::size_t{part * operand.elements + i} * size_ + id];
          if (place >= count) continue;
          const std::uint32_t shift = operand.shift + i * operand.bits;
          elements.bits[place] = bits >> shift & LowBits(operand.bits);
          if ((undefined >> shift & LowBits(operand.bits)) != 0) {
            elements.origins[place] = running.batch.Origins(offset)[lane] + 1;
          }
        }
      }
    });
    return elements;
  }

  template <typename Body>
  void ForLanes(const Body& body) const {
    for (const SubgroupPart& part : parts_) {
      for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        body(*part.running, lane,
             static_cast<std::uint32_t>((part.running->first + static_cast<std::uint64_t>(lane)) %
                                        size_));
      }
    }
  }

 private:
  std::span<const SubgroupPart> parts_;
  const FlatSync& sync_;
  std::uint32_t size_;
};

// Of each element of d the origin of something undefined that it is made of, as in Elements; empty:
// all is defined.
std::vector<std::uint32_t> OriginsOf(const Shape& shape, const Elements& a, const Elements& b,
                                     const Elements& c) {
  const auto any = [](const Elements& elements) {
    return std::ranges::any_of(elements.origins, [](std::uint32_t origin) { return origin != 0; });
  };
  if (!any(a) && !any(b) && !any(c)) return {};
  std::vector<std::uint32_t> rows(shape.m), columns(shape.n);
  for (std::size_t i = 0; i < shape.m * shape.k; ++i) {
    rows[i / shape.k] = std::max(rows[i / shape.k], a.origins[i]);
  }
  for (std::size_t i = 0; i < shape.k * shape.n; ++i) {
    columns[i % shape.n] = std::max(columns[i % shape.n], b.origins[i]);
  }
  std::vector<std::uint32_t> origins(c.origins);
  for (std::size_t i = 0; i < origins.size(); ++i) {
    origins[i] = std::max({origins[i], rows[i / shape.n], columns[i % shape.n]});
  }
  return origins;
}

}  // namespace

void Subgroups::Multiply(std::span<const SubgroupPart> parts, const FlatSync& sync,
                         const SubgroupCall& call) {
  const MatrixCall& matrices = program_.matrix_calls[call.matrix];
  const Shape& shape = matrices.product->shape();
  const Gatherer gatherer(parts, sync, program_.subgroup_size);
  const Elements a = gatherer.Gather(matrices.a, 0, shape.m * shape.k);
  const Elements b = gatherer.Gather(matrices.b, matrices.a.parts, shape.k * shape.n);
  const Elements c =
      gatherer.Gather(matrices.c, matrices.a.parts + matrices.b.parts, shape.m * shape.n);
  std::vector<std::uint64_t> d(shape.m * shape.n);
  std::vector<std::size_t> open;
  matrices.product->Compute(a.bits.data(), b.bits.data(), c.bits.data(), d.data(), &open);
  worker_.Spend(shape.m * shape.n * shape.k / 16);
  const std::vector<std::uint32_t> origins =
      worker_.definedness() == nullptr ? std::vector<std::uint32_t>{} : OriginsOf(shape, a, b, c);
  const MatrixOperand& results = matrices.d;
  gatherer.ForLanes([&](RunningBatch& running, int lane, std::uint32_t id) {
    for (std::uint32_t part = 0; part < results.parts; ++part) {
      const std::uint32_t place = results.places[std::size_t{part} * program_.subgroup_size + id];
      if (place >= d.size()) continue;
      const Kind kind = sync.result_kinds[part];
      WriteLane(running, sync.results[part], kind, lane, d[place] << results.shift);
      if (worker_.definedness() == nullptr) continue;
      if (!origins.empty() && origins[place] != 0) {
        worker_.definedness()->SetLane(running.batch, sync.results[part], BytesOf(kind), lane,
                                       MaskOf(kind), origins[place] - 1);
      } else if (std::ranges::find(open, place) != open.end()) {
        worker_.definedness()->LeftOpen(
            running.batch, sync.instruction.place, sync.results[part], BytesOf(kind), lane,
            Rule::kMatrixOverflow,
            "the sum of products, which overflows before it is added to C and saturated");
      }
    }
  });
}

}  // namespace assay::interp
