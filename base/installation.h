// Where this program lies: in a clone of assay, or installed with its documents.
#pragma once

#include <string>

namespace assay::base {

// Whether the program was built in a clone, which has ./dev.
bool IsInClone();

// The program of the commands that execute kernels, beside this one: ".../bin/assay-kernels".
std::string KernelsProgram();

// The folder with docs and testsuites: of the installation, or the clone; "" where there is none.
std::string DocumentsFolder();

// How to get Debian's packages: "on Debian: apt install PACKAGES", in a clone "`./dev setup` does
// it, or ...".
std::string HowToInstall(const std::string& packages);

}  // namespace assay::base
