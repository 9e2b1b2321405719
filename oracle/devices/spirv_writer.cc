#include "oracle/devices/spirv_writer.h"

#include <algorithm>
#include <array>

namespace assay::oracle {
namespace {

using frontend::Capability;
using frontend::Op;
using frontend::StorageClass;
using numerics::ScalarType;
using Id = SpirvWriter::Id;
using Word = SpirvWriter::Word;

template <typename T>
Word Number(T enumerator) {
  return static_cast<Word>(enumerator);
}

// Its bytes with a zero behind them, the first one lowest (SPIR-V 2.2.1, "Literal").
std::vector<Word> StringWords(std::string_view text) {
  std::vector<Word> words(text.size() / 4 + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    words[i / 4] |= static_cast<Word>(static_cast<unsigned char>(text[i])) << (i % 4 * 8);
  }
  return words;
}

}  // namespace

SpirvWriter::SpirvWriter(const SpirvTarget& target) : target_(target), set_(next_++) {
  Need(Capability::kAddresses);
  Need(Capability::kKernel);
}

void SpirvWriter::Emit(std::vector<Word>* to, Op op, std::span<const Word> operands) {
  to->push_back(static_cast<Word>(operands.size() + 1) << 16 | Number(op));
  to->insert(to->end(), operands.begin(), operands.end());
}

Id SpirvWriter::Global(Op op, Id type, std::span<const Word> operands) {
  std::vector<Word> key = {Number(op), type};
  key.insert(key.end(), operands.begin(), operands.end());
  Id& id = known_[std::move(key)];
  if (id != 0) return id;
  id = NewId();
  std::vector<Word> words;
  if (type != 0) words.push_back(type);
  words.push_back(id);
  words.insert(words.end(), operands.begin(), operands.end());
  Emit(&globals_, op, words);
  return id;
}

Id SpirvWriter::Void() { return Global(Op::kTypeVoid, 0, {}); }

Id SpirvWriter::Integer(int bits) {
  if (bits == 8) Need(Capability::kInt8);
  if (bits == 16) Need(Capability::kInt16);
  if (bits == 64) Need(Capability::kInt64);
  const std::array<Word, 2> operands = {static_cast<Word>(bits), 0};
  return Global(Op::kTypeInt, 0, operands);
}

Id SpirvWriter::Scalar(ScalarType type, bool computes) {
  const int bits = numerics::WidthOf(type);
  if (!numerics::IsFloating(type)) return Integer(bits);
  if (type == ScalarType::kHalf) {
    Need(computes ? Capability::kFloat16 : Capability::kFloat16Buffer);
  }
  if (type == ScalarType::kDouble) Need(Capability::kFloat64);
  const std::array<Word, 1> operands = {static_cast<Word>(bits)};
  return Global(Op::kTypeFloat, 0, operands);
}

Id SpirvWriter::Vector(Id component, int width) {
  if (width == 1) return component;
  if (width > 4) Need(Capability::kVector16);
  const std::array<Word, 2> operands = {component, static_cast<Word>(width)};
  return Global(Op::kTypeVector, 0, operands);
}

Id SpirvWriter::Pointer(StorageClass storage, Id pointee) {
  const std::array<Word, 2> operands = {Number(storage), pointee};
  return Global(Op::kTypePointer, 0, operands);
}

Id SpirvWriter::FloatConstant(ScalarType type, numerics::Bits bits, int width) {
  const Id scalar = Scalar(type);
  std::vector<Word> operands = {static_cast<Word>(bits)};
  if (numerics::WidthOf(type) > 32) operands.push_back(static_cast<Word>(bits >> 32));
  const Id one = Global(Op::kConstant, scalar, operands);
  if (width == 1) return one;
  operands.assign(static_cast<std::size_t>(width), one);
  return Global(Op::kConstantComposite, Vector(scalar, width), operands);
}

void SpirvWriter::BeginKernel(std::string_view name, std::span<const Id> parameters,
                              std::vector<Id>* arguments) {
  const Id size3 = Vector(SizeT(), 3);
  if (global_index_ == 0) {
    const std::array<Word, 1> input = {Number(StorageClass::kInput)};
    global_index_ = Global(Op::kVariable, Pointer(StorageClass::kInput, size3), input);
    Decorate(global_index_, frontend::Decoration::kBuiltIn,
             {Number(frontend::BuiltIn::kGlobalInvocationId)});
  }
  std::vector<Word> signature = {Void()};
  signature.insert(signature.end(), parameters.begin(), parameters.end());
  const Id type = Global(Op::kTypeFunction, 0, signature);
  const Id function = NewId();
  std::vector<Word> entry = {Number(frontend::ExecutionModel::kKernel), function};
  for (const Word word : StringWords(name)) entry.push_back(word);
  entry.push_back(global_index_);
  Emit(&entry_points_, Op::kEntryPoint, entry);
  const std::array<Word, 4> head = {Void(), function, 0, type};
  Emit(&head_, Op::kFunction, head);
  for (const Id parameter : parameters) {
    arguments->push_back(NewId());
    const std::array<Word, 2> words = {parameter, arguments->back()};
    Emit(&head_, Op::kFunctionParameter, words);
  }
  const std::array<Word, 1> label = {NewId()};
  Emit(&head_, Op::kLabel, label);
}

Id SpirvWriter::Variable(Id type) {
  const Id id = NewId();
  const std::array<Word, 3> words = {Pointer(StorageClass::kFunction, type), id,
                                     Number(StorageClass::kFunction)};
  Emit(&variables_, Op::kVariable, words);
  return id;
}

Id SpirvWriter::GlobalIndex() {
  const Id indices = Result(Op::kLoad, Vector(SizeT(), 3), {global_index_});
  return Result(Op::kCompositeExtract, SizeT(), {indices, 0});
}

void SpirvWriter::EndKernel() {
  Add(Op::kReturn, {});
  Add(Op::kFunctionEnd, {});
  for (std::vector<Word>* part : {&head_, &variables_, &body_}) {
    functions_.insert(functions_.end(), part->begin(), part->end());
    part->clear();
  }
}

Id SpirvWriter::Result(Op op, Id type, std::initializer_list<Word> operands) {
  std::vector<Word> words = {type, NewId()};
  words.insert(words.end(), operands.begin(), operands.end());
  Emit(&body_, op, words);
  return words[1];
}

Id SpirvWriter::Extended(frontend::OpenClStd instruction, Id type, std::span<const Word> operands) {
  std::vector<Word> words = {type, NewId(), set_, Number(instruction)};
  words.insert(words.end(), operands.begin(), operands.end());
  Emit(&body_, Op::kExtInst, words);
  return words[1];
}

void SpirvWriter::Decorate(Id id, frontend::Decoration decoration,
                           std::initializer_list<Word> operands) {
  std::vector<Word> words = {id, Number(decoration)};
  words.insert(words.end(), operands.begin(), operands.end());
  Emit(&decorations_, Op::kDecorate, words);
}

std::vector<Word> SpirvWriter::Words() const {
  // The number of the version stands in the middle bytes; no generator is registered for assay.
  std::vector<Word> words = {0x07230203, target_.version >> 8 << 16 | (target_.version & 0xff) << 8,
                             0, next_, 0};
  for (const Word capability : capabilities_) Emit(&words, Op::kCapability, {&capability, 1});
  std::vector<Word> import = {set_};
  for (const Word word : StringWords("OpenCL.std")) import.push_back(word);
  Emit(&words, Op::kExtInstImport, import);
  const std::array<Word, 2> model = {
      Number(target_.address_bits == 64 ? frontend::AddressingModel::kPhysical64
                                        : frontend::AddressingModel::kPhysical32),
      Number(frontend::MemoryModel::kOpenCL)};
  Emit(&words, Op::kMemoryModel, model);
  for (const auto* part : {&entry_points_, &decorations_, &globals_, &functions_}) {
    words.insert(words.end(), part->begin(), part->end());
  }
  return words;
}

}  // namespace assay::oracle
