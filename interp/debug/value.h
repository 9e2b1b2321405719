// Values of the source as a debugger sees them: bytes with a type, which of their bits are defined,
// and where they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "frontend/debug_types.h"
#include "interp/debug/frames.h"
#include "interp/debug/places.h"
#include "interp/execute/execute.h"

namespace assay::interp {

// A program that runs, with all that is known about its source.
struct DebugProgram {
  DebugProgram(LaunchState* launch_state, std::span<const std::unique_ptr<Worker>> all_workers);

  LaunchState& launch;
  std::span<const std::unique_ptr<Worker>> workers;
  const frontend::Module& module;
  const Program& program;
  frontend::SourceTypes types;
  DebugPlaces places;
  DebugFrames frames;
  std::vector<frontend::SourceGlobal> globals;
};

// A work-item of a group that runs.
struct DebugItem {
  Worker* worker = nullptr;
  Batch* batch = nullptr;
  std::uint32_t marker = kNoMarker;  // whose instruction comes next; kNoMarker: it has not begun
  std::uint64_t group = 0;           // linear ids
  std::uint64_t local = 0;
  bool Is(const DebugItem& other) const { return group == other.group && local == other.local; }
};

// Where bytes of a value are that is not in memory as a whole.
struct DebugPart {
  std::uint64_t offset = 0;  // in the value
  std::uint64_t bytes = 0;
  std::optional<DebugRegister> holder;  // nothing: memory
  std::uint64_t place = 0;              // the address, or the first byte in the register
};

struct DebugValue {
  enum class Place : std::uint8_t { kNone, kMemory, kParts };

  frontend::TypeRef type = 0;
  std::vector<std::byte> bytes;
  std::vector<std::byte> undefined;  // a mask beside the bytes; empty: all is defined
  std::string why_undefined;
  std::vector<std::byte> missing;  // the same of scalars that were optimized out; empty: none
  Place place = Place::kNone;
  Address address = 0;           // kMemory
  std::vector<DebugPart> parts;  // kParts: of some bytes, or of all

  std::uint64_t Bits() const;  // of a scalar or pointer, zero-extended
  bool IsUndefined() const;    // some of it
  bool IsWhollyUndefined() const;
  bool IsMissing() const;  // some of it
  // Bytes of it with all that is known about them, as a value without a type.
  DebugValue Slice(std::uint64_t offset, std::uint64_t count) const;
  void MakeUndefined(const std::string& why);  // all of it
  // Writes a part, with its undefined bits.
  void SetPart(std::uint64_t offset, const DebugValue& part);
};

// A value that is shown, or computed with, has no more.
constexpr std::uint64_t kMostValueBytes = std::uint64_t{1} << 24;

class DebugMemory {
 public:
  explicit DebugMemory(const DebugProgram& program) : program_(program) {}

  static tl::unexpected<Error> TooLarge(std::uint64_t bytes);  // kMostValueBytes

  // Of the bytes that the work-item means by an address; kUsage where there are none.
  Expected<std::byte*> Host(const DebugItem& item, Address address, std::uint64_t bytes) const;
  Expected<DebugValue> Load(const DebugItem& item, Address address, frontend::TypeRef type) const;
  // `undefined` is a mask beside the bytes; empty: all of them are defined.
  Expected<void> Store(const DebugItem& item, Address address, std::span<const std::byte> bytes,
                       std::span<const std::byte> undefined = {}) const;
  // A value whose scalars are in registers, laid out as in memory.
  Expected<DebugValue> FromRegisters(const DebugItem& item,
                                     std::span<const DebugRegister> registers,
                                     frontend::TypeRef type) const;
  // Into the parts of a value.  kUsage, and nothing is stored, where some scalar of the type has
  // no place.
  Expected<void> StoreParts(const DebugItem& item, const DebugValue& target,
                            std::span<const std::byte> bytes,
                            std::span<const std::byte> undefined = {}) const;
  // Marks missing bytes, scalar by scalar; false if all bytes are missing.
  bool SetMissing(const std::vector<bool>& known, DebugValue* value) const;
  // "global memory 'y' + 28 of 4096"; "" if it is not an address of an object.
  std::string DescribeAddress(Address address) const;

 private:
  struct Scalar {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  bool Flatten(frontend::TypeRef type, std::uint64_t offset, std::vector<Scalar>* scalars) const;
  std::vector<std::byte> UndefinedBytes(const DebugItem& item, Address address,
                                        std::uint64_t bytes) const;

  const DebugProgram& program_;
};

// Integers of so many bytes in 64 bits.
inline std::uint64_t MaskOfBytes(std::uint64_t bytes) {
  return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes * 8) - 1;
}
inline std::int64_t SignExtended(std::uint64_t bits, std::uint64_t bytes) {
  if (bytes >= 8) return static_cast<std::int64_t>(bits);
  return static_cast<std::int64_t>(bits << (64 - bytes * 8)) >> (64 - bytes * 8);
}

// --- text -------------------------------------------------------------------------------------

struct DebugFormat {
  char letter = 0;         // x d u o t c f a, as gdb's; 0: as the type is
  std::size_t limit = 32;  // elements of an array
};

// "0.1 (0x3dcccccd, exactly 0.100000001490116119384765625)", "{a = 1, b = {2, 3}}".
std::string FormatValue(const DebugProgram& program, const DebugValue& value,
                        const DebugFormat& format = {});
// The exact decimal digits of a finite number.
std::string ExactDecimal(numerics::Format format, std::uint64_t bits);

}  // namespace assay::interp
