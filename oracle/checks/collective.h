// Functions that all work-items of a work-group or a sub-group call together.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oracle/checks/element.h"

namespace assay::oracle {

// The values of a group's work-items, in the order of their numbers in the group.
using Lanes = std::span<const ElementBits>;

struct CollectiveOp {
  std::string row;  // "groups_reduce_add_int"
  std::string clause;
  std::string lacks;  // see Check
  ElementType in, out;
  // OpenCL C of x, the work-item's value, n and lane, the group's size and the work-item's number.
  std::string text;
  // Only the work-items for which this holds call the function; "": all.
  std::string active = "";
  // What work-item `lane` gets; nothing where the clause defines no value.  With `active`, of
  // those work-items alone.
  std::function<std::optional<ElementBits>(Lanes, std::size_t lane)> value;
  std::function<bool(ElementBits)> is_active = nullptr;
  int dimensions = 0;  // of the launches: 1 to 3; 0: any
};

struct CollectiveFamily {
  CheckList list = CheckList::kGroups;
  bool sub_groups = false;
  std::vector<CollectiveOp> ops;
};
void AddCollectives(CollectiveFamily family, std::vector<Check>* checks);
// Functions of work-items for dimensions that there are not.
void AddOutOfRangeChecks(std::vector<Check>* checks);

// Reductions and scans of a type: "add", "min", "max" and others.
struct Combination {
  const char* name;
  bool for_float;
  ElementBits (*identity)(const ElementType&);
  ElementBits (*combine)(ElementBits, ElementBits, const ElementType&);
};
std::span<const Combination> Combinations();
// Over all lanes, up to `lane`, or before it.
enum class Reach : std::uint8_t { kAll, kInclusive, kExclusive };
ElementBits Combined(const Combination& by, Reach reach, Lanes x, std::size_t lane,
                     const ElementType& type);

}  // namespace assay::oracle
