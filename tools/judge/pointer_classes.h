// Which pointers of a kernel may point into the same objects, and as what types they access them.
//
// Pointers that are made of each other, are stored in one place, or pass a call are one class, and
// so is what they point to (Steensgaard, Points-to Analysis in Almost Linear Time, POPL 1996).
// Arguments of the kernel are classes of their own: that two of them are one buffer is the host's
// affair.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "frontend/module.h"

namespace assay::tools {

class PointerClasses {
 public:
  PointerClasses(const frontend::Module& module,
                 const std::vector<const frontend::Function*>& functions);

  // What the pointer's class points to is stored as one type of numbers and accessed as another
  // one, neither as bytes nor as members of a union (C99 6.5; OpenCL C 6.4.4.1, "Reinterpreting
  // Types Using Unions").
  bool HasSeveralTypes(frontend::Id pointer) const;
  // Whether all kernel parameters of the pointer's class point to vectors of three: those who
  // compare the memory leave out their padding.
  bool IsOfVectorsOfThree(frontend::Id pointer) const;
  // Whether some pointer of the class is one to a type that may have padding.
  bool MayHavePadding(frontend::Id pointer) const;
  // Whether pointers may lie in what it points to.
  bool HoldsPointers(frontend::Id pointer) const;

 private:
  using Id = frontend::Id;
  struct Class {
    std::set<Id> stored, accessed;  // types of numbers
    bool is_union = false;
    bool may_have_padding = false;
    bool holds_pointers = false;
    std::set<Id> parameters;  // the types to which kernel parameters point
  };

  Id Root(Id id) const;
  void Join(Id a, Id b);
  Id ContentOf(Id pointer);
  bool IsPointer(Id id) const;
  void Look(const frontend::Instruction& one);
  void LookAtCall(const frontend::Instruction& one);
  void LookAtFunction(const frontend::Instruction& one);
  void Access(Id pointer, Id type, bool stores);
  void Note(Id pointer);
  const Class* Find(Id pointer) const;

  const frontend::Module& module_;
  mutable std::map<Id, Id> parent_;
  std::map<Id, Id> content_;  // by root: some id of the class of what lies there
  std::map<Id, Class> classes_;
};

// The type of the numbers of a scalar, vector or array; 0 for others.
frontend::Id NumberTypeOf(const frontend::Module& module, frontend::Id type);
// Whether values of the type have bytes that no member has.  A compiler writes them as members of
// bytes, too.
bool MayHavePadding(const frontend::Module& module, frontend::Id type);

}  // namespace assay::tools
