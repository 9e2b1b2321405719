#include "interp/job/pipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interp/job/buffer_content.h"
#include "interp/program/pipe_object.h"
#include "numerics/literal.h"

namespace assay::interp {

Expected<PacketType> ParsePacketType(std::string_view text) {
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos) {
    const auto bytes = numerics::ParseLiteral(numerics::ScalarType::kUint, text);
    if (!bytes || *bytes == 0 || *bytes > kMaxPacketBytes) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("a packet of {} bytes; it has 1 to {}", text, kMaxPacketBytes));
    }
    const auto type = ParseElementType("uchar");
    if (!type) return tl::unexpected(type.error());
    return PacketType{*type, static_cast<std::uint32_t>(*bytes)};
  }
  const auto type = ParseElementType(text);
  if (!type) return tl::unexpected(type.error());
  return PacketType{*type, type->bytes};
}

Expected<std::size_t> AddPipe(Job* job, std::string name, const PacketType& packet,
                              std::uint64_t max_packets, const std::vector<std::string>& literals) {
  if (max_packets == 0 || max_packets > kMaxPipePackets) {
    return Fail(ErrorKind::kUsage, fmt::format("a pipe with room for {} packets; there is room for "
                                               "1 to {}",
                                               max_packets, kMaxPipePackets));
  }
  const std::uint64_t bytes = PipeBytes({packet.bytes, 0, max_packets});
  if (bytes > job->max_bytes - std::min(job->buffer_bytes, job->max_bytes)) {
    return Fail(ErrorKind::kDevice,
                fmt::format("a pipe of {} bytes is too large: all buffers have at most {} bytes "
                            "(--max-memory)",
                            bytes, job->max_bytes));
  }
  JobBuffer pipe{.name = std::move(name), .type = packet.type, .bytes = {}};
  pipe.packet_bytes = packet.bytes;
  pipe.max_packets = max_packets;
  if (!literals.empty()) {
    auto content = DataContent(packet.type, literals, job->load.budget);
    if (!content) return tl::unexpected(content.error());
    if (content->size() % packet.bytes != 0 || content->size() / packet.bytes > max_packets) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{} bytes are put into a pipe of at most {} packets of {} bytes",
                              content->size(), max_packets, packet.bytes));
    }
    pipe.count = content->size() / packet.type.bytes;
    pipe.bytes = std::move(*content);
  }
  job->buffer_bytes += bytes;
  job->buffers.push_back(std::move(pipe));
  return job->buffers.size() - 1;
}

std::size_t ReadPipe(numerics::JsonReader* reader, const numerics::JsonPlace& place,
                     const std::string& position, Job* job,
                     std::unordered_map<std::string, std::size_t>* buffers) {
  const auto find = [&](const std::string& name) -> const JobBuffer* {
    const auto found = buffers->find(name);
    return found == buffers->end() ? nullptr : &job->buffers[found->second];
  };
  if (place.tree->kind == base::JsonTree::Kind::kString) {
    const JobBuffer* known = find(place.tree->text);
    if (known != nullptr && known->max_packets != 0) return buffers->at(place.tree->text);
    reader->Wrong(place, fmt::format("there is no pipe '{}' in an argument before this one",
                                     place.tree->text));
    return 0;
  }
  if (!reader->IsObject(place, {"name", "packet", "max_packets", "data"})) return 0;
  const auto packet_place = reader->Find(place, "packet");
  const auto max_place = reader->Find(place, "max_packets");
  if (!packet_place || !max_place) {
    reader->Wrong(place, "'packet' and 'max_packets' are wanted");
    return 0;
  }
  const PacketType packet =
      reader->Value(*packet_place, ParsePacketType(reader->Literal(*packet_place)));
  const std::uint64_t max_packets = reader->Unsigned(*max_place);
  std::string name = position;
  if (const auto named = reader->Find(place, "name")) name = reader->String(*named);
  std::vector<std::string> literals;
  const auto data = reader->Find(place, "data");
  if (data) literals = reader->Literals(*data);
  if (reader->Failed()) return 0;
  if (const JobBuffer* known = reader->Find(place, "name") ? find(name) : nullptr) {
    if (known->max_packets == max_packets && known->packet_bytes == packet.bytes && !data) {
      return buffers->at(name);
    }
    reader->Wrong(place, fmt::format("'{}' is described before, in another way", name));
    return 0;
  }
  const std::size_t pipe = reader->Value(place, AddPipe(job, name, packet, max_packets, literals));
  if (!reader->Failed()) buffers->try_emplace(name, pipe);
  return pipe;
}

Expected<std::size_t> ParsePipe(std::string_view inside, std::string_view data, Job* job) {
  const std::vector<std::string> parts = numerics::SplitAtCommas(inside);
  if (parts.size() != 2) {
    return Fail(ErrorKind::kUsage, "write pipe(PACKET,MAX_PACKETS), as in pipe(int4,64)");
  }
  const auto packet = ParsePacketType(parts[0]);
  if (!packet) return tl::unexpected(packet.error());
  const auto max_packets = numerics::ParseLiteral(numerics::ScalarType::kUlong, parts[1]);
  if (!max_packets) return tl::unexpected(max_packets.error());
  std::vector<std::string> literals;
  if (!data.empty()) literals = numerics::SplitAtCommas(data);
  const std::size_t position = job->launches.empty() ? 0 : job->launches.back().arguments.size();
  return AddPipe(job, std::to_string(position), *packet, *max_packets, literals);
}

Expected<Address> PlacePipe(Memory* memory, const JobBuffer& pipe, std::string name) {
  return CreatePipe(memory, {pipe.packet_bytes, 0, pipe.max_packets},
                    std::span(pipe.bytes.data(), pipe.bytes.size()), std::move(name));
}

void TakeBuffer(Memory* memory, Address address, JobBuffer* buffer) {
  if (buffer->max_packets == 0) {
    buffer->bytes = memory->Take(address);
    return;
  }
  const PipeObject pipe(memory->Bytes(address));
  const std::vector<std::byte> packets = pipe.IsPipe() ? pipe.Packets() : std::vector<std::byte>{};
  buffer->bytes = HostBytes(packets.begin(), packets.end());
  buffer->count = packets.size() / buffer->type.bytes;
}

}  // namespace assay::interp
