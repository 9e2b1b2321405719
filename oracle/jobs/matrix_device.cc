#include "oracle/jobs/matrix_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <vector>

#include "base/file.h"
#include "base/run_tool.h"
#include "frontend/load.h"
#include "frontend/loader.h"
#include "interp/launch/launch.h"
#include "numerics/matrix/model.h"
#include "numerics/matrix/random_tiles.h"
#include "numerics/matrix/variants.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_loader.h"
#include "oracle/jobs/conversion_program.h"
#include "oracle/jobs/job_on_opencl.h"
#include "oracle/jobs/matrix_program.h"
#include "oracle/jobs/opencl_matrix.h"

namespace assay::oracle {
namespace {

namespace matrix = numerics::matrix;

constexpr std::size_t kMostTilesOfRequest = std::size_t{1} << 20;
constexpr int kMostRows = 512;  // of the protocol

struct Operands {
  std::string a, b, c;  // bytes, tile after tile
};

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string TileName(const MatrixTile& tile) {
  return fmt::format("{}-{}-{}x{}x{}", tile.input, tile.accumulator, tile.m, tile.n, tile.k);
}

std::size_t BytesOf(const std::string& format, int rows, int columns) {
  return std::size_t{MatrixElementBytes(format)} * static_cast<std::size_t>(rows) *
         static_cast<std::size_t>(columns);
}

// One launch of a kernel(inputs..., result, count).
struct KernelCall {
  std::string name, kernel, text;  // SPIR-V
  std::vector<const std::string*> inputs;
  std::size_t result_bytes = 0;
  std::uint32_t count = 0;
  std::uint64_t global = 0, local = 1;
};

interp::BytesArgument CountArgument(std::uint32_t count) {
  interp::BytesArgument given{std::vector<std::byte>(sizeof count)};
  std::memcpy(given.bytes.data(), &count, sizeof count);
  return given;
}

// The bytes of the result.
class KernelRunner {
 public:
  virtual ~KernelRunner() = default;
  virtual Expected<std::string> Run(const KernelCall& call) = 0;
};

class InterpreterRunner : public KernelRunner {
 public:
  explicit InterpreterRunner(interp::SessionOptions options) : options_(std::move(options)) {}

  Expected<std::string> Run(const KernelCall& call) override {
    auto binary = frontend::LoadText(call.text, call.name + ".spvasm");
    if (!binary) return tl::unexpected<Error>(binary.error());
    auto loaded = frontend::LoadModule(std::span(&*binary, 1), {});
    if (!loaded) return tl::unexpected<Error>(loaded.error());
    auto session = interp::Session::Create(loaded->module, options_);
    if (!session) return tl::unexpected<Error>(session.error());
    interp::LaunchRequest request;
    request.kernel = call.kernel;
    request.range.global[0] = call.global;
    request.range.local = {call.local, 1, 1};
    interp::Memory& memory = (*session)->memory();
    for (const std::string* bytes : call.inputs) {
      auto address = memory.Allocate(bytes->size(), interp::AddressSpace::kGlobal, "an operand");
      if (!address) return tl::unexpected<Error>(address.error());
      std::memcpy(memory.Bytes(*address).data(), bytes->data(), bytes->size());
      request.arguments.emplace_back(interp::BufferArgument{*address});
    }
    auto result = memory.Allocate(call.result_bytes, interp::AddressSpace::kGlobal, "the result");
    if (!result) return tl::unexpected<Error>(result.error());
    request.arguments.emplace_back(interp::BufferArgument{*result});
    request.arguments.emplace_back(CountArgument(call.count));
    const auto launched = (*session)->Launch(request);
    if (!launched) return tl::unexpected<Error>(launched.error());
    if (launched->end != interp::LaunchEnd::kCompleted || !launched->findings.empty()) {
      return Fail(ErrorKind::kInternal,
                  fmt::format("the interpreter did not run {}: {}", call.name,
                              launched->findings.empty() ? launched->message
                                                         : launched->findings.front().message));
    }
    std::string data(call.result_bytes, '\0');
    std::memcpy(data.data(), memory.Bytes(*result).data(), data.size());
    return data;
  }

 private:
  interp::SessionOptions options_;
};

class OpenClRunner : public KernelRunner {
 public:
  OpenClRunner(std::string selector, base::TemporaryFolder folder)
      : selector_(std::move(selector)), folder_(std::move(folder)) {}

  Expected<std::string> Run(const KernelCall& call) override {
    const std::string path = folder_.File(call.name + ".spvasm");
    if (auto written = base::WriteFileAtomically(path, call.text); !written) {
      return tl::unexpected<Error>(written.error());
    }
    interp::Job job;
    job.modules = {path};
    interp::JobLaunch launch{.kernel = call.kernel, .range = {}, .arguments = {}};
    launch.range.global[0] = call.global;
    launch.range.local = {call.local, 1, 1};
    const std::string result(call.result_bytes, '\0');
    std::vector<const std::string*> contents = call.inputs;
    contents.push_back(&result);
    for (const std::string* bytes : contents) {
      interp::JobBuffer buffer;
      buffer.name = std::to_string(job.buffers.size());
      buffer.type = *interp::ParseElementType("uchar");
      buffer.count = bytes->size();
      buffer.bytes.resize(bytes->size());
      std::memcpy(buffer.bytes.data(), bytes->data(), bytes->size());
      launch.arguments.emplace_back(interp::JobBufferUse{job.buffers.size(), 0});
      job.buffers.push_back(std::move(buffer));
    }
    launch.arguments.emplace_back(CountArgument(call.count));
    job.launches.push_back(std::move(launch));
    const auto outcome = RunJobOnOpenCl(job, selector_);
    if (!outcome) return tl::unexpected<Error>(outcome.error());
    const std::vector<std::byte>& bytes = outcome->buffers.back();
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

 private:
  std::string selector_;
  base::TemporaryFolder folder_;
};

KernelCall ProductCall(const MatrixTile& tile, std::size_t count, const Operands& operands) {
  return {.name = TileName(tile),
          .kernel = "product",
          .text = *MatrixProgram(tile),
          .inputs = {&operands.a, &operands.b, &operands.c},
          .result_bytes = count * BytesOf(tile.accumulator, tile.m, tile.n),
          .count = static_cast<std::uint32_t>(count),
          .global = count * kMatrixWorkItems,
          .local = kMatrixWorkItems};
}

std::size_t BytesOf(const numerics::small_float::Format& format) {
  return (static_cast<std::size_t>(format.width()) + 7) / 8;
}

KernelCall ConversionCall(const ConversionProgram& program, std::size_t count,
                          const std::string& operands) {
  return {.name = program.name,
          .kernel = "convert",
          .text = program.text,
          .inputs = {&operands},
          .result_bytes = count * BytesOf(*program.conversion.to),
          .count = static_cast<std::uint32_t>(count),
          .global = (count + kMatrixWorkItems - 1) / kMatrixWorkItems * kMatrixWorkItems,
          .local = kMatrixWorkItems};
}

// Little-endian elements of `bytes` bytes.
std::string Packed(const std::vector<std::uint32_t>& elements, std::size_t bytes) {
  std::string data(elements.size() * bytes, '\0');
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::memcpy(&data[i * bytes], &elements[i], bytes);
  }
  return data;
}

// Of the protocol: a request, and its answer.
class MatrixServer {
 public:
  MatrixServer(std::vector<MatrixTile> tiles, std::vector<ConversionProgram> conversions,
               std::shared_ptr<KernelRunner> runner, int in, int out)
      : tiles_(std::move(tiles)),
        conversions_(std::move(conversions)),
        runner_(std::move(runner)),
        in_(fdopen(dup(in), "rb"), &std::fclose),
        out_(fdopen(dup(out), "wb"), &std::fclose) {}

  void Greet(const std::string& head, const std::vector<std::string>& left_out) {
    Write("assay-matrix/1\n" + head);
    for (const MatrixTile& tile : tiles_) {
      Write(fmt::format("instruction {} {} {} {} {} {}\n", TileName(tile), tile.m, tile.n, tile.k,
                        tile.input, tile.accumulator));
    }
    for (const ConversionProgram& one : conversions_) {
      Write(
          fmt::format("conversion {} {} {}\n", one.name, one.conversion.from->name, one.extension));
    }
    for (const std::string& one : left_out) Write("left-out " + one + "\n");
    Write("ready\n");
    std::fflush(out_.get());
  }

  // Until the input ends.
  void Serve() {
    std::string line;
    while (ReadLine(&line)) {
      std::istringstream words(line);
      std::string verb, number, name;
      words >> verb >> number >> name;
      const auto answer = verb == "convert" ? Converted(name, words) : Answer(verb, name, words);
      if (answer) {
        Write(fmt::format("answer {} {}\n", number, answer->size()));
        std::fwrite(answer->data(), 1, answer->size(), out_.get());
        Write(fmt::format("end {}\n", number));
      } else {
        Write(fmt::format("failed {} {}\n", number, OneLine(answer.error().message)));
      }
      std::fflush(out_.get());
    }
  }

 private:
  void Write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), out_.get()); }
  bool ReadLine(std::string* line) {
    line->clear();
    for (int c = std::getc(in_.get()); c != EOF; c = std::getc(in_.get())) {
      if (c == '\n') return true;
      line->push_back(static_cast<char>(c));
    }
    return false;
  }

  Expected<std::string> Answer(const std::string& verb, const std::string& name,
                               std::istringstream& words) {
    const auto tile = std::find_if(tiles_.begin(), tiles_.end(),
                                   [&](const MatrixTile& one) { return TileName(one) == name; });
    std::uint64_t seed = 0, first = 0;
    std::size_t count = 0, block = 1;
    if (verb == "run") {
      words >> count;
    } else {
      words >> seed >> first >> count;
      if (verb == "digests") words >> block;
    }
    if (tile == tiles_.end() || !words || count == 0 || count > kMostTilesOfRequest || block == 0 ||
        (verb != "run" && verb != "tiles" && verb != "digests")) {
      return Fail(ErrorKind::kUsage, "this request is none of docs/pipe-protocol.md");
    }
    if (verb != "run") return Random(*tile, verb == "digests", seed, first, count, block);
    Operands operands{std::string(count * BytesOf(tile->input, tile->m, tile->k), '\0'),
                      std::string(count * BytesOf(tile->input, tile->k, tile->n), '\0'),
                      std::string(count * BytesOf(tile->accumulator, tile->m, tile->n), '\0')};
    for (std::string* bytes : {&operands.a, &operands.b, &operands.c}) {
      if (std::fread(bytes->data(), 1, bytes->size(), in_.get()) != bytes->size()) {
        return Fail(ErrorKind::kUsage, "the operands end early");
      }
    }
    return runner_->Run(ProductCall(*tile, count, operands));
  }

  Expected<std::string> Converted(const std::string& name, std::istringstream& words) {
    std::string from, via;
    std::size_t count = 0;
    words >> from >> via >> count;
    const auto program =
        std::find_if(conversions_.begin(), conversions_.end(), [&](const ConversionProgram& one) {
          return one.name == name && one.conversion.from->name == from && one.extension == via;
        });
    if (program == conversions_.end() || !words || count == 0 || count > kMostTilesOfRequest) {
      return Fail(ErrorKind::kUsage, "this request is none of docs/pipe-protocol.md");
    }
    std::string operands(count * BytesOf(*program->conversion.from), '\0');
    if (std::fread(operands.data(), 1, operands.size(), in_.get()) != operands.size()) {
      return Fail(ErrorKind::kUsage, "the operands end early");
    }
    return runner_->Run(ConversionCall(*program, count, operands));
  }

  // The operands that a device makes for itself.
  Expected<std::string> Random(const MatrixTile& tile, bool digests, std::uint64_t seed,
                               std::uint64_t first, std::size_t count, std::size_t block) {
    matrix::Model model;
    model.input = tile.input;
    model.accumulator = tile.accumulator;
    model.m = tile.m;
    model.n = tile.n;
    model.k = tile.k;
    const auto size = [](int rows, int columns) {
      return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    };
    std::vector<std::uint32_t> a(size(tile.m, tile.k)), b(size(tile.k, tile.n)),
        c(size(tile.m, tile.n));
    Operands operands;
    for (std::size_t i = 0; i < count; ++i) {
      FillTile(model, seed, first + i, a.data(), b.data(), c.data());
      operands.a += Packed(a, MatrixElementBytes(tile.input));
      operands.b += Packed(b, MatrixElementBytes(tile.input));
      operands.c += Packed(c, MatrixElementBytes(tile.accumulator));
    }
    auto results = runner_->Run(ProductCall(tile, count, operands));
    if (!results || !digests) return results;
    const std::size_t bytes = MatrixElementBytes(tile.accumulator);
    std::vector<std::uint64_t> sums((count + block - 1) / block);
    for (std::size_t i = 0; i < count * c.size(); ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &(*results)[i * bytes], bytes);
      sums[i / c.size() / block] += matrix::DigestTerm(bits, first * c.size() + i);
    }
    return std::string(reinterpret_cast<const char*>(sums.data()),
                       sums.size() * sizeof(std::uint64_t));
  }

  std::vector<MatrixTile> tiles_;
  std::vector<ConversionProgram> conversions_;
  std::shared_ptr<KernelRunner> runner_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> in_, out_;
};

// Those of the variants that the protocol has formats for; the names of the others.
std::vector<MatrixTile> Known(const std::vector<MatrixTile>& all,
                              std::vector<std::string>* left_out) {
  std::vector<MatrixTile> known;
  for (const MatrixTile& tile : all) {
    const bool has_formats = matrix::IsInput(tile.input) && matrix::IsAccumulator(tile.accumulator);
    const bool has_sizes =
        std::max({tile.m, tile.n, tile.k}) <= kMostRows && std::min({tile.m, tile.n, tile.k}) >= 1;
    if (has_formats && has_sizes && MatrixProgram(tile)) {
      known.push_back(tile);
    } else {
      left_out->push_back(TileName(tile));
    }
  }
  return known;
}

// What is served.
struct OpenedMatrices {
  std::vector<MatrixTile> tiles;
  std::vector<std::string> left_out;
  std::vector<std::string> extensions;  // of SPIR-V, with conversions
  std::shared_ptr<KernelRunner> runner;
  std::string head;
};

Expected<OpenedMatrices> Opened(const MatrixDeviceOptions& options) {
  OpenedMatrices opened;
  if (options.interpreter) {
    interp::SessionOptions session;
    if (!options.matrix.empty()) session.matrix = options.matrix;
    session.matrix_text = options.matrix_text;
    opened.runner = std::make_shared<InterpreterRunner>(std::move(session));
    opened.head = "name assay interpreter\n";
    opened.extensions = ConversionExtensions();
    for (const matrix::Variant& one : matrix::kVariants) {
      opened.tiles.push_back(
          {std::string(one.input), std::string(one.accumulator), one.m, one.n, one.k});
    }
    return opened;
  }
  const auto declared = DeclaredMatrices(options.opencl);
  if (!declared) return tl::unexpected<Error>(declared.error());
  if (declared->tiles.empty() && declared->left_out.empty() &&
      ConversionPrograms(declared->spirv_extensions).empty()) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} declares neither matrix instructions (cl_khr_cooperative_matrix) "
                            "nor conversions of small formats (cl_khr_spirv_queries with {})",
                            declared->device, fmt::join(ConversionExtensions(), ", ")));
  }
  auto folder = base::TemporaryFolder::Make();
  if (!folder) return tl::unexpected<Error>(folder.error());
  opened.runner = std::make_shared<OpenClRunner>(options.opencl, *std::move(folder));
  opened.head = fmt::format("name {}\ndriver-version {}\n", OneLine(declared->device),
                            OneLine(declared->driver));
  opened.tiles = declared->tiles;
  opened.left_out = declared->left_out;
  opened.extensions = declared->spirv_extensions;
  return opened;
}

}  // namespace

Expected<void> ServeMatrixDevice(const MatrixDeviceOptions& options, int in_fd, int out_fd) {
  const auto opened = Opened(options);
  if (!opened) {
    // The parent reports it: in place of the greeting.
    const Error& error = opened.error();
    const bool is_unsupported = error.kind == ErrorKind::kUnsupported;
    const std::string line =
        fmt::format("{} {}\n", is_unsupported ? "unsupported" : "failed", OneLine(error.message));
    if (dprintf(out_fd, "%s", line.c_str()) >= 0) return {};
    return Fail(ErrorKind::kDevice, "nobody reads the answers");
  }
  std::vector<std::string> left_out = opened->left_out;
  MatrixServer server(Known(opened->tiles, &left_out), ConversionPrograms(opened->extensions),
                      opened->runner, in_fd, out_fd);
  server.Greet(opened->head, left_out);
  server.Serve();
  return {};
}

}  // namespace assay::oracle
