#include "numerics/matrix/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "numerics/matrix/exact_sum.h"
#include "numerics/small_float/convert.h"

namespace assay::numerics::matrix {
namespace {

using small_float::Format;

// Products of f32 need 2^-298 to 2^256, those of f64 2^-2148 to 2^2048.
using Sum = ExactSum<12, 320>;
using SumOfDoubles = ExactSum<72, 2176>;

__extension__ using Int128 = __int128;

std::optional<Arithmetic> PlainArithmetic(std::string_view name) {
  for (const Arithmetic one : {Arithmetic::kExact, Arithmetic::kSequential, Arithmetic::kTree}) {
    if (kArithmeticNames[static_cast<std::size_t>(one)] == name) return one;
  }
  return std::nullopt;
}

Int128 Extended(std::uint64_t bits, const Element& element) {
  const int unused = 64 - element.bits;
  const std::uint64_t high = bits << unused;
  return element.is_signed ? Int128{static_cast<std::int64_t>(high) >> unused}
                           : Int128{high >> unused};
}

std::uint64_t LowBits(std::uint64_t bits, int count) {
  return count >= 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
}

}  // namespace

std::string Element::Name() const {
  if (format != nullptr) return std::string(format->name);
  return fmt::format("{}{}", is_signed ? 's' : 'u', bits);
}

Expected<TileProduct> TileProduct::Find(std::string_view name, std::string_view text,
                                        const ProductTypes& types, const Shape& shape) {
  TileProduct product;
  product.shape_ = shape;
  product.types_ = types;
  const bool is_integer = types.d.format == nullptr;
  const auto plain = PlainArithmetic(name);
  product.arithmetic_ = is_integer ? Arithmetic::kInteger : plain.value_or(Arithmetic::kExact);
  const bool is_uniform = types.a.Name() == types.b.Name() && types.c.Name() == types.d.Name();
  if (types.saturates && std::max(types.a.bits, types.b.bits) > 32) {
    return Fail(ErrorKind::kUnsupported, "a saturating product of integers of 64 bits");
  }
  if (plain) {
    if (is_integer || !is_uniform) return product;
    // Of formats that it does not have, this class computes the same.
    auto model = FindModel(name, {}, types.a.Name(), types.d.Name());
    if (model) product.model_ = *std::move(model);
    return product;
  }
  auto model = FindModel(name, text, types.a.Name(), types.d.Name());
  if (!model) return tl::unexpected<Error>(model.error());
  if (!is_uniform || types.saturates) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: has no instruction with a of {}, b of {}, c of {} and a result of "
                            "{}{}",
                            name, types.a.Name(), types.b.Name(), types.c.Name(), types.d.Name(),
                            types.saturates ? ", saturating" : ""));
  }
  if (shape.k % static_cast<std::size_t>(model->k) != 0) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: its instruction {} has k = {}, which does not divide the k = {} "
                            "asked for",
                            name, model->name, model->k, shape.k));
  }
  product.model_ = *std::move(model);
  return product;
}

void TileProduct::Compute(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                          std::uint64_t* d, std::vector<std::size_t>* open) const {
  const auto [m, n, k] = shape_;
  if (model_) {
    const auto narrow = [](const std::uint64_t* from, std::size_t count) {
      std::vector<std::uint32_t> to(count);
      std::transform(from, from + count, to.begin(),
                     [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); });
      return to;
    };
    std::vector<std::uint32_t> result(m * n);
    Multiply(*model_, shape_, narrow(a, m * k).data(), narrow(b, k * n).data(),
             narrow(c, m * n).data(), result.data(), 1);
    std::copy(result.begin(), result.end(), d);
    return;
  }
  const bool is_wide = types_.a.bits > 32 || types_.b.bits > 32 || types_.c.bits > 32;
  std::vector<std::uint64_t> column(k);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t l = 0; l < k; ++l) column[l] = b[l * n + j];
    for (std::size_t i = 0; i < m; ++i) {
      const std::uint64_t* const row = a + i * k;
      const std::size_t at = i * n + j;
      if (types_.d.format == nullptr) {
        bool overflows = false;
        d[at] = Integer(row, column.data(), c[at], &overflows);
        if (overflows) open->push_back(at);
      } else {
        d[at] = is_wide ? Float<SumOfDoubles>(row, column.data(), c[at])
                        : Float<Sum>(row, column.data(), c[at]);
      }
    }
  }
}

template <typename Sum>
std::uint64_t TileProduct::Float(const std::uint64_t* a, const std::uint64_t* b,
                                 std::uint64_t c) const {
  using Terms = ExactTerms<Sum>;
  const Format& format = *types_.c.format;
  const auto rounded = [&](const Terms& terms) {
    return small_float::Encode(format, terms.Value());
  };
  const auto sum_of = [&](std::uint64_t x, std::uint64_t y) {
    Terms terms;
    terms.Add(small_float::Decode(format, x));
    terms.Add(small_float::Decode(format, y));
    return rounded(terms);
  };
  const auto add_product = [&](std::size_t l, Terms* terms) {
    terms->AddProduct(small_float::Decode(*types_.a.format, a[l]),
                      small_float::Decode(*types_.b.format, b[l]));
  };
  std::uint64_t sum = c;
  if (arithmetic_ == Arithmetic::kExact) {
    Terms terms;
    terms.Add(small_float::Decode(format, c));
    for (std::size_t l = 0; l < shape_.k; ++l) add_product(l, &terms);
    small_float::Number value = terms.Value();
    if (value.kind == small_float::Kind::kNan) value.negative = false;
    return small_float::Encode(*types_.d.format, value);
  }
  if (arithmetic_ == Arithmetic::kSequential) {
    for (std::size_t l = 0; l < shape_.k; ++l) {
      Terms terms;
      add_product(l, &terms);
      terms.Add(small_float::Decode(format, sum));
      sum = rounded(terms);
    }
  } else {
    // As TreeDot: neighbours in pairs, and c last.
    std::vector<std::uint64_t> sums(shape_.k);
    for (std::size_t l = 0; l < shape_.k; ++l) {
      Terms terms;
      add_product(l, &terms);
      sums[l] = rounded(terms);
    }
    while (sums.size() > 1) {
      for (std::size_t l = 0; l + 1 < sums.size(); l += 2) {
        sums[l / 2] = sum_of(sums[l], sums[l + 1]);
      }
      if (sums.size() % 2 != 0) sums[sums.size() / 2] = sums.back();
      sums.resize((sums.size() + 1) / 2);
    }
    sum = sum_of(sums[0], c);
  }
  small_float::Number value = small_float::Decode(format, sum);
  if (value.kind == small_float::Kind::kNan) value.negative = false;
  return small_float::Encode(*types_.d.format, value);
}

std::uint64_t TileProduct::Integer(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t c,
                                   bool* overflows) const {
  // Products of 64 bits may wrap around 128, which changes no lower bit; those of a saturating
  // instruction have at most 32 bits each.
  Int128 product = 0;
  for (std::size_t l = 0; l < shape_.k; ++l) {
    __extension__ using Wide = unsigned __int128;
    product = static_cast<Int128>(static_cast<Wide>(product) +
                                  static_cast<Wide>(Extended(a[l], types_.a)) *
                                      static_cast<Wide>(Extended(b[l], types_.b)));
  }
  const Element& d = types_.d;
  const Int128 low = d.is_signed ? -(Int128{1} << (d.bits - 1)) : Int128{0};
  const Int128 high = (Int128{1} << (d.is_signed ? d.bits - 1 : d.bits)) - 1;
  Int128 sum = product + Extended(c, types_.c);
  if (types_.saturates) {
    *overflows = product < low || product > high;
    sum = std::clamp(sum, low, high);
  }
  return LowBits(static_cast<std::uint64_t>(sum), d.bits);
}

}  // namespace assay::numerics::matrix
