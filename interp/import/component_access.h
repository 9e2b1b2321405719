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

// Of an OpStore: which components it changes.
struct ComponentStore {
  std::uint32_t parts = 0;         // one bit each; 0: see below
  frontend::Id dynamic_index = 0;  // the component that is computed
};

// Known deviation: an optimizer makes the same instructions of a store of a whole vector of which
// it knows that the others are unchanged; then those count as not written.
class ComponentAccesses {
 public:
  ComponentAccesses(const frontend::Module& module, const frontend::Function& function);

  // Null where all of the vector is stored.
  const ComponentStore* FindStore(const frontend::Instruction& store) const;
  // The components that an OpLoad is for, one bit each; nothing else: all of what it loads.  None
  // are for what only a store of a component needs.
  const std::uint32_t* FindLoad(const frontend::Instruction& load) const;

 private:
  // What a component of a value is: that of a load, nothing in particular, or something else.
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
  // Whether nothing changes what the load gave before it is stored.
  bool IsKept(const frontend::Instruction& load, std::uint64_t part,
              const frontend::Instruction& store, const frontend::Block& block) const;
  frontend::Id Uncast(frontend::Id pointer) const;
  // The components of a value that somebody needs for more than to put them back.
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
