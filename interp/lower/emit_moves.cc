// Moves between registers, and how a block does without some of them.
#include <algorithm>
#include <utility>

#include "interp/lower/emit.h"
#include "interp/program/handlers.h"

namespace assay::interp {
namespace {

bool Has(const std::vector<std::uint32_t>& registers, std::uint32_t offset) {
  return std::ranges::find(registers, offset) != registers.end();
}

}  // namespace

void Emitter::EmitMove(std::uint32_t to, std::uint32_t from, std::uint32_t bytes) {
  FlatInstruction& move = Append(Opcode::kCopy, IntegerKind(static_cast<int>(bytes) * 8));
  move.result = to;
  move.a = from;
  emitted_.back() = {.reads = {from}, .writes = {to}, .is_move = true};
  WatchMove(to, from, bytes);
}

// The phis of the only block after this one, or of the function that it calls, take their values,
// all at once.
void Emitter::EmitMoves(const IrBlock& target, std::uint32_t b) {
  if (target.phis.empty()) return;
  const std::size_t edge = Registers::EdgeOf(target, b);
  struct Move {
    std::uint32_t to;
    std::uint32_t from;
    std::uint32_t bytes;
    bool is_last_use;
  };
  std::vector<Move> moves;
  for (const Phi& phi : target.phis) {
    const std::uint32_t from = registers_.Of(phi.operands[edge]);
    const std::uint32_t to = registers_.Of(phi.result);
    if (from == to) continue;
    moves.push_back({to, from, BytesOf(graph_.values[phi.result].kind),
                     registers_.IsLocal(phi.operands[edge])});
  }
  if (program_.debug != nullptr && !moves.empty()) {
    std::vector<Value> from;
    std::vector<Value> to;
    for (const Phi& phi : target.phis) {
      from.push_back(phi.operands[edge]);
      to.push_back(phi.result);
    }
    AddDebugOperation({.opcode = Opcode::kCopy, .origin = origin_, .site = site_}, from, to);
  }
  // A move goes first when no other one still reads its target; of a circle, one value is put
  // aside.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> aside;
  while (!moves.empty()) {
    bool moved = false;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const bool read = std::any_of(moves.begin(), moves.end(), [&](const Move& other) {
        return &other != &moves[i] && other.from == moves[i].to;
      });
      if (read) continue;
      EmitMove(moves[i].to, moves[i].from, moves[i].bytes);
      emitted_.back().is_last_use = moves[i].is_last_use;
      moves.erase(moves.begin() + static_cast<std::ptrdiff_t>(i));
      moved = true;
      break;
    }
    if (moved) continue;
    const std::uint32_t temporary = registers_.Take(moves[0].bytes);
    aside.emplace_back(moves[0].bytes, temporary);
    EmitMove(temporary, moves[0].to, moves[0].bytes);
    const std::uint32_t saved = moves[0].to;
    for (Move& move : moves) {
      if (move.from == saved) move.from = temporary;
    }
  }
  for (const auto& [bytes, offset] : aside) registers_.Free(bytes, offset);
}

// The instruction that computes what the move takes, if it can put that where the move does:
// nobody else needs it where it is, nor what stands there in between.
std::size_t Emitter::SourceOf(std::size_t move) const {
  const std::uint32_t from = emitted_[move].reads[0];
  const std::uint32_t to = emitted_[move].writes[0];
  std::size_t source = move;
  while (source-- > 0 && !Has(emitted_[source].writes, from)) {
    if (Has(emitted_[source].reads, to) || Has(emitted_[source].writes, to) ||
        Has(emitted_[source].reads, from)) {
      return kNowhere;
    }
  }
  if (source >= move || !emitted_[source].is_elementwise) return kNowhere;
  for (std::size_t i = move + 1; i < emitted_.size(); ++i) {
    if (Has(emitted_[i].reads, from)) return kNowhere;
    if (Has(emitted_[i].writes, from)) break;
  }
  return source;
}

// An instruction can write a phi's register itself, where nothing is kept beside the code.
void Emitter::LeaveOutMoves(std::uint32_t first) {
  std::vector<bool> is_left_out(emitted_.size());
  for (std::size_t i = 0; i < emitted_.size(); ++i) {
    if (!emitted_[i].is_move || !emitted_[i].is_last_use) continue;
    const std::size_t source = SourceOf(i);
    if (source == kNowhere) continue;
    program_.code[first + source].result = program_.code[first + i].result;
    emitted_[source].writes = emitted_[i].writes;
    emitted_[i] = {};
    is_left_out[i] = true;
  }
  std::size_t kept = first;
  for (std::size_t i = 0; i < is_left_out.size(); ++i) {
    if (!is_left_out[i]) program_.code[kept++] = program_.code[first + i];
  }
  program_.code.resize(kept);
}

}  // namespace assay::interp
