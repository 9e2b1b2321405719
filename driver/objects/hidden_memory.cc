#include "driver/objects/hidden_memory.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/core/call.h"
#include "driver/core/driver.h"
#include "driver/report/frames.h"

namespace assay::driver {
namespace {

// What one access was; made by the handler.
struct Access {
  std::size_t slot = 0;
  std::uint64_t offset = 0;
  bool is_known = false;  // whether it writes
  bool writes = false;
  bool is_of_driver = false;
  CallStack stack = {};
  Access* next = nullptr;
};

// What the handler reads is of atomics: ranges of addresses, by slot.
struct Slot {
  std::atomic<std::uintptr_t> begin = 0;  // 0: free
  std::atomic<std::uint64_t> size = 0;
};
constexpr std::size_t kSlots = 16384;
std::array<Slot, kSlots>& Slots() {
  static std::array<Slot, kSlots> slots;
  return slots;
}
std::atomic<std::size_t> used_slots = 0;
std::atomic<Access*> accesses = nullptr;
std::array<HiddenMemory*, kSlots>& Owners() {  // guarded by the driver's lock
  static std::array<HiddenMemory*, kSlots> owners = {};
  return owners;
}
struct sigaction before = {};  // the application's

// Intel's MKL computes on the host where the device is a CPU, and takes for granted that its memory
// is the host's.  No application can do anything about that.  An access that the C library makes,
// such as memcpy's, is that of its caller.
bool IsOfMkl(const std::vector<HostFrame>& frames) {
  for (const HostFrame& frame : frames) {
    const std::string_view path = frame.module;
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (!name.starts_with("libc.so") && !name.starts_with("libc-2")) {
      return name.starts_with("libmkl_");
    }
  }
  return false;
}

// The calls from the access on: the handler's own frames are left out.  The address of an access is
// no return address, of which FramesOf subtracts 1.
CallStack StackFrom(std::uintptr_t place) {
  CallStack stack = CaptureStack();
  for (int i = 0; i < stack.count; ++i) {
    if (reinterpret_cast<std::uintptr_t>(stack.addresses[i]) != place) continue;
    std::copy(stack.addresses.begin() + i, stack.addresses.begin() + stack.count,
              stack.addresses.begin());
    stack.count -= i;
    stack.addresses[0] = reinterpret_cast<void*>(place + 1);
    break;
  }
  return stack;
}

// The application's thread made the access itself, so that it is in no function that the handler
// needs: allocating memory here is safe where the access is none of the allocator's.
bool Handle(std::uintptr_t address, const ucontext_t& context) {
  for (std::size_t i = 0; i < used_slots; ++i) {
    const std::uintptr_t begin = Slots()[i].begin;
    const std::uint64_t size = Slots()[i].size;
    if (begin == 0 || address - begin >= size) continue;
    mprotect(reinterpret_cast<void*>(begin), size, PROT_READ | PROT_WRITE);
    auto* access = new Access{.slot = i, .offset = address - begin};
    access->is_of_driver = Driver::IsInCall();
#ifdef __x86_64__
    access->is_known = true;
    access->writes = (context.uc_mcontext.gregs[REG_ERR] & 2) != 0;
    if (!access->is_of_driver) {
      access->stack = StackFrom(static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]));
    }
#else
    (void)context;
    if (!access->is_of_driver) access->stack = StackFrom(0);
#endif
    access->next = accesses;
    while (!accesses.compare_exchange_weak(access->next, access)) {
    }
    Driver::Get().has_postponed = true;
    return true;
  }
  return false;
}

void OnFault(int number, siginfo_t* info, void* context) {
  if (Handle(reinterpret_cast<std::uintptr_t>(info->si_addr),
             *static_cast<const ucontext_t*>(context))) {
    return;
  }
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(number, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    return before.sa_handler(number);
  }
  sigaction(number, &before, nullptr);  // the access is made again, and ends the process
}

}  // namespace

// Tells of accesses.  With the driver's lock held.
struct HiddenAccesses {
  static void Tell() {
    for (Access* access = accesses.exchange(nullptr); access != nullptr;) {
      const std::unique_ptr<Access> owned(access);
      access = owned->next;
      HiddenMemory* memory = Owners()[owned->slot];
      if (memory == nullptr) continue;  // freed by a call that was made meanwhile
      if (memory->on_access) std::exchange(memory->on_access, nullptr)();
      if (owned->is_of_driver || IsOfMkl(FramesOf(owned->stack))) continue;
      TellMisuse("an access of the host", interp::Rule::kHostDeviceMemory,
                 fmt::format("it {} byte {} of {}, which only the device may access",
                             !owned->is_known ? "accesses"
                             : owned->writes  ? "writes"
                                              : "reads",
                             owned->offset, memory->name_),
                 {}, &owned->stack);
    }
  }
  // Once.
  static void Watch() {
    (void)CaptureStack();  // what it needs is loaded before a handler needs it
    Driver::Get().tell_postponed = Tell;
    struct sigaction ours = {};
    ours.sa_sigaction = OnFault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, nullptr, &before);
    sigaction(SIGSEGV, &ours, nullptr);
  }
};

std::unique_ptr<HiddenMemory> HiddenMemory::Make(std::uintptr_t address, std::uint64_t size,
                                                 std::string name) {
  std::size_t slot = 0;
  while (slot < kSlots && Slots()[slot].begin != 0) ++slot;
  if (slot == kSlots) return nullptr;
  const int file = memfd_create("assay device memory", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  void* bytes = MAP_FAILED;
  void* hidden = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(size)) == 0) {
    bytes = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    hidden = mmap(reinterpret_cast<void*>(address), size, PROT_NONE,
                  MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
  }
  close(file);
  if (hidden != MAP_FAILED && hidden != reinterpret_cast<void*>(address)) {
    munmap(hidden, size);  // an old kernel takes the address as a wish
    hidden = MAP_FAILED;
  }
  if (bytes == MAP_FAILED || hidden == MAP_FAILED) {
    if (bytes != MAP_FAILED) munmap(bytes, size);
    if (hidden != MAP_FAILED) munmap(hidden, size);
    return nullptr;
  }
  static std::once_flag watched;
  std::call_once(watched, HiddenAccesses::Watch);
  std::unique_ptr<HiddenMemory> memory(new HiddenMemory);
  memory->address_ = address;
  memory->size_ = size;
  memory->name_ = std::move(name);
  memory->bytes_ = static_cast<std::byte*>(bytes);
  memory->slot_ = slot;
  Owners()[slot] = memory.get();
  Slots()[slot].size = size;
  Slots()[slot].begin = address;
  if (used_slots <= slot) used_slots = slot + 1;
  return memory;
}

HiddenMemory::~HiddenMemory() {
  Owners()[slot_] = nullptr;
  Slots()[slot_].begin = 0;
  munmap(reinterpret_cast<void*>(address_), size_);
  munmap(bytes_, size_);
}

}  // namespace assay::driver
