#include "frontend/debug_writer.h"

#include <algorithm>

#include "frontend/decode.h"
#include "frontend/loader.h"
#include "frontend/rewritten.h"

namespace assay::frontend {
namespace {

constexpr std::string_view kSetName = "OpenCL.DebugInfo.100";

// The instructions before OpMemoryModel, and those before OpString (SPIR-V 2.4).
bool IsBeforeMemoryModel(Op opcode) {
  return opcode == Op::kCapability || opcode == Op::kExtension || opcode == Op::kExtInstImport;
}
bool IsBeforeStrings(Op opcode) {
  return IsBeforeMemoryModel(opcode) || opcode == Op::kMemoryModel || opcode == Op::kEntryPoint ||
         opcode == Op::kExecutionMode || opcode == Op::kExecutionModeId;
}

}  // namespace

DebugWriter::DebugWriter(const std::vector<Word>& words) : words_(words), bound_(words[3]) {
  set_ = NewId();
  imports_end_ = strings_begin_ = kHeaderWords;
  functions_begin_ = words.size();
  ForEachInstruction(words, [&](std::size_t place, std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction[0]);
    const std::size_t end = place + instruction.size();
    if (IsBeforeMemoryModel(opcode)) imports_end_ = end;
    if (IsBeforeStrings(opcode)) strings_begin_ = end;
    if (opcode == Op::kFunction) functions_begin_ = std::min(functions_begin_, place);
    if (opcode == Op::kTypeVoid) void_ = instruction[1];
    if (opcode == Op::kTypeInt && instruction[2] == 32 && uint_ == 0) uint_ = instruction[1];
    if (opcode == Op::kTypeInt && instruction[2] == 64 && ulong_ == 0) ulong_ = instruction[1];
    if (opcode == Op::kConstant) {
      const bool wide = instruction.size() == 5;
      constants_[{instruction[1], instruction[3] | (wide ? std::uint64_t{instruction[4]} << 32
                                                         : 0)}] = instruction[2];
    }
  });
}

Id DebugWriter::Void() {
  if (void_ == 0) {
    void_ = NewId();
    declarations_.insert(declarations_.end(), {FirstWord(Op::kTypeVoid, 2), void_});
  }
  return void_;
}

Id DebugWriter::IntegerType(std::uint32_t bits) {
  if (bits == 64) return ulong_;
  if (uint_ == 0) {
    uint_ = NewId();
    declarations_.insert(declarations_.end(), {FirstWord(Op::kTypeInt, 4), uint_, 32, 0});
  }
  return uint_;
}

Id DebugWriter::String(const std::string& text) {
  // An instruction has at most 65535 words; nothing that long is a name.
  if (text.size() > 0xffff) return String("");
  const auto [place, added] = string_ids_.try_emplace(text, 0);
  if (added) {
    place->second = NewId();
    AppendText(Op::kString, {&place->second, 1}, text, &strings_);
  }
  return place->second;
}

Id DebugWriter::Number(std::uint64_t value) {
  if (!HasLongs()) value &= 0xffffffff;
  return Constant(value, value > 0xffffffff ? 64 : 32);
}

Id DebugWriter::Constant(std::uint64_t value, std::uint32_t bits) {
  const bool wide = bits == 64;
  const Id type = IntegerType(wide ? 64 : 32);
  const auto [place, added] = constants_.try_emplace({type, value}, 0);
  if (added) {
    place->second = NewId();
    declarations_.insert(declarations_.end(), {FirstWord(Op::kConstant, wide ? 5 : 4), type,
                                               place->second, static_cast<Word>(value)});
    if (wide) declarations_.push_back(static_cast<Word>(value >> 32));
  }
  return place->second;
}

Id DebugWriter::Undefined() {
  if (undefined_ == 0) {
    const Id type = IntegerType(32);
    undefined_ = NewId();
    declarations_.insert(declarations_.end(), {FirstWord(Op::kUndef, 3), type, undefined_});
  }
  return undefined_;
}

void DebugWriter::Write(OpenClDebugInfo100 number, std::span<const Word> operands, Id id,
                        std::vector<Word>* words) {
  words->insert(words->end(), {FirstWord(Op::kExtInst, 5 + operands.size()), Void(), id, set_,
                               static_cast<Word>(number)});
  words->insert(words->end(), operands.begin(), operands.end());
}

Id DebugWriter::Add(OpenClDebugInfo100 number, std::span<const Word> operands, Id id) {
  if (id == 0) id = NewId();
  Void();  // its declaration stands first
  Write(number, operands, id, &declarations_);
  return id;
}

void DebugWriter::Append(OpenClDebugInfo100 number, std::initializer_list<Word> operands,
                         std::vector<Word>* words) {
  Write(number, std::span(operands.begin(), operands.size()), NewId(), words);
}

std::vector<Word> DebugWriter::Finish(const std::vector<Word>& functions) const {
  if (bound_ > kMaxIdBound) return {};
  std::vector<Word> all;
  const auto copy = [&](std::size_t begin, std::size_t end) {
    all.insert(all.end(), words_.begin() + static_cast<std::ptrdiff_t>(begin),
               words_.begin() + static_cast<std::ptrdiff_t>(end));
  };
  copy(0, imports_end_);
  all[3] = bound_;
  AppendText(Op::kExtInstImport, {&set_, 1}, kSetName, &all);
  copy(imports_end_, strings_begin_);
  all.insert(all.end(), strings_.begin(), strings_.end());
  copy(strings_begin_, functions_begin_);
  all.insert(all.end(), declarations_.begin(), declarations_.end());
  all.insert(all.end(), functions.begin(), functions.end());
  return all;
}

}  // namespace assay::frontend
