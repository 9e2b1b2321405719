#include "driver/objects/storage.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "driver/core/driver.h"
#include "driver/core/error.h"
#include "driver/core/settings.h"
#include "driver/objects/scheduler.h"

namespace assay::driver {

namespace {

// Buffers begin at a multiple of the alignment that the device declares
// (CL_DEVICE_MEM_BASE_ADDR_ALIGN), and end at one, so that the host may map whole lines.
constexpr std::size_t kAlignment = 4096;

std::uint64_t RoundUp(std::uint64_t size, std::uint64_t to) { return (size + to - 1) / to * to; }

// Null where something else is there.
std::byte* MapAt(std::uint64_t address, std::uint64_t room) {
  void* bytes = mmap(reinterpret_cast<void*>(address), room, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (bytes == MAP_FAILED) return nullptr;
  if (bytes == reinterpret_cast<void*>(address)) return static_cast<std::byte*>(bytes);
  munmap(bytes, room);  // an old kernel takes the address as a wish
  return nullptr;
}

}  // namespace

void FillBytes(std::span<std::byte> to, std::span<const std::byte> pattern) {
  // What is filled is copied behind itself, in pieces that stay in a cache.
  constexpr std::size_t kPiece = std::size_t{1} << 14;
  std::size_t filled = std::min(to.size(), pattern.size());
  std::memcpy(to.data(), pattern.data(), filled);
  while (filled < to.size()) {
    const std::size_t size = std::min({filled, to.size() - filled, kPiece});
    std::memcpy(to.data() + filled, to.data(), size);
    filled += size;
  }
}

Storage::Storage(Context* context, std::uint64_t size, std::string name)
    : memory_(context->memory), size_(size), name_(std::move(name)), is_owned_(true) {
  const std::uint64_t room = RoundUp(std::max<std::uint64_t>(size, 1), kAlignment);
  // Pages that nobody touches cost nothing.
  void* bytes = mmap(nullptr, room, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bytes == MAP_FAILED) {
    Refuse(CL_MEM_OBJECT_ALLOCATION_FAILURE,
           fmt::format("the machine has no {} bytes of memory", size));
  }
  bytes_ = static_cast<std::byte*>(bytes);
  registry_ = context->owned;
  registry_->emplace(bytes_, this);
}

Storage::Storage(Context* context, std::span<std::byte> of_host, std::string name)
    : memory_(context->memory),
      bytes_(of_host.data()),
      size_(of_host.size()),
      name_(std::move(name)) {}

std::shared_ptr<Storage> Storage::MakeShared(Context* context, std::uint64_t size,
                                             std::uint64_t alignment, std::string name,
                                             bool is_hidden) {
  constexpr interp::AddressLayout kLayout = interp::kLayoutShared;
  // Places of the process's address space, which no two contexts share.
  static std::uint64_t next_place = 0;
  constexpr std::uint64_t kFirst = kLayout.given_begin;
  constexpr std::uint64_t kLast = kLayout.given_end;
  const std::uint64_t room = RoundUp(std::max<std::uint64_t>(size, 1), kAlignment);
  const std::uint64_t places = ((kLayout.begin + room) >> kLayout.place_bits) + 1;
  alignment = std::max<std::uint64_t>(alignment, 1);
  if (places >= kLast - kFirst) return nullptr;
  for (std::uint64_t tried = 0; tried < kLast - kFirst; ++tried) {
    const std::uint64_t place = kFirst + next_place;
    next_place = (next_place + places) % (kLast - kFirst - places);
    // Not page after page, so that an access that needs more alignment than was asked for fails.
    const std::uint64_t address = RoundUp((place << kLayout.place_bits) + kLayout.begin,
                                          std::max<std::uint64_t>(alignment, kAlignment));
    std::shared_ptr<HiddenMemory> hidden;
    if (is_hidden) hidden = HiddenMemory::Make(address, room, name);
    std::byte* bytes = hidden == nullptr ? MapAt(address, room) : hidden->bytes();
    if (bytes == nullptr) continue;
    std::shared_ptr<Storage> storage(new Storage);
    storage->memory_ = context->memory;
    storage->bytes_ = bytes;
    storage->shared_ = reinterpret_cast<std::byte*>(address);
    storage->hidden_ = std::move(hidden);
    storage->size_ = size;
    storage->name_ = std::move(name);
    if (storage->hidden_ != nullptr) {
      // What the host has written is not known, and later writes are not seen.
      storage->hidden_->on_access = [of = std::weak_ptr(storage)] {
        if (const auto locked = of.lock()) locked->LetHostWrite();
      };
    }
    return storage;
  }
  return nullptr;
}

Storage::~Storage() {
  if (registry_ != nullptr) registry_->erase(bytes_);
  // A kernel that runs may still reach the bytes by an address that it should not have.
  const std::uint64_t room = RoundUp(std::max<std::uint64_t>(size_, 1), kAlignment);
  std::byte* mapped = (IsShared() && hidden_ == nullptr) || is_owned_ ? bytes_ : nullptr;
  const auto end = [memory = memory_, address = address_, mapped, room, hidden = hidden_,
                    shadow = std::shared_ptr<interp::RegionShadow>(std::move(shadow_))] {
    if (const auto locked = memory.lock(); locked && address != 0) (void)locked->Release(address);
    std::free(shadow->undefined.exchange(nullptr));
    if (mapped != nullptr) munmap(mapped, room);
  };
  Driver::Get().scheduler->WhenIdle(end);
}

interp::Address Storage::AddressFor(interp::Memory* memory) {
  if (host_writes_) {
    Define(0, size_);
  } else if (WatchesDefinedness()) {
    WriteUndefined();
  }
  if (address_ != 0) return address_;
  const auto at = reinterpret_cast<interp::Address>(shared_);
  auto address = memory->Lend({bytes_, size_}, shadow_.get(), at, name_);
  if (!address) Refuse(CL_OUT_OF_RESOURCES, address.error().message);
  address_ = *address;
  return address_;
}

void Storage::MakeUndefined() { is_undefined_ = true; }

void Storage::WriteUndefined() {
  if (!is_undefined_) return;
  is_undefined_ = false;
  std::byte* undefined = shadow_->undefined;
  if (undefined == nullptr)
    undefined = static_cast<std::byte*>(std::malloc(std::max<std::uint64_t>(size_, 1)));
  if (undefined == nullptr) return;  // less is found
  std::memset(undefined, 0xff, size_);
  shadow_->undefined = undefined;
}

std::optional<std::span<const std::byte>> Storage::Undefined(std::uint64_t offset,
                                                             std::uint64_t size) const {
  if (host_writes_) return std::span<const std::byte>();
  if (is_undefined_) return std::nullopt;
  const std::byte* undefined = shadow_->undefined;
  if (undefined == nullptr) return std::span<const std::byte>();
  return std::span(undefined + offset, size);
}

void Storage::Define(std::uint64_t offset, std::uint64_t size) {
  if (size == size_) is_undefined_ = false;
  WriteUndefined();
  std::byte* undefined = shadow_->undefined;
  if (undefined != nullptr) std::memset(undefined + offset, 0, size);
}

void Storage::CopyUndefined(std::uint64_t offset, const Storage& from, std::uint64_t from_offset,
                            std::uint64_t size) {
  if (host_writes_) return;
  if (from.host_writes_ || (!from.is_undefined_ && from.shadow_->undefined == nullptr)) {
    Define(offset, size);
    return;
  }
  WriteUndefined();
  if (shadow_->undefined == nullptr) {
    auto* fresh = static_cast<std::byte*>(std::calloc(std::max<std::uint64_t>(size_, 1), 1));
    if (fresh == nullptr) return;
    shadow_->undefined = fresh;
  }
  if (from.is_undefined_) {
    std::memset(shadow_->undefined + offset, 0xff, size);
  } else {
    std::memmove(shadow_->undefined + offset, from.shadow_->undefined + from_offset, size);
  }
}

}  // namespace assay::driver
