// A kernel of a module as OpenCL C that drivers take, with what observes it written in.
//
// The text computes what the module does, instruction by instruction: each value is a variable
// `v12`, each block a label.  It has what a probe asks for, and can be made smaller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/expected.h"
#include "frontend/module.h"

namespace assay::tools {

// What is written in.  Its parameters follow those of the kernel, in this order.
struct CProbe {
  enum class Kind : std::uint8_t {
    kNone,
    // Which work-item writes a byte: global ulong* (its linear number, plus one; 0: none; and the
    // place of the instruction), the buffer, ulong (the place in it).
    kWriter,
    // The values of a work-item one after the other, in the order in which it computes them, from
    // the place `from` to `to`: global ulong* (integers), float*, double*, half* (where the module
    // has such), uint* (which value it is), ulong (the work-item), uint (from), uint (to).
    kLog,
    // One value of all work-items: global T*, of the value's components.
    kCut,
  };
  Kind kind = Kind::kNone;
  frontend::Id value = 0;                   // kCut
  std::optional<std::uint32_t> occurrence;  // kCut: which one of a work-item; none: the last
  std::string item;                         // an expression: the linear number of the work-item
};

struct CReduction {
  std::set<std::uint32_t> removed;               // places of instructions without which it does
  std::map<frontend::Id, frontend::Id> one_way;  // blocks that always go to one other
  bool drops_unused = false;                     // values and parameters that nothing needs
};

struct CKernel {
  std::string text;
  std::vector<std::size_t> parameters;          // of the kernel that are left
  std::vector<std::uint32_t> statements;        // places of instructions that could be removed
  std::vector<frontend::Id> branches;           // labels of blocks that go one of several ways
  bool has_doubles = false, has_halfs = false;  // kLog: whether it has these parameters
};

// kUnsupported, with the reason, for a kernel that uses what is not written: images, sub-groups.
Expected<CKernel> WriteKernel(const frontend::Module& module, const std::string& kernel,
                              const CProbe& probe, const CReduction& reduction = {});

// "float" for a value whose components a probe can write, "" for others: pointers, structures.
std::string ProbedComponent(const frontend::Module& module, frontend::Id value);

}  // namespace assay::tools
