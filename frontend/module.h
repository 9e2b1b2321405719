// A decoded module: everything that lowering needs to know.  It is immutable.
//
// Tables are indexed by id; instructions are a flat array that points into the words; ranges are
// positions in flat arrays.  No memory is allocated per instruction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "frontend/constants.h"
#include "frontend/debug_info.h"
#include "frontend/loader.h"
#include "frontend/types.h"

namespace assay::frontend {

// Places first, first + 1, ..., first + count - 1 of an array.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  template <typename T>
  std::span<const T> Of(const std::vector<T>& array) const {
    return std::span(array).subspan(first, count);
  }
};

inline constexpr std::uint32_t kNone = 0xffffffff;

// Whether it has more operands of the instruction before it (SPV_INTEL_long_composites).
constexpr bool IsContinued(Op opcode) {
  return opcode == Op::kTypeStructContinuedINTEL ||
         opcode == Op::kConstantCompositeContinuedINTEL ||
         opcode == Op::kSpecConstantCompositeContinuedINTEL ||
         opcode == Op::kCompositeConstructContinuedINTEL;
}

struct Instruction {
  std::uint32_t place = 0;  // of its first word in the module's words
  Op opcode = Op::kNop;
  std::uint16_t word_count = 0;
  std::uint16_t operands = 0;  // where its operands begin, after result type and result
  Id type = 0;                 // 0: none
  Id result = 0;               // 0: none
};

struct Block {
  Id label = 0;
  std::uint32_t function = 0;
  Range instructions;  // without OpLabel; the last is the terminator
  Range successors;  // in Module::edges, in the order of the terminator's operands, without repeats
  Range predecessors;           // in Module::edges
  std::uint32_t order = kNone;  // place in the function's reverse post-order; kNone: unreachable

  bool IsReachable() const { return order != kNone; }
};

struct Parameter {
  Id id = 0;
  Id type = 0;
};

struct Function {
  Id id = 0;
  Id type = 0;
  Id return_type = 0;
  std::uint32_t control = 0;  // FunctionControl bits
  Range parameters;           // in Module::parameters
  Range blocks;               // in Module::blocks; none: a declaration, to be linked
  Range order;                // in Module::block_order: the reachable blocks in reverse post-order
  bool IsDeclaration() const { return blocks.count == 0; }
};

struct GlobalVariable {
  Id id = 0;
  Id type = 0;     // the pointer's
  Id pointee = 0;  // of what is stored
  StorageClass storage_class = StorageClass::kUniformConstant;
  Id initializer = 0;           // a constant or another global variable; 0: none
  std::uint32_t alignment = 1;  // bytes: the type's, or what Alignment demands
  bool constant = false;        // decorated Constant
  std::optional<BuiltIn> built_in;
};

struct ExecutionModeUse {
  ExecutionMode mode = ExecutionMode::kLocalSize;
  bool by_id = false;  // OpExecutionModeId: the operands are ids of constants
  Range operands;      // in Module::words
};

struct EntryPoint {
  ExecutionModel model = ExecutionModel::kKernel;
  Id function = 0;
  std::string name;
  Range interface;  // in Module::words: ids
  std::vector<ExecutionModeUse> modes;
  // LocalSize and LocalSizeId; LocalSizeHint and LocalSizeHintId.
  std::optional<std::array<std::uint32_t, 3>> required_local_size;
  std::optional<std::array<std::uint32_t, 3>> local_size_hint;
};

struct DecorationUse {
  Id target = 0;
  std::uint32_t member = kNone;  // of a structure; kNone: the target itself
  Decoration decoration = Decoration::kSpecId;
  Range operands;  // in Module::words
};

struct Name {
  Id target = 0;
  std::uint32_t member = kNone;
  std::string text;
};

struct Linkage {
  Id target = 0;
  LinkageType type = LinkageType::kExport;
  std::string name;
};

class Module {
 public:
  // Of the header and the preamble.
  std::string name;  // the file's, for messages
  std::uint32_t major_version = 1;
  std::uint32_t minor_version = 0;
  std::uint32_t generator = 0;
  AddressingModel addressing_model = AddressingModel::kPhysical64;
  MemoryModel memory_model = MemoryModel::kOpenCL;
  std::vector<Capability> capabilities;
  std::vector<std::string> extensions;
  std::vector<EntryPoint> entry_points;

  std::vector<Word> words;
  std::vector<Instruction> instructions;   // all of the module, in its order
  std::vector<DecorationUse> decorations;  // sorted by target and member
  std::vector<Name> names;                 // sorted by target and member
  std::vector<Linkage> linkage;

  TypeTable types;
  ConstantTable constants;
  std::vector<std::uint32_t> spec_ids;  // sorted: the SpecIds that a caller may set
  std::vector<GlobalVariable> globals;
  std::vector<Function> functions;
  std::vector<Parameter> parameters;
  std::vector<Block> blocks;
  std::vector<std::uint32_t> edges;        // places in blocks
  std::vector<std::uint32_t> block_order;  // places in blocks
  DebugInfo debug_info;

  std::uint32_t PointerBytes() const {
    return addressing_model == AddressingModel::kPhysical32 ? 4 : 8;
  }
  // One more than the largest id.
  std::uint32_t IdBound() const { return static_cast<std::uint32_t>(definitions_.size()); }
  // The instruction's words after result type and result.
  std::span<const Word> Operands(const Instruction& instruction) const {
    return std::span(words).subspan(instruction.place + instruction.operands,
                                    instruction.word_count - instruction.operands);
  }
  std::span<const Word> WordsOf(const Instruction& instruction) const {
    return std::span(words).subspan(instruction.place, instruction.word_count);
  }
  std::span<const Word> Slice(Range range) const { return range.Of(words); }

  // The instruction that defines an id; null if there is none.
  const Instruction* Definition(Id id) const {
    const std::uint32_t place = id < definitions_.size() ? definitions_[id] : kNone;
    return place == kNone ? nullptr : &instructions[place];
  }
  // The type of a value; 0 if the id is of none.
  Id TypeOf(Id id) const {
    const Instruction* definition = Definition(id);
    return definition == nullptr ? 0 : definition->type;
  }
  ExtendedSet SetOf(Id import) const;
  const Function* FindFunction(Id id) const;
  const GlobalVariable* FindGlobal(Id id) const;
  const EntryPoint* FindKernel(std::string_view kernel) const;
  std::span<const DecorationUse> DecorationsOf(Id target) const;
  // The first use of a decoration on an id or a member; null: none.
  const DecorationUse* FindDecoration(Id target, Decoration decoration,
                                      std::uint32_t member = kNone) const;
  std::string_view NameOf(Id target, std::uint32_t member = kNone) const;  // "" without a name
  // "%12" or "%12 (name)", for messages.
  std::string Describe(Id id) const;
  // One line, as in a listing: "%12 = OpLoad %5 %11 Aligned 4".
  std::string Text(const Instruction& instruction) const;

 private:
  friend class ModuleBuilder;
  std::vector<std::uint32_t> definitions_;  // by id: place in instructions
  std::vector<std::uint32_t> functions_;    // by id: one more than the place in functions
  std::vector<std::uint32_t> globals_;      // by id: one more than the place in globals
};

// Decodes a binary.  It must have passed CheckCapabilities, and should have passed Validate: of an
// invalid one this makes an error or a module that is safe to read, and never a crash.
// `specialization` gives values to specialization constants; kUsage for a SpecId that is not there.
Expected<std::shared_ptr<const Module>> BuildModule(const Binary& binary,
                                                    const Specialization& specialization = {});

}  // namespace assay::frontend
