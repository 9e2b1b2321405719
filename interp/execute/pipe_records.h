// What a launch did with pipes: its reservations, and which ends of a pipe it used.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "interp/program/memory.h"

namespace assay::interp {

struct PipeReservation {
  std::uint64_t id = 0;
  Address pipe = 0;
  std::uint64_t first = 0;  // position of its first packet
  std::uint32_t count = 0;
  bool writes = false;
  bool is_committed = false;
  std::vector<bool> written;  // of its packets, until it is committed
  std::uint32_t place = 0;    // in Program::places, where it was made
  std::uint64_t group = 0;
  std::uint64_t item = 0;  // linear local id
};

struct PipeRecords {
  // Places of the first use of each end; kUnused: none.
  static constexpr std::uint32_t kUnused = 0xffffffff;
  struct Ends {
    std::uint32_t read = kUnused;
    std::uint32_t written = kUnused;
  };
  std::vector<PipeReservation> reservations;  // by number, which is in their ids
  std::map<Address, Ends> ends;               // of the pipes that were used
};

}  // namespace assay::interp
