// Moves between registers.
#include <algorithm>
#include <utility>

#include "interp/lower/emit.h"
#include "interp/program/handlers.h"

namespace assay::interp {
void Emitter::EmitMove(std::uint32_t to, std::uint32_t from, std::uint32_t bytes) {
  FlatInstruction& move = Append(Opcode::kCopy, IntegerKind(static_cast<int>(bytes) * 8));
  move.result = to;
  move.a = from;
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
  };
  std::vector<Move> moves;
  for (const Phi& phi : target.phis) {
    const std::uint32_t from = registers_.Of(phi.operands[edge]);
    const std::uint32_t to = registers_.Of(phi.result);
    if (from == to) continue;
    moves.push_back({to, from, BytesOf(graph_.values[phi.result].kind)});
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

}  // namespace assay::interp
