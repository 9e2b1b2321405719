#include "oracle/sweep/leads.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace assay::oracle {

using numerics::Bits;

namespace {

constexpr std::size_t kNamed = 4;  // operands that a cell is named by, in 16 bits each
constexpr std::size_t kForgetAt = 4 * kMostLeads;

// Sign and exponent of a float, length of an integer.
std::uint64_t BinadeOf(numerics::ScalarType type, Bits bits) {
  if (numerics::IsFloating(type)) {
    return bits >> numerics::Traits(numerics::FormatOf(type)).mantissa_bits();
  }
  const Bits sign = Bits{1} << (numerics::WidthOf(type) - 1);
  if (!numerics::IsSigned(type) || (bits & sign) == 0) {
    return static_cast<std::uint64_t>(std::bit_width(bits));
  }
  return 128 | static_cast<std::uint64_t>(std::bit_width(~bits & (sign - 1)));
}

}  // namespace

std::uint64_t Leads::CellOf(std::span<const Bits> args) const {
  std::uint64_t cell = 0;
  for (std::size_t i = 0; i < args.size() && i < kNamed; ++i) {
    cell = cell << 16 | BinadeOf(types_[i], args[i]);
  }
  return cell;
}

void Leads::Learn(const Batch& batch, std::span<const double> errors) {
  Lead lead{.args = std::vector<Bits>(types_.size()), .ulp = 0};
  for (std::size_t i = 0; i < batch.count; ++i) {
    if (!std::isfinite(errors[i])) continue;
    batch.inputs.Gather(i, lead.args);
    lead.ulp = errors[i];
    Learn(lead);
  }
}

void Leads::Learn(const Lead& lead) {
  const auto [place, is_new] = cells_.try_emplace(CellOf(lead.args), lead);
  if (!is_new && lead.ulp > place->second.ulp) place->second = lead;
  if (cells_.size() > kForgetAt) Forget();
}

// What is forgotten would not be listed later either: errors of cells only grow.
void Leads::Forget() {
  const std::vector<Lead> kept = List();
  cells_.clear();
  for (const Lead& lead : kept) cells_.emplace(CellOf(lead.args), lead);
}

std::vector<Lead> Leads::List() const {
  std::vector<Lead> list;
  for (const auto& [cell, lead] : cells_) list.push_back(lead);
  std::stable_sort(list.begin(), list.end(),
                   [](const Lead& a, const Lead& b) { return a.ulp > b.ulp; });
  if (list.size() > kMostLeads) list.resize(kMostLeads);
  return list;
}

}  // namespace assay::oracle
