// The layer's one state: the functions of the drivers below it, and what it follows.
//
// An OpenCL layer is loaded once into a process and called through tables of functions
// (CL/cl_layer.h), one for each loader, which have no place for a state of their own.
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "layer/binaries.h"
#include "layer/driver_tables.h"
#include "layer/loaders.h"
#include "layer/macros.h"
#include "layer/process.h"
#include "layer/records.h"
#include "layer/registry.h"

namespace assay::layer {

struct Layer {
  static Layer& Get();

  // Reads the settings and says that the layer is in this process, and how; false where nothing is
  // to be captured.
  bool Start(const char* way);

  // What the layer calls: the table of the first loader that has loaded it, or what drivers had in
  // theirs.
  cl_icd_dispatch target{};
  DriverTables drivers;
  std::atomic<bool> is_loaded = false;  // by a loader, as a layer

  Settings settings;
  ProcessReport process;
  OtherLoaders other_loaders;
  LaunchCounters counters;

  KnownBinaries binaries;
  Registry<cl_command_queue, QueueRecord> queues;
  Registry<cl_program, ProgramRecord> programs;
  Registry<cl_kernel, KernelRecord> kernels;
  Registry<cl_mem, MemoryRecord> memories;
  Registry<cl_sampler, SamplerRecord> samplers;
  Registry<cl_event, UserEventRecord> user_events;

  // User events that the application has not completed: a wait might never end.
  std::atomic<std::uint64_t> open_user_events = 0;
  // Set once an application can set arguments in a way that is not followed.
  std::atomic<bool> has_unseen_arguments = false;
  // Set once it can enqueue commands in such a way.
  std::atomic<bool> has_unseen_commands = false;

  std::shared_mutex svm_mutex;
  std::map<const void*, SvmRecord> svm;  // by the first byte

  std::timed_mutex capturing;      // one capture at a time
  double seconds_of_captures = 0;  // under `capturing`
  MacroQuestions macros;           // under `capturing`
  std::uint64_t captures = 0;      // under `capturing`
};

// Each replaces its functions in the table, of those that it has.
void FollowAll(cl_icd_dispatch* table);
void FollowDevices(cl_icd_dispatch* table);   // devices' types, contexts
void FollowQueues(cl_icd_dispatch* table);    // contexts' queues, commands, user events
void FollowPrograms(cl_icd_dispatch* table);  // programs and their builds
void FollowKernels(cl_icd_dispatch* table);   // kernels, arguments, launches
void FollowMemory(cl_icd_dispatch* table);    // buffers, images, samplers, SVM

}  // namespace assay::layer
