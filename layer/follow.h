// What the functions that follow objects share.
#pragma once

#include "layer/layer.h"

namespace assay::layer {

// The functions of the object's driver, below the layer.
inline const cl_icd_dispatch& Target(const void* object) {
  const Layer& layer = Layer::Get();
  return layer.drivers.empty() ? layer.target : layer.drivers.Of(object);
}

// Puts `function` into the table, if the table and what the layer calls both have the entry.
template <typename Function>
void Replace(Function* cl_icd_dispatch::*entry, Function* function, cl_icd_dispatch* table) {
  const Layer& layer = Layer::Get();
  const bool is_below = !layer.is_loaded || layer.target.*entry != nullptr;
  if (is_below && table->*entry != nullptr) table->*entry = function;
}

// The application has enqueued a command.
inline void Enqueued(cl_command_queue queue) {
  if (const auto record = Layer::Get().queues.Find(queue)) {
    record->commands.fetch_add(1, std::memory_order_relaxed);
  }
}

// Something may be stored in the object, and in the one that it is a part of.
inline void Written(MemoryRecord& memory) {
  for (MemoryRecord* one = &memory; one != nullptr; one = one->parent.get()) {
    one->is_written.store(true, std::memory_order_relaxed);
  }
}
inline void Written(cl_mem memory) {
  if (const auto record = Layer::Get().memories.Find(memory)) Written(*record);
}

}  // namespace assay::layer
