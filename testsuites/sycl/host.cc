// Compiles a file of kernels with libsycl-jit and runs one of them, or a host side of host_sides.h.
//
// usage: host FILE FOLDER SIDE|- [OPTION OF THE COMPILER]... -- KERNEL GLOBAL LOCAL ARGUMENT...
//
// FOLDER is where device.h lies; GLOBAL and LOCAL are 64 or 8x8 or 4x4x4 (LOCAL 0: a single task).
// An ARGUMENT is KIND:TYPE:EXTENT:VALUE,VALUE,...  Kinds: value, device, shared, host (USM),
// buffer, read-buffer, write-buffer (accessors), local (without values).  Prints arrays when the
// kernel has ended.
#include "host.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace {

using host::Program;

std::vector<std::string> Split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(part);
  return parts;
}

// 8x4 as {8, 4}.
std::vector<std::size_t> Extent(const std::string& text) {
  std::vector<std::size_t> sizes;
  for (const std::string& part : Split(text, 'x')) sizes.push_back(std::stoul(part));
  return sizes;
}

template <int kDimensions>
sycl::range<kDimensions> Range(const std::vector<std::size_t>& sizes) {
  if constexpr (kDimensions == 1) return {sizes.at(0)};
  if constexpr (kDimensions == 2) return {sizes.at(0), sizes.at(1)};
  if constexpr (kDimensions == 3) return {sizes.at(0), sizes.at(1), sizes.at(2)};
}

struct Argument {
  virtual ~Argument() = default;
  virtual void Set(sycl::handler& handler, int index) = 0;
  virtual void Show(int) {}
};

template <typename T>
struct Value : Argument {
  T value;
  explicit Value(T of) : value(of) {}
  void Set(sycl::handler& handler, int index) override { handler.set_arg(index, value); }
};

template <typename T>
struct Usm : Argument {
  sycl::queue queue;
  std::size_t count;
  T* memory;
  Usm(const sycl::queue& on, sycl::usm::alloc kind, const std::vector<T>& values)
      : queue(on), count(values.size()), memory(sycl::malloc<T>(count, queue, kind)) {
    queue.copy(values.data(), memory, count).wait();
  }
  ~Usm() override { sycl::free(memory, queue); }
  void Set(sycl::handler& handler, int index) override { handler.set_arg(index, memory); }
  void Show(int index) override {
    std::vector<T> values(count);
    queue.copy(memory, values.data(), count).wait();
    host::Show(std::to_string(index), values);
  }
};

template <typename T, int kDimensions, sycl::access_mode kMode>
struct Buffer : Argument {
  sycl::buffer<T, kDimensions> buffer;
  Buffer(const std::vector<T>& values, const std::vector<std::size_t>& sizes)
      : buffer(Range<kDimensions>(sizes)) {
    sycl::host_accessor all(buffer, sycl::write_only);
    std::copy(values.begin(), values.end(), all.begin());
  }
  void Set(sycl::handler& handler, int index) override {
    handler.set_arg(index, buffer.template get_access<kMode>(handler));
  }
  void Show(int index) override {
    sycl::host_accessor values(buffer, sycl::read_only);
    std::vector<T> all(values.begin(), values.end());
    host::Show(std::to_string(index), all);
  }
};

template <typename T, int kDimensions>
struct LocalMemory : Argument {
  std::vector<std::size_t> sizes;
  explicit LocalMemory(std::vector<std::size_t> of) : sizes(std::move(of)) {}
  void Set(sycl::handler& handler, int index) override {
    handler.set_arg(index,
                    sycl::local_accessor<T, kDimensions>(Range<kDimensions>(sizes), handler));
  }
};

template <typename T, sycl::access_mode kMode>
std::unique_ptr<Argument> MakeBuffer(const std::vector<T>& values,
                                     const std::vector<std::size_t>& sizes) {
  if (sizes.size() == 1) return std::make_unique<Buffer<T, 1, kMode>>(values, sizes);
  if (sizes.size() == 2) return std::make_unique<Buffer<T, 2, kMode>>(values, sizes);
  return std::make_unique<Buffer<T, 3, kMode>>(values, sizes);
}

// Values of an integer are read as such, those of another type through double.
template <typename T>
T Read(const std::string& text) {
  if constexpr (std::is_unsigned_v<T>) return static_cast<T>(std::stoull(text));
  if constexpr (std::is_signed_v<T> && std::is_integral_v<T>)
    return static_cast<T>(std::stoll(text));
  return static_cast<T>(
      static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(std::stod(text)));
}

template <typename T>
std::unique_ptr<Argument> MakeOf(const sycl::queue& queue, const std::string& kind,
                                 const std::string& extent, const std::string& list) {
  std::vector<T> values;
  for (const std::string& word : Split(list, ',')) values.push_back(Read<T>(word));
  const std::vector<std::size_t> sizes = Extent(extent);
  if (kind == "value") return std::make_unique<Value<T>>(values.at(0));
  if (kind == "device") return std::make_unique<Usm<T>>(queue, sycl::usm::alloc::device, values);
  if (kind == "shared") return std::make_unique<Usm<T>>(queue, sycl::usm::alloc::shared, values);
  if (kind == "host") return std::make_unique<Usm<T>>(queue, sycl::usm::alloc::host, values);
  if (kind == "buffer") return MakeBuffer<T, sycl::access_mode::read_write>(values, sizes);
  if (kind == "read-buffer") return MakeBuffer<T, sycl::access_mode::read>(values, sizes);
  if (kind == "write-buffer") return MakeBuffer<T, sycl::access_mode::write>(values, sizes);
  if (kind == "local" && sizes.size() == 2) return std::make_unique<LocalMemory<T, 2>>(sizes);
  if (kind == "local") return std::make_unique<LocalMemory<T, 1>>(sizes);
  throw std::runtime_error("no kind of argument '" + kind + "'");
}

std::unique_ptr<Argument> MakeArgument(const sycl::queue& queue, const std::string& text) {
  std::vector<std::string> parts = Split(text, ':');
  parts.resize(4);
  const auto make = [&]<typename T>(T) { return MakeOf<T>(queue, parts[0], parts[2], parts[3]); };
  if (parts[1] == "char") return make(std::int8_t{});
  if (parts[1] == "uchar") return make(std::uint8_t{});
  if (parts[1] == "short") return make(std::int16_t{});
  if (parts[1] == "ushort") return make(std::uint16_t{});
  if (parts[1] == "int") return make(int{});
  if (parts[1] == "uint") return make(unsigned{});
  if (parts[1] == "long") return make(std::int64_t{});
  if (parts[1] == "ulong") return make(std::uint64_t{});
  if (parts[1] == "float") return make(float{});
  if (parts[1] == "double") return make(double{});
  if (parts[1] == "half") return make(sycl::half{});
  if (parts[1] == "bfloat16") return make(sycl::ext::oneapi::bfloat16{});
  throw std::runtime_error("no type '" + parts[1] + "'");
}

template <int kDimensions>
void Enqueue(sycl::handler& handler, const sycl::kernel& kernel,
             const std::vector<std::size_t>& global, const std::vector<std::size_t>& local) {
  handler.parallel_for(
      sycl::nd_range<kDimensions>(Range<kDimensions>(global), Range<kDimensions>(local)), kernel);
}

// words: KERNEL GLOBAL LOCAL ARGUMENT...
void Launch(Program& program, const std::vector<std::string>& words) {
  const sycl::kernel kernel = program.Kernel(words.at(0));
  const std::vector<std::size_t> global = Extent(words.at(1)), local = Extent(words.at(2));
  std::vector<std::unique_ptr<Argument>> arguments;
  for (std::size_t i = 3; i < words.size(); ++i)
    arguments.push_back(MakeArgument(program.queue, words[i]));
  program.queue
      .submit([&](sycl::handler& handler) {
        for (std::size_t i = 0; i < arguments.size(); ++i)
          arguments[i]->Set(handler, static_cast<int>(i));
        if (local.at(0) == 0) {
          handler.single_task(kernel);
        } else if (global.size() == 1) {
          Enqueue<1>(handler, kernel, global, local);
        } else if (global.size() == 2) {
          Enqueue<2>(handler, kernel, global, local);
        } else {
          Enqueue<3>(handler, kernel, global, local);
        }
      })
      .wait_and_throw();
  std::cout << std::flush;
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i]->Show(static_cast<int>(i));
}

// The line directive names the file in messages and in debug information.
std::string ReadSource(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::stringstream text;
  text << "#line 1 \"" << path << "\"\n" << file.rdbuf();
  return text.str();
}

Program Compile(const std::string& path, const std::vector<std::string>& options) {
  const sycl::queue queue;
  std::string log;
  auto source = host::experimental::create_kernel_bundle_from_source(
      queue.get_context(), host::experimental::source_language::sycl, ReadSource(path));
  Program program{
      queue, host::experimental::build(source, host::experimental::properties{
                                                   host::experimental::save_log{&log},
                                                   host::experimental::build_options{options}})};
  if (!log.empty()) std::cerr << log << '\n';
  return program;
}

int Run(const std::vector<std::string>& words) {
  std::vector<std::string> options = {"-I" + words.at(1)};
  std::size_t at = 3;
  for (; at < words.size() && words[at] != "--"; ++at) options.push_back(words[at]);
  Program program = Compile(words.at(0), options);
  program.is_right = std::find(options.begin(), options.end(), "-DRIGHT") != options.end();
  if (words.at(2) == "-") {
    Launch(program, {words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end()});
    return 0;
  }
  const host::Side side = host::FindSide(words[2]);
  if (side == nullptr) throw std::runtime_error("no host side '" + words[2] + "'");
  side(program);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return Run({words + 1, words + count});
  } catch (const std::exception& error) {
    std::cerr << "host: " << error.what() << '\n';
    return 3;
  }
}
