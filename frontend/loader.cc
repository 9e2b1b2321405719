#include "frontend/loader.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <spirv-tools/libspirv.hpp>
#include <system_error>

#include "base/file.h"
#include "base/in_child.h"
#include "frontend/capabilities.h"
#include "frontend/decode.h"
#include "frontend/newer_text.h"
#include "frontend/text_names.h"
#include "frontend/text_version.h"
#include "frontend/whole_module.h"

namespace assay::frontend {
namespace {

constexpr Word Swapped(Word word) { return __builtin_bswap32(word); }

tl::unexpected<Error> Bad(const std::string& name, std::string_view what) {
  return Fail(ErrorKind::kUsage, fmt::format("{}: {}", name, what));
}

Expected<void> CheckHeader(const Binary& binary) {
  const auto& words = binary.words;
  if (words.size() < kHeaderWords) {
    return Bad(binary.name,
               fmt::format("{} words, but a SPIR-V header has {}: the file is truncated",
                           words.size(), kHeaderWords));
  }
  if (words[0] != kMagic) {
    return Bad(binary.name, fmt::format("no SPIR-V: it begins with {:#010x} and not with {:#010x}",
                                        words[0], kMagic));
  }
  if ((words[1] & 0xff0000ff) != 0) {
    return Bad(binary.name, fmt::format("word 1: {:#010x} is no SPIR-V version", words[1]));
  }
  if (binary.MajorVersion() != 1 || binary.MinorVersion() > 6) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: SPIR-V {}.{} is not supported; 1.0 to 1.6 are", binary.name,
                            binary.MajorVersion(), binary.MinorVersion()));
  }
  if (words[3] == 0 || words[3] > kMaxIdBound) {
    return Bad(binary.name,
               fmt::format("word 3: an id bound of {}; it must be 1 to {}", words[3], kMaxIdBound));
  }
  if (words[4] != 0) {
    return Bad(binary.name, fmt::format("word 4: instruction schema {}; it must be 0", words[4]));
  }
  return {};
}

// Whether an instruction cannot change the results of a kernel, so that it may be left out if it
// has unknown parts.
bool MaySkip(Op opcode) {
  return opcode == Op::kSource || opcode == Op::kDecorate || opcode == Op::kMemberDecorate ||
         opcode == Op::kDecorateId || opcode == Op::kDecorateString ||
         opcode == Op::kMemberDecorateString;
}

// What the user can do about something newer: the extensions that are not executed are those of
// the module, if the registry does not say which one it is.  `before`: the words so far.
std::string Remedy(std::span<const Word> before, const DecodeProblem& problem) {
  if (!problem.extension.empty()) return fmt::format("compile without {}", problem.extension);
  std::string names;
  ForEachInstruction(before, [&](std::size_t, std::span<const Word> instruction) {
    if (OpcodeOf(instruction[0]) != Op::kExtension) return;
    const std::string_view name = StringAt(instruction.subspan(1)).value_or("");
    if (IsSupportedExtension(name)) return;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  });
  if (names.empty()) return "compile for an older SPIR-V";
  return fmt::format("compile for an older SPIR-V, or without what is not executed: {}", names);
}

Expected<void> CheckInstruction(Binary* binary, std::size_t place, Decoder* decoder,
                                std::vector<Operand>* operands) {
  const auto& words = binary->words;
  const std::size_t count = WordCountOf(words[place]);
  const Op opcode = OpcodeOf(words[place]);
  if (count == 0) {
    return Bad(binary->name,
               fmt::format("word {}: an instruction of no words: the file is damaged", place));
  }
  if (count > words.size() - place) {
    return Bad(binary->name,
               fmt::format("word {}: {} has {} words, but the file ends after {}: it is truncated",
                           place, NameOf(opcode), count, words.size() - place));
  }
  const auto problem = decoder->Decode(std::span(words).subspan(place, count), operands);
  if (!problem) return {};
  const std::string message = fmt::format("word {}: {} {}", place, NameOf(opcode), problem->what);
  if (!problem->newer) {
    // Its operands may have changed since (SPV_ALTERA_arbitrary_precision_fixed_point).
    if (const std::string refusal = RefusalOf(opcode); !refusal.empty()) {
      return Fail(ErrorKind::kUnsupported, fmt::format("{}: {}", binary->name, refusal));
    }
    return Bad(binary->name, message);
  }
  if (MaySkip(opcode)) {
    binary->skipped.push_back(place);
    binary->warnings.push_back(fmt::format("{}: {}; left out", binary->name, message));
    return {};
  }
  // Nothing that is computed depends on debug information (llvm-spirv writes storage classes there
  // that do not exist).
  if (opcode == Op::kExtInst && IsDebugSet(decoder->SetOf(words[place + 3]))) {
    binary->skipped.push_back(place);
    return {};
  }
  // Capabilities are refused by name later, with what else is wrong.
  if (opcode == Op::kCapability) return {};
  return Fail(ErrorKind::kUnsupported,
              fmt::format("{}: {}; {}", binary->name, message,
                          Remedy(std::span(words).first(place), *problem)));
}

Expected<Binary> Check(Binary binary) {
  if (auto good = CheckHeader(binary); !good) return tl::unexpected(good.error());
  Decoder decoder(binary.IdBound());
  std::vector<Operand> operands;
  for (std::size_t place = kHeaderWords; place < binary.words.size();) {
    if (auto good = CheckInstruction(&binary, place, &decoder, &operands); !good) {
      return tl::unexpected(good.error());
    }
    place += WordCountOf(binary.words[place]);
  }
  return binary;
}

bool IsMagic(std::span<const std::byte> bytes) {
  Word first = 0;
  if (bytes.size() < sizeof first) return false;
  std::memcpy(&first, bytes.data(), sizeof first);
  return first == kMagic || first == Swapped(kMagic);
}

// The text form has no place for the version but the comment that the disassembler puts at its head
// ("; Version: 1.4").
std::optional<Word> MinorVersionIn(std::string_view text) {
  constexpr std::string_view kComment = "; Version: 1.";
  while (text.starts_with(';')) {
    if (text.starts_with(kComment) && text.size() > kComment.size()) {
      const char minor = text[kComment.size()];
      if (minor >= '0' && minor <= '6') return minor - '0';
    }
    const std::size_t end = text.find('\n');
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

// Without that comment the assembler takes the names of its newest version, as spirv-as does.  The
// module is then of the least version that has them all, from SPIR-V 1.2 on, OpenCL 2.2's: of 1.6,
// as spirv-as writes it, it could not be checked by OpenCL's rules, and would be asked for
// interfaces that its author did not need.
spv_target_env EnvironmentOf(std::optional<Word> minor) {
  constexpr spv_target_env kEnvironments[] = {
      SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
      SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6};
  return kEnvironments[minor.value_or(std::size(kEnvironments) - 1)];
}
constexpr Word kLeastMinorOfText = 2;

struct Assembled {
  std::vector<Word> words;
  bool refused = false;
  std::string message;  // of a refusal: where, and why
};

Assembled Assemble(std::string_view text) {
  const std::optional<Word> minor = MinorVersionIn(text);
  const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(
      spvContextCreate(EnvironmentOf(minor)), spvContextDestroy);
  spv_binary assembled = nullptr;
  spv_diagnostic diagnostic = nullptr;
  const std::string known = WithNewerAsWords(text);
  const spv_result_t result = spvTextToBinaryWithOptions(
      context.get(), known.data(), known.size(), SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS,
      &assembled, &diagnostic);
  const std::unique_ptr<spv_binary_t, decltype(&spvBinaryDestroy)> owned(assembled,
                                                                         spvBinaryDestroy);
  const std::unique_ptr<spv_diagnostic_t, decltype(&spvDiagnosticDestroy)> message(
      diagnostic, spvDiagnosticDestroy);
  if (result == SPV_SUCCESS) {
    std::vector<Word> words =
        WithoutSeparators({assembled->code, assembled->code + assembled->wordCount});
    if (!minor) words[1] = 0x10000 | NeededMinorVersion(words, kLeastMinorOfText) << 8;
    // A text can give any word as a number: what is damaged is told by the loader.
    if (!IsWholeModule(words)) return {std::move(words), false, ""};
    return {WithTextNames(text, std::move(words)), false, ""};
  }
  if (!message) return {{}, true, "SPIR-V text that the assembler refuses without a message"};
  // The assembler counts from 0.
  return {{},
          true,
          fmt::format("line {}, column {}: {}", message->position.line + 1,
                      message->position.column + 1, message->error)};
}

}  // namespace

Expected<Binary> LoadWords(std::vector<Word> words, std::string name) {
  if (!words.empty() && words[0] == Swapped(kMagic)) {
    for (Word& word : words) word = Swapped(word);
  }
  Binary binary;
  binary.name = std::move(name);
  binary.words = std::move(words);
  return Check(std::move(binary));
}

Expected<Binary> LoadBytes(std::span<const std::byte> bytes, std::string name) {
  if (bytes.size() > base::kMaxFileBytes) {
    return Bad(name, fmt::format("larger than {} MiB", base::kMaxFileBytes >> 20));
  }
  if (bytes.size() % sizeof(Word) != 0) {
    return Bad(name, fmt::format("{} bytes, which are no whole number of 4-byte words: the file is "
                                 "truncated or was changed by a transfer as text",
                                 bytes.size()));
  }
  std::vector<Word> words(bytes.size() / sizeof(Word));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return LoadWords(std::move(words), std::move(name));
}

Expected<Binary> LoadText(std::string_view text, std::string name, const base::Budget& budget) {
  auto answer = base::InChild(budget, fmt::format("assembling {} by SPIRV-Tools", name), [text] {
    const Assembled assembled = Assemble(text);
    base::Packed packed;
    packed.Add(std::uint64_t{assembled.refused});
    packed.Add(assembled.refused ? std::string_view(assembled.message)
                                 : base::BytesOf(assembled.words));
    return packed.bytes();
  });
  if (!answer) return tl::unexpected(answer.error());
  base::Packed packed(std::move(*answer));
  const bool refused = packed.Number() != 0;
  const std::string bytes = packed.Text();
  if (refused) {
    const std::string newer = NewerNameIn(bytes);
    if (newer.empty()) return Bad(name, bytes);
    return Fail(ErrorKind::kUnsupported, fmt::format("{}: {}: {}", name, bytes, newer));
  }
  return LoadWords(base::ItemsOf<Word>(bytes), std::move(name));
}

Expected<Binary> LoadFile(const std::string& path, const base::Budget& budget) {
  auto bytes = base::ReadWholeFile(path);
  if (!bytes) return tl::unexpected(bytes.error());
  if (bytes->empty()) return Bad(path, "the file is empty");
  const auto view = std::as_bytes(std::span(*bytes));
  if (IsMagic(view)) return LoadBytes(view, path);
  // Text has no zero bytes; what has some is a binary of another kind, better not called text.
  if (bytes->find('\0') != bytes->npos) {
    return Bad(path, "neither SPIR-V binary (its magic number is missing) nor text");
  }
  return LoadText(*bytes, path, budget);
}

}  // namespace assay::frontend
