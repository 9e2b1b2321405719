// Frames, functions, places and instructions for a front end.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/decode.h"
#include "interp/debug/server.h"

namespace assay::interp {

using frontend::Op;

namespace {

// An instruction that a person wants to see: neither a line nor other debug information.
bool IsShown(const frontend::Module& module, const frontend::Instruction& instruction) {
  const bool is_line = instruction.opcode == Op::kLine || instruction.opcode == Op::kNoLine;
  const bool is_debug = instruction.opcode == Op::kExtInst &&
                        frontend::IsDebugSet(module.SetOf(module.Operands(instruction)[0]));
  return !is_line && !is_debug;
}

std::uint32_t SizeOf(const frontend::Module& module, std::uint32_t function) {
  std::uint32_t size = 0;
  for (const auto& block : module.functions[function].blocks.Of(module.blocks)) {
    size += block.instructions.count;
  }
  return size;
}

}  // namespace

debug::Frame DebugServer::Frame(const DebugFrame& frame) const {
  const DebugProgram& program = *core_.program();
  debug::Frame told{.function = frame.function,
                    .origin = frame.origin,
                    .site = frame.site,
                    .inlined = frame.is_inlined};
  if (frame.location.IsKnown()) {
    told.file = program.module.debug_info.files[frame.location.file].path;
    told.file_number = frame.location.file;
    told.line = frame.location.line;
    told.column = frame.location.column;
  }
  const frontend::Instruction& instruction = program.module.instructions[frame.origin];
  told.instruction = program.module.Text(instruction);
  const frontend::Type* type = program.module.types.Find(instruction.type);
  const bool has_value = type != nullptr && type->kind != frontend::TypeKind::kVoid;
  if (instruction.result != 0 && has_value) told.result = fmt::format("%{}", instruction.result);
  return told;
}

Expected<debug::FramesAnswer> DebugServer::Reply(const debug::FramesRequest& request) {
  const auto item = ItemOf(request.target.item);
  if (!item) return tl::unexpected(item.error());
  if (item->marker == kNoMarker) return Fail(ErrorKind::kUsage, "the work-item has not begun");
  const DebugMarker marker = core_.program()->program.debug->markers[item->marker];
  debug::FramesAnswer answer;
  for (const DebugFrame& frame : core_.program()->frames.At(marker.origin, marker.site)) {
    answer.frames.push_back(Frame(frame));
  }
  return answer;
}

// kNone where there is none.  A compiler may put a function with the same name around a kernel: the
// larger one is meant.
std::uint32_t DebugServer::FindFunction(const std::string& name) const {
  const DebugProgram& program = *core_.program();
  std::uint32_t function = frontend::kNone;
  for (std::uint32_t i = 0; i < program.module.functions.size(); ++i) {
    if (program.module.functions[i].IsDeclaration()) continue;
    if (program.places.FunctionName(i) != name) continue;
    if (function == frontend::kNone ||
        SizeOf(program.module, i) > SizeOf(program.module, function)) {
      function = i;
    }
  }
  return function;
}

Expected<debug::DisassembleAnswer> DebugServer::Reply(const debug::DisassembleRequest& request) {
  const DebugProgram& program = *core_.program();
  std::uint32_t function = frontend::kNone;
  std::uint32_t here = frontend::kNone;
  if (request.function) {
    function = FindFunction(*request.function);
    if (function == frontend::kNone) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("the module has no function '{}'", *request.function));
    }
  } else if (!request.all) {
    const auto scope = ScopeOfTarget(request.target);
    if (!scope) return tl::unexpected(scope.error());
    here = scope->frame.origin;
    function = program.places.FunctionOf(here);
  }
  debug::DisassembleAnswer answer;
  for (std::uint32_t i = 0; i < program.module.instructions.size(); ++i) {
    const std::uint32_t own = program.places.FunctionOf(i);
    if (request.all ? own == frontend::kNone : own != function) continue;
    const frontend::Instruction& instruction = program.module.instructions[i];
    if (!IsShown(program.module, instruction)) continue;
    answer.instructions.push_back({.origin = i,
                                   .text = program.module.Text(instruction),
                                   .line = program.module.debug_info.locations[i].line,
                                   .here = i == here});
    if (request.all) answer.instructions.back().function = program.places.FunctionName(own);
  }
  if (!request.all) answer.function = program.places.FunctionName(function);
  return answer;
}

Expected<debug::FunctionsAnswer> DebugServer::Reply(const debug::FunctionsRequest&) {
  const DebugProgram& program = *core_.program();
  debug::FunctionsAnswer answer{.main_file = program.places.main_file(),
                                .kernel = program.program.kernel};
  for (std::uint32_t i = 0; i < program.module.functions.size(); ++i) {
    if (program.module.functions[i].IsDeclaration()) continue;
    // A kernel may have a function around it with its name.
    std::string name = program.places.FunctionName(i);
    if (std::ranges::find(answer.functions, name) == answer.functions.end()) {
      answer.functions.push_back(std::move(name));
    }
  }
  for (std::size_t i = 1; i < program.module.debug_info.files.size(); ++i) {
    answer.files.push_back(program.module.debug_info.files[i].path);
  }
  for (std::uint32_t i = 0; i < program.places.size(); ++i) {
    const DebugPlace& place = program.places.At(i);
    if (place.line == 0) continue;
    answer.lines.push_back({place.file, place.line, program.program.debug->markers[i].origin});
  }
  return answer;
}

Expected<debug::ResolveAnswer> DebugServer::Reply(const debug::ResolveRequest& request) {
  const auto location = core_.program()->places.Resolve(request.location, request.file);
  if (!location) return tl::unexpected(location.error());
  if (request.condition) {
    const DebugMarker marker = core_.program()->program.debug->markers[location->markers.front()];
    const auto frames = core_.program()->frames.At(marker.origin, marker.site);
    const auto parsed = ParseDebugExpression(*request.condition, &core_.program()->types);
    auto good = parsed ? CheckCalls(core_.program(), *parsed) : tl::unexpected(parsed.error());
    if (good) good = CheckNames(core_.program(), frames.front(), *parsed);
    if (!good) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("condition '{}': {}", *request.condition, good.error().message));
    }
  }
  if (request.global_id) {
    const auto item = Reply(debug::FindItemRequest{.id = *request.global_id});
    if (!item) return tl::unexpected(item.error());
  }
  return debug::ResolveAnswer{.text = location->text,
                              .file_number = location->file,
                              .line = location->line,
                              .places = location->markers.size()};
}

Expected<debug::CheckAnswer> DebugServer::Reply(const debug::CheckRequest& request) {
  const auto condition = core_.ParseCondition(request.condition);
  if (!condition) return tl::unexpected(condition.error());
  return debug::CheckAnswer();
}

}  // namespace assay::interp
