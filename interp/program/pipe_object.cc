#include "interp/program/pipe_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace assay::interp {
namespace {

constexpr std::uint64_t kMagic = 0x6570695079617361;  // "asayPipe"
constexpr std::uint64_t kStates = 128;                // offset of the packets' states

std::uint64_t RoundedUp(std::uint64_t bytes) { return (bytes + 127) & ~std::uint64_t{127}; }
std::uint64_t PacketsBegin(std::uint64_t max_packets) { return kStates + RoundedUp(max_packets); }

}  // namespace

std::uint64_t PipeBytes(const PipeShape& shape) {
  return PacketsBegin(shape.max_packets) + shape.max_packets * shape.packet_bytes;
}

Expected<Address> CreatePipe(Memory* memory, const PipeShape& shape,
                             std::span<const std::byte> packets, std::string name) {
  if (shape.packet_bytes == 0 || shape.packet_bytes > kMaxPacketBytes) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a pipe of packets of {} bytes; a packet has 1 to {}",
                            shape.packet_bytes, kMaxPacketBytes));
  }
  if (shape.max_packets == 0 || shape.max_packets > kMaxPipePackets) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a pipe of at most {} packets; it has room for 1 to {}",
                            shape.max_packets, kMaxPipePackets));
  }
  const std::uint64_t count = packets.size() / shape.packet_bytes;
  if (packets.size() % shape.packet_bytes != 0 || count > shape.max_packets) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} bytes are put into a pipe of at most {} packets of {} bytes",
                            packets.size(), shape.max_packets, shape.packet_bytes));
  }
  auto address = memory->Allocate(PipeBytes(shape), AddressSpace::kGlobal, std::move(name));
  if (!address) return address;
  const std::span<std::byte> bytes = memory->Bytes(*address);
  FormatPipe(bytes, shape);
  PipeObject pipe(bytes);
  PipeHeader header = pipe.Header();
  header.write_next = header.write_done = count;
  pipe.SetHeader(header);
  for (std::uint64_t i = 0; i < count; ++i) pipe.SetState(i, PacketState::kFull);
  std::ranges::copy(packets,
                    bytes.begin() + static_cast<std::ptrdiff_t>(PacketsBegin(shape.max_packets)));
  return address;
}

void FormatPipe(std::span<std::byte> bytes, const PipeShape& shape) {
  PipeObject(bytes).SetHeader({.magic = kMagic,
                               .packet_bytes = shape.packet_bytes,
                               .packet_alignment = shape.packet_alignment,
                               .max_packets = static_cast<std::uint32_t>(shape.max_packets)});
}

bool PipeObject::IsPipe() const {
  if (bytes_.size() < kStates) return false;
  const PipeHeader header = Header();
  return header.magic == kMagic && header.max_packets != 0 && header.packet_bytes != 0 &&
         bytes_.size() == PipeBytes({header.packet_bytes, 0, header.max_packets}) &&
         header.read_done <= header.read_next && header.read_next <= header.write_done &&
         header.write_done <= header.write_next &&
         header.write_next - header.read_done <= header.max_packets;
}

PipeHeader PipeObject::Header() const {
  PipeHeader header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  return header;
}

void PipeObject::SetHeader(const PipeHeader& header) {
  std::memcpy(bytes_.data(), &header, sizeof header);
}

PacketState PipeObject::State(std::uint64_t position) const {
  return static_cast<PacketState>(bytes_[kStates + position % Header().max_packets]);
}

void PipeObject::SetState(std::uint64_t position, PacketState state) {
  bytes_[kStates + position % Header().max_packets] = static_cast<std::byte>(state);
}

std::uint64_t PipeObject::OffsetOf(std::uint64_t position) const {
  const PipeHeader header = Header();
  return PacketsBegin(header.max_packets) + position % header.max_packets * header.packet_bytes;
}

void PipeObject::Advance() {
  PipeHeader header = Header();
  while (header.write_done < header.write_next && State(header.write_done) == PacketState::kFull) {
    ++header.write_done;
  }
  while (header.read_done < header.read_next && State(header.read_done) == PacketState::kRead) {
    SetState(header.read_done++, PacketState::kFree);
  }
  SetHeader(header);
}

std::vector<std::byte> PipeObject::Packets() const {
  std::vector<std::byte> packets;
  const PipeHeader header = Header();
  for (std::uint64_t at = header.read_next; at < header.write_done; ++at) {
    const auto packet = bytes_.subspan(OffsetOf(at), header.packet_bytes);
    packets.insert(packets.end(), packet.begin(), packet.end());
  }
  return packets;
}

}  // namespace assay::interp
