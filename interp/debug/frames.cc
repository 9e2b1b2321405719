#include "interp/debug/frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/debug_steps.h"

namespace assay::interp {

using frontend::DebugVariable;
using frontend::Id;
using frontend::Op;

namespace {

// Of a variable that paths to a place leave in different places.
constexpr std::uint32_t kConflict = 0xffffffff;
// Variables at beginnings of blocks: what the largest kernels have is a tenth of it.
constexpr std::size_t kMostFlow = std::size_t{1} << 24;

}  // namespace

bool DebugLocal::IsLost() const {
  return std::ranges::all_of(
      pieces, [](const DebugPiece& piece) { return piece.where == DebugPiece::Where::kLost; });
}

std::string DebugLocal::Why() const {
  for (const DebugPiece& piece : pieces) {
    if (piece.why != pieces.front().why) return "optimized out";
  }
  return pieces.empty() ? "optimized out here" : pieces.front().why;
}

DebugFrames::DebugFrames(const frontend::Module& module, const Program& program,
                         const DebugPlaces& places, frontend::SourceTypes* types)
    : module_(module), program_(program), places_(places), types_(*types) {
  const auto& variables = module.debug_info.variables;
  std::map<std::pair<Id, Id>, std::size_t> first;
  std::unordered_map<Id, std::optional<frontend::DebugFragment>> fragments;  // by expression
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Id inlined_at = module.debug_info.locations[variables[i].instruction].inlined_at;
    variable_of_.push_back(first.try_emplace({variables[i].variable, inlined_at}, i).first->second);
    records_[variables[i].instruction].push_back(static_cast<std::uint32_t>(i));
    const auto [known, is_new] = fragments.try_emplace(variables[i].expression);
    if (is_new) {
      known->second =
          frontend::FragmentOf(frontend::ReadDebugSteps(module, variables[i].expression));
    }
    const auto& fragment = known->second;
    DebugPiece& bits = bits_.emplace_back();
    if (fragment) {
      bits.begin = bits.first = fragment->offset;
      bits.end = static_cast<std::uint32_t>(std::min<std::uint64_t>(
          std::uint64_t{fragment->offset} + fragment->size, DebugPiece::kAll));
    }
  }
  for (std::uint32_t block = 0; block < module.blocks.size(); ++block) {
    const frontend::Range range = module.blocks[block].instructions;
    for (std::uint32_t i = 0; i < range.count; ++i) block_of_[range.first + i] = block;
  }
}

std::vector<DebugFrame> DebugFrames::At(std::uint32_t origin, std::uint32_t site) const {
  std::vector<DebugFrame> frames;
  for (;;) {
    if (!places_.IsWrapper(site) || frames.empty()) {
      const frontend::SourceLocation location = module_.debug_info.locations[origin];
      const auto inlined = frontend::SourceFramesAt(module_, location);
      for (std::size_t i = 0; i < inlined.size(); ++i) {
        frames.push_back(
            {inlined[i].function, origin, site, inlined[i].location, i + 1 < inlined.size()});
      }
      if (inlined.empty()) {
        frames.push_back(
            {places_.FunctionName(places_.FunctionOf(origin)), origin, site, location, false});
      }
    }
    if (site == 0) return frames;
    origin = program_.sites[site].instruction;
    site = program_.sites[site].caller;
  }
}

// --- what reaches a place ---------------------------------------------------------------------

std::uint32_t DebugFrames::BlockOf(std::uint32_t origin) const {
  const auto found = block_of_.find(origin);
  return found == block_of_.end() ? frontend::kNone : found->second;
}

DebugFrames::Flow& DebugFrames::FlowOf(std::uint32_t function) {
  const auto [place, added] = flows_.try_emplace(function);
  if (added) {
    FindDominators(function, &place->second);
    FindValues(function, &place->second);
  }
  return place->second;
}

// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
void DebugFrames::FindDominators(std::uint32_t function, Flow* flow) const {
  const auto order = module_.functions[function].order.Of(module_.block_order);
  std::vector<std::uint32_t>& dominator = flow->dominator;
  dominator.assign(order.size(), frontend::kNone);
  if (order.empty()) return;
  dominator[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 1; i < order.size(); ++i) {
      std::uint32_t best = frontend::kNone;
      for (const std::uint32_t block : module_.blocks[order[i]].predecessors.Of(module_.edges)) {
        std::uint32_t other = module_.blocks[block].order;
        if (other == frontend::kNone || dominator[other] == frontend::kNone) continue;
        if (best == frontend::kNone) {
          best = other;
          continue;
        }
        while (best != other) {
          if (best > other) {
            best = dominator[best];
          } else {
            other = dominator[other];
          }
        }
      }
      changed |= dominator[i] != best;
      dominator[i] = best;
    }
  }
}

// By bits of variables the record that says where they are, at the beginning of each block: what
// all paths agree on.
void DebugFrames::FindValues(std::uint32_t function, Flow* flow) {
  const auto order = module_.functions[function].order.Of(module_.block_order);
  flow->values.assign(order.size(), {});
  std::size_t records = 0;
  for (const std::uint32_t block : order) {
    for (std::uint32_t i = 0; i < module_.blocks[block].instructions.count; ++i) {
      records += records_.contains(module_.blocks[block].instructions.first + i) ? 1 : 0;
    }
  }
  if (records * order.size() > kMostFlow) return;  // what other blocks say is not known
  std::vector<bool> reached(order.size(), false);
  std::vector<Values> out(order.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      Values in;
      bool any = false;
      for (const std::uint32_t block : module_.blocks[order[i]].predecessors.Of(module_.edges)) {
        const std::uint32_t from = module_.blocks[block].order;
        if (from == frontend::kNone || !reached[from]) continue;
        if (any) {
          Join(out[from], &in);
        } else {
          in = out[from];
        }
        any = true;
      }
      flow->values[i] = in;
      const frontend::Range range = module_.blocks[order[i]].instructions;
      Transfer(order[i], range.first + range.count, &in);
      changed |= !reached[i] || in != out[i];
      reached[i] = true;
      out[i] = std::move(in);
    }
  }
}

// Bits that are divided in another way are a conflict, too, as far as either way reaches.
void DebugFrames::Join(const Values& other, Values* values) {
  for (auto& [bits, known] : *values) {
    const auto found = other.find(bits);
    if (found != other.end() && found->second == known) continue;
    known.record = kConflict;
    if (found != other.end()) known.end = std::max(known.end, found->second.end);
  }
  for (const auto& [bits, known] : other) values->try_emplace(bits, Known{known.end, kConflict});
}

void DebugFrames::Transfer(std::uint32_t block, std::uint32_t end, Values* values) const {
  for (std::uint32_t i = module_.blocks[block].instructions.first; i < end; ++i) {
    const auto found = records_.find(i);
    if (found == records_.end()) continue;
    for (const std::uint32_t record : found->second) Set(record, values);
  }
}

// What other records said about these bits is over; what they said about others holds.
void DebugFrames::Set(std::uint32_t record, Values* values) const {
  const std::size_t variable = VariableOf(record);
  const DebugPiece& bits = bits_[record];
  for (auto at = values->lower_bound(Bits{variable, 0});
       at != values->end() && at->first.variable == variable && at->first.begin < bits.end;) {
    const std::uint32_t begin = at->first.begin;
    const Known known = at->second;
    if (known.end <= bits.begin) {
      ++at;
      continue;
    }
    at = values->erase(at);
    if (begin < bits.begin)
      values->insert_or_assign(Bits{variable, begin}, Known{bits.begin, known.record});
    // Behind the end of what is set, where the loop ends; a conflict may be there already.
    if (known.end > bits.end) values->try_emplace(Bits{variable, bits.end}, known);
  }
  values->insert_or_assign(Bits{variable, bits.begin}, Known{bits.end, record});
}

bool DebugFrames::IsComputed(Id id, std::uint32_t origin) {
  const frontend::Instruction* definition = module_.Definition(id);
  if (definition == nullptr) return false;
  const auto place = static_cast<std::uint32_t>(definition - module_.instructions.data());
  const std::uint32_t function = places_.FunctionOf(place);
  if (function == frontend::kNone || definition->opcode == Op::kFunctionParameter) return true;
  if (places_.FunctionOf(origin) != function) return false;
  const std::uint32_t home = BlockOf(place);
  const std::uint32_t here = BlockOf(origin);
  if (home == frontend::kNone || here == frontend::kNone) return false;
  if (home == here) return place < origin;
  const Flow& flow = FlowOf(function);
  const std::uint32_t wanted = module_.blocks[home].order;
  std::uint32_t at = module_.blocks[here].order;
  if (wanted == frontend::kNone || at == frontend::kNone) return false;
  while (at > wanted && flow.dominator[at] != at) at = flow.dominator[at];
  return at == wanted;
}

// --- variables --------------------------------------------------------------------------------

DebugPiece DebugFrames::PieceOf(std::uint32_t record, std::uint32_t origin) {
  DebugPiece piece;
  if (record == kConflict) {
    piece.why = "optimized out here";
    return piece;
  }
  const DebugVariable& where = module_.debug_info.variables[record];
  piece = bits_[record];
  piece.target = where.target;
  piece.expression = where.expression;
  piece.where = where.is_declare ? DebugPiece::Where::kMemory : DebugPiece::Where::kValue;
  const frontend::Instruction* target = module_.Definition(where.target);
  if (target == nullptr || target->opcode == Op::kUndef) {
    piece.where = DebugPiece::Where::kLost;
    piece.why = "optimized out";
  } else if (!where.is_declare && !IsComputed(where.target, origin)) {
    piece.where = DebugPiece::Where::kLost;
    piece.why = "not computed yet";
  }
  return piece;
}

// The type of the DebugLocalVariable.
std::optional<frontend::TypeRef> DebugFrames::TypeOf(const DebugVariable& variable) const {
  const frontend::Instruction* definition = module_.Definition(variable.variable);
  if (definition == nullptr) return std::nullopt;
  const auto words = module_.WordsOf(*definition);
  if (words.size() <= 6) return std::nullopt;
  return types_.OfDebug(words[6]);
}

DebugLocal DebugFrames::LocalOf(std::size_t variable, const Values& values, std::uint32_t origin) {
  const DebugVariable& one = module_.debug_info.variables[variable];
  DebugLocal local;
  local.name = one.name;
  local.is_argument = one.argument != 0;
  local.line = one.line;
  local.depth = frontend::ScopeDepth(module_, one.scope);
  local.type = TypeOf(one).value_or(local.type);
  for (auto at = values.lower_bound(Bits{variable, 0});
       at != values.end() && at->first.variable == variable; ++at) {
    DebugPiece piece = PieceOf(at->second.record, origin);
    piece.begin = at->first.begin;
    piece.end = at->second.end;
    local.pieces.push_back(std::move(piece));
  }
  // Before its declaration a variable in memory has its place already.
  if (local.pieces.empty() && one.is_declare) {
    local.pieces.push_back(PieceOf(static_cast<std::uint32_t>(variable), origin));
  }
  return local;
}

std::vector<DebugLocal> DebugFrames::Locals(const DebugFrame& frame) {
  const std::uint32_t function = places_.FunctionOf(frame.origin);
  const std::uint32_t block = BlockOf(frame.origin);
  if (function == frontend::kNone || block == frontend::kNone) return {};
  const auto& debug = module_.debug_info;
  if (frame.location.scope == 0) return NamedLocals(frame);
  Values values;
  if (module_.blocks[block].order != frontend::kNone) {
    values = FlowOf(function).values[module_.blocks[block].order];
  }
  Transfer(block, frame.origin, &values);
  std::vector<DebugLocal> locals;
  for (std::size_t i = 0; i < debug.variables.size(); ++i) {
    if (VariableOf(i) != i) continue;
    const DebugVariable& variable = debug.variables[i];
    if (places_.FunctionOf(variable.instruction) != function ||
        debug.locations[variable.instruction].inlined_at != frame.location.inlined_at ||
        !frontend::IsInsideScope(module_, frame.location.scope, variable.scope)) {
      continue;
    }
    locals.push_back(LocalOf(i, values, frame.origin));
  }
  std::stable_sort(locals.begin(), locals.end(), [](const DebugLocal& a, const DebugLocal& b) {
    if (a.is_argument != b.is_argument) return a.is_argument;
    return a.depth > b.depth;
  });
  return locals;
}

// What debug information says a parameter of the function is, whatever it says of an instruction:
// SPIR-V's own type may be a pointer to bytes.
std::optional<frontend::TypeRef> DebugFrames::TypeOfArgument(std::uint32_t function,
                                                             std::string_view name) const {
  for (const DebugVariable& one : module_.debug_info.variables) {
    if (one.argument == 0 || one.name != name || places_.FunctionOf(one.instruction) != function ||
        module_.debug_info.locations[one.instruction].inlined_at != 0) {
      continue;
    }
    return TypeOf(one);
  }
  return std::nullopt;
}

// The function that an entry point calls, whose parameters have the same names.
std::uint32_t DebugFrames::CalledBy(std::uint32_t function) const {
  for (const frontend::Block& block : module_.functions[function].blocks.Of(module_.blocks)) {
    for (const frontend::Instruction& instruction : block.instructions.Of(module_.instructions)) {
      if (instruction.opcode != Op::kFunctionCall) continue;
      const frontend::Function* callee = module_.FindFunction(module_.Operands(instruction)[0]);
      if (callee != nullptr) return static_cast<std::uint32_t>(callee - module_.functions.data());
    }
  }
  return function;
}

// Without debug information: named parameters, and variables by the names that they have.
std::vector<DebugLocal> DebugFrames::NamedLocals(const DebugFrame& frame) const {
  std::vector<DebugLocal> locals;
  const std::uint32_t function = places_.FunctionOf(frame.origin);
  const frontend::Function& one = module_.functions[function];
  const std::uint32_t described = places_.IsWrapper(frame.site) ? CalledBy(function) : function;
  for (const frontend::Parameter& parameter : one.parameters.Of(module_.parameters)) {
    DebugLocal local;
    local.name = std::string(module_.NameOf(parameter.id));
    if (local.name.empty()) local.name = fmt::format("%{}", parameter.id);
    local.type = TypeOfArgument(described, local.name).value_or(types_.OfSpirv(parameter.type));
    local.is_argument = true;
    local.pieces.push_back({.where = DebugPiece::Where::kValue, .target = parameter.id});
    locals.push_back(std::move(local));
  }
  for (const frontend::Block& block : one.blocks.Of(module_.blocks)) {
    for (const frontend::Instruction& instruction : block.instructions.Of(module_.instructions)) {
      if (instruction.opcode != Op::kVariable) continue;
      std::string name(module_.NameOf(instruction.result));
      // Where clang keeps a parameter.
      if (name.empty() || name.ends_with(".addr")) continue;
      DebugLocal local;
      local.name = std::move(name);
      const frontend::Type* pointer = module_.types.Find(instruction.type);
      if (pointer != nullptr) local.type = types_.OfSpirv(pointer->element);
      local.pieces.push_back({.where = DebugPiece::Where::kMemory, .target = instruction.result});
      locals.push_back(std::move(local));
    }
  }
  return locals;
}

}  // namespace assay::interp
