// The names of ids in SPIR-V's text form.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

// The names, by id, of results whose name in the text is not a number.  `words` are the assembled
// text; the assembler does not report which id a name got.  Nothing if the statements of the text
// cannot be matched with the instructions.
std::vector<std::pair<Id, std::string>> ReadTextNames(std::string_view text,
                                                      std::span<const Word> words);

// The words with an OpName for each of these results, so that messages use the names of the text.
// A module that already has an OpName is not changed.
std::vector<Word> WithTextNames(std::string_view text, std::vector<Word> words);

}  // namespace assay::frontend
