// Scopes of debug information: what is around an instruction, and where it was inlined.
#include "frontend/debug_records.h"
#include "frontend/debug_types.h"

namespace assay::frontend {

namespace {

// The scope around a scope; 0 around a function.
Id ParentOf(const Module& module, Id scope) {
  const auto record = ReadDebugOperands(module, scope);
  if (!record) return 0;
  switch (record->number) {
    case DebugNumber::kDebugLexicalBlock:
      return record->At(3);
    case DebugNumber::kDebugLexicalBlockDiscriminator:
      return record->At(2);
    default:
      return 0;
  }
}

}  // namespace

// Both come to an end: see debug_endless.h.
bool IsInsideScope(const Module& module, Id scope, Id outer) {
  while (scope != 0 && scope != outer) scope = ParentOf(module, scope);
  return scope != 0;
}

int ScopeDepth(const Module& module, Id scope) {
  int depth = 0;
  while ((scope = ParentOf(module, scope)) != 0) ++depth;
  return depth;
}

namespace {

// The file that a scope is in, as a place in DebugInfo::files; 0 where it is not known.
std::uint32_t FileOfScope(const Module& module, Id scope) {
  const auto record = ReadDebugOperands(module, scope);
  if (!record) return 0;
  const bool is_function = record->number == DebugNumber::kDebugFunction;
  if (!is_function && record->number != DebugNumber::kDebugLexicalBlock) return 0;
  const auto source = ReadDebugOperands(module, record->At(is_function ? 2 : 0));
  if (!source || source->number != DebugNumber::kDebugSource) return 0;
  const std::string path = DebugStringOf(module, source->At(0));
  const auto& files = module.debug_info.files;
  for (std::uint32_t file = 1; file < files.size(); ++file) {
    if (files[file].path == path) return file;
  }
  return 0;
}

}  // namespace

std::vector<SourceFrame> SourceFramesAt(const Module& module, const SourceLocation& location) {
  std::vector<SourceFrame> frames;
  SourceLocation here = location;
  while (here.scope != 0) {
    Id scope = here.scope;
    for (Id parent = 0; (parent = ParentOf(module, scope)) != 0;) scope = parent;
    const auto function = ReadDebugOperands(module, scope);
    if (!function || function->number != DebugNumber::kDebugFunction) break;
    frames.push_back({DebugNameOf(module, function->At(0)), here});
    if (here.inlined_at == 0) break;
    const auto inlined = ReadDebugOperands(module, here.inlined_at);
    if (!inlined || inlined->number != DebugNumber::kDebugInlinedAt) break;
    SourceLocation call;
    call.line = DebugLineAt(module, *inlined, 0);
    call.scope = inlined->At(1);
    call.inlined_at = inlined->At(2);
    const std::uint32_t file = FileOfScope(module, call.scope);
    call.file = file != 0 ? file : here.file;
    here = call;
  }
  return frames;
}

}  // namespace assay::frontend
