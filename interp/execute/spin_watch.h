// Detects work-items of a group that wait for each other in a loop around an atomic operation.
//
// OpenCL does not guarantee that one work-item of a group makes progress while another one waits.
// If the work-items are executed in lock step, the holder of a lock is behind the loop and waits
// until the others leave the loop (ElTantawy and Aamodt, "MIMD Synchronization on SIMT
// Architectures", MICRO 2016).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "interp/program/memory.h"
#include "interp/program/program.h"

namespace assay::interp {

class SpinWatch {
 public:
  struct Turn {
    std::uint64_t group = 0;
    std::uint64_t item = 0;  // linear, in the group
    Address address = 0;
    std::uint64_t before = 0;    // the value that it read
    std::uint64_t expected = 0;  // of a compare-exchange: a work-item that expects
                                 // another value each time is not waiting
    bool changed = false;
  };

  // Whether this turn ended a wait that another work-item of the group ended by an operation
  // elsewhere.
  bool EndsWait(const FlatSync& sync, const Turn& turn) {
    bool ends = false;
    if (sync.spins) {
      const auto [place, is_new] = waits_.try_emplace(Item{turn.group, turn.item});
      Wait& wait = place->second;
      if (!is_new && wait.sync == &sync && wait.address == turn.address &&
          wait.expected == turn.expected && wait.before != turn.before) {
        const auto writer = writers_.find(turn.address);
        ends = writer != writers_.end() && writer->second.group == turn.group &&
               writer->second.item != turn.item && writer->second.sync != &sync;
      }
      wait = {&sync, turn.address, turn.before, turn.expected};
      if (turn.changed) waits_.erase(place);  // its wait has ended
    }
    if (turn.changed) writers_[turn.address] = {turn.group, turn.item, &sync};
    return ends;
  }

 private:
  struct Wait {
    const FlatSync* sync = nullptr;
    Address address = 0;
    std::uint64_t before = 0;
    std::uint64_t expected = 0;
  };
  struct Writer {
    std::uint64_t group = 0;
    std::uint64_t item = 0;
    const FlatSync* sync = nullptr;
  };

  struct Item {
    std::uint64_t group = 0;
    std::uint64_t item = 0;
    bool operator==(const Item&) const = default;
  };
  struct ItemHash {
    std::size_t operator()(const Item& item) const {
      return (item.group * 0x9e3779b97f4a7c15) ^ item.item;
    }
  };

  std::unordered_map<Item, Wait, ItemHash> waits_;
  std::unordered_map<Address, Writer> writers_;
};

}  // namespace assay::interp
