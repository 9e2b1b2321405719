// Pipes of jobs (docs/cli.md, "Jobs"; OpenCL API, clCreatePipe): a JobBuffer with max_packets,
// whose bytes are the packets in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/expected.h"
#include "interp/job/job.h"
#include "numerics/json_reader.h"

namespace assay::interp {

// The packet: an element type, or a number of bytes, which is shown as uchar.
struct PacketType {
  ElementType type;
  std::uint32_t bytes = 0;
};
Expected<PacketType> ParsePacketType(std::string_view text);

// Adds a pipe to a job, within the job's memory limit, with these components of packets in it;
// returns its index in Job::buffers.
Expected<std::size_t> AddPipe(Job* job, std::string name, const PacketType& packet,
                              std::uint64_t max_packets, const std::vector<std::string>& literals);

// The pipe that an argument of a job file gives: {"name", "packet", "max_packets", "data"}, or the
// name of one that an argument before it has made.
std::size_t ReadPipe(numerics::JsonReader* reader, const numerics::JsonPlace& place,
                     const std::string& position, Job* job,
                     std::unordered_map<std::string, std::size_t>* buffers);

// "pipe(int4,64)" and "pipe(12,64)=0,1,..." of a command line: `inside` the parentheses.
Expected<std::size_t> ParsePipe(std::string_view inside, std::string_view data, Job* job);

// Allocates the pipe and fills it.
Expected<Address> PlacePipe(Memory* memory, const JobBuffer& pipe, std::string name);

// Takes a buffer out of the memory; of a pipe what is left in it.
void TakeBuffer(Memory* memory, Address address, JobBuffer* buffer);

}  // namespace assay::interp
