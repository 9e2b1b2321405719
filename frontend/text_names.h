// The names of ids in SPIR-V's text form.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

// By id, of the results that the text calls by other names than numbers.  `words` are what the
// assembler made of the text; it does not tell which id a name got.  Nothing where the text's
// statements cannot be told to be the words' instructions.
std::vector<std::pair<Id, std::string>> ReadTextNames(std::string_view text,
                                                      std::span<const Word> words);

// The words with an OpName for each of these results, so that whoever names an id says what the
// text does; the words as they are where the module has an OpName: it names what it wants named.
std::vector<Word> WithTextNames(std::string_view text, std::vector<Word> words);

}  // namespace assay::frontend
