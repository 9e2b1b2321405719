#include "driver/objects/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/build_words.h"
#include "base/digest.h"
#include "base/text.h"
#include "driver/objects/compiler.h"
#include "frontend/build/unresolved.h"
#include "frontend/loader.h"

namespace assay::driver {

namespace {

// Marks a program as being built, and gives up the lock for as long.
class Building {
 public:
  Building(Call* call, Program* program) : call_(*call), program_(*program) {
    RefuseIf(program->kernels != 0, CL_INVALID_OPERATION, "kernels of the program exist");
    RefuseIf(program->status == CL_BUILD_IN_PROGRESS, CL_INVALID_OPERATION,
             "the program is being built");
    program->status = CL_BUILD_IN_PROGRESS;
    program->log.clear();
    program->binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
    program->executable = nullptr;
    call_.lock().unlock();
  }
  Building(const Building&) = delete;
  ~Building() {
    if (!call_.lock().owns_lock()) call_.lock().lock();
    if (program_.status == CL_BUILD_IN_PROGRESS) program_.status = CL_BUILD_ERROR;
    Driver::Get().changed.notify_all();
  }
  // Takes the lock again.
  void Done(bool good, std::string log) {
    call_.lock().lock();
    program_.status = good ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    program_.log = std::move(log);
  }

 private:
  Call& call_;
  Program& program_;
};

// The kernels of SPIR-V that is complete.
Expected<std::shared_ptr<Executable>> MakeExecutable(const std::vector<frontend::Word>& words,
                                                     const std::string& name,
                                                     const frontend::Specialization& specialization,
                                                     std::weak_ptr<interp::Memory> memory) {
  auto binary = frontend::LoadWords(words, name);
  if (!binary) return tl::unexpected(binary.error());
  auto module = frontend::BuildModule(*binary, specialization);
  if (!module) return tl::unexpected(module.error());
  std::string missing;
  for (const std::string& symbol : frontend::UnresolvedNames(**module)) {
    missing +=
        fmt::format("error: unresolved symbol {}: a kernel uses it, and nothing defines it\n",
                    base::Printable(symbol));
  }
  if (!missing.empty()) return Fail(ErrorKind::kUsage, std::move(missing));
  return Executable::Make(std::move(*module), std::move(memory));
}

frontend::Specialization ReadSpecialization(const Program& program) {
  frontend::Specialization values;
  for (const auto& [id, bytes] : program.specialization) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
    values[id] = value;
  }
  return values;
}

// Whether all work-groups of a program from source have one size (OpenCL API, clBuildProgram,
// -cl-uniform-work-group-size): always before OpenCL C 2.0, which is also the default.
bool NeedsUniformGroups(ProgramOrigin origin, const std::string& options) {
  const base::BuildWords words(options);
  if (words.Has("-cl-uniform-work-group-size")) return true;
  if (origin != ProgramOrigin::kSource) return false;
  const auto standard = words.Last("-cl-std=");
  return !standard || standard->starts_with("CL1");
}

// A linker applies its option to all objects (OpenCL API, "Linker Options").
bool AllowsUnsafeMath(const std::string& options, const std::vector<Ref<Program>>& parts) {
  return base::BuildWords(options).AllowsUnsafeMath() ||
         std::ranges::all_of(parts, [](const auto& part) {
           return base::BuildWords(part->options).AllowsUnsafeMath();
         });
}

// OpenCL API, clGetKernelArgInfo: programs from source have it only if they are built with the
// option.  Modules and binaries answer what they contain.
bool HasArgumentInfo(ProgramOrigin origin, const std::string& options) {
  return origin != ProgramOrigin::kSource || base::BuildWords(options).Has("-cl-kernel-arg-info");
}

}  // namespace

cl_int BuildProgram(Call* call, Program* program, const std::string& options) {
  const std::string source = program->source;
  const std::string name = source.empty() ? program->Name() : NameOfSource(source);
  const std::vector<std::byte> il = program->il;
  const auto specialization = ReadSpecialization(*program);
  const std::weak_ptr<interp::Memory> memory = program->context->memory;
  const ProgramOrigin origin = program->origin;
  BuildResult built;
  if (origin == ProgramOrigin::kBinary) built.words = program->words;
  RefuseIf(origin == ProgramOrigin::kLinked, CL_INVALID_OPERATION,
           "the program was made by clLinkProgram");
  Building building(call, program);
  if (origin == ProgramOrigin::kSource) built = BuildSource(source, name, options);
  if (origin == ProgramOrigin::kIl) built = CheckIl(il, name, specialization);
  // Of a module that is wrong clBuildProgram has no other code.
  if (built.code == CL_INVALID_VALUE) built.code = CL_BUILD_PROGRAM_FAILURE;
  Expected<std::shared_ptr<Executable>> made = nullptr;
  if (built.code == CL_SUCCESS) {
    made = MakeExecutable(built.words, name, specialization, memory);
    if (!made) {
      built.code = CL_BUILD_PROGRAM_FAILURE;
      built.log += made.error().message;
    }
  }
  building.Done(built.code == CL_SUCCESS, std::move(built.log));
  program->options = options;
  if (built.code != CL_SUCCESS) return built.code;
  program->words = std::move(built.words);
  program->executable = std::move(*made);
  program->executable->name = name;
  if (!source.empty()) program->compiled_from = {{name, source}};
  program->executable->sources = program->compiled_from;
  program->executable->needs_uniform_groups = NeedsUniformGroups(origin, options);
  program->executable->unsafe_math = base::BuildWords(options).AllowsUnsafeMath();
  program->has_argument_info = HasArgumentInfo(origin, options);
  program->executable->words = program->words;
  program->executable->specialization = specialization;
  program->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  return CL_SUCCESS;
}

cl_int CompileProgram(Call* call, Program* program, const std::string& options,
                      const std::vector<std::pair<std::string, std::string>>& headers) {
  const std::string source = program->source;
  const std::string name = source.empty() ? program->Name() : NameOfSource(source);
  const std::vector<std::byte> il = program->il;
  const auto specialization = ReadSpecialization(*program);
  const ProgramOrigin origin = program->origin;
  RefuseIf(origin != ProgramOrigin::kSource && origin != ProgramOrigin::kIl, CL_INVALID_OPERATION,
           "the program has no source");
  Building building(call, program);
  BuildResult built = origin == ProgramOrigin::kSource
                          ? CompileSource(source, name, options, headers)
                          : CheckIl(il, name, specialization);
  if (built.code == CL_BUILD_PROGRAM_FAILURE || built.code == CL_INVALID_VALUE) {
    built.code = CL_COMPILE_PROGRAM_FAILURE;
  }
  building.Done(built.code == CL_SUCCESS, std::move(built.log));
  program->options = options;
  if (built.code != CL_SUCCESS) return built.code;
  program->words = std::move(built.words);
  program->has_argument_info = HasArgumentInfo(origin, options);
  if (!source.empty()) program->compiled_from = {{name, source}};
  for (const auto& [header, text] : headers) program->compiled_from.push_back({header, text});
  program->binary_type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
  return CL_SUCCESS;
}

cl_int LinkProgram(Call* call, Program* program, const std::string& options,
                   const std::vector<Ref<Program>>& parts) {
  std::vector<std::vector<frontend::Word>> modules;
  std::vector<ProgramSource> sources;
  frontend::Specialization specialization;
  for (const auto& part : parts) {
    RefuseIf(part->binary_type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT &&
                 part->binary_type != CL_PROGRAM_BINARY_TYPE_LIBRARY,
             CL_INVALID_OPERATION, "a program was neither compiled nor is it a library");
    modules.push_back(part->words);
    specialization.merge(ReadSpecialization(*part));
    sources.insert(sources.end(), part->compiled_from.begin(), part->compiled_from.end());
  }
  const bool is_library = base::BuildWords(options).Has("-create-library");
  const std::string name = program->Name();
  const std::weak_ptr<interp::Memory> memory = program->context->memory;
  Building building(call, program);
  BuildResult linked = Link(modules, options);
  Expected<std::shared_ptr<Executable>> made = nullptr;
  if (linked.code == CL_SUCCESS && !is_library) {
    made = MakeExecutable(linked.words, name, specialization, memory);
    if (!made) {
      linked.code = CL_LINK_PROGRAM_FAILURE;
      linked.log += made.error().message;
    }
  }
  building.Done(linked.code == CL_SUCCESS, std::move(linked.log));
  program->options = options;
  if (linked.code != CL_SUCCESS) return linked.code;
  program->words = std::move(linked.words);
  program->has_argument_info =
      std::ranges::all_of(parts, [](const auto& part) { return part->has_argument_info; });
  program->compiled_from = std::move(sources);
  program->executable = std::move(*made);
  if (program->executable != nullptr) {
    program->executable->name = name;
    program->executable->sources = program->compiled_from;
    for (const auto& part : parts) {
      program->executable->needs_uniform_groups |= NeedsUniformGroups(part->origin, part->options);
    }
    program->executable->unsafe_math = AllowsUnsafeMath(options, parts);
    program->executable->words = program->words;
    program->executable->specialization = specialization;
  }
  program->binary_type =
      is_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  return CL_SUCCESS;
}

namespace {

constexpr char kBinaryMagic[16] = "assay program 2";

// Then come the words, and for each source the sizes of its path and its text as 64 bits each, and
// both.
struct BinaryHeader {
  char magic[16];
  std::uint32_t type;
  std::uint32_t words;
  char digest[64];  // SHA-256 of all that follows, in hexadecimal
};

std::string_view AfterHeader(std::span<const std::byte> binary) {
  return {reinterpret_cast<const char*>(binary.data()) + sizeof(BinaryHeader),
          binary.size() - sizeof(BinaryHeader)};
}

// Takes `size` bytes off the front; nothing where there are fewer.
std::optional<std::string_view> Take(std::string_view* rest, std::uint64_t size) {
  if (rest->size() < size) return std::nullopt;
  const std::string_view taken = rest->substr(0, size);
  rest->remove_prefix(size);
  return taken;
}

std::optional<std::string> TakeText(std::string_view* rest) {
  std::uint64_t size = 0;
  const auto number = Take(rest, sizeof size);
  if (!number) return std::nullopt;
  std::memcpy(&size, number->data(), sizeof size);
  const auto text = Take(rest, size);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

}  // namespace

std::vector<std::byte> WriteBinary(const Program& program) {
  if (program.words.empty()) return {};
  std::vector<std::byte> binary(sizeof(BinaryHeader));
  const auto append = [&](const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    binary.insert(binary.end(), bytes, bytes + size);
  };
  append(program.words.data(), program.words.size() * sizeof(frontend::Word));
  for (const ProgramSource& source : program.compiled_from) {
    for (const std::string* text : {&source.path, &source.text}) {
      const std::uint64_t size = text->size();
      append(&size, sizeof size);
      append(text->data(), text->size());
    }
  }
  BinaryHeader header;
  std::memcpy(header.magic, kBinaryMagic, sizeof header.magic);
  header.type = program.binary_type;
  header.words = static_cast<std::uint32_t>(program.words.size());
  const std::string digest = base::Sha256(AfterHeader(binary));
  std::memcpy(header.digest, digest.data(), std::min(digest.size(), sizeof header.digest));
  std::memcpy(binary.data(), &header, sizeof header);
  return binary;
}

bool ReadBinary(std::span<const std::byte> bytes, Program* program) {
  BinaryHeader header;
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kBinaryMagic, sizeof header.magic) != 0) return false;
  std::string_view rest = AfterHeader(bytes);
  const std::string digest = base::Sha256(rest);
  if (std::memcmp(header.digest, digest.data(), std::min(digest.size(), sizeof header.digest)) != 0)
    return false;
  const auto module = Take(&rest, header.words * sizeof(frontend::Word));
  if (!module) return false;
  std::vector<ProgramSource> sources;
  while (!rest.empty()) {
    auto path = TakeText(&rest);
    auto text = TakeText(&rest);
    if (!path || !text) return false;
    sources.push_back({std::move(*path), std::move(*text)});
  }
  program->words.resize(header.words);
  std::memcpy(program->words.data(), module->data(), module->size());
  program->compiled_from = std::move(sources);
  program->binary_type = header.type;
  return true;
}

void CheckMagic(std::span<const std::byte> il) {
  frontend::Word magic = 0;
  if (il.size() >= 4) std::memcpy(&magic, il.data(), 4);
  RefuseIf(magic != frontend::kMagic && magic != __builtin_bswap32(frontend::kMagic),
           CL_INVALID_VALUE, "the intermediate language is no SPIR-V: its magic number is missing");
}

std::size_t SpecializationSize(std::span<const std::byte> il, cl_uint id) {
  const auto binary = frontend::LoadBytes(il, "IL");
  if (!binary) return 0;
  // OpDecorate %constant SpecId id; then the width of its type.
  constexpr frontend::Word kDecorate = 71, kSpecId = 1, kTypeInt = 21, kTypeFloat = 22,
                           kTypeBool = 20;
  std::map<frontend::Word, std::size_t> sizes;
  std::vector<frontend::Word> targets;
  std::size_t size = 0;
  frontend::ForEachInstruction(binary->words, [&](std::size_t,
                                                  std::span<const frontend::Word> words) {
    const frontend::Word opcode = words[0] & 0xffff;
    if (opcode == kDecorate && words.size() == 4 && words[2] == kSpecId && words[3] == id) {
      targets.push_back(words[1]);
    }
    if (opcode == kTypeInt || opcode == kTypeFloat) sizes[words[1]] = words[2] / 8;
    if (opcode == kTypeBool) sizes[words[1]] = 1;
    if (opcode >= 48 && opcode <= 50) {  // OpSpecConstantTrue, OpSpecConstantFalse, OpSpecConstant
      for (const frontend::Word target : targets) {
        if (words[2] == target) size = sizes[words[1]];
      }
    }
  });
  return size;
}

}  // namespace assay::driver
