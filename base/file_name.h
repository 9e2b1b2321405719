// Names of files made from names that may have any characters.
#pragma once

#include <string>

namespace assay::base {

// Letters, digits and underscores of the name; each other character becomes an underscore, and a
// long name is cut.
std::string PlainFileName(std::string name);

}  // namespace assay::base
