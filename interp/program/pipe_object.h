// A pipe in memory (OpenCL C 6.15.18; OpenCL API, clCreatePipe): one allocation with a header, a
// state for each packet, and the packets, which are a ring.  Its handle is the allocation's
// address.
//
// Positions count packets since the pipe was made, and never go back.  Packets from `read_done` up
// to `write_next` are in use: those before `read_next` are being read, those from `write_done` on
// are being written, and those between the two can be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "interp/program/memory.h"

namespace assay::interp {

struct PipeHeader {
  std::uint64_t magic = 0;
  std::uint32_t packet_bytes = 0;
  std::uint32_t packet_alignment = 0;  // 0: whoever made it did not say
  std::uint32_t max_packets = 0;
  std::uint32_t launches = 0;  // that were given the pipe
  std::uint64_t read_done = 0;
  std::uint64_t read_next = 0;
  std::uint64_t write_done = 0;
  std::uint64_t write_next = 0;

  std::uint64_t Free() const { return max_packets - (write_next - read_done); }
  std::uint64_t Readable() const { return write_done - read_next; }
};

enum class PacketState : std::uint8_t {
  kFree,
  kWriting,  // reserved, and not committed
  kFull,
  kReading,  // reserved, and not committed
  kRead,     // behind one that is kReading
};

struct PipeShape {
  std::uint32_t packet_bytes = 0;
  std::uint32_t packet_alignment = 0;
  std::uint64_t max_packets = 0;
};

inline constexpr std::uint64_t kMaxPipePackets = std::uint64_t{1} << 31;
inline constexpr std::uint64_t kMaxPacketBytes = std::uint64_t{1} << 20;

// The bytes of the whole object.
std::uint64_t PipeBytes(const PipeShape& shape);

// Makes a pipe with these packets in it.  kUsage for a shape that no pipe has, or too many packets;
// kDevice if the memory's limit would be exceeded.
Expected<Address> CreatePipe(Memory* memory, const PipeShape& shape,
                             std::span<const std::byte> packets, std::string name);

// Makes an empty pipe of PipeBytes(shape) zeroed bytes, for whoever allocates them himself.
void FormatPipe(std::span<std::byte> bytes, const PipeShape& shape);

// A view of the bytes of a pipe.
class PipeObject {
 public:
  // Of the bytes of an allocation; `IsPipe` is false for anything else.
  explicit PipeObject(std::span<std::byte> bytes) : bytes_(bytes) {}
  bool IsPipe() const;
  PipeHeader Header() const;
  void SetHeader(const PipeHeader& header);
  PacketState State(std::uint64_t position) const;
  void SetState(std::uint64_t position, PacketState state);
  // Where a packet lies in the allocation.
  std::uint64_t OffsetOf(std::uint64_t position) const;
  // Packets that were written, and removes those that were read, in order.
  void Advance();
  // What can be read, the next packet first.
  std::vector<std::byte> Packets() const;

 private:
  std::span<std::byte> bytes_;
};

}  // namespace assay::interp
