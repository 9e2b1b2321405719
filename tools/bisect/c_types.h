// The types, constants and names of a module as OpenCL C.
//
// Integers are unsigned, as in SPIR-V; where an operation is signed its operands are cast.  A
// vector of booleans is one of chars, -1 and 0.  Arrays are members of structures, which can be
// assigned.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "frontend/module.h"

namespace assay::tools {

class CTypes {
 public:
  explicit CTypes(const frontend::Module& module) : module_(module) {}

  const frontend::Module& module() const { return module_; }
  const frontend::Type& Type(frontend::Id id) const;
  const frontend::Type& TypeOfValue(frontend::Id value) const {
    return Type(module_.TypeOf(value));
  }
  // "float4", "global int*", "S12"; structures are defined on the way.
  std::string Name(frontend::Id type);
  // Of a value: a pointer to the generic address space that was made of another is that other.
  std::string NameOfValue(frontend::Id value);
  // "int4": the integers of a type's width, and as many.
  std::string IntegersOf(frontend::Id type, bool is_signed) const;
  // "uchar", "float", "double": of the components of a scalar or vector; "" of another type.
  std::string Component(frontend::Id type) const;
  std::uint32_t Components(frontend::Id type) const;
  bool IsFloats(frontend::Id type) const;
  bool IsBools(frontend::Id type) const;
  bool IsPointer(frontend::Id type) const;
  bool IsVector(frontend::Id type) const;

  // An expression; of a structure one that can only initialize.
  std::string Constant(frontend::Id id);
  // A value of a scalar or vector by the bits of its components.
  std::string Literal(frontend::Id type, std::span<const std::uint64_t> bits);
  // The address space of a pointer: "global ", "local ", "private ", "constant ", "".
  std::string Space(frontend::Id pointer) const;

  // What stands before all functions: pragmas and structures.
  std::string Definitions() const;
  // Why it is no OpenCL C, the first reason; "": it is.
  const std::string& problem() const { return problem_; }
  void Fail(const std::string& why) {
    if (problem_.empty()) problem_ = why;
  }

 private:
  std::string Structure(const frontend::Type& type);
  std::string ScalarConstant(const frontend::Type& type, std::uint64_t bits);
  std::string Expression(const frontend::Constant& constant);
  std::string ConstantText(const frontend::Constant& constant);
  frontend::StorageClass ClassOf(frontend::Id pointer) const;

  const frontend::Module& module_;
  std::string structures_, problem_;
  std::set<frontend::Id> defined_;
  bool uses_doubles_ = false, uses_halfs_ = false;
};

}  // namespace assay::tools
