#include "frontend/kernel_strings.h"

#include <fmt/format.h>

#include "frontend/decode.h"
#include "frontend/llvm_metadata.h"
#include "frontend/loader.h"
#include "frontend/rewritten.h"

namespace assay::frontend {
namespace {

// The lines "define ... spir_kernel void @NAME(...) ... !kernel_arg_type !5 ... {".
constexpr std::string_view kDefine = "\ndefine ";
constexpr std::string_view kKernelMark = "spir_kernel ";

std::string_view NameIn(std::string_view line) {
  const std::size_t at = line.find(" @");
  if (at == line.npos) return "";
  line.remove_prefix(at + 2);
  return line.substr(0, line.find('('));
}

// The strings of the tuple that a line names behind "!kind "; false where there is none.
bool ListOf(const LlvmMetadata& metadata, std::string_view line, std::string_view kind,
            std::string* list) {
  const std::string mark = fmt::format(" !{} ", kind);
  const std::size_t at = line.find(mark);
  if (at == line.npos) return false;
  std::string_view reference = line.substr(at + mark.size());
  reference = reference.substr(0, reference.find(' '));
  const auto number = ReadReference(reference);
  const auto node = number ? metadata.Find(*number) : std::nullopt;
  if (!node) return false;
  for (std::string_view element : node->Elements()) {
    // !"float4*"
    if (element.starts_with("!\"") && element.ends_with('"') && element.size() > 2) {
      element = element.substr(2, element.size() - 3);
    }
    list->append(element).push_back(',');
  }
  return true;
}

// Where strings stand: behind the execution modes.
std::size_t PlaceOfStrings(const std::vector<Word>& words) {
  std::size_t place = kHeaderWords;
  ForEachInstruction(words, [&](std::size_t at, std::span<const Word> instruction) {
    switch (OpcodeOf(instruction[0])) {
      case Op::kCapability:
      case Op::kExtension:
      case Op::kExtInstImport:
      case Op::kMemoryModel:
      case Op::kEntryPoint:
      case Op::kExecutionMode:
      case Op::kExecutionModeId:
        place = at + instruction.size();
        break;
      default:
        break;
    }
  });
  return place;
}

}  // namespace

std::vector<Word> WithKernelStrings(const std::vector<Word>& words, std::string_view ir) {
  constexpr std::size_t kMaxString = 200'000;  // bytes; an instruction has at most 65535 words
  const LlvmMetadata metadata(ir);
  std::vector<Word> strings;
  Word bound = words[3];
  for (std::size_t at = ir.find(kDefine); at != ir.npos; at = ir.find(kDefine, at + 1)) {
    const std::string_view line = ir.substr(at + 1, ir.find('\n', at + 1) - at - 1);
    if (line.find(kKernelMark) == line.npos) continue;
    for (const std::string_view kind : {kArgumentType, kArgumentQualifiers, kArgumentName}) {
      std::string list;
      if (!ListOf(metadata, line, kind, &list) || list.size() > kMaxString) continue;
      const Word id = bound++;
      AppendText(Op::kString, {&id, 1}, fmt::format("{}.{}.{}", kind, NameIn(line), list),
                 &strings);
    }
  }
  if (strings.empty() || bound > kMaxIdBound) return words;
  std::vector<Word> all = words;
  all[3] = bound;
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(PlaceOfStrings(words)), strings.begin(),
             strings.end());
  return all;
}

}  // namespace assay::frontend
