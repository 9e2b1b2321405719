// Finds records of debug information that contain themselves.
//
// The debug information of a module is untrusted data, and validators check little of it.  A scope
// may be its own parent, or an array its own element.  Such records are found here once, when the
// module is read, so that other code can follow records without checking for cycles.
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
