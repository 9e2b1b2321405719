// The frames of a work-item, and the variables of each frame.
//
// There is no stack: calls were expanded, so a place determines its callers.  Inlined functions
// come from debug information.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/debug_types.h"
#include "interp/debug/places.h"

namespace assay::interp {

struct DebugFrame {
  std::string function;
  std::uint32_t origin = 0;  // the instruction: that comes next, or that calls the frame below
  std::uint32_t site = 0;
  frontend::SourceLocation location;
  bool is_inlined = false;
};

// Bits of a variable that are kept together.
struct DebugPiece {
  enum class Where : std::uint8_t {
    kMemory,  // `target` is their address
    kValue,   // `target` is their value
    kLost,    // optimised out, or not computed yet: `why`
  };
  static constexpr std::uint32_t kAll = 0xffffffff;  // as an end: that of the variable

  std::uint32_t begin = 0, end = kAll;  // bits of the variable
  std::uint32_t first = 0;              // the one that the lowest bit of `target` is
  Where where = Where::kLost;
  frontend::Id target = 0;
  frontend::Id expression = 0;  // DebugExpression
  std::string why;
};

// A variable that a frame can see.
struct DebugLocal {
  std::string name;
  frontend::TypeRef type = 0;
  bool is_argument = false;
  int depth = 0;  // of its scope; an inner one hides others of its name
  std::uint32_t line = 0;
  // Where it is: one that has all of it, or several that do not overlap, in their order; bits
  // between them are nowhere.
  std::vector<DebugPiece> pieces;

  bool IsLost() const;
  std::string Why() const;  // why it is lost
};

class DebugFrames {
 public:
  DebugFrames(const frontend::Module& module, const Program& program, const DebugPlaces& places,
              frontend::SourceTypes* types);

  // Innermost first; the instruction is the next one of the work-item.
  std::vector<DebugFrame> At(std::uint32_t origin, std::uint32_t site) const;
  // Arguments first, then others, inner scopes before outer ones.
  std::vector<DebugLocal> Locals(const DebugFrame& frame);
  // Whether an id has been computed whenever the instruction comes next.
  bool IsComputed(frontend::Id id, std::uint32_t origin);

 private:
  // The record that says where bits of a variable are, from the first of them on.
  struct Bits {
    std::size_t variable = 0;
    std::uint32_t begin = 0;
    auto operator<=>(const Bits&) const = default;
  };
  struct Known {
    std::uint32_t end = 0;
    std::uint32_t record = 0;
    bool operator==(const Known&) const = default;
  };
  using Values = std::map<Bits, Known>;
  struct Flow {
    std::vector<std::uint32_t> dominator;  // by block of the function: the immediate one's place
    std::vector<Values> values;            // see FindValues
  };
  Flow& FlowOf(std::uint32_t function);
  void FindDominators(std::uint32_t function, Flow* flow) const;
  void FindValues(std::uint32_t function, Flow* flow);
  static void Join(const Values& other, Values* values);
  void Transfer(std::uint32_t block, std::uint32_t end, Values* values) const;
  void Set(std::uint32_t record, Values* values) const;
  std::uint32_t BlockOf(std::uint32_t origin) const;
  std::size_t VariableOf(std::size_t record) const { return variable_of_[record]; }
  std::vector<DebugLocal> NamedLocals(const DebugFrame& frame) const;
  std::optional<frontend::TypeRef> TypeOf(const frontend::DebugVariable& variable) const;
  std::uint32_t CalledBy(std::uint32_t function) const;
  std::optional<frontend::TypeRef> TypeOfArgument(std::uint32_t function,
                                                  std::string_view name) const;
  DebugLocal LocalOf(std::size_t variable, const Values& values, std::uint32_t origin);
  DebugPiece PieceOf(std::uint32_t record, std::uint32_t origin);

  const frontend::Module& module_;
  const Program& program_;
  const DebugPlaces& places_;
  frontend::SourceTypes& types_;
  std::unordered_map<std::uint32_t, Flow> flows_;              // by function
  std::unordered_map<std::uint32_t, std::uint32_t> block_of_;  // by instruction of a function
  std::vector<std::size_t> variable_of_;  // by record: the first record of the same variable
  std::vector<DebugPiece> bits_;          // by record: the bits that it is about
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> records_;  // by instruction
};

}  // namespace assay::interp
