// What a litmus test asks of the final state: "exists (0:r0=1 /\ x=2)".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/litmus/scanner.h"

namespace assay::tools::litmus {

// A register of a process ("0:r0"), a variable ("x"), or an element of one ("x[1]").
struct Location {
  std::optional<int> process = std::nullopt;
  std::string name = {};
  std::uint64_t element = 0;
  bool has_element = false;
  int line = 1;  // where it is named

  std::string Text() const;  // as it is written in the results: "0:r0", "x", "x[1]"
  bool operator==(const Location& other) const {
    return process == other.process && name == other.name && element == other.element;
  }
};

// A location's value in a final state, as a signed number of its own width.
struct Value {
  std::int64_t number = 0;
  int bits = 32;
};
using State = std::function<Value(std::size_t location)>;

class Condition {
 public:
  // An expression with /\, \/, ~ or, as Dat3M's comments have them, and, or, not.  Locations that
  // `locations` does not have yet are added to it.
  static Expected<Condition> Read(Scanner* scanner, std::vector<Location>* locations);
  static Condition True() { return Condition(); }
  static Condition Both(Condition one, Condition other);

  bool Holds(const State& state) const;

 private:
  friend class ConditionReader;
  enum class Kind { kTrue, kNot, kAnd, kOr, kCompare };
  struct Operand {
    std::optional<std::size_t> location = std::nullopt;
    std::int64_t number = 0;
  };

  Kind kind_ = Kind::kTrue;
  std::vector<Condition> parts_;
  std::string relation_;  // "=", "!=", "<", ...
  Operand left_, right_;
};

enum class Quantifier { kExists, kNotExists, kForall };

// "exists COND": is there such a final state?  "~exists" and "forall" claim something of all
// states.
struct Question {
  Quantifier quantifier = Quantifier::kExists;
  Condition condition;
  std::optional<Condition> filter;  // states without it do not count
  std::string text;                 // "exists (0:r0=0 /\ 1:r0=0)"
  int line = 1;
};

// A location: "0:r0", "x", "[x]", "x[1]", "%out[2]".
Expected<Location> ReadLocation(Scanner* scanner);

}  // namespace assay::tools::litmus
