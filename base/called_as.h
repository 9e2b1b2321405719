// How the user calls assay, so that commands in texts for people run when they are pasted: ./assay,
// a path, or the name of an installed program.  Files have "assay", because they are read on other
// machines.
#pragma once

#include <string>
#include <string_view>

namespace assay::base {

// Called by main with its argv[0].  A program beside assay, such as assay-run, is called assay in
// the same folder.
void SetCalledAs(std::string_view program);

// As a word for a shell: "assay", "./assay", "'/my programs/assay'".  Without SetCalledAs: "assay".
std::string CalledAs();

// A text for people: "assay" becomes CalledAs() where a command begins.  That is behind a backtick,
// behind "= replay: " and before " explain" of findings, behind "Usage: ", "Example: ", "&&" and
// NAME=VALUE of help, and on an indented line of its own.
std::string CommandsAsCalled(std::string text);

}  // namespace assay::base
