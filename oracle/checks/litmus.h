// Litmus tests of @memory: their shapes, the outcomes of interleavings, and kernels.
//
// A test is a few processes that load, store or add on shared variables.  An outcome is what the
// loads gave and what the variables hold at the end.  The shapes are those of herd's OpenCL tests;
// which orders forbid the outcome that is asked follows from OpenCL API 3.3.4 (testsuites/litmus
// has each with the verdict of an enumeration).
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace assay::oracle {

inline constexpr std::uint32_t kLitmusItems = 8;    // of a process in a work-group
inline constexpr std::uint32_t kLitmusRounds = 32;  // instances of a work-item
inline constexpr std::uint32_t kLitmusBlock = kLitmusItems * kLitmusRounds;
inline constexpr std::uint32_t kLitmusInstances = 1 << 16;  // of a launch

enum class Ordering : std::uint8_t { kRelaxed, kReleaseAcquire, kSeqCst, kFences, kSeqCstFences };
inline constexpr std::pair<Ordering, const char*> kOrderings[] = {
    {Ordering::kRelaxed, "relaxed"},
    {Ordering::kReleaseAcquire, "release_acquire"},
    {Ordering::kSeqCst, "seq_cst"},
    {Ordering::kFences, "acq_rel_fences"},
    {Ordering::kSeqCstFences, "seq_cst_fences"}};

// Where the processes of an instance are, and its variables.
enum class Place : std::uint8_t { kDevice, kGroup, kLocal };
inline constexpr std::pair<Place, const char*> kPlaces[] = {
    {Place::kDevice, "device"}, {Place::kGroup, "group"}, {Place::kLocal, "local"}};

struct LitmusShape {
  const char* name;
  // "Wx1 Ry | Wy1 Rx": stores, loads, A adds one; loads and additions set r0, r1, ... in order.
  const char* processes;
  const char* question;  // "r0=0 r1=0 x=1"
  // For each ordering: F where the model forbids the outcome, else A.
  const char* verdicts;
};

std::span<const LitmusShape> LitmusShapes();

struct Access {
  char kind = 'W';
  int variable = 0;
  unsigned value = 0;  // of W
  int result = -1;     // the register of R and A
};
struct Litmus {
  std::vector<std::vector<Access>> processes;
  int results = 0, variables = 0;
};

Litmus LitmusOf(const LitmusShape& shape);

// The registers, then the variables.
using LitmusState = std::vector<unsigned>;
std::string StateText(const Litmus& test, const LitmusState& state);
// Is it the outcome of the shape's question?
bool IsAsked(const LitmusShape& shape, const Litmus& test, const LitmusState& state);
// Every outcome of an interleaving.
std::set<LitmusState> Interleavings(const Litmus& test);
// Does some register or variable hold what nobody put there?
bool FromNowhere(const Litmus& test, const LitmusState& state);

// The kernel "ask" of a test, with the orders of `orderings` and the processes at `place`.
std::string LitmusProgram(const Litmus& test, const std::vector<Ordering>& orderings, Place place);
// Its buffer `arrived`: these numbers, then one for each item of a process, then kStressCells.
enum LitmusCount : std::uint8_t { kTickets, kVainWaits, kMeetings, kLitmusCounts };
inline constexpr std::uint32_t kStressCells = 1024;

}  // namespace assay::oracle
