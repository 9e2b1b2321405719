// Modules that compute what another one computes, in forms that compilers rarely write.
//
// Each form is a rewriting of the whole module, applied wherever it can be: so a program that is
// made smaller keeps the form that a driver fails at, and forms can be left out one by one.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "frontend/loader.h"

namespace assay::tools {

struct HuntForm {
  std::string_view name;    // "phis"
  std::string_view what;    // "operands of OpPhi in the opposite order"
  std::string_view clause;  // of SPIR-V: why the module computes the same
  std::vector<frontend::Word> (*apply)(std::span<const frontend::Word> words);
};
// In the order in which they are applied.
std::span<const HuntForm> HuntForms();

// A bit for each row of HuntForms, from the lowest one on.
using HuntFormSet = std::uint32_t;
std::vector<std::string> NamesOf(HuntFormSet forms);
// As causes of a finding: "form_phis".
std::vector<std::string> FormCauses(HuntFormSet forms);
// Those that a group's causes name.
HuntFormSet FormsOf(const std::set<std::string>& causes);

// A valid copy of what a compiler made: without debug information, merges and what else it may go
// without (Binary::skipped); blocks stand behind their dominators.
Expected<frontend::Binary> WithForms(const frontend::Binary& module, HuntFormSet forms);

// Those of blocks and functions (forms_blocks.cc); the others are in forms.cc.
std::vector<frontend::Word> WithBlocksMoved(std::span<const frontend::Word> words);
std::vector<frontend::Word> WithEdgesSplit(std::span<const frontend::Word> words);
std::vector<frontend::Word> WithSecondEntries(std::span<const frontend::Word> words);
std::vector<frontend::Word> WithFunctionsReversed(std::span<const frontend::Word> words);

}  // namespace assay::tools
