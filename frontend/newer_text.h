// SPIR-V text with instructions that SPIRV-Tools' assembler does not know (newer_grammar.json).  It
// takes any word as `!number` (SPIRV-Tools, syntax.md, "Arbitrary Integers"), so such an
// instruction is given to it as words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

// The text with newer instructions and enumerants as words.  Lines stay where they are, and what is
// malformed stays as it is: the assembler's message names it.
std::string WithNewerAsWords(std::string_view text);

// What a message of the assembler says of a name, in quotes, that the registry has and that is not
// known here; "" for other messages.
std::string NewerNameIn(std::string_view message);

// The assembler would take words in front of which another instruction could go on for its
// operands; so each has an OpNop before it, which is removed here.
std::vector<Word> WithoutSeparators(std::vector<Word> words);

}  // namespace assay::frontend
