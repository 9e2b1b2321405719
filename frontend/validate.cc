#include "frontend/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <spirv-tools/libspirv.hpp>
#include <utility>

#include "base/build_id.h"
#include "base/digest.h"
#include "base/in_child.h"
#include "frontend/block_order.h"
#include "frontend/capabilities.h"
#include "frontend/compile_cache.h"
#include "frontend/debug_instructions.h"
#include "frontend/decode.h"
#include "frontend/friendly_names.h"
#include "frontend/half_stores.h"
#include "frontend/hide_newer.h"
#include "frontend/module.h"
#include "frontend/rewritten.h"
#include "frontend/validator_gaps.h"

namespace assay::frontend {
namespace {

// A change of the copy that the validator reads, before it runs again, so that one quirk does not
// hide other errors.
enum class Cure {
  kHide,            // take out every instruction like the one that it complains about
  kOrderBlocks,     // put the blocks of functions into the demanded order
  kVariablesFirst,  // put variables in front of other instructions of a function's first block
  kHideMerges,      // take out what marks structured control flow
  kSpellZeros,      // write null constants of integer types as the number 0
  kListInterfaces,  // name every global variable in the interface of every entry point
  kSpecComposites,  // write composites of constants as those of specialization constants
  kHideClock,       // take out the capability of clocks, and them
  kAskUniversal,    // ask by SPIR-V's own rules instead of an OpenCL environment's
};

struct Quirk {
  std::string_view message;  // a part of the validator's
  Cure cure;
  std::string_view warning;
  std::string_view extension = "";  // that the module must declare
};

// Modules of real generators that SPIRV-Tools 2023.1 refuses.
constexpr Quirk kQuirks[] = {
    // clang-22 passes the array variable itself, not a pointer to its first character.
    {"printf: expected Format data type to be 8-bit int", Cure::kHide,
     "printf's format is a pointer to an array, not to 8-bit characters"},
    // SPV_EXT_relaxed_printf_string_address_space, which SPIRV-Tools does not know.
    {"printf: expected Format storage class to be UniformConstant", Cure::kHide,
     "printf's format is not in constant memory", "SPV_EXT_relaxed_printf_string_address_space"},
    // clang-22 -O2: any() over the integers that a comparison of OpenCL C gives.
    {"Expected operand to be vector bool", Cure::kHide,
     "OpAny or OpAll of integers; what is not zero counts as true"},
    // clang-22 has OpConstantNull for the member that is an index.
    {"to index into a structure must be an OpConstant", Cure::kSpellZeros,
     "a null constant as the number of a structure's member"},
    // llvm-spirv -O2 keeps LLVM's order of blocks, which is free.
    {"appears in the binary before its dominator", Cure::kOrderBlocks,
     "blocks that stand before their dominators"},
    {"has not been defined", Cure::kOrderBlocks, "blocks that stand before their dominators"},
    // llvm-spirv leaves out variables that are used by functions that a kernel calls (SPIR-V 1.4).
    {"but is not listed as an interface", Cure::kListInterfaces,
     "global variables that are missing in an entry point's interface"},
    // llvm-spirv writes LLVM's select as it is: one condition for whole vectors, which SPIR-V has
    // since 1.4.
    {"Expected vector sizes of Result Type and the condition to be equal: Select", Cure::kHide,
     "OpSelect of vectors by a scalar"},
    // clang-22: convert_uchar(char), and ldexp with one exponent for all components.
    {"Expected input to have different bit width from Result Type", Cure::kHide,
     "a conversion between integers of one width"},
    {"expected the exponent to have the same number of components", Cure::kHide,
     "one exponent for all components of a vector"},
    // llvm-spirv writes SPIR-V 1.4 where it has NoSignedWrap to say, with an instruction of 1.3.
    {"AtomicCompareExchangeWeak requires SPIR-V version 1.3 or earlier", Cure::kHide,
     "OpAtomicCompareExchangeWeak in a module of SPIR-V 1.4 or later"},
    // llvm-spirv compares queues and device events as if they were pointers.
    {"Expected input to be a pointer: ConvertPtrToU", Cure::kHide,
     "OpConvertPtrToU of what is no pointer"},
    {"Expected Result Type to be a pointer: ConvertUToPtr", Cure::kHide,
     "OpConvertUToPtr to what is no pointer"},
    // llvm-spirv -O1: loops of LLVM, marked like structured ones; kernels need no structure.
    {"OpLoopMerge must immediately precede", Cure::kHideMerges, "OpLoopMerge where no loop begins"},
    {"is already a merge block for another header", Cure::kHideMerges,
     "a merge block of several headers"},
    {"Merge Block and Continue Target must be different ids", Cure::kHideMerges,
     "a loop whose merge block is its continue target"},
    // llvm-spirv -O1: LLVM's optimizer leaves casts of parameters in front of them.  -O2: memmove
    // goes through a variable that is made where it stands.
    {"All OpVariable instructions in a function must be the first instructions",
     Cure::kVariablesFirst, "OpVariable behind other instructions"},
    // llvm-spirv writes LLVM's phis: one value for each case of a switch that leads there.
    {"OpPhi's number of incoming blocks", Cure::kHide, "OpPhi that names a predecessor twice"},
    // The validator's list of declarations lacks it.
    {"ConstantPipeStorage must appear in a block", Cure::kHide, "a pipe of the module"},
    // cl_khr_kernel_clock has one of the work-group; what has none is found when it is read.
    {"Scope must be Subgroup or Device", Cure::kHide, "a clock of another scope"},
    {"Scope must be Subgroup, Workgroup, or Device", Cure::kHide, "a clock of another scope"},
    // ... and its capability implies Shader in the validator's grammar, so that a kernel's control
    // flow would have to be structured.
    {"Selection must be structured", Cure::kHideClock, "a clock in a kernel"},
    {"Scope ids must be OpConstant when Shader capability is present", Cure::kHideClock,
     "a clock whose scope is computed"},
    // llvm-spirv scales matrices by it; its capability is not one that a kernel declares.
    {"Opcode MatrixTimesScalar requires one of these capabilities: Matrix", Cure::kHide,
     "OpMatrixTimesScalar in a kernel", "SPV_KHR_cooperative_matrix"},
    // A cooperative matrix is a composite, and OpSelect takes composites since SPIR-V 1.4.
    {"Expected scalar or composite type as Result Type: Select", Cure::kHide,
     "OpSelect of cooperative matrices", "SPV_KHR_cooperative_matrix"},
    // What an untyped pointer points to is what the instruction loads or stores.
    {"vloadn: expected operand P data type to be equal to component type of Result Type",
     Cure::kHide, "a load through an untyped pointer", "SPV_KHR_untyped_pointers"},
    {"vstoren: expected operand P data type to be equal to the type of operand Data components",
     Cure::kHide, "a store through an untyped pointer", "SPV_KHR_untyped_pointers"},
    // SPIRV-Tools 2026 refuses what llvm-spirv makes of LLVM's constant expressions: addresses
    // are OpSpecConstantOp, in composites that are none of specialization constants.
    {"OpConstantComposite must not have spec constant operands", Cure::kSpecComposites,
     "OpConstantComposite of what OpSpecConstantOp gives"},
    {"Expected input and Result Type to point to the same type: SpecConstantOp", Cure::kHide,
     "OpSpecConstantOp that casts between pointers to different types"},
    // cl_khr_mipmap_image and cl_khr_gl_msaa_sharing.
    {"Optional Image Operands are not allowed in the OpenCL environment", Cure::kHide,
     "a level or a sample of an image"},
    {"Image Operand Lod can only be used with ExplicitLod", Cure::kHide,
     "a level of an image that is written"},
    {"MS must be 0 in the OpenCL environment", Cure::kAskUniversal, "multisample images"},
};

constexpr spv_target_env kEnvironments[] = {
    SPV_ENV_OPENCL_2_2,    SPV_ENV_OPENCL_2_2,    SPV_ENV_OPENCL_2_2,   SPV_ENV_UNIVERSAL_1_3,
    SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6};
constexpr spv_target_env kUniversal[] = {
    SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
    SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6};

struct Complaint {
  std::size_t instruction = 0;  // 0: about the module as a whole, else counted from 1
  std::string text;
};

struct Verdict {
  std::optional<Complaint> error;
  std::vector<std::string> warnings;
};

Verdict Ask(const std::vector<Word>& words, spv_target_env environment, bool with_names) {
  Verdict verdict;
  spvtools::SpirvTools tools(environment);
  tools.SetMessageConsumer([&verdict](spv_message_level_t level, const char*,
                                      const spv_position_t& position, const char* message) {
    if (level <= SPV_MSG_ERROR) {
      if (!verdict.error) verdict.error = Complaint{position.index, message};
    } else if (level == SPV_MSG_WARNING) {
      verdict.warnings.emplace_back(message);
    }
  });
  spvtools::ValidatorOptions options;
  options.SetFriendlyNames(with_names);
  const bool valid = tools.Validate(words.data(), words.size(), options);
  if (!valid && !verdict.error) verdict.error = Complaint{0, "refused without a message"};
  return verdict;
}

// Names for messages take longer than the rest: they are made where there is a message.  One that
// repeats an instruction makes them in any case.
Verdict Ask(const std::vector<Word>& words, spv_target_env environment) {
  const std::vector<Word> named = WithFriendlyNames(words);
  Verdict verdict = Ask(named, environment, false);
  if (!verdict.error && verdict.warnings.empty()) return verdict;
  return Ask(named, environment, true);
}

bool IsLike(std::span<const Word> instruction, std::span<const Word> example) {
  if (OpcodeOf(instruction[0]) != OpcodeOf(example[0])) return false;
  if (OpcodeOf(example[0]) == Op::kSpecConstantOp) return instruction[3] == example[3];
  if (OpcodeOf(example[0]) != Op::kExtInst) return true;
  return instruction[3] == example[3] && instruction[4] == example[4];
}

// A result becomes an undefined value of its type, which is valid wherever a value is, and a
// constant becomes null.
std::vector<Word> WithoutLike(const std::vector<Word>& words, std::span<const Word> example) {
  return Rewritten(words, [&](std::span<const Word> instruction, std::vector<Word>* copy) {
    if (!IsLike(instruction, example)) return Append(instruction, copy);
    const auto rule = FindInstruction(OpcodeOf(instruction[0]));
    if (!rule->HasResultType()) return;
    const bool is_constant = OpcodeOf(example[0]) == Op::kSpecConstantOp;
    copy->insert(copy->end(), {FirstWord(is_constant ? Op::kConstantNull : Op::kUndef, 3),
                               instruction[1], instruction[2]});
  });
}

std::vector<Word> WithZeros(const std::vector<Word>& words) {
  std::vector<Word> width(words[3]);  // of integer types, by id
  return Rewritten(words, [&](std::span<const Word> instruction, std::vector<Word>* copy) {
    const Op opcode = OpcodeOf(instruction[0]);
    if (opcode == Op::kTypeInt) width[instruction[1]] = instruction[2];
    const Word bits = opcode == Op::kConstantNull ? width[instruction[1]] : 0;
    if (bits == 0 || bits > 64) return Append(instruction, copy);
    const Word count = bits > 32 ? 5 : 4;
    copy->insert(copy->end(), {FirstWord(Op::kConstant, count), instruction[1], instruction[2]});
    copy->insert(copy->end(), count - 3, 0);
  });
}

std::vector<Word> WithInterfaces(const std::vector<Word>& words) {
  std::vector<Word> globals;
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction[0]);
    const bool global = (opcode == Op::kVariable || opcode == Op::kUntypedVariableKHR) &&
                        static_cast<StorageClass>(instruction[3]) != StorageClass::kFunction;
    if (global) globals.push_back(instruction[2]);
  });
  return Rewritten(words, [&](std::span<const Word> instruction, std::vector<Word>* copy) {
    if (OpcodeOf(instruction[0]) != Op::kEntryPoint) return Append(instruction, copy);
    const std::size_t named = 3 + StringWords(StringAt(instruction.subspan(3))->size());
    if (named + globals.size() > 0xffff) return Append(instruction, copy);
    copy->push_back(FirstWord(Op::kEntryPoint, static_cast<Word>(named + globals.size())));
    Append(instruction.subspan(1, named - 1), copy);
    Append(globals, copy);
  });
}

std::vector<Word> WithoutClocks(const std::vector<Word>& words) {
  return Rewritten(words, [&](std::span<const Word> instruction, std::vector<Word>* copy) {
    const Op opcode = OpcodeOf(instruction[0]);
    if (opcode == Op::kCapability &&
        static_cast<Capability>(instruction[1]) == Capability::kShaderClockKHR) {
      return;
    }
    if (opcode != Op::kReadClockKHR) return Append(instruction, copy);
    copy->insert(copy->end(), {FirstWord(Op::kUndef, 3), instruction[1], instruction[2]});
  });
}

std::vector<Word> WithSpecComposites(const std::vector<Word>& words) {
  return Rewritten(words, [](std::span<const Word> instruction, std::vector<Word>* copy) {
    const bool is_composite = OpcodeOf(instruction[0]) == Op::kConstantComposite;
    if (!is_composite) return Append(instruction, copy);
    copy->push_back(FirstWord(Op::kSpecConstantComposite, static_cast<Word>(instruction.size())));
    Append(instruction.subspan(1), copy);
  });
}

std::vector<Word> Cured(const std::vector<Word>& words, Cure cure, std::size_t place) {
  switch (cure) {
    case Cure::kHide:
      return WithoutLike(words, std::span(words).subspan(place, WordCountOf(words[place])));
    case Cure::kOrderBlocks:
      return WithBlocksInOrder(words);
    case Cure::kVariablesFirst:
      return WithVariablesFirst(words);
    case Cure::kHideMerges:
      return WithoutMerges(words);
    case Cure::kSpellZeros:
      return WithZeros(words);
    case Cure::kListInterfaces:
      return WithInterfaces(words);
    case Cure::kSpecComposites:
      return WithSpecComposites(words);
    case Cure::kHideClock:
      return WithoutClocks(words);
    case Cure::kAskUniversal:
      return words;
  }
  return words;
}

// The place of the instruction that is the n-th, counted from 1; 0 if there are not so many.
std::size_t PlaceOf(const std::vector<Word>& words, std::size_t n) {
  std::size_t result = 0;
  std::size_t counted = 0;
  ForEachInstruction(words, [&](std::size_t place, std::span<const Word>) {
    if (++counted == n) result = place;
  });
  return result;
}

bool DeclaresExtension(const std::vector<Word>& words, std::string_view name) {
  bool found = false;
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    found = found || (OpcodeOf(instruction[0]) == Op::kExtension &&
                      StringAt(instruction.subspan(1)) == name);
  });
  return found;
}

const Quirk* FindQuirk(const Complaint& complaint, const std::vector<Word>& words) {
  for (const Quirk& quirk : kQuirks) {
    if (complaint.text.find(quirk.message) == std::string::npos) continue;
    if (quirk.extension.empty() || DeclaresExtension(words, quirk.extension)) return &quirk;
  }
  return nullptr;
}

// `opcode`: of the instruction that it is about.  Operands of what is not executed may have changed
// since SPIRV-Tools was built, so such a module is not called invalid.
tl::unexpected<Error> Refused(const Binary& binary, const Complaint& complaint, Op opcode) {
  if (const std::string refusal = RefusalOf(opcode); !refusal.empty()) {
    return Fail(ErrorKind::kUnsupported, fmt::format("{}: {}", binary.name, refusal));
  }
  // It repeats the instruction, with all of its operands.
  constexpr std::size_t kLongest = 1000;
  const bool is_long = complaint.text.size() > kLongest;
  const std::string why = complaint.text.substr(0, kLongest) + (is_long ? " [...]" : "");
  if (binary.compiler.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: invalid SPIR-V, says SPIRV-Tools: {}", binary.name, why));
  }
  return Fail(
      ErrorKind::kUnsupported,
      fmt::format("{}: {} writes invalid SPIR-V for it; other optimization (-O0) or another "
                  "--compiler may help; SPIRV-Tools says: {}",
                  binary.name, binary.compiler, why));
}

std::vector<Word> WithoutSkipped(const Binary& binary) {
  std::vector<Word> words = binary.words;
  for (auto place = binary.skipped.rbegin(); place != binary.skipped.rend(); ++place) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(*place);
    words.erase(first, first + WordCountOf(*first));
  }
  return words;
}

// The capabilities of a module without what they are for.
std::vector<Word> CapabilitiesOf(const std::vector<Word>& words) {
  return Rewritten(words, [&](std::span<const Word> instruction, std::vector<Word>* copy) {
    const Op opcode = OpcodeOf(instruction[0]);
    const bool is_kept =
        opcode == Op::kCapability || opcode == Op::kExtension || opcode == Op::kMemoryModel;
    if (is_kept) Append(instruction, copy);
  });
}

// Fails with the first complaint about a capability in an OpenCL environment that is right, and
// returns those that are not, as warnings.  Each capability is judged by itself: one that
// SPIRV-Tools does not know of hides no other.
Expected<std::vector<std::string>> JudgeCapabilities(const Binary& binary,
                                                     const std::vector<Word>& words,
                                                     spv_target_env environment) {
  std::vector<std::string> warnings;
  std::vector<Word> left = CapabilitiesOf(words);
  for (;;) {
    const Verdict verdict = Ask(left, environment, false);
    if (!verdict.error) return warnings;
    if (verdict.error->text.find("is not allowed by OpenCL") == std::string::npos) return warnings;
    const std::size_t place = PlaceOf(left, verdict.error->instruction);
    if (place == 0 || OpcodeOf(left[place]) != Op::kCapability) return warnings;
    const auto capability = static_cast<Capability>(left[place + 1]);
    const std::string_view by = AcceptedBy(capability);
    if (by.empty()) return Refused(binary, *verdict.error, Op::kCapability);
    warnings.push_back(fmt::format(
        "{}: capability {}; SPIRV-Tools refuses this, but OpenCL's environment accepts it with {}",
        binary.name, EnumerantName(OperandKind::kCapability, left[place + 1]), by));
    const auto first = left.begin() + static_cast<std::ptrdiff_t>(place);
    left.erase(first, first + WordCountOf(*first));
  }
}

Expected<std::vector<std::string>> ValidateHere(const Binary& binary) {
  spv_target_env environment = kEnvironments[binary.MinorVersion()];
  // No generator writes debug information that SPIRV-Tools accepts completely, and it does not
  // change results: it is left out without a warning.
  const std::vector<Word> original = WithoutSkipped(binary);
  std::vector<Word> words = WithFormerExtensions(DebugInstructions(original).Without());
  if (StoresNoNumber(words)) {
    return Fail(ErrorKind::kUsage,
                binary.name + ": invalid SPIR-V: a half store of what is no number");
  }
  std::vector<std::string> warnings;
  const Newer newer = HideNewer(&words);
  if (newer == Newer::kDeclarations) {
    warnings.push_back(
        fmt::format("{}: not validated: the installed SPIRV-Tools does not know its declarations",
                    binary.name));
    return warnings;
  }
  if (newer == Newer::kHidden) environment = kUniversal[binary.MinorVersion()];
  if (environment == SPV_ENV_OPENCL_2_2) {
    auto judged = JudgeCapabilities(binary, words, environment);
    if (!judged) return judged;
    if (!judged->empty()) environment = kUniversal[binary.MinorVersion()];
    warnings = std::move(*judged);
  }
  std::vector<const Quirk*> applied;
  // Every round leaves fewer kinds of instructions to hide or cures to try; more than these are no
  // generator's.
  for (int round = 0; round < 32; ++round) {
    Verdict verdict = Ask(words, environment);
    if (!verdict.error) {
      for (std::string& warning : verdict.warnings) {
        warnings.push_back(fmt::format("{}: SPIRV-Tools: {}", binary.name, warning));
      }
      return warnings;
    }
    const std::size_t place = PlaceOf(words, verdict.error->instruction);
    const Quirk* quirk = FindQuirk(*verdict.error, words);
    // The same quirk may concern two kinds of instructions.
    const bool hides = quirk != nullptr && quirk->cure == Cure::kHide;
    const bool known = quirk != nullptr &&
                       (hides ? place != 0 : std::ranges::find(applied, quirk) == applied.end());
    if (!known)
      return Refused(binary, *verdict.error, place == 0 ? Op::kNop : OpcodeOf(words[place]));
    applied.push_back(quirk);
    warnings.push_back(fmt::format("{}: {}; SPIRV-Tools refuses this, but drivers accept it: {}",
                                   binary.name, quirk->warning, verdict.error->text));
    words = Cured(words, quirk->cure, place);
    if (quirk->cure == Cure::kAskUniversal) environment = kUniversal[binary.MinorVersion()];
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: invalid SPIR-V in more ways than are known", binary.name));
}

// A smaller module is validated as soon as it is looked up.
constexpr std::size_t kKeptWords = 1 << 14;

// Everything on which the result depends: the module, its name (warnings have it), and this
// program, which contains SPIRV-Tools.  "": the result is not kept.
std::string KeyOf(const Binary& binary) {
  const std::string build = base::OwnBuildId();
  if (binary.words.size() < kKeptWords || build.empty()) return "";
  base::Digest digest;
  digest.AddField("valid/1").AddField(build).AddField(binary.name);
  digest.AddField(base::BytesOf(binary.words));
  return digest.Finish();
}

std::string PackedWarnings(const std::vector<std::string>& warnings) {
  base::Packed packed;
  packed.Add(std::uint64_t{warnings.size()});
  for (const std::string& warning : warnings) packed.Add(std::string_view(warning));
  return packed.bytes();
}

std::vector<std::string> WarningsIn(base::Packed* packed) {
  // Each takes more than a byte.
  std::vector<std::string> warnings(std::min(packed->Number(), packed->bytes().size()));
  for (std::string& warning : warnings) warning = packed->Text();
  return warnings;
}

Expected<std::vector<std::string>> ValidateInChild(const Binary& binary,
                                                   const base::Budget& budget) {
  auto answer =
      base::InChild(budget, fmt::format("validating {} by SPIRV-Tools", binary.name), [&binary] {
        const auto validated = ValidateHere(binary);
        base::Packed packed;
        packed.Add(std::string_view(validated ? "" : validated.error().message));
        packed.Add(validated ? 0 : static_cast<std::uint64_t>(validated.error().kind));
        return packed.bytes() + PackedWarnings(validated.value_or(std::vector<std::string>()));
      });
  if (!answer) return tl::unexpected(answer.error());
  base::Packed packed(std::move(*answer));
  std::string error = packed.Text();
  const std::uint64_t kind = packed.Number();
  if (!error.empty()) return Fail(static_cast<ErrorKind>(kind), std::move(error));
  return WarningsIn(&packed);
}

}  // namespace

Expected<std::vector<std::string>> Validate(const Binary& binary, const base::Budget& budget) {
  const CompileCache cache;
  const std::string key = KeyOf(binary);
  if (!key.empty()) {
    if (auto entry = cache.Find(key)) {
      base::Packed packed(std::move(entry->messages));
      return WarningsIn(&packed);
    }
  }
  auto warnings = ValidateInChild(binary, budget);
  if (warnings && !key.empty()) cache.Store(key, {PackedWarnings(*warnings), ""});
  return warnings;
}

}  // namespace assay::frontend
