// Evaluates the operations of a DebugExpression.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

class Module;

// The operations of OpenCL.DebugInfo.100 that have a meaning for values, and behind kFragment those
// that llvm-spirv adds with --spirv-allow-extra-diexpressions; the numbers are of its
// SPIRV.debug.h.  All are DWARF's but kFragment, kConvert and kArgument, which are LLVM's.
enum class DebugStepKind : std::uint32_t {
  kDeref = 0,
  kPlus = 1,
  kMinus = 2,
  kPlusUconst = 3,
  kSwap = 5,
  kXderef = 6,
  kStackValue = 7,
  kConstu = 8,
  kFragment = 9,  // offset and size in bits
  kConvert = 10,  // bits and DWARF's encoding
  kConst1u = 12,
  kConst1s = 13,
  kConst2u = 14,
  kConst2s = 15,
  kConst4u = 16,
  kConst4s = 17,
  kConst8u = 18,  // one word, or two where assay writes it
  kConst8s = 19,
  kConsts = 20,
  kDup = 21,
  kDrop = 22,
  kOver = 23,
  kPick = 24,
  kRot = 25,
  kAbs = 26,
  kAnd = 27,
  kDiv = 28,
  kMod = 29,
  kMul = 30,
  kNeg = 31,
  kNot = 32,
  kOr = 33,
  kShl = 34,
  kShr = 35,
  kShra = 36,
  kXor = 37,
  kEq = 39,
  kGe = 40,
  kGt = 41,
  kLe = 42,
  kLt = 43,
  kNe = 44,
  kLit0 = 46,  // and 31 more
  kLit31 = 77,
  kNop = 148,
  kArgument = 165,
};

struct DebugStep {
  DebugStepKind kind{};
  std::vector<std::uint32_t> operands;
};

// The steps of a DebugExpression, without those that only name an address space, which is in the
// types already.
std::vector<DebugStep> ReadDebugSteps(const Module& module, Id expression);
std::vector<DebugStep> WithoutAddressSpaces(std::vector<DebugStep> steps);

// The bits of its variable that an expression is about; nothing where it is about all of it.
struct DebugFragment {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};
std::optional<DebugFragment> FragmentOf(std::span<const DebugStep> steps);
// Whether the value stands as it is for the variable, or the fragment of it.
bool IsPlain(std::span<const DebugStep> steps);

// An integer or pointer of up to 64 bits as LLVM's IR has it: operations are made in its width.
struct DebugOperand {
  std::uint64_t bits = 0;
  std::uint64_t undefined = 0;  // a mask beside them
  std::uint32_t width = 0;      // 0: a constant, which takes the width of what it meets
  bool is_signed = false;       // how it becomes wider; a conversion says so
  bool has_sign = false;        // a conversion has said so
  bool is_cut = false;          // of a constant: what is above the lowest 32 bits is not known
};

struct DebugStepsResult {
  DebugOperand value;
  bool is_address = false;  // where the variable, or the fragment, lies
  bool is_kept = true;      // the operand itself or its low bits, so that it can be set
};

// Loads an address from an address.
using DebugAddressLoader = std::function<std::optional<std::uint64_t>(std::uint64_t)>;

// `is_address`: the operand is the address of the variable.  Nothing for steps that are not known,
// that do not fit each other, or whose operands LLVM's IR could not have had.
std::optional<DebugStepsResult> FollowDebugSteps(std::span<const DebugStep> steps,
                                                 DebugOperand operand, bool is_address,
                                                 const DebugAddressLoader& load);

}  // namespace assay::frontend
