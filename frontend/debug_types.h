// The types, scopes and variables of the source, as a debugger shows them.
//
// Types come from debug information or, if a module has none, from SPIR-V. Both give the same
// table, so the code that prints values is the same.  Sizes and offsets are in bytes.
//
// Debug information is untrusted.  The table guarantees: scalars and pointers have 1, 2, 4 or 8
// bytes, vectors have 2, 3, 4, 8 or 16 of those; elements and members lie inside of their parent;
// no type has more than kMostTypeBytes, is nested deeper than kMostTypeDepth, or has more than
// kMostTypeParts parts.  A type that violates this is replaced by an unknown type, and such a
// member is omitted.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/module.h"

namespace assay::frontend {

enum class SourceKind : std::uint8_t {
  kUnknown,
  kVoid,
  kBool,
  kSigned,
  kUnsigned,
  kFloat,
  kPointer,
  kVector,
  kArray,
  kStruct,
  kUnion,
  kEnum,
};

using TypeRef = std::uint32_t;  // a place in SourceTypes; 0 is a type that is not known

constexpr std::uint64_t kMostTypeBytes = std::uint64_t{1} << 32;
constexpr std::uint32_t kMostTypeDepth = 64;
constexpr std::uint32_t kMostTypeParts = 1 << 15;

struct SourceMember {
  std::string name;
  TypeRef type = 0;
  std::uint64_t offset = 0;
};

struct SourceType {
  SourceKind kind = SourceKind::kUnknown;
  std::string name;                                      // as the source would write it
  std::uint64_t bytes = 0;                               // with padding: what an array's stride is
  TypeRef element = 0;                                   // of a pointer, vector, array or enum
  std::uint64_t count = 0;                               // of a vector or array
  StorageClass storage_class = StorageClass::kFunction;  // of a pointer
  bool is_character = false;                             // char and uchar: shown as letters, too
  std::uint32_t depth = 1;  // of types in it; what a pointer is to is not
  std::uint32_t parts = 1;  // in it, of an array's elements one
  std::vector<SourceMember> members;
  std::vector<std::pair<std::int64_t, std::string>> enumerators;

  bool IsInteger() const {
    return kind == SourceKind::kSigned || kind == SourceKind::kUnsigned ||
           kind == SourceKind::kBool || kind == SourceKind::kEnum;
  }
  bool IsScalar() const { return IsInteger() || kind == SourceKind::kFloat; }
};

class SourceTypes {
 public:
  explicit SourceTypes(const Module& module);

  const SourceType& At(TypeRef type) const { return types_[type]; }
  TypeRef OfDebug(Id record);  // a DebugType...
  TypeRef OfSpirv(Id type);    // an OpType...
  // The components of a cooperative matrix that a work-item of a sub-group has (matrix_places.h of
  // the importer): a structure whose members are named by their row and column, "[2][0]".
  TypeRef OfMatrix(Id type, std::uint32_t subgroup_size, std::uint32_t work_item);
  TypeRef Scalar(SourceKind kind, std::uint32_t bits);
  TypeRef Void();
  TypeRef PointerTo(TypeRef element, StorageClass storage_class);
  // 0 if there can be no such type.  An array whose elements have no size is empty.
  TypeRef VectorOf(TypeRef element, std::uint64_t count);
  TypeRef ArrayOf(TypeRef element, std::uint64_t count);
  // A built-in type, a typedef, "struct Pair" or a structure's name; nothing for other names.
  std::optional<TypeRef> Named(std::string_view name);

 private:
  TypeRef Append(SourceType type);
  TypeRef Alias(std::string name, TypeRef of);
  void AddMember(TypeRef type, std::string name, TypeRef member, std::uint64_t offset);
  TypeRef ReadDebug(Id record, int depth);
  TypeRef ReadDebugRecord(Id id, const struct DebugOperands& record, int depth);
  TypeRef ReadBasic(const struct DebugOperands& record);
  TypeRef ReadArray(const struct DebugOperands& record, int depth);
  TypeRef ReadEnum(const struct DebugOperands& record, int depth);
  TypeRef ReadComposite(Id id, const struct DebugOperands& record, int depth);
  // The constant that an operand names; 0 where it is none.
  std::uint64_t IntegerAt(const struct DebugOperands& record, std::size_t place) const;
  TypeRef ReadSpirv(Id type, int depth);
  void ReadMembers(const struct DebugOperands& composite, TypeRef type, int depth);

  const Module& module_;
  std::deque<SourceType> types_;  // what At gave stays where it is
  std::unordered_map<Id, TypeRef> debug_;
  std::unordered_map<Id, TypeRef> spirv_;
  std::map<std::tuple<Id, std::uint32_t, std::uint32_t>, TypeRef> matrices_;
  std::map<std::pair<SourceKind, std::uint32_t>, TypeRef> scalars_;
  // By structures whose members are being read: the typedefs that were made of them meanwhile.
  std::unordered_map<TypeRef, std::vector<TypeRef>> unfinished_;
  std::unordered_map<TypeRef, TypeRef> alias_of_;  // typedefs of those
  std::size_t copied_ = 0;                         // members and enumerators of typedefs
  std::map<std::pair<TypeRef, std::uint64_t>, TypeRef> pointers_, vectors_, arrays_;
};

// A function of the source that an instruction belongs to: the one that it was written in, and
// those that this one was inlined into, innermost first.  None without debug information.
struct SourceFrame {
  std::string function;
  SourceLocation location;  // of the instruction; of the call in the next one
};
std::vector<SourceFrame> SourceFramesAt(const Module& module, const SourceLocation& location);

// The scope, or one around it, is `outer`.
bool IsInsideScope(const Module& module, Id scope, Id outer);
// How many scopes are around a scope.
int ScopeDepth(const Module& module, Id scope);

// A DebugGlobalVariable.
struct SourceGlobal {
  std::string name;
  TypeRef type = 0;
  Id variable = 0;  // the OpVariable; 0: optimised out
};
std::vector<SourceGlobal> ReadSourceGlobals(const Module& module, SourceTypes* types);

}  // namespace assay::frontend
