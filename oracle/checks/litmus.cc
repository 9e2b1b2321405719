#include "oracle/checks/litmus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace assay::oracle {
namespace {

constexpr LitmusShape kShapes[] = {
    {"SB", "Wx1 Ry | Wy1 Rx", "r0=0 r1=0", "AAFAF"},
    {"MP", "Wx1 Wy1 | Ry Rx", "r0=1 r1=0", "AFFFF"},
    {"LB", "Rx Wy1 | Ry Wx1", "r0=1 r1=1", "AFFFF"},
    {"S", "Wx2 Wy1 | Ry Wx1", "r0=1 x=2", "AFFFF"},
    {"R", "Wx1 Wy1 | Wy2 Rx", "y=2 r0=0", "AAFAF"},
    {"2+2W", "Wx1 Wy2 | Wy1 Wx2", "x=1 y=1", "AAFAF"},
    {"WRC", "Wx1 | Rx Wy1 | Ry Rx", "r0=1 r1=1 r2=0", "AFFFF"},
    {"RWC", "Wx1 | Rx Ry | Wy1 Rx", "r0=1 r1=0 r2=0", "AAFAA"},
    {"ISA2", "Wx1 Wy1 | Ry Wz1 | Rz Rx", "r0=1 r1=1 r2=0", "AFFFF"},
    {"IRIW", "Wx1 | Wy1 | Rx Ry | Ry Rx", "r0=1 r1=0 r2=1 r3=0", "AAFAA"},
    {"MP_add", "Wx1 Wy1 | Ay | Ry Rx", "r0=1 r1=2 r2=0", "AFFFF"},
    {"CoRR", "Wx1 | Rx Rx", "r0=1 r1=0", "FFFFF"},
    {"CoRR2", "Wx1 | Wx2 | Rx Rx | Rx Rx", "r0=1 r1=2 r2=2 r3=1", "FFFFF"},
    {"CoWR", "Wx1 Rx | Wx2", "r0=2 x=1", "FFFFF"},
    {"CoRW1", "Rx Wx1", "r0=1", "FFFFF"},
    {"CoRW2", "Rx Wx1 | Wx2", "r0=2 x=2", "FFFFF"},
    {"CoWW", "Wx1 Wx2", "x=1", "FFFFF"},
    {"INC2", "Ax | Ax", "x=1", "FFFFF"},
};

constexpr char kVariables[] = "xyz";

// Every outcome of an interleaving.
void Interleave(const Litmus& test, std::vector<std::size_t> at, LitmusState state,
                std::set<LitmusState>* outcomes) {
  bool ended = true;
  for (std::size_t p = 0; p < test.processes.size(); ++p) {
    if (at[p] == test.processes[p].size()) continue;
    ended = false;
    const Access& access = test.processes[p][at[p]];
    LitmusState next = state;
    unsigned& variable = next[static_cast<std::size_t>(test.results + access.variable)];
    if (access.result >= 0) next[static_cast<std::size_t>(access.result)] = variable;
    if (access.kind == 'W') variable = access.value;
    if (access.kind == 'A') ++variable;
    std::vector<std::size_t> later = at;
    ++later[p];
    Interleave(test, std::move(later), std::move(next), outcomes);
  }
  if (ended) outcomes->insert(state);
}

}  // namespace

std::span<const LitmusShape> LitmusShapes() { return kShapes; }

Litmus LitmusOf(const LitmusShape& shape) {
  Litmus test;
  test.processes.emplace_back();
  std::istringstream words(shape.processes);
  for (std::string word; words >> word;) {
    if (word == "|") {
      test.processes.emplace_back();
      continue;
    }
    Access access{.kind = word[0], .variable = word[1] - 'x'};
    if (word[0] == 'W') access.value = static_cast<unsigned>(word[2] - '0');
    if (word[0] != 'W') access.result = test.results++;
    test.variables = std::max(test.variables, access.variable + 1);
    test.processes.back().push_back(access);
  }
  return test;
}

std::string StateText(const Litmus& test, const LitmusState& state) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < state.size(); ++k) {
    const auto result = static_cast<int>(k);
    parts.push_back(result < test.results
                        ? fmt::format("r{}={}", k, state[k])
                        : fmt::format("{}={}", kVariables[result - test.results], state[k]));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

bool IsAsked(const LitmusShape& shape, const Litmus& test, const LitmusState& state) {
  std::istringstream words(shape.question);
  for (std::string word; words >> word;) {
    const bool is_result = word[0] == 'r';
    const int place = is_result ? word[1] - '0' : test.results + word[0] - 'x';
    const auto value = static_cast<unsigned>(word.back() - '0');
    if (state[static_cast<std::size_t>(place)] != value) return false;
  }
  return true;
}

std::set<LitmusState> Interleavings(const Litmus& test) {
  std::set<LitmusState> outcomes;
  Interleave(test, std::vector<std::size_t>(test.processes.size()),
             LitmusState(static_cast<std::size_t>(test.results + test.variables)), &outcomes);
  return outcomes;
}

bool FromNowhere(const Litmus& test, const LitmusState& state) {
  unsigned most = 0;
  for (const auto& process : test.processes) {
    for (const Access& access : process) most = std::max(most, access.value);
  }
  for (const auto& process : test.processes) {
    for (const Access& access : process) most += access.kind == 'A' ? 1 : 0;
  }
  return std::any_of(state.begin(), state.end(), [&](unsigned value) { return value > most; });
}

}  // namespace assay::oracle
