// The initial content of buffers, and arguments: numbers of an element type as bytes, in the layout
// of OpenCL C (6.1.5: little-endian here; a vector of three has the size of a vector of four).
//
// Errors are kUsage, with a description of the wrong number, or kDevice if the budget is exceeded;
// the caller adds the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"
#include "interp/job/job.h"
#include "numerics/format.h"

namespace assay::interp {

using Content = HostBytes;

// Reads a literal of the type's component; for bool: true, false, 0 or 1.
Expected<numerics::Bits> ParseComponent(const ElementType& type, std::string_view literal);

// One element, from one literal for all components or one for each.
Expected<std::vector<std::byte>> ElementContent(const ElementType& type,
                                                std::span<const std::string> literals);

// All elements have the same value.
Expected<Content> FillContent(const ElementType& type, std::uint64_t count,
                              std::span<const std::string> literals,
                              const base::Budget& budget = {});

// All components of all elements, one after the other.
Expected<Content> DataContent(const ElementType& type, std::span<const std::string> literals,
                              const base::Budget& budget = {});

// start, start + step, start + 2 step, ...: each exact and then rounded once.  The components of
// all vectors are numbered in one sequence.  A value beyond the type's range is an error.
Expected<Content> RangeContent(const ElementType& type, std::uint64_t count, std::string_view start,
                               std::string_view step, const base::Budget& budget = {});

struct RandomLimits {
  std::string min, max;  // literals, both included
};
// Component n (numbered in one sequence) comes from the n-th number, from 0, of the generator
// splitmix64 whose state begins as `seed`. Without limits, its high bits are the component.  With
// limits, for integers: min plus the high 64 bits of its product with the number of possible
// values; for floating-point: min + u (max - min), exact and rounded once, where u is its high 53
// bits over 2^53.
Expected<Content> RandomContent(const ElementType& type, std::uint64_t count, std::uint64_t seed,
                                const std::optional<RandomLimits>& limits,
                                const base::Budget& budget = {});
std::uint64_t RandomBits(std::uint64_t seed, std::uint64_t index);

// The bytes of a file: `count` elements, or as many as the file has.
Expected<Content> FileContent(const ElementType& type, std::optional<std::uint64_t> count,
                              const std::string& path);

// A description of content; job files and command lines use the same form.
struct Initializer {
  enum class Kind : std::uint8_t { kFill, kRange, kData, kFile, kRandom, kUninitialized };
  Kind kind = Kind::kUninitialized;
  std::vector<std::string> literals;  // of fill and data; start and step of range
  std::string path;                   // of file
  std::uint64_t seed = 0;             // of random
  std::optional<RandomLimits> limits;
};
// `count` may be missing if data or a file determines it; kDevice above `limit` bytes, or if the
// budget is exceeded.
Expected<Content> InitialContent(const ElementType& type, std::optional<std::uint64_t> count,
                                 const Initializer& initializer, std::uint64_t limit,
                                 const base::Budget& budget = {});

// Adds a buffer to a job, within the job's memory limit; returns its index in Job::buffers.
Expected<std::size_t> AddBuffer(Job* job, std::string name, const ElementType& type,
                                std::optional<std::uint64_t> count, const Initializer& initializer);

// The bytes given by pairs of hexadecimal digits, such as a structure by value.
Expected<std::vector<std::byte>> HexContent(std::string_view digits);

}  // namespace assay::interp
