// Writes OpenCL.DebugInfo.100 into a module that has none.  Internal to debug information.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

class DebugWriter {
 public:
  // The words of a Binary, which must outlive this.
  explicit DebugWriter(const std::vector<Word>& words);

  Id String(const std::string& text);  // an OpString
  Id Number(std::uint64_t value);      // an OpConstant, of 32 bits where that is enough
  Id Constant(std::uint64_t value, std::uint32_t bits);  // an OpConstant of 32 or 64 bits
  bool HasLongs() const { return ulong_ != 0; }  // numbers of more than 32 bits can be written
  Id Undefined();                                // an OpUndef
  Id Void();                                     // the OpTypeVoid
  Id NewId() { return bound_++; }

  // Adds an instruction before the functions and returns its result id.  `id`: the id from NewId,
  // if other instructions already refer to it.
  Id Add(OpenClDebugInfo100 number, std::span<const Word> operands, Id id = 0);
  Id Add(OpenClDebugInfo100 number, std::initializer_list<Word> operands, Id id = 0) {
    return Add(number, std::span(operands.begin(), operands.size()), id);
  }
  // The same inside of a function.
  void Append(OpenClDebugInfo100 number, std::initializer_list<Word> operands,
              std::vector<Word>* words);

  // The module with the added instructions; `functions` are the words of its changed functions.
  // Empty if the module would have too many ids.
  std::vector<Word> Finish(const std::vector<Word>& functions) const;

  // Where the functions begin in the words of the module.
  std::size_t FunctionsBegin() const { return functions_begin_; }

 private:
  void Write(OpenClDebugInfo100 number, std::span<const Word> operands, Id id,
             std::vector<Word>* words);
  Id IntegerType(std::uint32_t bits);

  const std::vector<Word>& words_;
  std::size_t imports_end_ = 0, strings_begin_ = 0, functions_begin_ = 0;
  Id bound_, set_, void_ = 0, uint_ = 0, ulong_ = 0, undefined_ = 0;
  std::vector<Word> strings_, declarations_;
  std::unordered_map<std::string, Id> string_ids_;
  std::map<std::pair<Id, std::uint64_t>, Id> constants_;  // by type and value
};

}  // namespace assay::frontend
