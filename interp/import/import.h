// Imports SPIR-V into a Graph: calls are expanded or kept, composites are split into scalars.
// Internal to lowering.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "frontend/device_functions.h"
#include "frontend/intel_functions.h"
#include "frontend/module.h"
#include "interp/import/builder.h"
#include "interp/import/call_plan.h"
#include "interp/import/component_access.h"
#include "interp/import/matrix_places.h"
#include "interp/program/image.h"
#include "interp/program/ir.h"
#include "interp/program/program.h"

namespace assay::numerics::matrix {
struct ProductTypes;
struct Shape;
}  // namespace assay::numerics::matrix

namespace assay::interp {

// The address that a constant over addresses stands for; nothing for operations that are not known.
std::optional<std::uint64_t> EvaluateAddress(
    const frontend::Module& module,
    const std::unordered_map<frontend::Id, std::uint64_t>& addresses,
    const frontend::Constant& constant);

// kUnsupported by name, or kUsage for a module that cannot be executed (recursion, a call to a
// function without a body).
Expected<ImportedKernel> ImportKernel(const ImportContext& context,
                                      const frontend::Function& kernel);

class Importer : GraphBuilder {
 public:
  Importer(const ImportContext& context, ImportedKernel* result);
  Expected<void> Import(const frontend::Function& kernel);

 private:
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
  std::string_view ImportName(Id function) const;
  void ImportCallOf(const Instruction& instruction, const frontend::Function& callee,
                    std::span<const Word> operands);
  bool ArgumentsOf(std::span<const Word> operands, const frontend::Function& callee,
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
  void ImportInstruction(const Instruction& instruction);

  // values.cc: constants and composites.
  Parts PartsOf(Id id);
  void AppendConstant(const frontend::Constant& constant, std::vector<Value>* values);
  void AppendExpression(const frontend::Constant& constant, std::vector<Value>* values);
  bool ImportComposite(const Instruction& instruction);
  std::pair<std::uint64_t, Id> LocatePart(Id type_id, std::span<const Word> indices);
  void ImportConstruct(const Instruction& instruction);
  void ImportExtract(const Instruction& instruction);
  void ImportInsert(const Instruction& instruction);
  void ImportVectorShuffle(const Instruction& instruction);
  void ImportExtractDynamic(const Instruction& instruction);
  void ImportInsertDynamic(const Instruction& instruction);
  bool IsBuiltIn(Id id) const;
  void ImportExtended(const Instruction& instruction);

  // conversion.cc: conversions and casts.
  bool ImportConversion(const Instruction& instruction);
  void ImportFloatToInteger(const Instruction& instruction, bool is_signed);
  void ImportToFloat(const Instruction& instruction, Opcode opcode);
  void ImportToInteger(const Instruction& instruction, bool is_signed);
  void ImportSaturation(const Instruction& instruction, bool from_signed);
  void ImportForgedPointer(const Instruction& instruction);
  void ImportBitcast(const Instruction& instruction);
  void ImportPointerCast(const Instruction& instruction, std::span<const Value> values);
  std::vector<Value> Regrouped(std::span<const Value> values, int from_bits, int to_bits);
  void ConvertEach(const Instruction& instruction, Id operand, Opcode opcode);
  void ConvertEachExactly(const Instruction& instruction, numerics::ScalarType from,
                          numerics::ScalarType to, numerics::Rounding rounding, bool saturate);
  std::optional<numerics::Rounding> DecoratedRounding(const Instruction& instruction) const;
  Value Convert(Opcode opcode, Kind to, Kind from, Value value);
  Value ConvertExactly(Value value, numerics::ScalarType from, numerics::ScalarType to,
                       std::optional<numerics::Rounding> rounding, bool saturate);

  // arithmetic.cc: arithmetic, comparisons, logic.
  bool ImportArithmetic(const Instruction& instruction);
  bool ImportRow(const Instruction& instruction);
  void ImportFloatBinary(const Instruction& instruction, Opcode fast, numerics::Function exact);
  void ImportVectorTimesScalar(const Instruction& instruction);
  void ImportFloatRemainder(const Instruction& instruction);
  void ImportFloatDot(const Instruction& instruction);
  void ImportSelect(const Instruction& instruction);
  void ImportAnyOrAll(const Instruction& instruction);
  void ImportBitCount(const Instruction& instruction);
  void ImportTwoResults(const Instruction& instruction);
  void ImportPointerDifference(const Instruction& instruction);
  bool ImportDot(const Instruction& instruction);
  void Elementwise(const Instruction& instruction, Opcode opcode, std::span<const Word> operands);
  // Whether a handler may compute what the chapter lets differ, beside what it computes itself.
  bool UsesHost(Kind kind) const {
    return context_.controls->IsHost(kind) && !context_.records_math && !context_.may_differ;
  }
  Value FloatOperation(Opcode fast, numerics::Function exact, Kind kind,
                       std::span<const Value> operands);
  Value Math(const numerics::Operation& operation, Kind kind, std::span<const Value> operands,
             std::uint32_t results = 1);

  // opencl_std.cc
  void ImportOpenClStd(const Instruction& instruction);
  bool ImportMath(const Instruction& instruction, frontend::OpenClStd number,
                  std::span<const Word> operands);
  void StoreBehind(Id pointer, std::span<const Value> values);
  bool ImportVectorMemory(const Instruction& instruction, frontend::OpenClStd number,
                          std::span<const Word> operands);
  bool ImportInteger(const Instruction& instruction, frontend::OpenClStd number,
                     std::span<const Word> operands);
  void ImportUpsample(const Instruction& instruction, std::span<const Word> operands);
  template <typename EmitRow>
  void ImportTernary(const Instruction& instruction, std::span<const Word> operands,
                     const EmitRow& emit);
  void RoundToHalf(Kind from, std::optional<numerics::Rounding> mode, std::vector<Value>* values);
  void ImportPrintf(const Instruction& instruction, std::span<const Word> operands);
  void ImportShuffle(const Instruction& instruction, std::span<const Word> operands);

  // extensions.cc: instructions of KHR's and vendors' extensions.
  bool ImportExtension(const Instruction& instruction);
  void ImportBitwiseFunction(const Instruction& instruction);
  void ImportFma(const Instruction& instruction);
  void ImportRounding(const Instruction& instruction);
  void ImportFreeze(const Instruction& instruction);
  void ImportReplicate(const Instruction& instruction);

  // clock.cc: OpReadClockKHR.
  void StartClock();
  void AddClockSteps();
  void ImportReadClock(const Instruction& instruction);

  // masked.cc: accesses under a condition.
  bool ImportMasked(const Instruction& instruction);
  std::vector<Value> IfTrue(Value condition, std::span<const Value> otherwise,
                            const std::function<std::vector<Value>()>& body);
  void ImportPredicatedLoad(const Instruction& instruction);
  void ImportPredicatedStore(const Instruction& instruction);
  void ImportMaskedGather(const Instruction& instruction);
  void ImportMaskedScatter(const Instruction& instruction);
  void SetAlignment(std::uint64_t alignment);

  // imported_functions.cc: functions without a body that compilers leave as imports.
  bool ImportImportedFunction(const Instruction& instruction, std::string_view name);
  void ImportOpenClCall(const Instruction& instruction, frontend::OpenClStd number,
                        std::span<const Word> operands);

  // devicelib.cc and devicelib_memory.cc: functions of DPC++'s device library.
  void ImportAssert(const Instruction& instruction);
  void ImportDeviceFunction(const Instruction& instruction,
                            const frontend::DeviceFunction& function);
  void ImportDeviceMath(const Instruction& instruction, const frontend::DeviceFunction& function);
  void ImportDeviceArithmetic(const Instruction& instruction,
                              const frontend::DeviceFunction& function);
  void ImportDeviceInteger(const Instruction& instruction,
                           const frontend::DeviceFunction& function);
  void ImportDeviceMemory(const Instruction& instruction, const frontend::DeviceFunction& function);
  void ImportDeviceBfloats(const Instruction& instruction,
                           const frontend::DeviceFunction& function);
  bool IsOfDeviceType(Id id, frontend::DeviceType type) const;
  bool TakesScalars(const Instruction& instruction, const frontend::DeviceFunction& function,
                    std::size_t count);
  Value DeviceConversion(Value value, const frontend::DeviceFunction& function);
  Value ForEachByte(Value count, const std::function<Value(Value, Value*)>& body);

  // function_pointers.cc
  void ImportPointerCall(const Instruction& instruction);
  std::vector<const frontend::Function*> TargetsOf(Id pointer) const;

  // bfloat16.cc
  bool IsBfloat(Id type) const;
  bool IsSmallFloat(Id type) const;  // bfloat16, or of eight bits
  const Type* ComponentOf(Id type) const;
  bool IsForSmallFloat(const Instruction& instruction) const;
  bool ImportBfloat(const Instruction& instruction);
  void ImportToBfloat(const Instruction& instruction);
  Value BfloatBits(Value value);
  Value FromBfloatBits(Value bits);
  void ImportBfloatBits(const Instruction& instruction);

  // atomics.cc
  bool ImportAtomic(const Instruction& instruction);

  // groups.cc: barriers and what else a work-group does together.
  bool ImportGroup(const Instruction& instruction);
  bool IsWorkGroupScope(Id scope);
  void ImportBarrier(const Instruction& instruction);
  void ImportFence(const Instruction& instruction);
  void ImportAsyncCopy(const Instruction& instruction);
  void ImportWaitEvents(const Instruction& instruction);
  void ImportGroupFunction(const Instruction& instruction);
  void Sync(Opcode opcode, Kind kind, std::span<const Value> operands, std::uint64_t immediate,
            std::span<const Kind> results, std::vector<Value>* values);
  void Sync(Opcode opcode, Kind kind, std::span<const Value> operands, std::uint64_t immediate,
            std::uint32_t results, std::vector<Value>* values) {
    Sync(opcode, kind, operands, immediate, std::vector<Kind>(results, kind), values);
  }

  // subgroups.cc
  bool ImportSubgroup(const Instruction& instruction);
  bool IsOfSubgroup(const Instruction& instruction) const;
  bool TakesInSubgroup(Id of, frontend::TypeKind kind, bool is_ballot) const;
  void ImportSubgroupBarrier(const Instruction& instruction);
  bool ImportBlockAccess(const Instruction& instruction);
  Value SubgroupInput(InputKind kind);

  // matrices.cc: cooperative matrices; matrix_multiply.cc: their products.
  bool ImportMatrix(const Instruction& instruction);
  void ImportMatrixLoad(const Instruction& instruction);
  void ImportMatrixStore(const Instruction& instruction);
  void ImportMatrixConstruct(const Instruction& instruction);
  void ImportElementCoordinates(const Instruction& instruction);
  bool IsForMatrix(const Instruction& instruction);
  bool PlaceMatrix(const Instruction& instruction, const Type& matrix, bool is_store,
                   MatrixPlaces* places);
  MatrixAccess AccessOf(const MatrixPlaces& places, std::uint32_t part);
  MatrixPosition PositionOf(const Type& matrix, std::uint32_t part);
  Value ElementOf(const Type& matrix, std::uint32_t part);
  Value OrOwnElement(const Type& matrix, Value element);
  Value One(const Type& component);
  Value IsInRegion(const MatrixPlaces& places, std::uint32_t part);
  Value LaneOf(const Type& matrix);
  void CheckUniform(std::span<const Value> values);
  void ImportMatrixMultiply(const Instruction& instruction);
  void ImportSubgroupMultiply(const Instruction& instruction, std::optional<std::uint64_t> depth,
                              std::span<const Word> factors, Word flags);
  void ImportMatrixFunction(const Instruction& instruction,
                            const frontend::MatrixFunction& function);
  void EmitMultiply(const Instruction& instruction, MatrixCall call,
                    const numerics::matrix::ProductTypes& types,
                    const numerics::matrix::Shape& shape, std::span<const Id> operands);

  // float8.cc: conversions of floats of eight bits (SPV_EXT_float8).
  bool ImportFloat8(const Instruction& instruction);
  Value FromFloat8(Value bits, frontend::FloatEncoding encoding);
  Value ToFloat8(Value value, Kind kind, frontend::FloatEncoding encoding, bool saturates);

  // enqueue.cc: device queues and their events.
  bool ImportQueue(const Instruction& instruction);
  void ImportNdRange(const Instruction& instruction);
  void ImportEnqueue(const Instruction& instruction);
  void ImportQueueQuery(const Instruction& instruction);
  bool AppendNdRange(Id range, std::vector<Value>* values);
  Value AsSize(Id id);
  bool CheckInvoke(Id invoke, std::size_t local_sizes);
  void EmitQueue(const Instruction& instruction, QueueCall call, std::span<const Value> values);
  // images.cc
  bool ImportImage(const Instruction& instruction);
  bool ImportImageFunction(const Instruction& instruction, std::string_view name);
  void ImportImageRead(const Instruction& instruction);
  void EmitImageRead(const Instruction& instruction, ImageCall call, const ImageType& image,
                     Value value, Id coordinate, std::span<const Word> optional);
  Value SampledImage(Id image, Id sampler);
  void ImportImageWrite(const Instruction& instruction);
  void ImportImageQuery(const Instruction& instruction);
  Value LiteralSamplerValue(const frontend::Constant& constant);
  std::optional<ImageType> UsedImage(Id id, bool sampled);
  void AppendWords(Id id, std::uint32_t count, bool as_integers, std::vector<Value>* operands);
  bool SetColor(Id type, std::uint32_t mask, ImageCall* call);
  void AppendImageOperands(std::span<const Word> words, std::uint32_t dimensions, ImageCall* call,
                           std::vector<Value>* operands);
  // pipes.cc
  bool ImportPipe(const Instruction& instruction);
  bool ImportReservationValue(const Instruction& instruction);
  void ImportPipeCall(const Instruction& instruction, PipeFunction function, bool has_scope);
  Value PipeNumber(Id id);

  // partial_barriers.cc
  bool ImportPartialBarrier(const Instruction& instruction);

  // memory.cc: pointers, loads, stores.
  bool ImportMemory(const Instruction& instruction);
  void ImportVariable(const Instruction& instruction);
  void ImportAccessChain(const Instruction& instruction, bool element);
  void ImportLoad(const Instruction& instruction);
  void ImportStore(const Instruction& instruction);
  void StoreComponents(const Instruction& instruction, const ComponentStore& components);
  const ComponentAccesses& Components();
  void ImportCopyMemory(const Instruction& instruction);
  void EmitCopy(Value target, Value source, std::uint64_t bytes, Id type, bool is_private);
  Id CopiedType(Id pointer, std::uint64_t bytes) const;
  Value InputVariable(const frontend::GlobalVariable& global);
  Value OffsetAddress(Value address, std::int64_t bytes);
  Value IndexAddress(Value address, Value index, Kind index_kind, std::uint64_t stride);
  Value Truncated(Value address);
  std::vector<Value> LoadLeaves(Value address, std::span<const Leaf> leaves);
  void StoreLeaves(Value address, std::span<const Leaf> leaves, std::span<const Value> values);
  Value FromMemory(Value loaded, const Leaf& leaf);
  Value ToMemory(Value value, const Leaf& leaf);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> PaddingOf(Id type);

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
  // float_exceptions.cc
  void CheckFloatExceptions(const Instruction& instruction, Value result,
                            std::span<const Value> operands);
  void CheckCancellation(Value result, Value first, Value second);
  Value NanWhere(Kind kind, std::span<const Value> operands, bool is_finite);

  // bounds.cc: indices into arrays that are parts of objects.
  bool WatchesArrayIndices();
  bool IsUnoptimized() const;
  void StepElement(Id base, Value index, Kind kind, std::vector<ArrayIndex>* indices);
  bool MayBeCastOfObject(const Instruction& chain, bool moved = false) const;
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
  // By the type of the kernel's parameter; 1 for what is no pointer among them.
  std::uint64_t AlignmentOfInput(std::uint64_t place) const;
  Value WatchPromises(bool not_written, bool is_restrict, Value value);
  Value Uncopied(Value value) const;
  bool IsKernelsOwn(const Instruction& call, const frontend::Function& callee) const;
  Id ParameterBehind(Id value, const frontend::Function& function) const;
  Id PointerBehind(Id id) const;

  // check.cc: what handlers rely on, of modules that nobody validated.
  bool HasGoodType(const Instruction& instruction) const;
  bool IsTooLarge() const;
  void FailTooLarge();

  // Scalars of an id, which are made where it is used first.
  std::vector<Value> ValuesOf(Id id);
  Value ValueOf(Id id);  // of a scalar

  std::uint32_t depth_ = 0;
  std::uint8_t access_alignment_ = 0;  // log2, of the access that is imported
  std::uint16_t read_parts_ = 0;       // of the load that is imported
  std::unordered_map<const frontend::Function*, ComponentAccesses> components_;
  std::optional<bool> watches_array_indices_;
  std::vector<PendingPhi>* pending_ = nullptr;
  std::unordered_map<Id, Parts> globals_;
  std::unordered_map<Id, std::uint32_t> input_variables_;
  // Instructions since the work-item last read the clock: of a kernel that does.
  Value clock_steps_ = kNoValue;                // the address of their number
  std::uint64_t block_steps_ = 0;               // that are not in it yet
  const frontend::Function* kernel_ = nullptr;  // that is imported
  // The function to which an entry point passes its parameters; null: the entry point has the code
  // itself.
  const frontend::Function* kernels_own_ = nullptr;
  std::vector<Id> active_;  // functions that are being expanded
  CallPlan plan_;
  std::vector<std::vector<Value>> returned_;  // phis of each kept function's exit
  std::uint64_t arguments_ = 0;               // scalars of kept calls
  std::uint32_t root_ = 0;       // the first block of the kernel, or of the kept function
  std::uint32_t root_site_ = 0;  // its site
  Value lane_ = kNoValue;        // of the sub-group, for LaneOf
};

}  // namespace assay::interp
