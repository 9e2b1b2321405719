// Finds loads and stores of whole vectors that are accesses to single components in the source.
//
// Compilers have no store of a component in SPIR-V: `p->x = 1` becomes a load of the vector, an
// insertion, and a store of the whole vector; `p->x` becomes a load of the whole vector and an
// extraction.  Taken literally, these would read write-only buffers, write the components of other
// work-items, and race with accesses to other components.  Internal to importing.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "frontend/module.h"

namespace assay::interp {

// The components that an OpStore changes.
struct ComponentStore {
  std::uint32_t parts = 0;         // one bit each; 0: see below
  frontend::Id dynamic_index = 0;  // the id of a computed component index
};

// Known deviation: an optimizer makes the same instructions from a store of a whole vector if it
// knows that some components are unchanged; these then count as not written.
class ComponentAccesses {
 public:
  ComponentAccesses(const frontend::Module& module, const frontend::Function& function);

  // Null if the whole vector is stored.
  const ComponentStore* FindStore(const frontend::Instruction& store) const;
  // The components of an OpLoad that are used, one bit each; null: all.  Components that are only
  // stored back by a store of another component do not count.
  const std::uint32_t* FindLoad(const frontend::Instruction& load) const;

 private:
  // The source of a component of a value: a component of a load, undefined, or something else.
  struct Source {
    enum class Kind : std::uint8_t { kLoaded, kUndefined, kOther };
    Kind kind = Kind::kOther;
    const frontend::Instruction* load = nullptr;
    std::uint64_t part = 0;
  };
  void FindUsers(const frontend::Function& function);
  void LookAtStore(const frontend::Instruction& store, const frontend::Block& block);
  void LookAtReplaced(const frontend::Instruction& store, const frontend::Block& block);
  Source SourceOf(frontend::Id value, std::uint64_t part) const;
  // Whether no store changes the loaded component before it is stored back.
  bool IsKept(const frontend::Instruction& load, std::uint64_t part,
              const frontend::Instruction& store, const frontend::Block& block) const;
  frontend::Id Uncast(frontend::Id pointer) const;
  // The components of a value that have another use than being stored back.
  std::uint32_t NeededParts(frontend::Id value);
  std::uint32_t NeededBy(const frontend::Instruction& user, frontend::Id value);
  bool IsPutBack(frontend::Id value) const;
  std::uint64_t ComponentsOf(frontend::Id value) const;  // 0: no vector

  const frontend::Module& module_;
  std::unordered_map<frontend::Id, std::vector<const frontend::Instruction*>> users_;
  std::unordered_map<frontend::Id, std::uint32_t> needed_;
  std::unordered_map<const frontend::Instruction*, ComponentStore> stores_;
  std::unordered_map<const frontend::Instruction*, std::uint32_t> loads_;
};

}  // namespace assay::interp
