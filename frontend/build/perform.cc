#include "frontend/build/perform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "base/text.h"
#include "frontend/build/cl_options.h"
#include "frontend/build/unresolved.h"
#include "frontend/capabilities.h"
#include "frontend/linker.h"
#include "frontend/module.h"
#include "frontend/opencl_c.h"
#include "frontend/validate.h"

namespace assay::frontend {
namespace {

BuildAnswer Failed(BuildStatus status, std::string log) {
  BuildAnswer answer;
  answer.status = status;
  answer.log = std::move(log);
  if (!answer.log.empty() && !answer.log.ends_with('\n')) answer.log += '\n';
  return answer;
}

BuildAnswer Failed(const Error& error) { return Failed(BuildStatus::kFailure, error.message); }

base::Budget BudgetOf(const PerformOptions& options) {
  return base::Budget::Start(
      {.seconds = options.limits.seconds, .memory_bytes = options.limits.memory_bytes});
}

// Good to be decoded; what the validator lets pass becomes part of the log.
Expected<std::string> Check(const Binary& binary, const base::Budget& budget) {
  if (auto good = CheckCapabilities(binary); !good) return tl::unexpected(good.error());
  auto warnings = Validate(binary, budget);
  if (!warnings) return tl::unexpected(warnings.error());
  std::string log;
  for (const std::string& warning : binary.warnings) log += warning + '\n';
  for (const std::string& warning : *warnings) log += warning + '\n';
  return log;
}

// #include finds files of the application's working folder last, as on other devices: the
// application chose the folder, as it could have chosen -I.
void AddWorkingFolder(const CompileRequest& request, BuildOptions* options) {
  const std::string& folder = request.working_folder;
  if (folder.empty()) return;
  const auto includes = [](const std::string& source) {
    return source.find("include") != source.npos;
  };
  if (!includes(request.source) &&
      std::ranges::none_of(request.headers, includes, &EmbeddedHeader::source)) {
    return;  // its result does not depend on the folder
  }
  options->words.push_back("-I" + folder);
}

BuildAnswer Compile(const CompileRequest& request, const PerformOptions& options) {
  auto read = ReadCompilerOptions(request.options, request.working_folder);
  if (!read) return Failed(BuildStatus::kInvalidOptions, read.error().message);
  if (!read->unknown_value.empty()) {
    return Failed(BuildStatus::kFailure, read->unknown_value);
  }
  CompileOptions compile;
  compile.limits = options.limits;
  compile.use_cache = options.use_cache;
  compile.headers = request.headers;
  AddWorkingFolder(request, &read->words);
  compile.read_options = std::move(read->words);
  compile.argument_info = true;
  // The application could read any file itself, so its programs may include any, as on other
  // drivers.
  compile.reads.Add("/");
  if (const auto compiler = DefaultCompiler(); !compiler) {
    return Failed(BuildStatus::kCompilerNotAvailable, compiler.error().message);
  }
  auto compiled = CompileSource(request.source, request.name, "", compile);
  if (!compiled) return Failed(compiled.error());
  auto log = Check(compiled->binary, BudgetOf(options));
  if (!log) return Failed(log.error());
  BuildAnswer answer;
  answer.status = BuildStatus::kSuccess;
  answer.log = compiled->messages + *log;
  answer.words = std::move(compiled->binary.words);
  answer.from_cache = compiled->from_cache;
  return answer;
}

// A program whose kernels reach nothing that is elsewhere.
Expected<void> CheckResolved(const Binary& binary) {
  const auto module = BuildModule(binary);
  if (!module) return tl::unexpected(module.error());
  const auto names = UnresolvedNames(**module);
  if (names.empty()) return {};
  std::string message;
  for (const std::string& name : names) {
    message += fmt::format(
        "error: unresolved symbol {}: a kernel uses it, and no program that was linked defines "
        "it\n",
        base::Printable(name));
  }
  return Fail(ErrorKind::kUsage, std::move(message));
}

BuildAnswer Link(const LinkRequest& request, const std::string& name,
                 const PerformOptions& options) {
  const auto read = ReadLinkerOptions(request.options);
  if (!read) return Failed(BuildStatus::kInvalidOptions, read.error().message);
  std::vector<Binary> binaries;
  for (const std::vector<Word>& words : request.modules) {
    // Names in messages: the program's number in input_programs.
    auto binary = LoadWords(words, fmt::format("input program {}", binaries.size()));
    if (!binary) return Failed(BuildStatus::kInvalidModule, binary.error().message);
    binaries.push_back(std::move(*binary));
  }
  auto linked = frontend::Link(binaries, name, BudgetOf(options));
  if (!linked) return Failed(linked.error());
  if (!read->creates_library) {
    if (auto good = CheckResolved(*linked); !good) return Failed(good.error());
  }
  BuildAnswer answer;
  answer.status = BuildStatus::kSuccess;
  if (binaries.size() > 1) {
    for (const std::string& warning : linked->warnings) answer.log += warning + '\n';
  }
  answer.words = std::move(linked->words);
  return answer;
}

BuildAnswer Build(const CompileRequest& request, const PerformOptions& options) {
  BuildAnswer answer = Compile(request, options);
  if (answer.status != BuildStatus::kSuccess) return answer;
  auto binary = LoadWords(std::move(answer.words), request.name);
  if (!binary) return Failed(binary.error());
  if (auto good = CheckResolved(*binary); !good) {
    return Failed(BuildStatus::kFailure, answer.log + good.error().message);
  }
  answer.words = std::move(binary->words);
  return answer;
}

// Bytes of a value of a specialization constant.
std::uint32_t BytesOf(const Module& module, Id type) {
  const Type* found = module.types.Find(type);
  if (found == nullptr) return 0;
  return found->kind == TypeKind::kBool ? 1 : found->width / 8;
}

BuildAnswer CheckIl(const IlRequest& request, const PerformOptions& options) {
  const auto bytes = std::as_bytes(std::span(request.bytes));
  auto binary = LoadBytes(bytes, request.name);
  if (!binary) return Failed(BuildStatus::kInvalidModule, binary.error().message);
  auto log = Check(*binary, BudgetOf(options));
  if (!log) return Failed(BuildStatus::kInvalidModule, log.error().message);
  const auto module = BuildModule(*binary, request.specialization);
  if (!module) return Failed(BuildStatus::kInvalidModule, module.error().message);
  BuildAnswer answer;
  answer.status = BuildStatus::kSuccess;
  answer.log = *log;
  for (const DecorationUse& use : (*module)->decorations) {
    if (use.decoration != Decoration::kSpecId || use.operands.count == 0) continue;
    const SpecConstant constant = {(*module)->Slice(use.operands)[0],
                                   BytesOf(**module, (*module)->TypeOf(use.target))};
    answer.spec_constants.push_back(constant);
  }
  std::ranges::sort(answer.spec_constants, {}, &SpecConstant::id);
  // Several constants may have one id.
  const auto repeated = std::ranges::unique(answer.spec_constants, {}, &SpecConstant::id);
  answer.spec_constants.erase(repeated.begin(), repeated.end());
  answer.words = std::move(binary->words);
  return answer;
}

}  // namespace

BuildAnswer Perform(const Request& request, const PerformOptions& options) {
  switch (request.kind) {
    case RequestKind::kCompile:
      return Compile(request.compile, options);
    case RequestKind::kBuild:
      return Build(request.compile, options);
    case RequestKind::kLink:
      return Link(request.link, "linked program", options);
    case RequestKind::kCheckIl:
      return CheckIl(request.il, options);
  }
  return Failed(BuildStatus::kFailure, "no request");
}

}  // namespace assay::frontend
