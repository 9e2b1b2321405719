// A C math library as a device: sinf, sin, sinf16, ... called for every item.  A built-in without a
// counterpart in C (library_names.h) is unsupported here.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numerics/near_names.h"
#include "oracle/devices/call_environment.h"
#include "oracle/devices/device.h"
#include "oracle/devices/identity.h"
#include "oracle/devices/library_names.h"

namespace assay::oracle {
namespace {

using numerics::ConstColumn;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::OperationKind;
using numerics::Rounding;

// The state that a function may have changed is looked at after so many calls; a function that did
// is called again for these, and looked after at every call.
constexpr std::size_t kBlock = 1024;

template <typename T>
struct Calls {
  const void* const* in;
  void* const* out;
  std::size_t count;
  CallEnvironment* environment;

  const T* X() const { return static_cast<const T*>(in[0]); }
  const T* Y() const { return static_cast<const T*>(in[1]); }
  const std::int32_t* N() const { return static_cast<const std::int32_t*>(in[1]); }
  T* R() const { return static_cast<T*>(out[0]); }

  // A function that starts processes on the first call may do so on each: each is looked after.
  template <typename Body>
  void Each(Body body) const {
    const std::size_t first = std::min<std::size_t>(count, 1);
    Carefully(body, 0, first);
    const bool careful = environment->HasNewChildren();
    for (std::size_t begin = first; begin < count; begin += kBlock) {
      const std::size_t end = std::min(begin + kBlock, count);
      if (!careful) {
        for (std::size_t i = begin; i < end; ++i) body(i);
        if (environment->IsCopy()) _exit(0);
        if (!environment->ProcessorChanged()) continue;
        environment->RestoreProcessor();
      }
      Carefully(body, begin, end);
    }
    if (environment->HasNewChildren() || careful) environment->Note("starts processes");
    environment->EndNewChildren();
  }

 private:
  template <typename Body>
  void Carefully(Body body, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      body(i);
      if (environment->IsCopy()) _exit(0);
      if (environment->ProcessorChanged()) environment->RestoreProcessor();
    }
  }
};

// Calls `symbol` for every item.
template <typename T>
void CallAll(void* symbol, Prototype prototype, const Calls<T>& c) {
  const T* x = c.X();
  T* r = c.R();
  auto as = [symbol]<typename F>(F*) { return reinterpret_cast<F*>(symbol); };
  switch (prototype) {
    case Prototype::kF_F: {
      auto f = as(static_cast<T (*)(T)>(nullptr));
      return c.Each([=](std::size_t i) { r[i] = f(x[i]); });
    }
    case Prototype::kFF_F: {
      auto f = as(static_cast<T (*)(T, T)>(nullptr));
      return c.Each([=, y = c.Y()](std::size_t i) { r[i] = f(x[i], y[i]); });
    }
    case Prototype::kFFF_F: {
      auto f = as(static_cast<T (*)(T, T, T)>(nullptr));
      const T* z = static_cast<const T*>(c.in[2]);
      return c.Each([=, y = c.Y()](std::size_t i) { r[i] = f(x[i], y[i], z[i]); });
    }
    case Prototype::kF_I: {
      auto f = as(static_cast<int (*)(T)>(nullptr));
      auto* n = static_cast<std::int32_t*>(c.out[0]);
      return c.Each([=](std::size_t i) { n[i] = f(x[i]); });
    }
    case Prototype::kFI_F: {
      auto f = as(static_cast<T (*)(T, int)>(nullptr));
      return c.Each([=, n = c.N()](std::size_t i) { r[i] = f(x[i], n[i]); });
    }
    case Prototype::kFL_F: {
      auto f = as(static_cast<T (*)(T, long long)>(nullptr));
      return c.Each([=, n = c.N()](std::size_t i) { r[i] = f(x[i], n[i]); });
    }
    case Prototype::kF_FI: {
      auto f = as(static_cast<T (*)(T, int*)>(nullptr));
      auto* n = static_cast<std::int32_t*>(c.out[1]);
      return c.Each([=](std::size_t i) { r[i] = f(x[i], &n[i]); });
    }
    case Prototype::kF_FF: {
      auto f = as(static_cast<T (*)(T, T*)>(nullptr));
      T* s = static_cast<T*>(c.out[1]);
      return c.Each([=](std::size_t i) { r[i] = f(x[i], &s[i]); });
    }
    case Prototype::kSincos: {
      auto f = as(static_cast<void (*)(T, T*, T*)>(nullptr));
      T* s = static_cast<T*>(c.out[1]);
      return c.Each([=](std::size_t i) { f(x[i], &r[i], &s[i]); });
    }
    case Prototype::kFF_FI: {
      auto f = as(static_cast<T (*)(T, T, int*)>(nullptr));
      auto* n = static_cast<std::int32_t*>(c.out[1]);
      return c.Each([=, y = c.Y()](std::size_t i) { r[i] = f(x[i], y[i], &n[i]); });
    }
  }
}

// Sets the host's rounding mode and puts it back.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding) : before_(std::fegetround()) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    std::fesetround(kModes[static_cast<int>(rounding)]);
  }
  ~RoundingScope() { std::fesetround(before_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int before_;
};

class LibraryDevice : public Device {
 public:
  // `handle` stays open: code of the library may run at exit.
  LibraryDevice(void* handle, std::string path, Rounding rounding, SymbolNames names)
      : handle_(handle), rounding_(rounding), names_(std::move(names)) {
    description_.kind = "library";
    description_.widths = {1};
    description_.name = std::move(path);
    for (Rounding& mode : description_.rounding) mode = rounding;
    for (Format format : {Format::kHalf, Format::kFloat, Format::kDouble}) {
      bool any = false;
      for (const LibraryFunction& row : LibraryFunctions()) {
        const void* symbol = Lookup(names_.Of(row, format));
        any = any || symbol != nullptr;
        if (symbol != nullptr && description_.identity.empty()) {
          description_.identity = IdentityOfLibrary(symbol);
        }
      }
      description_.supports[static_cast<int>(format)] = any;
    }
    if (const std::string text = names_.Text(); text != SymbolNames().Text()) {
      description_.identity.push_back({"names of functions", text});
    }
  }

  // The first of the user's names that the library does not export; "" where it exports all.
  std::string MissingSymbol() const {
    for (const SymbolNames::Symbol& symbol : names_.symbols) {
      if (Lookup(symbol.name) == nullptr) return symbol.name;
    }
    return "";
  }

  bool HasAny() const {
    return description_.supports[0] || description_.supports[2] || description_.supports[3];
  }
  const DeviceDescription& Description() const override { return description_; }
  Expected<void> Prepare(const TaskSpec& task) override;
  Expected<void> Run(int width, std::span<const ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override;
  std::vector<std::string> TakeNotes() override { return std::exchange(notes_, {}); }
  void AddNote(const std::string& note) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  }

 private:
  void* Lookup(const std::string& symbol) const;

  void* handle_;
  Rounding rounding_;
  SymbolNames names_;
  DeviceDescription description_;
  const LibraryFunction* row_ = nullptr;
  void* symbol_ = nullptr;
  Format format_ = Format::kFloat;
  std::vector<std::string> notes_;
};

// A symbol of this library: dlsym also finds those of the libraries that it needs.
void* LibraryDevice::Lookup(const std::string& symbol) const {
  void* address = dlsym(handle_, symbol.c_str());
  link_map* own = nullptr;
  link_map* found = nullptr;
  Dl_info info;
  if (address == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &own) != 0) return nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&found), RTLD_DL_LINKMAP) == 0) {
    return nullptr;
  }
  return own == found ? address : nullptr;
}

Expected<void> LibraryDevice::Prepare(const TaskSpec& task) {
  row_ = nullptr;
  const Operation& operation = task.operation;
  auto unsupported = [&](const std::string& why) {
    return Fail(ErrorKind::kUnsupported, fmt::format("{}: {}", description_.name, why));
  };
  const LibraryFunction* row =
      operation.kind == OperationKind::kBuiltin ? FindLibraryFunction(operation.function) : nullptr;
  if (row == nullptr) {
    return unsupported(fmt::format("{} has no counterpart in a C math library", operation.Name()));
  }
  if (task.math == MathMode::kRelaxed) return unsupported("a C library has no relaxed math");
  if (operation.format == Format::kBfloat16) return unsupported("bfloat16 is not called");
  const std::string name = names_.Of(*row, operation.format);
  void* symbol = Lookup(name);
  if (symbol == nullptr) return unsupported(fmt::format("no symbol {}", name));
  row_ = row;
  symbol_ = symbol;
  format_ = operation.format;
  return {};
}

Expected<void> LibraryDevice::Run(int, std::span<const ConstColumn> inputs,
                                  std::span<const Column> outputs, std::size_t count) {
  if (row_ == nullptr) return Fail(ErrorKind::kInternal, "Run without a successful Prepare");
  std::array<const void*, 3> in{};
  std::array<void*, 2> out{};
  for (std::size_t k = 0; k < inputs.size(); ++k) in.at(k) = inputs[k].data;
  for (std::size_t k = 0; k < outputs.size(); ++k) out.at(k) = outputs[k].data;
  const RoundingScope scope(rounding_);
  const NoCopies no_copies;
  const int forks = NoCopies::Forks();
  CallEnvironment environment;
  switch (format_) {
    case Format::kHalf:
      CallAll<_Float16>(symbol_, row_->prototype, {in.data(), out.data(), count, &environment});
      break;
    case Format::kDouble:
      CallAll<double>(symbol_, row_->prototype, {in.data(), out.data(), count, &environment});
      break;
    case Format::kBfloat16:
    case Format::kFloat:
      CallAll<float>(symbol_, row_->prototype, {in.data(), out.data(), count, &environment});
  }
  environment.RestoreProcess();
  if (NoCopies::Forks() != forks) environment.Note("starts processes");
  for (const std::string& note : environment.TakeNotes()) AddNote(note);
  return {};
}

}  // namespace

Expected<std::unique_ptr<Device>> OpenLibrary(const std::string& path, Rounding rounding,
                                              const SymbolNames& names) {
  // dlopen looks a bare name up in the system's folders only; a file of that name in the current
  // folder is what a user who typed it means, unless the system has one.
  // What its constructors change is no mode that a caller has asked for: libraries that were linked
  // with -ffast-math set flush-to-zero there.
  CallEnvironment environment;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::string why = handle == nullptr ? dlerror() : "";
  if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
  std::error_code ignored;
  if (handle == nullptr && path.find('/') == std::string::npos &&
      std::filesystem::exists(path, ignored)) {
    handle = dlopen(fmt::format("./{}", path).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--library {}: not a shared library that can be loaded ({}); give the "
                            "path of an ELF shared object, such as libm.so.6",
                            path, why));
  }
  environment.RestoreProcess();
  auto device = std::make_unique<LibraryDevice>(handle, path, rounding, names);
  for (const std::string& note : environment.TakeNotes()) {
    device->AddNote(fmt::format("the library {} when it is loaded", note));
  }
  if (const std::string missing = device->MissingSymbol(); !missing.empty()) {
    const std::string near = numerics::DidYouMean(missing, ExportedFunctions(handle));
    return Fail(ErrorKind::kUsage,
                fmt::format("--library {}: exports no {}; {}`nm -D {}` lists what it exports", path,
                            missing, near, path));
  }
  if (!device->HasAny()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--library {}: {}", path, NoKnownFunction(ExportedFunctions(handle))));
  }
  return device;
}

}  // namespace assay::oracle
