// Records of debug information that nobody could follow to an end.
//
// A module's debug information is data from anywhere, and validators look at little of it.  A scope
// may be its own parent, an array its own element.  Whatever follows records trusts that none leads
// back to itself: what does is found here, once, when the module is read.
#pragma once

#include <unordered_set>

#include "frontend/grammar.h"

namespace assay::frontend {

class Module;

// How many scopes stand in each other, calls were inlined into each other, or types are made of
// each other, at most: more than compilers take.
constexpr std::uint32_t kMostDebugDepth = 256;

// The records without which no way along scopes, inlined calls or types is circular, or longer than
// kMostDebugDepth.  A structure may have a pointer to itself, and nothing else of itself.
std::unordered_set<Id> FindEndlessRecords(const Module& module);

}  // namespace assay::frontend
