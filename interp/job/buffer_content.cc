#include "interp/job/buffer_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/parallel_chunks.h"
#include "base/threads.h"
#include "frontend/loader.h"
#include "numerics/evaluate.h"
#include "numerics/linear.h"
#include "numerics/literal.h"

namespace assay::interp {
namespace {

using numerics::Bits;
using numerics::ScalarType;

__extension__ using Wide = __int128;

// The value of an integer type's bits.
Wide WideOf(ScalarType type, Bits bits) {
  const int width = numerics::WidthOf(type);
  if (!numerics::IsSigned(type) || (bits >> (width - 1) & 1) == 0) return static_cast<Wide>(bits);
  return static_cast<Wide>(bits) - (Wide{1} << width);
}

struct IntegerLimits {
  Wide min, max;
};
IntegerLimits LimitsOf(const ElementType& type) {
  const ScalarType scalar = ScalarOf(type);
  if (type.component == "bool") return {0, 1};
  const int width = numerics::WidthOf(scalar);
  if (!numerics::IsSigned(scalar)) return {0, (Wide{1} << width) - 1};
  return {-(Wide{1} << (width - 1)), (Wide{1} << (width - 1)) - 1};
}

std::uint64_t ComponentCount(const ElementType& type, std::uint64_t count) {
  return count * static_cast<std::uint64_t>(type.components);
}

// Calls make(n) for the n-th component, numbered in one sequence, and stores the result.  Several
// threads do that where there are many; of errors the first in the sequence is told.
template <typename Bytes = Content, typename Make>
Expected<Bytes> Generate(const ElementType& type, std::uint64_t count, const base::Budget& budget,
                         const Make& make) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 15;
  Bytes content(count * type.bytes);
  const ScalarType scalar = ScalarOf(type);
  const auto components = static_cast<std::uint64_t>(type.components);
  const auto fill = [&](std::uint64_t begin, std::uint64_t end) -> Expected<void> {
    if (budget.IsExceeded()) return budget.Reached();
    for (std::uint64_t element = begin; element < end; ++element) {
      std::byte* place = content.data() + element * type.bytes;
      for (std::uint64_t i = 0; i < components; ++i) {
        const Expected<Bits> bits = make(element * components + i);
        if (!bits) return tl::unexpected(bits.error());
        numerics::StoreElement(scalar, place, i, *bits);
      }
    }
    return {};
  };
  std::atomic<std::uint64_t> failed{count};  // where the first piece with an error begins
  std::mutex mutex;
  std::optional<Error> error;
  base::ParallelChunks(base::ThreadCount(0), count, kPiece,
                       [&](int, std::uint64_t begin, std::uint64_t end) {
                         if (begin > failed) return;
                         const auto good = fill(begin, end);
                         if (good) return;
                         const std::lock_guard lock(mutex);
                         if (begin >= failed) return;
                         failed = begin;
                         error = good.error();
                       });
  if (error) return tl::unexpected(*error);
  return content;
}

// A number that takes part in arithmetic.
Expected<Bits> ParseFinite(const ElementType& type, std::string_view literal) {
  Expected<Bits> bits = ParseComponent(type, literal);
  if (bits && numerics::IsFloating(ScalarOf(type)) &&
      !numerics::IsFinite(numerics::FormatOf(ScalarOf(type)), *bits)) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' has to be finite here", literal));
  }
  return bits;
}

// A step may be negative whatever the type.
Expected<Wide> ParseStep(std::string_view literal) {
  if (const auto bits = numerics::ParseLiteral(ScalarType::kLong, literal)) {
    return WideOf(ScalarType::kLong, *bits);
  }
  const auto bits = numerics::ParseLiteral(ScalarType::kUlong, literal);
  if (!bits) return tl::unexpected(bits.error());
  return static_cast<Wide>(*bits);
}

Expected<Content> IntegerRange(const ElementType& type, std::uint64_t count, std::string_view start,
                               std::string_view step, const base::Budget& budget) {
  const auto first = ParseComponent(type, start);
  if (!first) return tl::unexpected(first.error());
  const auto increment = ParseStep(step);
  if (!increment) return tl::unexpected(increment.error());
  const Wide begin = WideOf(ScalarOf(type), *first);
  const IntegerLimits limits = LimitsOf(type);
  // Monotonic: the last decides.  Both factors are below 2^64, a buffer's count far below.
  if (count > 0) {
    const Wide last = begin + *increment * static_cast<Wide>(ComponentCount(type, count) - 1);
    if (last < limits.min || last > limits.max) {
      return Fail(ErrorKind::kUsage, fmt::format("range({}, {}) leaves {} before its end", start,
                                                 step, type.component));
    }
  }
  return Generate(type, count, budget, [&](std::uint64_t n) -> Expected<Bits> {
    return static_cast<Bits>(begin + *increment * static_cast<Wide>(n));
  });
}

Expected<Content> RandomIntegers(const ElementType& type, std::uint64_t count, std::uint64_t seed,
                                 Bits min, Bits max, const base::Budget& budget) {
  const Wide low = WideOf(ScalarOf(type), min);
  const Wide values = WideOf(ScalarOf(type), max) - low + 1;  // up to 2^64
  return Generate(type, count, budget, [&](std::uint64_t n) -> Expected<Bits> {
    __extension__ using Product = unsigned __int128;
    const Product product =
        static_cast<Product>(RandomBits(seed, n)) * static_cast<Product>(values);
    return static_cast<Bits>(low + static_cast<Wide>(product >> 64));
  });
}

}  // namespace

Expected<Bits> ParseComponent(const ElementType& type, std::string_view literal) {
  if (type.component != "bool") return numerics::ParseLiteral(ScalarOf(type), literal);
  if (literal == "true" || literal == "1") return Bits{1};
  if (literal == "false" || literal == "0") return Bits{0};
  return Fail(ErrorKind::kUsage, fmt::format("'{}' is no bool: write true or false", literal));
}

Expected<std::vector<std::byte>> ElementContent(const ElementType& type,
                                                std::span<const std::string> literals) {
  const auto components = static_cast<std::size_t>(type.components);
  if (literals.size() != 1 && literals.size() != components) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} has {} component{}, but {} numbers are given", type.name,
                            components, components == 1 ? "" : "s", literals.size()));
  }
  return Generate<std::vector<std::byte>>(type, 1, {}, [&](std::uint64_t n) {
    return ParseComponent(type, literals[literals.size() == 1 ? 0 : n]);
  });
}

Expected<Content> FillContent(const ElementType& type, std::uint64_t count,
                              std::span<const std::string> literals, const base::Budget& budget) {
  constexpr std::uint64_t kCheckEvery = std::uint64_t{1} << 16;
  const auto element = ElementContent(type, literals);
  if (!element) return tl::unexpected(element.error());
  Content content(count * type.bytes);
  // The pages are zero already.
  if (std::ranges::all_of(*element, [](std::byte byte) { return byte == std::byte{0}; })) {
    return content;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % kCheckEvery == 0 && budget.IsExceeded()) return budget.Reached();
    std::memcpy(content.data() + i * type.bytes, element->data(), type.bytes);
  }
  return content;
}

Expected<Content> DataContent(const ElementType& type, std::span<const std::string> literals,
                              const base::Budget& budget) {
  const auto components = static_cast<std::size_t>(type.components);
  if (literals.size() % components != 0) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} numbers are no whole elements of {}", literals.size(), type.name));
  }
  return Generate(
      type, literals.size() / components, budget, [&](std::uint64_t n) -> Expected<Bits> {
        auto bits = ParseComponent(type, literals[n]);
        if (!bits) {
          return Fail(bits.error().kind, fmt::format("number {}: {}", n, bits.error().message));
        }
        return bits;
      });
}

Expected<Content> RangeContent(const ElementType& type, std::uint64_t count, std::string_view start,
                               std::string_view step, const base::Budget& budget) {
  if (!numerics::IsFloating(ScalarOf(type))) return IntegerRange(type, count, start, step, budget);
  const auto first = ParseFinite(type, start);
  if (!first) return tl::unexpected(first.error());
  const auto increment = ParseFinite(type, step);
  if (!increment) return tl::unexpected(increment.error());
  const numerics::Format format = numerics::FormatOf(ScalarOf(type));
  return Generate(type, count, budget, [&](std::uint64_t n) -> Expected<Bits> {
    const Bits bits = numerics::PointOnLine(format, *first, *increment, n);
    if (numerics::IsFinite(format, bits)) return bits;
    return Fail(ErrorKind::kUsage, fmt::format("range({}, {}) leaves {} at number {}", start, step,
                                               type.component, n));
  });
}

// splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): its
// state advances by a constant, so that any of its numbers can be computed by itself.
std::uint64_t RandomBits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Expected<Content> RandomContent(const ElementType& type, std::uint64_t count, std::uint64_t seed,
                                const std::optional<RandomLimits>& limits,
                                const base::Budget& budget) {
  const ScalarType scalar = ScalarOf(type);
  if (!limits) {
    const int width = type.component == "bool" ? 1 : numerics::WidthOf(scalar);
    return Generate(type, count, budget, [&](std::uint64_t n) -> Expected<Bits> {
      return RandomBits(seed, n) >> (64 - width);
    });
  }
  const auto min = ParseFinite(type, limits->min);
  if (!min) return tl::unexpected(min.error());
  const auto max = ParseFinite(type, limits->max);
  if (!max) return tl::unexpected(max.error());
  const bool floating = numerics::IsFloating(scalar);
  const bool ordered = floating ? numerics::OrderedIndex(numerics::FormatOf(scalar), *min) <=
                                      numerics::OrderedIndex(numerics::FormatOf(scalar), *max)
                                : WideOf(scalar, *min) <= WideOf(scalar, *max);
  if (!ordered) {
    return Fail(ErrorKind::kUsage, fmt::format("the random numbers' minimum {} is above their "
                                               "maximum {}",
                                               limits->min, limits->max));
  }
  if (!floating) return RandomIntegers(type, count, seed, *min, *max, budget);
  return Generate(type, count, budget, [&](std::uint64_t n) -> Expected<Bits> {
    return numerics::PointBetween(numerics::FormatOf(scalar), *min, *max,
                                  RandomBits(seed, n) >> 11);
  });
}

Expected<Content> FileContent(const ElementType& type, std::optional<std::uint64_t> count,
                              const std::string& path) {
  const auto text = base::ReadWholeFile(path);
  if (!text) return tl::unexpected(text.error());
  if (count && text->size() != *count * type.bytes) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} has {} bytes, but {} of {} take {}", path, text->size(), *count,
                            type.name, *count * type.bytes));
  }
  if (text->size() % type.bytes != 0) {
    return Fail(ErrorKind::kUsage, fmt::format("{} has {} bytes, which are no whole elements of {}",
                                               path, text->size(), type.name));
  }
  Content content(text->size());
  if (!content.empty()) std::memcpy(content.data(), text->data(), text->size());
  return content;
}

Expected<Content> InitialContent(const ElementType& type, std::optional<std::uint64_t> count,
                                 const Initializer& initializer, std::uint64_t limit,
                                 const base::Budget& budget) {
  using Kind = Initializer::Kind;
  const bool counted = initializer.kind == Kind::kData || initializer.kind == Kind::kFile;
  if (!count && !counted) {
    return Fail(ErrorKind::kUsage, "the number of elements is missing; only data and file have it");
  }
  if (count && *count > limit / type.bytes) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{} elements of {} do not fit into the {} bytes that are left for "
                            "buffers (--max-memory)",
                            *count, type.name, limit));
  }
  if (count) {
    if (auto fits = budget.Fits(*count * type.bytes, "the buffer"); !fits) {
      return tl::unexpected(fits.error());
    }
  }
  const std::vector<std::string>& literals = initializer.literals;
  switch (initializer.kind) {
    case Kind::kFill:
      return FillContent(type, *count, literals, budget);
    case Kind::kRange:
      return RangeContent(type, *count, literals.at(0), literals.at(1), budget);
    case Kind::kRandom:
      return RandomContent(type, *count, initializer.seed, initializer.limits, budget);
    case Kind::kFile:
      return FileContent(type, count, initializer.path);
    case Kind::kUninitialized:
      return Content(*count * type.bytes);
    case Kind::kData:
      break;
  }
  const std::uint64_t wanted = count ? ComponentCount(type, *count) : literals.size();
  if (literals.size() != wanted) {
    return Fail(ErrorKind::kUsage, fmt::format("{} numbers are given, but {} elements of {} are {}",
                                               literals.size(), *count, type.name, wanted));
  }
  return DataContent(type, literals, budget);
}

Expected<std::size_t> AddBuffer(Job* job, std::string name, const ElementType& type,
                                std::optional<std::uint64_t> count,
                                const Initializer& initializer) {
  // OpenCL API 5.2.1: clCreateBuffer refuses a size of 0.
  if (count == std::uint64_t{0}) {
    return Fail(ErrorKind::kUsage, "a buffer has at least one element");
  }
  const base::Budget& budget = job->load.budget;
  const base::Doing doing(budget, fmt::format("filling buffer {}", name));
  auto content =
      InitialContent(type, count, initializer,
                     job->max_bytes - std::min(job->buffer_bytes, job->max_bytes), budget);
  if (!content) return tl::unexpected(content.error());
  if (content->empty()) return Fail(ErrorKind::kUsage, "a buffer has at least one element");
  job->buffer_bytes += content->size();
  job->buffers.push_back({.name = std::move(name),
                          .type = type,
                          .count = content->size() / type.bytes,
                          .bytes = std::move(*content),
                          .uninitialized = initializer.kind == Initializer::Kind::kUninitialized});
  return job->buffers.size() - 1;
}

Expected<std::vector<std::byte>> HexContent(std::string_view digits) {
  const auto value = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::vector<std::byte> content;
  for (std::size_t i = 0; i + 1 < digits.size() && value(digits[i]) >= 0; i += 2) {
    if (value(digits[i + 1]) < 0) break;
    content.push_back(static_cast<std::byte>(value(digits[i]) * 16 + value(digits[i + 1])));
  }
  if (content.size() * 2 == digits.size() && !content.empty()) return content;
  return Fail(ErrorKind::kUsage, fmt::format("'{}' is no row of bytes: write pairs of hexadecimal "
                                             "digits, such as 0a00ff",
                                             digits));
}

}  // namespace assay::interp
