// Forms are written in these names of frontend: words, instructions, and copies of them.
#pragma once

#include <span>
#include <vector>

#include "frontend/decode.h"
#include "frontend/rewritten.h"

namespace assay::tools::form_words {

using frontend::Append;
using frontend::FirstWord;
using frontend::Id;
using frontend::Op;
using frontend::OpcodeOf;
using frontend::Word;
using Instruction = std::span<const Word>;
using Words = std::vector<Word>;

}  // namespace assay::tools::form_words
