// Compares a type of LLVM's debug information with a SPIR-V type, as far as possible.  An optimizer
// that replaces an index by a pointer may still name the index; such a value must not be shown.
// Internal to debug information.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

struct ValueShape {
  enum class Kind : std::uint8_t { kOther, kInteger, kFloat, kBool, kPointer, kVector, kAggregate };
  Kind kind = Kind::kOther;
  std::uint64_t bits = 0;  // of a scalar, or of all of a vector's components

  bool IsScalar() const { return kind != Kind::kOther && kind < Kind::kVector; }
  // Whether a variable of the other shape can have a value of this shape.
  bool Fits(ValueShape variable) const;
};

// The shapes of a module's values.
class ValueShapes {
 public:
  // The words of a Binary.
  explicit ValueShapes(const std::vector<Word>& words);

  ValueShape Of(Id value) const;

 private:
  std::unordered_map<Id, ValueShape> types_;  // by OpType...
  std::unordered_map<Id, Id> type_of_;        // by result
};

}  // namespace assay::frontend
