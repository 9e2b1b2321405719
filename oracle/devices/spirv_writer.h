// Writes the words of a SPIR-V module with kernels.  SPIR-V 2.3 (layout) and 2.4 (order).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/spirv.h"
#include "numerics/format.h"

namespace assay::oracle {

// What a module is written for.
struct SpirvTarget {
  std::uint32_t version = 0x100;  // 0x105: SPIR-V 1.5
  int address_bits = 64;          // of pointers and size_t: 32 or 64
};

class SpirvWriter {
 public:
  using Id = std::uint32_t;
  using Word = std::uint32_t;

  explicit SpirvWriter(const SpirvTarget& target);

  // Types and constants: one of each; capabilities are declared with them.  Integers have no sign
  // in kernels (SPIR-V environment, "Validation Rules").
  Id Void();
  Id Integer(int bits);
  Id SizeT() { return Integer(target_.address_bits); }
  // `computes`: false where a half only lies in memory (Float16Buffer).
  Id Scalar(numerics::ScalarType type, bool computes = true);
  Id Vector(Id component, int width);  // the component itself for width 1
  Id Pointer(frontend::StorageClass storage, Id pointee);
  Id FloatConstant(numerics::ScalarType type, numerics::Bits bits, int width);

  // A kernel: Begin, the words of its body, End.  Parameters are ids of types; `arguments` gets
  // their ids.
  void BeginKernel(std::string_view name, std::span<const Id> parameters,
                   std::vector<Id>* arguments);
  Id Variable(Id type);  // a private one of the kernel: its address
  Id GlobalIndex();      // get_global_id(0), of SizeT
  void EndKernel();

  // One instruction of the body.
  Id NewId() { return next_++; }
  void Add(frontend::Op op, std::initializer_list<Word> operands) {
    Emit(&body_, op, {operands.begin(), operands.size()});
  }
  void Add(frontend::Op op, std::span<const Word> operands) { Emit(&body_, op, operands); }
  Id Result(frontend::Op op, Id type, std::initializer_list<Word> operands);
  Id Extended(frontend::OpenClStd instruction, Id type, std::span<const Word> operands);
  void Decorate(Id id, frontend::Decoration decoration, std::initializer_list<Word> operands = {});

  // All of it.
  std::vector<Word> Words() const;

 private:
  static void Emit(std::vector<Word>* to, frontend::Op op, std::span<const Word> operands);
  // The type or constant of these words; `type`: of a constant, 0 of a type.
  Id Global(frontend::Op op, Id type, std::span<const Word> operands);
  void Need(frontend::Capability capability) {
    capabilities_.insert(static_cast<Word>(capability));
  }

  SpirvTarget target_;
  Id next_ = 1;
  Id set_ = 0;           // OpenCL.std
  Id global_index_ = 0;  // the variable of GlobalInvocationId
  std::set<Word> capabilities_;
  std::map<std::vector<Word>, Id> known_;  // of globals: opcode, type, operands
  std::vector<Word> entry_points_, decorations_, globals_, functions_;
  std::vector<Word> head_, variables_, body_;  // of the kernel in hand
};

}  // namespace assay::oracle
