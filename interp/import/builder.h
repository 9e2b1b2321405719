// Making a graph: values, instructions and blocks, at the place that is being filled.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"
#include "frontend/module.h"
#include "interp/program/ir.h"
#include "interp/program/program.h"
#include "interp/rules/detector.h"

namespace assay::interp {

// A scalar of a type, where it lies in memory.
struct Leaf {
  std::uint64_t offset = 0;
  Kind kind = Kind::kI32;
  std::uint8_t bytes = 4;  // in memory: a boolean takes 1, an address what the module says
  bool is_pointer = false;
};

// Where ImportContext::addresses has the kernel clock; it is no variable's id.
inline constexpr frontend::Id kClockId = 0;

// A value of more scalars than this is no value that a compiler makes.
inline constexpr std::uint64_t kMaxLeaves = 65536;

// A block that all work-items compute in another one, because it has no effect, with those
// work-items counted that would have come there (interp/lower/choose.cc).
struct ChosenBlock {
  std::uint32_t block = 0;  // the other one
  // What holds for work-items that would have come there, and whether it is true then.
  std::vector<std::pair<Value, bool>> conditions;
  std::vector<std::uint32_t> origins;  // as IrBlock has them
};

struct ImportedKernel {
  Graph graph;
  // What flat code refers to, by place.
  std::vector<Input> inputs;
  std::vector<MathCall> math_calls;
  std::vector<PrintfCall> printf_calls;
  std::vector<GroupCall> group_calls;
  std::vector<SubgroupCall> subgroup_calls;
  std::vector<MatrixCall> matrix_calls;
  std::vector<ImageCall> image_calls;
  std::vector<PipeCall> pipe_calls;
  std::vector<AtomicCall> atomic_calls;
  std::vector<QueueCall> queue_calls;
  std::vector<CheckCall> checks;
  std::vector<ChosenBlock> choices;
  // For a debugger: what ids were bound to, in debug_values.
  std::vector<DebugBinding> debug_bindings;
  std::vector<Value> debug_values;
};

struct ImportContext {
  const frontend::Module* module = nullptr;
  // Addresses of program-scope and Workgroup variables, by id.
  const std::unordered_map<frontend::Id, std::uint64_t>* addresses = nullptr;
  const FloatControls* controls = nullptr;
  bool unsafe_math = false;   // SessionOptions
  bool records_math = false;  // SessionOptions
  bool may_differ = false;    // the program is to know where other devices may compute otherwise
  DetectorSet detectors;      // which checks are put beside instructions
  std::uint32_t cancellation_bits = 0;  // SessionOptions
  std::uint32_t max_call_depth = 1024;
  std::uint32_t max_expanded = std::uint32_t{1} << 18;
  std::uint64_t max_code = std::uint64_t{1} << 22;
  std::uint32_t subgroup_size = 32;      // of a kernel that does not require another
  std::uint32_t own_subgroup_size = 32;  // of this kernel
  std::string_view matrix = "exact";     // SessionOptions
  std::string_view matrix_text;
  bool debug = false;  // markers, and which values ids were bound to
  base::Budget budget;
};

class GraphBuilder {
 protected:
  using Id = frontend::Id;
  using Instruction = frontend::Instruction;
  using Op = frontend::Op;
  using Word = frontend::Word;
  using Type = frontend::Type;

  // The scalars of an SPIR-V value, in pool_.
  struct Parts {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  // An index into an array that is a part of an object, for accesses through what it led to.
  struct ArrayIndex {
    Value index = kNoValue;
    Kind kind = Kind::kI64;
    std::uint64_t count = 0;   // of elements
    std::uint32_t origin = 0;  // the access chain
    bool is_last = true;       // nothing was selected in the element
  };
  // A function while it is expanded at one place.
  struct Instance {
    const frontend::Function* function = nullptr;
    std::unordered_map<Id, Parts> values;
    std::unordered_map<std::uint32_t, std::uint32_t> begin;  // module block -> graph block
    std::unordered_map<std::uint32_t, std::uint32_t> last;   // ... that its terminator ends
    std::vector<std::uint32_t> variables;
    std::unordered_map<Id, std::vector<ArrayIndex>> array_indices;  // by pointer
    std::unordered_set<Id> open_arrays;  // pointers to what may have more elements than its type
    std::unordered_map<Id, std::uint32_t>
        checked_in;  // ... and the block where they were looked at
    std::uint32_t site = 0;
    std::uint32_t return_block = 0;
    std::vector<std::pair<std::uint32_t, std::vector<Value>>> returns;  // block, values
  };

  GraphBuilder(const ImportContext& context, ImportedKernel* result)
      : module_(*context.module), context_(context), result_(*result), graph_(result->graph) {}

  // The first error stays; it names the instruction that is imported.
  void FailUnsupported(const std::string& what);
  void FailUsage(const std::string& what);
  void FailWith(ErrorKind kind, std::string message);

  // Types.
  const std::vector<Leaf>& LeavesOf(Id type);
  std::uint64_t CountLeaves(Id type);  // how many scalars it has
  Kind KindOf(const Type& type) const;
  Kind ScalarKindOf(Id type) const;  // of a scalar, or the components of a vector or a matrix
  std::uint32_t MatrixParts(const Type& matrix) const;  // components of a work-item
  const Type& TypeOfValue(Id id) const;
  Id TypeIdOf(Id id) const;
  std::optional<std::uint64_t> Literal(Id id) const;
  bool FitsType(std::span<const Value> values, Id type);  // check.cc

  // Values.
  Value Constant(Kind kind, std::uint64_t bits);
  Value Undefined(Kind kind, UndefinedSource::Reason reason = UndefinedSource::Reason::kUnknown);
  Value NewValue(Kind kind, ValueKind value_kind, std::uint64_t bits);
  Value NewInput(const Input& input, Kind kind);
  std::uint32_t NewVariable(std::uint64_t bytes, std::uint32_t alignment, std::string name);
  Parts Bind(Id id, std::span<const Value> values);
  void BindOne(Id id, Value value) { Bind(id, std::span(&value, 1)); }

  // Instructions.
  Value Emit(Opcode opcode, Kind kind, std::span<const Value> operands, std::uint64_t immediate = 0,
             Kind from = Kind::kI32);
  Value Emit(Opcode opcode, Kind kind, std::initializer_list<Value> operands,
             std::uint64_t immediate = 0, Kind from = Kind::kI32) {
    return Emit(opcode, kind, std::span(operands.begin(), operands.size()), immediate, from);
  }
  std::uint32_t EmitMany(Opcode opcode, Kind kind, std::span<const Value> operands,
                         std::uint64_t immediate, std::span<const Kind> results,
                         Kind from = Kind::kI32);

  // Blocks.
  std::uint32_t NewBlock();
  // The end of the present block.
  void Finish(End end, std::vector<std::uint32_t> targets, Value condition);
  void Jump(std::uint32_t target) { Finish(End::kJump, {target}, kNoValue); }
  void Connect(std::uint32_t from, std::uint32_t to);

  const frontend::Module& module_;
  const ImportContext& context_;
  ImportedKernel& result_;
  Graph& graph_;
  std::optional<Error> error_;
  Instance* instance_ = nullptr;
  std::uint32_t block_ = 0;   // that is being filled
  std::uint32_t origin_ = 0;  // place of the instruction that is imported
  std::vector<Value> pool_;
  std::unordered_map<Id, std::vector<Leaf>> leaves_;
  std::uint64_t leaf_count_ = 0;  // in leaves_
  std::map<std::pair<Kind, std::uint64_t>, Value> constants_;
  std::map<std::pair<Kind, std::uint32_t>, Value> undefined_;  // by kind and source
  std::map<std::pair<UndefinedSource::Reason, std::uint32_t>, std::uint32_t> undefined_sources_;

 private:
  void Flatten(const Type& type, std::vector<Leaf>* leaves);
};

}  // namespace assay::interp
