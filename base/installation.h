// Where this program lies: in a clone of assay, or installed with its documents.
#pragma once

#include <string>
#include <string_view>

namespace assay::base {

// Whether the program was built in a clone, which has ./dev.
bool IsInClone();

// A program in the folder of this one: "/usr/bin/assay-run".
std::string ProgramBeside(std::string_view name);

// The folder with docs and testsuites: of the installation, or the clone; "" where there is none.
std::string DocumentsFolder();

// How to get Debian's packages: "on Debian: apt install PACKAGES", in a clone "`./dev setup` does
// it, or ...".
std::string HowToInstall(const std::string& packages);

}  // namespace assay::base
