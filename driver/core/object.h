// Objects of the API and their handles.
//
// All of this is guarded by the driver's lock (driver/core/driver.h).
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace assay::driver {

enum class Kind : std::uint8_t {
  kPlatform,
  kDevice,
  kContext,
  kQueue,
  kMemory,
  kSampler,
  kProgram,
  kKernel,
  kEvent,
  kCommandBuffer,
  kSemaphore,
  kMutableCommand,
};
// "context", "command queue", ...; the code of a call that is given none where one is due.
std::string_view KindName(Kind kind);
cl_int InvalidCode(Kind kind);

class Object;
struct CallStack;

// What an application holds: cl_context and its like point to one.  Handles outlive their objects,
// so that a handle that was released can be told from one that never was.
struct Handle {
  const void* dispatch = nullptr;  // cl_khr_icd: the first word of every object
  void* loader_data = nullptr;     // cl_khr_icd 2.0: the second
  Object* object = nullptr;        // null after the end of the object
  std::uint64_t number = 0;        // the object's
  Kind kind = Kind::kPlatform;
};

class Handles {
 public:
  Handle* Make(Kind kind, Object* object);
  // The handle rests until kResting others have ended, and is then used again.
  void End(Handle* handle);
  // Null for a pointer that is no handle.
  Handle* Find(const void* pointer) const;

  // visit(object) for each that lives, in no order.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const std::uintptr_t chunk : chunks_) {
      auto* begin = reinterpret_cast<Chunk*>(chunk);
      const std::size_t count = begin == newest_ ? used_ : std::size(begin->handles);
      for (std::size_t i = 0; i < count; ++i) {
        if (begin->handles[i].object != nullptr) visit(*begin->handles[i].object);
      }
    }
  }

  // The same for those of a kind, which is not kEvent.  Of events there are as many as commands,
  // and of resting handles many more than objects: nothing that is done for each command looks at
  // all.
  template <typename Visit>
  void ForEachOf(Kind kind, Visit&& visit) const {
    for (Object* object : living_[static_cast<int>(kind)]) visit(*object);
  }

  static constexpr std::size_t kResting = 65536;

 private:
  static constexpr std::size_t kChunkBytes = 65536;  // and their alignment
  struct Chunk {
    Handle handles[kChunkBytes / sizeof(Handle)];
  };
  std::unordered_set<std::uintptr_t> chunks_;
  Chunk* newest_ = nullptr;
  std::size_t used_ = 0;  // of the newest
  std::deque<Handle*> resting_;
  std::uint64_t numbers_[16] = {};  // given, by kind
  std::unordered_set<Object*> living_[16];
};

// An object ends when neither the application nor the driver has a reference left.
class Object {
 public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  Kind kind() const { return handle_->kind; }
  Handle* handle() const { return handle_; }
  // "buffer 3": by creation, in each process.
  std::string Name() const;
  std::uint32_t references() const { return references_; }
  // The calls that created it; null where nobody asks, and of events.
  const CallStack* created() const { return created_.get(); }

  void Retain() { ++references_; }
  void Release() {
    if (--references_ == 0) OnLastRelease();
    EndIfUnused();
  }
  // The driver's own references (Ref).
  void Use() { ++uses_; }
  void Unuse() {
    --uses_;
    EndIfUnused();
  }
  // An object that the application did not create: it has no reference to it yet.
  void ForgetReference() { references_ = 0; }

 protected:
  explicit Object(Kind kind);
  virtual ~Object();
  virtual void OnLastRelease() {}
  virtual std::string_view Noun() const { return KindName(kind()); }

 private:
  void EndIfUnused() {
    if (references_ == 0 && uses_ == 0) delete this;
  }

  Handle* handle_;
  std::unique_ptr<const CallStack> created_;
  std::uint32_t references_ = 1;
  std::uint32_t uses_ = 0;
};

// A reference of the driver itself.  T need not be complete where one is only kept or ended.
template <typename T>
class Ref {
 public:
  Ref() = default;
  Ref(T* object) : object_(object) { UseIt(); }  // NOLINT: a Ref is a pointer
  Ref(const Ref& other) : object_(other.object_) { UseIt(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U>
  Ref(const Ref<U>& other) : Ref(other.get()) {}  // NOLINT
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->Unuse();
  }
  T* get() const { return static_cast<T*>(object_); }
  T* operator->() const { return get(); }
  T& operator*() const { return *get(); }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref& other) const { return object_ == other.object_; }

 private:
  void UseIt() {
    if (object_ != nullptr) object_->Use();
  }
  Object* object_ = nullptr;
};

// Names an object without keeping it: arguments of kernels do not (OpenCL API, 2.1 "Reference
// counting": a kernel holds no references to its arguments).
template <typename T>
class Weak {
 public:
  Weak() = default;  // null, as the application gave it
  explicit Weak(const T* object)
      : handle_(object == nullptr ? nullptr : object->handle()),
        number_(object == nullptr ? 0 : object->handle()->number) {}
  bool IsNull() const { return handle_ == nullptr; }
  // Null where the object has ended.
  T* get() const {
    const bool lives = handle_ != nullptr && handle_->object != nullptr &&
                       handle_->kind == T::kKind && handle_->number == number_;
    return lives ? static_cast<T*>(handle_->object) : nullptr;
  }
  std::uint64_t number() const { return number_; }

 private:
  const Handle* handle_ = nullptr;
  std::uint64_t number_ = 0;
};

// The handle as the API's type: ToApi<cl_context>(object).
template <typename ApiType>
ApiType ToApi(const Object* object) {
  return object == nullptr ? nullptr : reinterpret_cast<ApiType>(object->handle());
}

}  // namespace assay::driver
