// Imports SPIR-V into a Graph: calls are expanded or kept, composites are split into scalars.
// Internal to lowering.
#pragma once

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
#include "interp/import/call_plan.h"
#include "interp/import/component_access.h"
#include "interp/program/ir.h"
#include "interp/program/program.h"
#include "interp/rules/detector.h"

namespace assay::interp {

// A scalar of a type, and its place in memory.
struct Leaf {
  std::uint64_t offset = 0;
  Kind kind = Kind::kI32;
  std::uint8_t bytes = 4;  // in memory: 1 for a boolean; for an address as the module says
  bool is_pointer = false;
};

// The maximum number of scalars of a value; compilers make no larger ones.
inline constexpr std::uint64_t kMaxLeaves = 65536;

struct ImportedKernel {
  Graph graph;
  // Tables to which flat code refers by index.
  std::vector<Input> inputs;
  std::vector<MathCall> math_calls;
  std::vector<PrintfCall> printf_calls;
  std::vector<GroupCall> group_calls;
  std::vector<AtomicCall> atomic_calls;
  std::vector<CheckCall> checks;
  // For a debugger: the values of ids, in debug_values.
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
  DetectorSet detectors;      // selects the checks that are added
  std::uint32_t max_call_depth = 1024;
  std::uint32_t max_expanded = std::uint32_t{1} << 18;
  std::uint64_t max_code = std::uint64_t{1} << 22;
  bool debug = false;  // adds markers, and records the values of ids
  base::Budget budget;
};

// Evaluates a constant expression over addresses; nothing for unknown operations.
std::optional<std::uint64_t> EvaluateAddress(
    const frontend::Module& module,
    const std::unordered_map<frontend::Id, std::uint64_t>& addresses,
    const frontend::Constant& constant);

// kUnsupported by name, or kUsage for a module that cannot be executed (recursion, a call to a
// function without a body).
Expected<ImportedKernel> ImportKernel(const ImportContext& context,
                                      const frontend::Function& kernel);

class Importer {
 public:
  Importer(const ImportContext& context, ImportedKernel* result);
  Expected<void> Import(const frontend::Function& kernel);

 private:
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
  // An index into an array inside of an object, for accesses through the resulting pointer.
  struct ArrayIndex {
    Value index = kNoValue;
    Kind kind = Kind::kI64;
    std::uint64_t count = 0;   // of elements
    std::uint32_t origin = 0;  // the access chain
    bool is_last = true;       // no further index selects a part of the element
  };
  // A function while it is expanded at one place.
  struct Instance {
    const frontend::Function* function = nullptr;
    std::unordered_map<Id, Parts> values;
    std::unordered_map<std::uint32_t, std::uint32_t> begin;  // module block -> graph block
    std::unordered_map<std::uint32_t, std::uint32_t>
        last;  // ... the block that its terminator ends
    std::vector<std::uint32_t> variables;
    std::unordered_map<Id, std::vector<ArrayIndex>> array_indices;  // by pointer
    std::unordered_set<Id>
        open_arrays;  // pointers to arrays that may have more elements than their type says
    std::unordered_map<Id, std::uint32_t>
        checked_in;  // ... and the block in which they were checked
    std::uint32_t site = 0;
    std::uint32_t return_block = 0;
    std::vector<std::pair<std::uint32_t, std::vector<Value>>> returns;  // block, values
  };
  struct PendingPhi {
    const Instruction* instruction;
    Parts results;
    std::uint32_t block;
  };

  // import.cc: functions, blocks, calls.
  bool ImportFunction(Instance* instance);
  void ImportBlock(std::uint32_t module_block);
  bool IsStep(const Instruction& instruction) const;
  void ImportTerminator(const Instruction& instruction, std::uint32_t module_block);
  void ImportCall(const Instruction& instruction);
  bool ArgumentsOf(const Instruction& instruction, const frontend::Function& callee,
                   std::vector<std::vector<Value>>* arguments);
  std::vector<Value> ReturnsOf(const Instance& instance, std::uint32_t block, std::size_t part);

  // calls.cc: calls that are kept.
  void AddFunction(const frontend::Function& function);
  void ImportKept(std::uint32_t place);
  void CallKept(const Instruction& instruction, std::uint32_t place,
                std::span<const std::vector<Value>> arguments);
  std::vector<Value> NewPhis(std::uint32_t block, Id type);
  std::vector<Value> ReturnedValues(Id id);
  void ConnectPhis(const std::vector<PendingPhi>& pending, Instance* instance);
  void BindKernelParameters(const frontend::Function& kernel, Instance* instance);
  void BindByVal(Instance* instance, Id parameter, std::span<const Value> source);
  bool IsByVal(Id parameter) const;
  std::uint32_t NewBlock();
  void Jump(std::uint32_t target);
  void Connect(std::uint32_t from, std::uint32_t to);
  void ImportInstruction(const Instruction& instruction);

  // values.cc: constants, composites, arithmetic, conversions.
  Parts PartsOf(Id id);
  Parts ConstantParts(const frontend::Constant& constant);
  void AppendConstant(const frontend::Constant& constant, std::vector<Value>* values);
  void AppendExpression(const frontend::Constant& constant, std::vector<Value>* values);
  bool ImportComposite(const Instruction& instruction);
  bool IsBuiltIn(Id id) const;
  bool ImportArithmetic(const Instruction& instruction);
  bool ImportConversion(const Instruction& instruction);
  bool ImportDot(const Instruction& instruction);
  void ImportExtended(const Instruction& instruction);
  void Elementwise(const Instruction& instruction, Opcode opcode, std::span<const Word> operands);
  void ConvertEach(const Instruction& instruction, Id operand, Opcode opcode);
  Value Convert(Opcode opcode, Kind to, Kind from, Value value);
  Value ConvertExactly(Value value, numerics::ScalarType from, numerics::ScalarType to,
                       std::optional<numerics::Rounding> rounding, bool saturate);
  // Whether the host's operation may be used for this kind.
  bool UsesHost(Kind kind) const {
    return context_.controls->IsHost(kind) && !context_.records_math;
  }
  Value FloatOperation(Opcode fast, numerics::Function exact, Kind kind,
                       std::span<const Value> operands);
  Value Math(const numerics::Operation& operation, Kind kind, std::span<const Value> operands,
             std::uint32_t results = 1);

  // opencl_std.cc
  void ImportOpenClStd(const Instruction& instruction);
  bool ImportMath(const Instruction& instruction, frontend::OpenClStd number,
                  std::span<const Word> operands);
  bool ImportVectorMemory(const Instruction& instruction, frontend::OpenClStd number,
                          std::span<const Word> operands);
  bool ImportInteger(const Instruction& instruction, frontend::OpenClStd number,
                     std::span<const Word> operands);
  void ImportPrintf(const Instruction& instruction, std::span<const Word> operands);
  void ImportShuffle(const Instruction& instruction, std::span<const Word> operands);

  // memory.cc: pointers, loads, stores, atomics, barriers, groups.
  bool ImportMemory(const Instruction& instruction);
  bool ImportAtomic(const Instruction& instruction);
  bool ImportGroup(const Instruction& instruction);
  void ImportVariable(const Instruction& instruction);
  void ImportAccessChain(const Instruction& instruction, bool element);
  void ImportLoad(const Instruction& instruction);
  void ImportStore(const Instruction& instruction);
  void StoreComponents(const Instruction& instruction, const ComponentStore& components);
  const ComponentAccesses& Components();
  void ImportCopyMemory(const Instruction& instruction);
  Value InputVariable(const frontend::GlobalVariable& global);
  Value OffsetAddress(Value address, std::int64_t bytes);
  Value IndexAddress(Value address, Value index, Kind index_kind, std::uint64_t stride);
  Value Truncated(Value address);
  std::vector<Value> LoadLeaves(Value address, std::span<const Leaf> leaves);
  void StoreLeaves(Value address, std::span<const Leaf> leaves, std::span<const Value> values);
  Value FromMemory(Value loaded, const Leaf& leaf);
  Value ToMemory(Value value, const Leaf& leaf);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> PaddingOf(Id type);
  std::uint32_t NewVariable(std::uint64_t bytes, std::uint32_t alignment, std::string name);
  void Sync(Opcode opcode, Kind kind, std::span<const Value> operands, std::uint64_t immediate,
            std::uint32_t results, std::vector<Value>* values);
  std::optional<std::uint64_t> Literal(Id id) const;

  // checks.cc: the checks that detectors add to instructions.
  bool IsWatched(Check check) const;
  void CheckNow(Check check, Kind kind, std::initializer_list<Value> operands);
  void CheckValue(Check check, Kind kind, std::initializer_list<Value> operands,
                  std::span<const Value> values);
  void CheckElement(const Instruction& instruction, Opcode opcode, Kind kind,
                    std::span<const Value> row, Value result);
  void CheckFastMath(const Instruction& instruction);
  void CheckDomain(frontend::OpenClStd number, Kind kind,
                   const std::vector<std::vector<Value>>& columns, std::span<const Value> results);
  void CheckConversion(Kind from, Kind to, bool is_signed, Value operand, Value result);
  void SetAccessAlignment(std::span<const Word> operands, std::size_t first, Id type, Id pointer);

  // nan.cc: where NaNs and infinities come from.
  void CheckNanOrigin(const Instruction& instruction);
  void CheckNanOrigin(Value result, std::span<const Value> operands);

  // bounds.cc: indices into arrays that are parts of objects.
  bool WatchesArrayIndices();
  bool IsUnoptimized() const;
  void StepElement(Id base, Value index, Kind kind, std::vector<ArrayIndex>* indices);
  bool MayBeCastOfObject(const Instruction& chain) const;
  static void StepInside(std::vector<ArrayIndex>* indices);
  void StepIndex(const Type& array, Value index, Kind kind, std::vector<ArrayIndex>* indices);
  void InheritIndices(Id from, Id to);
  void CheckArrayIndices(Id pointer, Value address);
  bool IsVariableOf(Id base, const Type& type) const;
  bool IsCastOfDeclared(Id pointer, std::uint64_t alignment) const;
  bool HasPackedMember(const Instruction& chain) const;

  // pointers.cc: the same for pointers.
  Value OwnAddress(Value address, Value same_as);
  void CheckAddress(Check check, CheckNeed need, std::initializer_list<Value> operands,
                    Value address);
  void CheckInBounds(const Instruction& instruction, Value base, Value address);
  void CheckDifference(Value left, Value right, std::uint64_t size, Value result);
  void CheckPointerOperands(const Instruction& instruction);
  Value CheckForged(const Instruction& instruction, Value integer, Value address);
  Value CheckCast(const Instruction& instruction, Value generic);
  Value WatchParameter(Id parameter, Value value);
  Value WatchPromises(bool not_written, bool is_restrict, Value value);
  Value Uncopied(Value value) const;
  bool IsKernelsOwn(const Instruction& call, const frontend::Function& callee) const;
  Id ParameterBehind(Id value, const frontend::Function& function) const;
  Id PointerBehind(Id id) const;

  // check.cc: the properties on which handlers rely, for modules that were not validated.
  bool FitsType(std::span<const Value> values, Id type);
  bool HasGoodType(const Instruction& instruction) const;
  bool IsTooLarge() const;
  void FailTooLarge();

  // Building blocks.
  const std::vector<Leaf>& LeavesOf(Id type);
  void Flatten(const Type& type, std::vector<Leaf>* leaves);
  std::uint64_t CountLeaves(Id type);
  Kind KindOf(const Type& type) const;
  Kind ScalarKindOf(Id type) const;  // of a scalar, or a vector's components
  Value Constant(Kind kind, std::uint64_t bits);
  Value Undefined(Kind kind, UndefinedSource::Reason reason = UndefinedSource::Reason::kUnknown);
  Value NewValue(Kind kind, ValueKind value_kind, std::uint64_t bits);
  Value NewInput(const Input& input, Kind kind);
  Value Emit(Opcode opcode, Kind kind, std::span<const Value> operands, std::uint64_t immediate = 0,
             Kind from = Kind::kI32);
  Value Emit(Opcode opcode, Kind kind, std::initializer_list<Value> operands,
             std::uint64_t immediate = 0, Kind from = Kind::kI32) {
    return Emit(opcode, kind, std::span(operands.begin(), operands.size()), immediate, from);
  }
  std::uint32_t EmitMany(Opcode opcode, Kind kind, std::span<const Value> operands,
                         std::uint64_t immediate, std::span<const Kind> results,
                         Kind from = Kind::kI32);
  Parts Bind(Id id, std::span<const Value> values);
  void BindOne(Id id, Value value) { Bind(id, std::span(&value, 1)); }
  std::vector<Value> ValuesOf(Id id);
  Value ValueOf(Id id);  // of a scalar
  void FailUnsupported(const std::string& what);
  void FailUsage(const std::string& what);
  void FailWith(ErrorKind kind, std::string message);
  const Type& TypeOfValue(Id id) const;
  Id TypeIdOf(Id id) const;

  const frontend::Module& module_;
  const ImportContext& context_;
  ImportedKernel& result_;
  Graph& graph_;
  std::optional<Error> error_;
  Instance* instance_ = nullptr;
  std::uint32_t block_ = 0;   // the block that is being filled
  std::uint32_t origin_ = 0;  // place of the instruction that is imported
  std::uint32_t depth_ = 0;
  std::uint8_t access_alignment_ = 0;  // log2, of the access that is imported
  std::uint16_t read_parts_ = 0;       // of the load that is imported
  std::unordered_map<const frontend::Function*, ComponentAccesses> components_;
  std::optional<bool> watches_array_indices_;
  std::vector<PendingPhi>* pending_ = nullptr;
  std::vector<Value> pool_;
  std::unordered_map<Id, std::vector<Leaf>> leaves_;
  std::uint64_t leaf_count_ = 0;  // in leaves_
  std::unordered_map<Id, Parts> globals_;
  std::map<std::pair<Kind, std::uint64_t>, Value> constants_;
  std::map<std::pair<Kind, std::uint32_t>, Value> undefined_;  // by kind and source
  std::map<std::pair<UndefinedSource::Reason, std::uint32_t>, std::uint32_t> undefined_sources_;
  std::unordered_map<Id, std::uint32_t> input_variables_;
  // The function to which an entry point passes its parameters; null: the entry point has the code
  // itself.
  const frontend::Function* kernels_own_ = nullptr;
  std::vector<Id> active_;  // functions that are being expanded
  CallPlan plan_;
  std::vector<std::vector<Value>> returned_;  // phis of each kept function's exit
  std::uint64_t arguments_ = 0;               // scalars of kept calls
  std::uint32_t root_ = 0;       // the first block of the kernel, or of the kept function
  std::uint32_t root_site_ = 0;  // its site
};

}  // namespace assay::interp
