#include "frontend/run_compilers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/file.h"
#include "base/run_tool.h"
#include "frontend/clang_debug_info.h"
#include "frontend/clang_dump.h"
#include "frontend/constant_addresses.h"
#include "frontend/decode.h"
#include "frontend/kernel_strings.h"
#include "frontend/llvm_address_spaces.h"
#include "frontend/llvm_barriers.h"
#include "frontend/llvm_constrained.h"
#include "frontend/llvm_dimensions.h"
#include "frontend/llvm_freeze.h"
#include "frontend/llvm_reductions.h"
#include "frontend/llvm_widths.h"
#include "frontend/loader.h"
#include "frontend/null_events.h"
#include "frontend/private_globals.h"

namespace assay::frontend {
namespace {

// What of the compiler is run: all of it, or its front end to IR and the rest from there on.
enum class Stage : std::uint8_t { kWhole, kFrontEnd, kBackEnd };

// SPIR-V extensions that the compilers may use: those that are executed, and those without which a
// module could not be written of whose kernels only some need them.
constexpr std::string_view kTranslatorExtensions =
    "+SPV_KHR_integer_dot_product,+SPV_KHR_bit_instructions,+SPV_EXT_shader_atomic_float_add,"
    "+SPV_EXT_shader_atomic_float_min_max,+SPV_KHR_uniform_group_instructions,"
    "+SPV_KHR_subgroup_rotate,+SPV_INTEL_subgroups,+SPV_INTEL_function_pointers,"
    "+SPV_INTEL_variable_length_array,+SPV_INTEL_inline_assembly";
constexpr std::string_view kOwnTargetExtensions =
    ",+SPV_EXT_shader_atomic_float16_add,+SPV_KHR_shader_clock,"
    "+SPV_INTEL_subgroup_matrix_multiply_accumulate,+SPV_KHR_cooperative_matrix,"
    "+SPV_INTEL_joint_matrix";
// An earlier clang refuses to compile anything with it.
constexpr std::string_view kClang22Extension = ",+SPV_KHR_bfloat16";

// Whether clang is to compute nothing of constants: not clang-22, of whose back end not all
// constrained intrinsics are known.
bool KeepsConstants(const CompileJob& job) {
  return !job.translator.empty() && std::ranges::any_of(job.user_options, [](const auto& option) {
    return option == kRoundingMath;
  });
}

// The driver's line.  -O0, so that the optimizer hides no bug before it is seen.
std::vector<std::string> ClangLine(const CompileJob& job, const base::TemporaryFolder& temporary,
                                   bool dumps, Stage stage = Stage::kWhole) {
  const bool is_front_end = stage == Stage::kFrontEnd;
  const bool is_back_end = stage == Stage::kBackEnd;
  std::vector<std::string> line = {
      job.clang, is_front_end ? "-S" : "-c", "-x", is_back_end ? "ir" : "cl", "-O0", "-g"};
  const std::vector<std::string> language = LanguageOptions(job);
  line.insert(line.end(), language.begin(), language.end());
  if (!job.translator.empty()) {
    line.insert(line.end(), {"-emit-llvm", "-o", temporary.File("module.bc")});
  } else if (is_front_end) {
    // The order of uses decides the order in which the optimizer comes by.
    line.insert(line.end(), {"-emit-llvm", "-Xclang", "-disable-llvm-passes", "-Xclang",
                             "-emit-llvm-uselists", "-o", temporary.File("module.ll")});
  } else {
    line.insert(line.end(), {"-o", temporary.File("module.spv")});
    // LLVM takes the option once.
    const bool own = std::ranges::any_of(job.user_options, [](const std::string& option) {
      return option.find("-spirv-ext") != option.npos;
    });
    if (!own) {
      line.insert(line.end(), {"-mllvm", fmt::format("-spirv-ext={}{}{}", kTranslatorExtensions,
                                                     kOwnTargetExtensions,
                                                     job.version >= 22 ? kClang22Extension : "")});
    }
  }
  line.insert(line.end(),
              {"-fno-discard-value-names", "-fno-crash-diagnostics", "-fno-color-diagnostics"});
  // The scopes of variables, which clang marks by itself with optimization only.
  if (!is_back_end) line.insert(line.end(), {"-Xclang", "-fsanitize-address-use-after-scope"});
  if (job.argument_info && !is_back_end) line.emplace_back("-cl-kernel-arg-info");
  if (dumps) line.insert(line.end(), std::begin(kClangDumpOptions), std::end(kClangDumpOptions));
  AddHeaders(job, temporary, &line);
  // The target has no rounding modes in clang's eyes, and the option alone no effect.
  if (KeepsConstants(job)) {
    line.insert(line.end(),
                {"-Xclang", "-fexperimental-strict-floating-point", "-Xclang", "-frounding-math"});
  }
  std::ranges::copy_if(job.user_options, std::back_inserter(line),
                       [](const std::string& option) { return option != kRoundingMath; });
  if (is_back_end) {
    // A variable that stays in memory is declared to be there, for which the back end has words;
    // it has none for assignments that are tracked.
    line.insert(line.end(), {"-Xclang", "-fexperimental-assignment-tracking=disabled",
                             "-Wno-unused-command-line-argument", temporary.File("module.ll")});
    return line;
  }
  AddSource(job, temporary, &line);
  return line;
}

// The dump of a kernel with 54000 blocks has 100 MB.
constexpr std::size_t kMaxDump = std::size_t{1} << 30;

// Not where the user asks for dumps, some of whose options LLVM takes only once, or for a module
// without debug information.
bool WantsDump(const CompileJob& job) {
  bool debug = true;
  for (const std::string_view option : job.user_options) {
    if (option.find("-print-") != option.npos || option.find("-filter-print") != option.npos) {
      return false;
    }
    if (option.starts_with("-g")) debug = option != "-g0";
  }
  return job.translator.empty() && debug;
}

bool Optimizes(const CompileJob& job) {
  bool optimizes = false;
  for (const std::string_view option : job.user_options) {
    if (option.starts_with("-O")) optimizes = option != "-O0";
    if (option == "-cl-opt-disable") optimizes = false;
  }
  return optimizes;
}

// Makes IR of the program in which the optimizer can follow variables; what the front end said.
// Nothing where that does not work.
std::optional<base::ToolResult> RunFrontEnd(const CompileJob& job,
                                            const base::TemporaryFolder& temporary) {
  auto result = RunConfined(ClangLine(job, temporary, false, Stage::kFrontEnd), job, temporary,
                            job.LimitsNow(0.5));
  if (!result || (result->exit_status != 0 && result->exit_status != 1)) return std::nullopt;
  if (result->exit_status != 0) return std::move(*result);
  const std::string path = temporary.File("module.ll");
  const auto ir = base::ReadWholeFile(path);
  if (!ir) return std::nullopt;
  std::ofstream stream(path, std::ios::binary);
  stream << WithPlainBarriers(WithoutAddressSpaceExpressions(*ir), PlainBarriers::kForClang22);
  if (!stream.flush()) return std::nullopt;
  return std::move(*result);
}

// Runs clang-22 so that it says where its instructions come from; `dump` views `output`.  Nothing
// where that does not work, or takes so long that the rest of the time is better spent without it.
std::optional<Expected<std::string>> RunDumping(const CompileJob& job,
                                                const base::TemporaryFolder& temporary, Stage stage,
                                                std::string* output, ClangDump* dump) {
  std::string messages;
  if (stage == Stage::kBackEnd) {
    auto front = RunFrontEnd(job, temporary);
    if (!front) return std::nullopt;
    if (front->exit_status != 0) return CheckExit(job.clang, std::move(*front), job);
    messages = std::move(front->output);
  }
  auto result = RunConfined(ClangLine(job, temporary, true, stage), job, temporary,
                            job.LimitsNow(0.5), kMaxDump);
  if (!result) return std::nullopt;
  *output = std::move(result->output);
  result->output = std::move(messages);
  *dump = SplitClangOutput(*output, &result->output);
  if (result->output.size() > base::kMaxToolOutput) result->output.resize(base::kMaxToolOutput);
  // Errors in the program are 1, and so are options that the compiler does not know.
  const bool is_of_program = stage == Stage::kWhole && result->exit_status == 1 &&
                             result->output.find("(LLVM option parsing)") == std::string::npos;
  if (result->exit_status != 0 && !is_of_program) {
    *dump = {};
    return std::nullopt;
  }
  return CheckExit(job.clang, std::move(*result), job);
}

// What clang-22 writes when it ends itself, as it does for most scopes, orders and flags that are
// no constants.
constexpr std::string_view kCrash = "Stack dump:";

// RunDumping in the stages that the program needs.
std::optional<Expected<std::string>> RunWithDump(const CompileJob& job,
                                                 const base::TemporaryFolder& temporary,
                                                 std::string* output, ClangDump* dump) {
  const auto run = [&](Stage stage) { return RunDumping(job, temporary, stage, output, dump); };
  std::optional<Expected<std::string>> dumped;
  if (Optimizes(job)) dumped = run(Stage::kBackEnd);
  if (dumped) return dumped;
  dumped = run(Stage::kWhole);
  const bool is_wrong = dumped ? HasOtherBarriers(dump->module, PlainBarriers::kForClang22)
                               : output->find(kCrash) != output->npos;
  if (!is_wrong) return dumped;
  // From IR on, in which they are made plain.
  *dump = {};
  return run(Stage::kBackEnd);
}

// Whether the module in module.spv may have barriers that are not what the source says.
bool MayHaveOtherBarriers(const base::TemporaryFolder& temporary) {
  const auto module = base::ReadWholeFile(temporary.File("module.spv"));
  if (!module) return false;  // told by who reads it next
  if (module->find("barrierj") != module->npos || module->find("mem_fencej") != module->npos) {
    return true;
  }
  std::vector<Word> words(module->size() / sizeof(Word));
  std::memcpy(words.data(), module->data(), words.size() * sizeof(Word));
  bool has = false;
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction[0]);
    has = has || opcode == Op::kControlBarrier || opcode == Op::kMemoryBarrier;
  });
  return has;
}

// Runs the compiler without a dump, which would say whether there are such barriers.
Expected<std::string> RunWithoutDump(const CompileJob& job,
                                     const base::TemporaryFolder& temporary) {
  auto messages = RunCompiler(ClangLine(job, temporary, false), job, temporary);
  if (!job.translator.empty()) return messages;
  const bool ails =
      messages ? MayHaveOtherBarriers(temporary) : messages.error().kind == ErrorKind::kUnsupported;
  if (!ails) return messages;
  const auto front = RunFrontEnd(job, temporary);
  if (!front || front->exit_status != 0) return messages;
  const auto ir = base::ReadWholeFile(temporary.File("module.ll"));
  if (!ir || ir->find(kPlainBarrierPrefix) == ir->npos) return messages;
  auto more = RunCompiler(ClangLine(job, temporary, false, Stage::kBackEnd), job, temporary);
  if (!more) return messages ? std::move(more) : std::move(messages);
  return messages ? std::move(messages) : Expected<std::string>(front->output);
}

// The module's bytes with debug information, or as they are where there is nothing to add.
std::string WithDebugInfo(std::string bytes, const ClangDump& dump) {
  if (dump.module.empty()) return bytes;
  const auto binary = LoadBytes(std::as_bytes(std::span(bytes)), "module");
  if (!binary) return bytes;
  const std::vector<Word> words = AddClangDebugInfo(*binary, dump);
  if (words.empty()) return bytes;
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Word));
}

// Bitcode to SPIR-V.
Expected<std::string> Translate(const CompileJob& job, const base::TemporaryFolder& temporary) {
  // Without the third option the translator ends itself over what -O2 leaves in DIExpressions.
  std::vector<std::string> line = {
      job.translator, fmt::format("--spirv-ext={}", kTranslatorExtensions),
      "--spirv-debug-info-version=ocl-100", "--spirv-allow-extra-diexpressions"};
  if (job.argument_info) {
    line.emplace_back("--preserve-ocl-kernel-arg-type-metadata-through-string");
  }
  line.insert(line.end(), {temporary.File("module.bc"), "-o", temporary.File("module.spv")});
  return RunCompiler(line, job, temporary);
}

bool IsCurable(const std::string& message) {
  constexpr std::string_view kCurable[] = {"freeze", "InvalidBitWidth", "llvm.vector.reduce",
                                           // A barrier's operand that is no constant.
                                           "argument of incompatible type"};
  return std::ranges::any_of(
      kCurable, [&](std::string_view ill) { return message.find(ill) != std::string::npos; });
}

bool TakesAnyDimensionIn(const base::TemporaryFolder& temporary) {
  const auto module = base::ReadWholeFile(temporary.File("module.spv"));
  if (!module) return false;  // told by who reads it next
  std::vector<Word> words(module->size() / sizeof(Word));
  std::memcpy(words.data(), module->data(), words.size() * sizeof(Word));
  return TakesAnyDimension(words);
}

// Says in the bitcode by other instructions what the translator does not know, or gets wrong.
Expected<void> CureBitcode(const CompileJob& job, const base::TemporaryFolder& temporary) {
  const std::string bitcode = temporary.File("module.bc"), text = temporary.File("module.ll");
  const auto convert = [&](const std::string& from, const std::string& to, const char* form) {
    return RunCompiler(
        {job.clang, form, "-x", "ir", "--target=spir64-unknown-unknown", "-emit-llvm", "-Xclang",
         "-disable-llvm-passes", "-fno-discard-value-names", from, "-o", to},
        job, temporary);
  };
  if (auto good = convert(bitcode, text, "-S"); !good) return tl::unexpected(good.error());
  const auto ir = base::ReadWholeFile(text);
  if (!ir) return tl::unexpected(ir.error());
  std::ofstream stream(text, std::ios::binary);
  stream << WithPlainBarriers(WithGuardedDimensions(WithPlainWidths(
                                  WithoutReductions(WithoutFreeze(WithoutConstrained(*ir))))),
                              PlainBarriers::kComputed);
  if (!stream.flush()) return Fail(ErrorKind::kDevice, fmt::format("{}: cannot be written", text));
  if (auto good = convert(text, bitcode, "-c"); !good) return tl::unexpected(good.error());
  return {};
}

// What clang-22's back end leaves out; the module as it is where the front end does not say.
std::string WithArgumentInfo(std::string bytes, const CompileJob& job,
                             const base::TemporaryFolder& temporary) {
  const auto ir = [&]() -> Expected<std::string> {
    auto result = RunConfined(ClangLine(job, temporary, false, Stage::kFrontEnd), job, temporary,
                              job.LimitsNow());
    if (!result) return tl::unexpected(result.error());
    if (auto good = CheckExit(job.clang, std::move(*result), job); !good) return good;
    return base::ReadWholeFile(temporary.File("module.ll"));
  }();
  if (!ir) return bytes;
  const auto binary = LoadBytes(std::as_bytes(std::span(bytes)), "module");
  if (!binary) return bytes;
  const std::vector<Word> words = WithKernelStrings(binary->words, *ir);
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Word));
}

std::string WithoutPrivateVariables(std::string bytes) {
  const auto binary = LoadBytes(std::as_bytes(std::span(bytes)), "module");
  if (!binary) return bytes;
  const std::vector<Word> words = WithoutPrivateGlobals(*binary);
  if (words.empty()) return bytes;
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Word));
}

}  // namespace

Expected<CacheEntry> RunCompilers(const CompileJob& job, const base::TemporaryFolder& temporary) {
  CacheEntry entry;
  std::string output;
  ClangDump dump;
  std::optional<Expected<std::string>> dumped;
  if (WantsDump(job)) dumped = RunWithDump(job, temporary, &output, &dump);
  auto messages = dumped ? std::move(*dumped) : RunWithoutDump(job, temporary);
  if (!messages) return tl::unexpected(messages.error());
  entry.messages = std::move(*messages);
  if (WantsDump(job) && !dumped) {
    entry.messages += fmt::format(
        "{}: compiled without source lines: clang-22 does not write them for this program, or not "
        "in {} s; -g0 in the build options saves the time\n",
        job.name, job.limits.seconds / 2);
  }
  if (!job.translator.empty()) {
    if (KeepsConstants(job)) {
      if (auto good = CureBitcode(job, temporary); !good) return tl::unexpected(good.error());
    }
    auto more = Translate(job, temporary);
    const bool ails = more ? TakesAnyDimensionIn(temporary) : IsCurable(more.error().message);
    if (ails && CureBitcode(job, temporary)) more = Translate(job, temporary);
    if (!more) return tl::unexpected(more.error());
    entry.messages += *more;
  }
  auto module = base::ReadWholeFile(temporary.File("module.spv"));
  if (!module) return tl::unexpected(module.error());
  if (job.translator.empty()) *module = WithPlainNulls(std::move(*module));
  *module = WithConstantAddresses(std::move(*module));
  entry.module = WithoutPrivateVariables(WithDebugInfo(std::move(*module), dump));
  if (job.argument_info && job.translator.empty()) {
    entry.module = WithArgumentInfo(std::move(entry.module), job, temporary);
  }
  return entry;
}

}  // namespace assay::frontend
