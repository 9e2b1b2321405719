// What the names of an expression stand for.
#include <fmt/format.h>

#include <algorithm>

#include "interp/debug/evaluate.h"

namespace assay::interp {

using frontend::SourceKind;
using frontend::StorageClass;
using frontend::TypeRef;
using ExpressionKind = DebugExpression::Kind;

// What a literal of an enumeration, or a macro of OpenCL C, stands for.
std::optional<DebugValue> DebugEvaluator::Constant(const std::string& name) const {
  frontend::SourceTypes& types = scope_.program->types;
  for (const auto& [id, record] : scope_.program->module.debug_info.records) {
    const TypeRef type = types.OfDebug(id);
    if (TypeAt(type).kind != SourceKind::kEnum) continue;
    for (const auto& [number, one] : TypeAt(type).enumerators) {
      if (one == name) return Make(type, static_cast<std::uint64_t>(number));
    }
  }
  if (name == "NAN") return Make(types.Scalar(SourceKind::kFloat, 32), 0x7fc00000);
  if (name == "true" || name == "false") {
    return Make(types.Scalar(SourceKind::kBool, 8), name == "true" ? 1 : 0);
  }
  if (name == "NULL") return Make(types.PointerTo(types.Void(), StorageClass::kGeneric), 0);
  return NumberOf(name);
}

Expected<DebugValue> DebugEvaluator::Name(const DebugExpression& expression) {
  DebugProgram& program = *scope_.program;
  const auto locals = program.frames.Locals(scope_.frame);
  const DebugLocal* best = nullptr;
  for (const DebugLocal& local : locals) {
    if (local.name == expression.text && (best == nullptr || local.depth > best->depth)) {
      best = &local;
    }
  }
  if (best != nullptr) {
    if (only_types_ && best->type != 0) return Make(best->type, 0);
    const auto value = ValueOf(*best);
    return value ? value : Wrong(expression, value.error().message);
  }
  for (const frontend::SourceGlobal& global : program.globals) {
    if (global.name != expression.text) continue;
    if (global.variable == 0)
      return Wrong(expression, fmt::format("'{}' is optimized out", global.name));
    const frontend::GlobalVariable* variable = program.module.FindGlobal(global.variable);
    const auto address = ValueOfId(global.variable, 0);
    if (!address || variable == nullptr) {
      return Wrong(expression, fmt::format("this kernel does not use '{}'", global.name));
    }
    return memory_.Load(scope_.item, address->Bits(), global.type);
  }
  for (const frontend::DebugVariable& variable : program.module.debug_info.variables) {
    const std::uint32_t function = program.places.FunctionOf(scope_.frame.origin);
    if (variable.name == expression.text &&
        program.places.FunctionOf(variable.instruction) == function) {
      return Wrong(expression, fmt::format("'{}' is not in scope here", expression.text));
    }
  }
  if (const auto constant = Constant(expression.text)) return *constant;
  return Wrong(expression,
               fmt::format("no variable '{}' here; `info locals`, `info args` and `info "
                           "globals` list those that there are",
                           expression.text));
}

Expected<frontend::Id> DebugEvaluator::FindId(const std::string& text) const {
  const frontend::Module& module = scope_.program->module;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (std::ranges::all_of(text, is_digit) && text.size() < 10) {
    return static_cast<frontend::Id>(std::stoul(text));
  }
  const std::uint32_t function = scope_.program->places.FunctionOf(scope_.frame.origin);
  frontend::Id id = 0;
  bool is_elsewhere = false;
  for (const frontend::Name& name : module.names) {
    if (name.member != frontend::kNone || name.text != text) continue;
    const frontend::Instruction* definition = module.Definition(name.target);
    if (definition == nullptr) continue;
    const auto place = static_cast<std::uint32_t>(definition - module.instructions.data());
    const std::uint32_t home = scope_.program->places.FunctionOf(place);
    if (home == function || home == frontend::kNone) id = name.target;
    is_elsewhere = is_elsewhere || id == 0;
  }
  if (id != 0) return id;
  return Fail(ErrorKind::kUsage,
              is_elsewhere ? fmt::format("%{} belongs to another function", text)
                           : fmt::format("the module names no id '{}'; `info registers` lists "
                                         "those with a value",
                                         text));
}

Expected<DebugValue> DebugEvaluator::Id(const DebugExpression& expression) {
  const auto id = FindId(expression.text);
  if (!id) return Wrong(expression, id.error().message);
  const auto value = ValueOfId(*id, 0);
  return value ? value : Wrong(expression, value.error().message);
}

Expected<DebugValue> DebugEvaluator::Dollar(const DebugExpression& expression) {
  const DebugItem& item = scope_.item;
  const LaunchState& launch = scope_.program->launch;
  if (expression.text == "time") return Integer(scope_.time, 64, false);
  if (expression.text == "pc") return Integer(scope_.frame.origin);
  if (expression.text == "line") return Integer(scope_.frame.location.line);
  if (expression.text == "group") return Integer(item.group, 64, false);
  if (expression.text == "item") {
    const auto id = item.worker->GlobalIdOf(item.group, item.local);
    std::uint64_t linear = 0;
    for (int d = 2; d >= 0; --d)
      linear = linear * launch.range.global[d] + id[d] - launch.range.offset[d];
    return Integer(linear, 64, false);
  }
  if (std::ranges::all_of(expression.text, [](char c) { return c >= '0' && c <= '9'; })) {
    return Wrong(expression, fmt::format("${} is not there: `print` has shown no value of that "
                                         "number, or one that was undefined, or no scalar, vector "
                                         "or pointer",
                                         expression.text));
  }
  return Wrong(
      expression,
      fmt::format(
          "${} is not known; there are $item, $group, $time, $pc, "
          "$line, $1, $2, ... for the scalars, vectors and pointers that `print` showed, and what "
          "`set $NAME = VALUE` names",
          expression.text));
}

// --- names of a condition ----------------------------------------------------------------------

bool DebugEvaluator::Knows(const std::string& name) const {
  DebugProgram& program = *scope_.program;
  const auto is_called = [&](const auto& one) { return one.name == name; };
  return std::ranges::any_of(program.frames.Locals(scope_.frame), is_called) ||
         std::ranges::any_of(program.globals, is_called) || Constant(name);
}

Expected<void> CheckCalls(DebugProgram* program, const DebugExpression& expression) {
  const auto fail = [&](const std::string& what) {
    return Fail(ErrorKind::kUsage, fmt::format("column {}: {}", expression.column, what));
  };
  const DebugScope scope{program, {}, {}};
  const bool is_call = expression.kind == ExpressionKind::kCall;
  if (is_call && !DebugEvaluator(scope).KnowsFunction(expression.text)) {
    return fail(NoFunction(expression.text));
  }
  if (expression.kind == ExpressionKind::kBinary && expression.text == "=") {
    return fail("an assignment would change the run: write == to compare");
  }
  for (const DebugExpression& operand : expression.operands) {
    if (auto good = CheckCalls(program, operand); !good) return good;
  }
  return {};
}

Expected<void> CheckNames(DebugProgram* program, const DebugFrame& frame,
                          const DebugExpression& expression) {
  const DebugScope scope{program, {}, frame};
  const DebugEvaluator evaluator(scope);
  const auto fail = [&](const std::string& what) {
    return Fail(ErrorKind::kUsage, fmt::format("column {}: {}", expression.column, what));
  };
  if (expression.kind == ExpressionKind::kName && !evaluator.Knows(expression.text)) {
    return fail(fmt::format("no variable '{}' there", expression.text));
  }
  if (expression.kind == ExpressionKind::kId) {
    if (const auto id = evaluator.FindId(expression.text); !id) return fail(id.error().message);
  }
  for (const DebugExpression& operand : expression.operands) {
    if (auto good = CheckNames(program, frame, operand); !good) return good;
  }
  return {};
}

}  // namespace assay::interp
