// Kernels in command buffers, which may be updated (cl_khr_command_buffer 0.9.8,
// cl_khr_command_buffer_mutable_dispatch 0.9.5).
#include <fmt/format.h>

#include <map>

#include "driver/api/entries.h"
#include "driver/api/kernel_command.h"
#include "driver/api/recording.h"
#include "driver/core/info.h"
#include "driver/objects/argument.h"
#include "driver/objects/newer.h"

namespace assay::driver::api {

namespace {

// While one exists, the kernel has this state.
class WithState {
 public:
  WithState(Kernel* kernel, KernelState* state) : kernel_(kernel), state_(state) { Swap(); }
  ~WithState() { Swap(); }
  WithState(const WithState&) = delete;

 private:
  void Swap() { std::swap(static_cast<KernelState&>(*kernel_), *state_); }
  Kernel* kernel_;
  KernelState* state_;
};

std::size_t GroupsIn(std::size_t global, std::size_t local) { return (global + local - 1) / local; }

std::uint64_t CountGroups(const MutableState& state, cl_uint dimensions) {
  std::uint64_t groups = 1;
  for (cl_uint d = 0; d < dimensions; ++d)
    groups *= GroupsIn(state.global[d], std::max<std::size_t>(state.local[d], 1));
  return groups;
}

// Where the implementation chooses the size, it chooses one that divides.
bool IsUniform(const MutableState& state, cl_uint dimensions) {
  for (cl_uint d = 0; d < dimensions; ++d) {
    if (state.local[d] != 0 && state.global[d] % state.local[d] != 0) return false;
  }
  return true;
}

Submission MakeCommand(CommandBuffer* buffer, Kernel* kernel, cl_uint dimensions,
                       const MutableState& state, bool needs_arguments) {
  const Recorder recorder;
  const size_t* local = state.local[0] == 0 ? nullptr : state.local.data();
  return MakeKernelCommand(buffer->queue.get(), kernel, CL_COMMAND_NDRANGE_KERNEL,
                           {dimensions, state.offset.data(), state.global.data(), local},
                           needs_arguments);
}

struct DispatchProperties {
  std::vector<cl_properties> given;
  bool names_fields = false;
  cl_bitfield fields = kMutableAll;
  cl_bitfield asserts = 0;
};

DispatchProperties ReadProperties(const cl_properties* list) {
  DispatchProperties read;
  for (const auto* at = list; at != nullptr && *at != 0; at += 2) {
    for (std::size_t i = 0; i < read.given.size(); i += 2) {
      if (read.given[i] == at[0])
        Refuse(CL_INVALID_VALUE, fmt::format("property {:#x} is given twice", at[0]));
    }
    read.given.insert(read.given.end(), {at[0], at[1]});
    if (at[0] == kMutableDispatchUpdatableFields) {
      // The device has all that the API has: CL_INVALID_OPERATION is for one that has not.
      RefuseIf((at[1] & ~kMutableAll) != 0, CL_INVALID_VALUE,
               "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR has bits that the API does not");
      read.names_fields = true;
      read.fields = at[1];
    } else if (at[0] == kMutableDispatchAsserts) {
      RefuseIf((at[1] & ~kMutableDispatchNoAdditionalWorkGroups) != 0, CL_INVALID_VALUE,
               "CL_MUTABLE_DISPATCH_ASSERTS_KHR has bits that the API does not");
      read.asserts = at[1];
    } else {
      Refuse(CL_INVALID_VALUE, fmt::format("{:#x} is no property of a kernel's command", at[0]));
    }
  }
  if (list != nullptr) read.given.push_back(0);
  return read;
}

cl_int CL_API_CALL clCommandNDRangeKernelKHR(
    cl_command_buffer_khr buffer_handle, cl_command_queue queue, const cl_properties* properties,
    cl_kernel kernel_handle, cl_uint dimensions, const size_t* offset, const size_t* global,
    const size_t* local, cl_uint num_points, const cl_sync_point_khr* points,
    cl_sync_point_khr* point, void** mutable_handle) {
  return Enter("clCommandNDRangeKernelKHR", [&](Call& call) {
    auto& buffer = FindRecording(
        &call, {buffer_handle, queue, properties, num_points, points, point, mutable_handle});
    DispatchProperties read = ReadProperties(properties);
    auto& kernel = call.Find<Kernel>(kernel_handle);
    RefuseIf(dimensions < 1 || dimensions > 3, CL_INVALID_WORK_DIMENSION,
             "work_dim is not 1, 2 or 3");
    const bool is_promised =
        ((read.asserts | buffer.asserts) & kMutableDispatchNoAdditionalWorkGroups) != 0;
    RefuseIf(is_promised && local == nullptr, CL_INVALID_VALUE,
             "local_work_size is null with "
             "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR");
    MutableState state{.kernel = kernel};
    for (cl_uint d = 0; d < dimensions; ++d) {
      if (offset != nullptr) state.offset[d] = offset[d];
      if (global != nullptr) state.global[d] = global[d];
      if (local == nullptr) continue;
      RefuseIf(local[d] == 0, CL_INVALID_WORK_GROUP_SIZE, "an element of local_work_size is 0");
      state.local[d] = local[d];
    }
    // Where they may be updated, arguments need not be set before.
    const bool may_lack = read.names_fields && (read.fields & kMutableArguments) != 0;
    RecordedCommand command;
    command.submission = std::make_shared<const Submission>(
        MakeCommand(&buffer, &kernel, dimensions, state, !may_lack));
    command.is_complete = HasArguments(kernel);
    if (mutable_handle != nullptr) {
      auto* made = new MutableCommand(&buffer);
      command.handle = made;
      made->place = buffer.commands.size();
      made->kernel = &kernel;
      made->dimensions = dimensions;
      if (is_promised) made->most_groups = CountGroups(state, dimensions);
      made->state = std::move(state);
      made->properties = std::move(read.given);
      made->fields = read.fields;
      *mutable_handle = made->handle();
    }
    buffer.commands.push_back(std::move(command));
    if (point != nullptr) *point = static_cast<cl_sync_point_khr>(buffer.commands.size());
  });
}

template <typename Entry>
void CheckList(cl_uint count, const Entry* list, const char* what) {
  if ((count == 0) == (list == nullptr)) return;
  Refuse(CL_INVALID_VALUE, fmt::format("the list of {} and its length do not go together", what));
}

// Throws where the config names what must not be updated.
void CheckUpdatable(const MutableCommand& command, const MutableDispatchConfig& config) {
  CheckList(config.num_arguments, config.arguments, "arguments");
  CheckList(config.num_svm_arguments, config.svm_arguments, "SVM arguments");
  CheckList(config.num_exec_infos, config.exec_infos, "execution infos");
  RefuseIf(config.dimensions != 0 && config.dimensions != command.dimensions, CL_INVALID_OPERATION,
           "work_dim is not that of the recorded command");
  const auto check = [&command](bool updates, cl_bitfield field, const char* name) {
    if (!updates || (command.fields & field) != 0) return;
    Refuse(CL_INVALID_OPERATION, fmt::format("the command was recorded without {}", name));
  };
  check(config.global_offset != nullptr, kMutableGlobalOffset,
        "CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR");
  check(config.global_size != nullptr, kMutableGlobalSize, "CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR");
  check(config.local_size != nullptr, kMutableLocalSize, "CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR");
  check(config.num_arguments != 0 || config.num_svm_arguments != 0, kMutableArguments,
        "CL_MUTABLE_DISPATCH_ARGUMENTS_KHR");
  check(config.num_exec_infos != 0, kMutableExecInfo, "CL_MUTABLE_DISPATCH_EXEC_INFO_KHR");
}

void Update(Call* call, const MutableCommand& command, const MutableDispatchConfig& config,
            MutableState* state) {
  const Kernel& kernel = *command.kernel;
  for (cl_uint i = 0; i < config.num_arguments; ++i) {
    const MutableDispatchArgument& given = config.arguments[i];
    CheckIndex(kernel, given.index);
    state->kernel.arguments[given.index] =
        ReadArgument(call, kernel, given.index, given.size, given.value);
  }
  for (cl_uint i = 0; i < config.num_svm_arguments; ++i) {
    const MutableDispatchArgument& given = config.svm_arguments[i];
    state->kernel.arguments[given.index] = ReadSvmArgument(kernel, given.index, given.value);
  }
  for (cl_uint i = 0; i < config.num_exec_infos; ++i) {
    const MutableDispatchExecInfo& given = config.exec_infos[i];
    SetExecInfo(&state->kernel, given.name, given.size, given.value);
  }
  const bool was_uniform = IsUniform(*state, command.dimensions);
  for (cl_uint d = 0; d < command.dimensions; ++d) {
    if (config.global_offset != nullptr) state->offset[d] = config.global_offset[d];
    if (config.global_size != nullptr) state->global[d] = config.global_size[d];
    if (config.local_size == nullptr) continue;
    RefuseIf(config.local_size[d] == 0, CL_INVALID_WORK_GROUP_SIZE,
             "an element of local_work_size is 0");
    state->local[d] = config.local_size[d];
  }
  RefuseIf(IsUniform(*state, command.dimensions) != was_uniform, CL_INVALID_OPERATION,
           "whether work-groups have one size would change");
}

void TellGrowth(const char* call, const MutableCommand& command, const MutableState& state) {
  if (!command.most_groups) return;
  const std::uint64_t groups = CountGroups(state, command.dimensions);
  if (groups <= *command.most_groups) return;
  TellMisuse(call, interp::Rule::kHostCommandBufferGrows,
             fmt::format("kernel '{}' gets {} work-groups; it was recorded with {}, and with the "
                         "promise that there will not be more",
                         command.kernel->name, groups, *command.most_groups));
}

MutableCommand& FindCommand(Call* call, const CommandBuffer& buffer, const void* handle) {
  auto& command = call->Find<MutableCommand>(handle);
  if (command.buffer != &buffer) {
    Refuse(CL_INVALID_MUTABLE_COMMAND_KHR, fmt::format("{} is of {}, not of {}", command.Name(),
                                                       command.buffer->Name(), buffer.Name()));
  }
  return command;
}

cl_int CL_API_CALL clUpdateMutableCommandsKHR(cl_command_buffer_khr handle, cl_uint num_configs,
                                              const cl_uint* types, const void** configs) {
  const ObjectChange change(handle);
  return Enter("clUpdateMutableCommandsKHR", [&](Call& call) {
    auto& buffer = call.Find<CommandBuffer>(handle);
    TellConcurrentChange(call.name(), change, buffer);
    RefuseIf(!buffer.is_final, CL_INVALID_OPERATION, "the command buffer is not finalized");
    RefuseIf((buffer.flags & kCommandBufferFlagMutable) == 0, CL_INVALID_OPERATION,
             "the command buffer was created without CL_COMMAND_BUFFER_MUTABLE_KHR");
    CheckList(num_configs, types, "config_types");
    CheckList(num_configs, configs, "configs");
    // All of them, or none.
    std::map<MutableCommand*, MutableState> states;
    for (cl_uint i = 0; i < num_configs; ++i) {
      RefuseIf(types[i] != kStructureMutableDispatchConfig, CL_INVALID_VALUE,
               "an element of config_types is none of the API's");
      RefuseIf(configs[i] == nullptr, CL_INVALID_VALUE, "an element of configs is null");
      const auto& config = *static_cast<const MutableDispatchConfig*>(configs[i]);
      MutableCommand& command = FindCommand(&call, buffer, config.command);
      CheckUpdatable(command, config);
      Update(&call, command, config, &states.emplace(&command, command.state).first->second);
    }
    std::map<MutableCommand*, RecordedCommand> updated;
    for (auto& [command, state] : states) {
      const WithState with(command->kernel.get(), &state.kernel);
      RecordedCommand& recorded = updated[command];
      recorded.submission = std::make_shared<const Submission>(MakeCommand(
          &buffer, command->kernel.get(), command->dimensions, state, /*needs_arguments=*/false));
      recorded.is_complete = HasArguments(*command->kernel);
      recorded.handle = command;
    }
    for (auto& [command, state] : states) {
      TellGrowth(call.name(), *command, state);
      command->state = std::move(state);
      buffer.commands[command->place] = std::move(updated[command]);
    }
  });
}

cl_int CL_API_CALL clGetMutableCommandInfoKHR(const void* handle, cl_uint name, size_t size,
                                              void* value, size_t* size_ret) {
  return Enter("clGetMutableCommandInfoKHR", [&](Call& call) {
    const auto& command = call.Find<MutableCommand>(handle);
    const Info info(size, value, size_ret);
    const auto put = [&](const std::array<std::size_t, 3>& sizes) {
      info.PutAll(std::span(sizes.data(), command.dimensions));
    };
    switch (name) {
      case kMutableCommandQueue:
        return info.Put(ToApi<cl_command_queue>(command.buffer->queue.get()));
      case kMutableCommandBuffer:
        return info.Put(ToApi<cl_command_buffer_khr>(command.buffer));
      case kMutableCommandType:
        return info.Put<cl_command_type>(CL_COMMAND_NDRANGE_KERNEL);
      case kMutableCommandProperties:
        return info.PutAll<cl_properties>(command.properties);
      case kMutableDispatchKernel:
        return info.Put(ToApi<cl_kernel>(command.kernel.get()));
      case kMutableDispatchDimensions:
        return info.Put<cl_uint>(command.dimensions);
      case kMutableDispatchGlobalOffset:
        return put(command.state.offset);
      case kMutableDispatchGlobalSize:
        return put(command.state.global);
      case kMutableDispatchLocalSize:
        return put(command.state.local);
      default:
        Info::Unknown();
    }
  });
}

}  // namespace

void AddMutableDispatch(Entries* entries) {
  ASSAY_EXTENSION_ENTRY(clCommandNDRangeKernelKHR);
  ASSAY_EXTENSION_ENTRY(clUpdateMutableCommandsKHR);
  ASSAY_EXTENSION_ENTRY(clGetMutableCommandInfoKHR);
}

}  // namespace assay::driver::api
