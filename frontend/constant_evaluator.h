// Evaluates OpSpecConstantOp: operations on constants, exactly as their instructions define them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frontend/constants.h"

namespace assay::frontend {

class ConstantEvaluator {
 public:
  ConstantEvaluator(ConstantTable* table, const TypeTable* types) : table_(table), types_(types) {}

  // The value of an OpSpecConstantOp.  Over addresses and floats it stays an expression.  Parts of
  // a composite result are added to the table.
  Expected<Constant> Evaluate(std::span<const Word> instruction);

 private:
  // The components of a scalar or vector; one that is undefined has no value.
  using Lane = std::optional<std::uint64_t>;
  struct Lanes {
    std::vector<Lane> values;
    std::uint32_t width = 0;  // bits of a component; 1 for bool
    bool numeric = false;     // integers or booleans
  };

  Expected<Lanes> LanesOf(Id id) const;
  Expected<Constant> FromLanes(const std::vector<Lane>& lanes);
  Expected<Constant> Elementwise(Op operation, std::span<const Id> operands);
  Expected<Constant> Shuffle(std::span<const Word> operands);
  Expected<Constant> Extract(std::span<const Word> operands);
  Expected<Constant> Insert(std::span<const Word> operands);
  Expected<Constant> Select(std::span<const Word> operands);
  Expected<Constant> PartOf(const Constant& whole, std::uint32_t index);
  Expected<void> CheckRoom(std::uint64_t parts) const;
  bool UsesAddress(std::span<const Word> operands) const;
  tl::unexpected<Error> Bad(std::string_view what) const;

  ConstantTable* table_;
  const TypeTable* types_;
  Id result_ = 0;
  Id result_type_ = 0;
};

}  // namespace assay::frontend
