// Parts of the debugger's messages (interp/debug/messages.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interp/debug/goal.h"

namespace assay::interp::debug {

using Ids = std::array<std::uint64_t, 3>;

// What a question is about: a frame of a work-item.
struct Target {
  std::optional<DebugItemId> item;  // without it the work-item that runs
  std::uint64_t frame = 0;          // 0 is the innermost
};

struct Frame {
  std::string function;
  std::uint32_t origin = 0;  // the instruction, in Module::instructions
  std::uint32_t site = 0;    // the call, in Program::sites
  bool inlined = false;
  std::string file;
  std::uint32_t file_number = 0;
  std::optional<std::uint32_t> line;
  std::uint32_t column = 0;
  std::string instruction;
  std::string result;  // of a call: "%ID" of the value that it returns; "" without one
};

// A work-item or, where a list is about work-groups, a work-group.
struct Item {
  DebugItemId id;
  Ids global_id = {};
  Ids group_id = {};
  std::string
      state;  // "runs", "waits at the barrier k.cl:12:3", ...; "" where it was not asked for
  bool selected = false;
};

// Where a work-item stands.
struct Where {
  std::optional<Item> item;  // missing where no work-item runs
  std::uint32_t marker = kNoMarker;
  std::optional<Frame> frame;              // missing where the work-item has not begun
  std::optional<std::uint32_t> frame_key;  // the same for all places of one call
};

struct WatchHit {
  int number = 0;
  std::optional<std::string> old_value;
  std::string value;
};

struct StopFinding {
  std::string rule;
  std::string message;
  std::vector<std::string> history;
  bool operator==(const StopFinding&) const = default;
};

// What a search through a part of the run met last.
struct Found {
  std::uint64_t time = 0;
  DebugStopReason reason = DebugStopReason::kGoal;
  std::vector<int> breakpoints;
  std::vector<WatchHit> watch;
  std::optional<StopFinding> finding;
};

struct SearchResult {
  std::uint64_t count_left = 0;             // steps that are still to be made
  std::optional<std::uint64_t> first_time;  // where the goal's work-item was first seen
  std::optional<Found> found;
};

struct Hits {
  int number = 0;  // of a breakpoint or watchpoint
  std::uint64_t hits = 0;
};

// What the kernel printed since the last message.
struct Output {
  std::string text;
  std::uint64_t end = 0;  // bytes that were printed since the run began
};

// A variable, or an id of the module.
struct Variable {
  std::string name;
  std::string called;  // of an id: the name that the module gives it
  std::string type;
  std::string value;
  std::optional<std::string> missing;  // why it has no value
  std::optional<bool> is_argument;     // missing where the list is not about a function's variables
};

struct TypeMember {
  std::string name;
  std::string type;
  std::uint64_t offset = 0;
};

struct Enumerator {
  std::string name;
  std::int64_t value = 0;
};

// A scalar, vector or pointer as bits.
struct ValueBits {
  enum class Kind : std::uint8_t { kSigned, kUnsigned, kFloat, kPointer };
  Kind kind = Kind::kUnsigned;
  int bits = 0;  // of a component
  std::vector<std::uint64_t> components;
};

// The frame of a value that is not in memory.
struct ValueFrame {
  std::uint32_t site = 0;
  std::string function;
  std::uint32_t inlined_at = 0;
};

struct NumericPlace {
  std::uint32_t origin = 0;
  std::string source;  // "k.cl:3:20"; "" where it is not known
  std::string instruction;
};

// The error of a number against its shadow.
struct AccumulatedError {
  std::string shadow;
  double ulp = 0;
  double kept = 0;  // bits that are right
  int precision = 0;
  NumericPlace place;
};

// The error of the instruction that computed a number.
struct InstructionError {
  std::string exact;
  double ulp = 0;
  NumericPlace place;
  std::vector<std::string> operands;
};

// A number, or a component of a vector.  Without an error it counts as exact.
struct NumericPart {
  std::string value;
  std::optional<std::string> missing;  // why nothing is known
  std::optional<AccumulatedError> accumulated;
  std::optional<InstructionError> instruction;
};

// An instruction that lost digits.
struct Loss {
  NumericPlace place;
  std::uint64_t executions = 0;
  double lost = 0;           // bits
  double lost_in_chain = 0;  // bits, of executions that follow each other
  int precision = 0;
  double own_error = 0;  // ulp
  double error = 0;      // ulp
  bool adds_up = false;
  std::string reason;
  std::uint64_t decisions = 0;
  std::uint64_t otherwise = 0;  // decisions that exact values would make otherwise
  Ids global_id = {};
  std::uint64_t time = 0;
};

struct ExamineRow {
  std::uint64_t address = 0;
  std::string object;
  std::vector<std::string> values;
};

struct MemoryObject {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::string space;
  std::string name;
  bool writable = false;
};

struct CodeLine {
  std::uint32_t origin = 0;
  std::string text;
  std::uint32_t line = 0;  // 0: not known
  bool here = false;       // the frame's instruction
  std::string function;    // only where all functions were asked for
};

// An instruction that begins a place with a line.
struct PlaceLine {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t origin = 0;
};

}  // namespace assay::interp::debug
