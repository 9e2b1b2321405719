// Any bytes as a SPIR-V binary, through loading, lowering and a small launch of every kernel: an
// error, a finding or a limit, and never a crash, a hang or a memory without bounds.
//
// The validator is left out, which is harder on everything after it than what users get.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "frontend/capabilities.h"
#include "frontend/module.h"
#include "interp/launch/launch.h"
#include "interp/program/pipe_object.h"

namespace {

using namespace assay::interp;

constexpr std::uint64_t kMaxMemory = std::uint64_t{64} << 20;
constexpr std::uint64_t kBufferBytes = 256;

// An image of 3 by 2 by 2 elements, as far as it has these dimensions.
bool MakeImage(Session* session, const ParameterInfo& parameter, LaunchRequest* request) {
  ImageDescriptor image{.shape = parameter.image.shape};
  for (int d = 0; d < DimensionsOf(image.shape); ++d) {
    image.size[static_cast<std::size_t>(d)] = d == 0 ? 3 : 2;
  }
  if (IsArrayed(image.shape)) image.layers = 2;
  if (parameter.image.multisampled) image.samples = 2;
  if (parameter.image.depth) {
    using namespace assay::numerics::image;
    image.format = {ChannelOrder::kDepth, ChannelType::kFloat};
  }
  auto address = session->memory().Allocate(ImageBytes(image), AddressSpace::kGlobal, "image");
  if (!address) return false;
  request->arguments.emplace_back(ImageArgument{*address, image});
  return true;
}

// Something for every parameter; nothing where a kernel wants more than there is.
bool MakeArguments(Session* session, const KernelInfo& kernel, LaunchRequest* request) {
  if (kernel.parameters.size() > 64) return false;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ParameterInfo& parameter = kernel.parameters[i];
    switch (parameter.kind) {
      case ParameterKind::kValue:
      case ParameterKind::kByVal: {
        if (parameter.bytes > (1 << 16)) return false;
        BytesArgument argument;
        argument.bytes.assign(parameter.bytes, std::byte{});
        if (parameter.bytes != 0) argument.bytes[0] = static_cast<std::byte>(i + 3);
        request->arguments.emplace_back(std::move(argument));
        break;
      }
      case ParameterKind::kGlobal:
      case ParameterKind::kConstant: {
        auto address = session->memory().Allocate(
            kBufferBytes,
            parameter.kind == ParameterKind::kConstant ? AddressSpace::kConstant
                                                       : AddressSpace::kGlobal,
            "buffer", parameter.kind != ParameterKind::kConstant);
        if (!address) return false;
        for (std::size_t k = 0; k < kBufferBytes; ++k) {
          session->memory().Bytes(*address)[k] = static_cast<std::byte>(k % 7);
        }
        request->arguments.emplace_back(BufferArgument{*address});
        break;
      }
      case ParameterKind::kPipe: {
        auto address = CreatePipe(&session->memory(), {4, 0, 16}, {}, "pipe");
        if (!address) return false;
        request->arguments.emplace_back(PipeArgument{*address});
        break;
      }
      case ParameterKind::kLocal:
        request->arguments.emplace_back(LocalArgument{kBufferBytes});
        break;
      case ParameterKind::kImage:
        if (!MakeImage(session, parameter, request)) return false;
        break;
      case ParameterKind::kSampler:
        request->arguments.emplace_back(SamplerArgument{});
        break;
    }
  }
  return true;
}

// Places of a module's instructions, as far as its words have any.
std::vector<std::size_t> InstructionsOf(const std::vector<std::uint32_t>& words) {
  std::vector<std::size_t> places;
  for (std::size_t at = assay::frontend::kHeaderWords; at < words.size();) {
    const std::size_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) break;
    places.push_back(at);
    at += count;
  }
  return places;
}

// One change after which the words are instructions still: an operand that stands elsewhere or is
// the next one, another opcode, an instruction that is gone, doubled or somewhere else.
void MutateInstruction(std::vector<std::uint32_t>* words, std::minstd_rand* random) {
  const std::vector<std::size_t> places = InstructionsOf(*words);
  if (places.empty()) return;
  const auto pick = [&] { return places[(*random)() % places.size()]; };
  const auto operand_at = [&](std::size_t place) {
    const std::size_t count = (*words)[place] >> 16;
    return place + (count > 1 ? 1 + (*random)() % (count - 1) : 0);
  };
  const std::size_t place = pick();
  const std::size_t count = (*words)[place] >> 16;
  const auto begin = words->begin() + static_cast<std::ptrdiff_t>(place);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  switch ((*random)() % 8) {
    case 0:
      (*words)[place] = static_cast<std::uint32_t>(count << 16) | ((*words)[pick()] & 0xffff);
      break;
    case 1:
      (*words)[place] = static_cast<std::uint32_t>(count << 16) | (*random)() % 400;
      break;
    case 2:
      words->erase(begin, end);
      break;
    case 3: {
      const std::vector<std::uint32_t> copy(begin, end);
      words->insert(words->begin() + static_cast<std::ptrdiff_t>(pick()), copy.begin(), copy.end());
      break;
    }
    case 4:
      (*words)[operand_at(place)] += (*random)() % 2 == 0 ? 1u : ~0u;
      break;
    case 5:
      (*words)[operand_at(place)] = 1u << ((*random)() % 32);
      break;
    default:
      (*words)[operand_at(place)] = (*words)[operand_at(pick())];
      break;
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t limit);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t limit, unsigned seed) {
  std::minstd_rand random(seed);
  if (size < 24 || random() % 4 == 0) return LLVMFuzzerMutate(data, size, limit);
  std::vector<std::uint32_t> words(size / 4);
  std::memcpy(words.data(), data, words.size() * 4);
  for (auto changes = 1 + random() % 4; changes > 0; --changes) {
    MutateInstruction(&words, &random);
  }
  const std::size_t bytes = std::min(words.size() * 4, limit);
  std::memcpy(data, words.data(), bytes);
  return bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto binary =
      assay::frontend::LoadBytes({reinterpret_cast<const std::byte*>(data), size}, "fuzz.spv");
  if (!binary || !assay::frontend::CheckCapabilities(*binary)) return 0;
  const auto module = assay::frontend::BuildModule(*binary);
  if (!module) return 0;
  SessionOptions options;
  options.batch_width = 20;
  // Most inputs under detectors, some of those with turns by a seed.
  const std::size_t variant = size / 4 % 4;
  if (variant != 0) options.detectors = DetectorSet::All();
  if (variant > 1) options.detectors.Add(Detector::kNan);
  options.max_memory = kMaxMemory;
  options.max_call_depth = 8;
  options.max_code = 20000;
  options.max_expanded = size / 16 % 2 == 0 ? 0 : 200;  // calls are kept, or some of them
  const auto session = Session::Create(*module, options);
  if (!session) return 0;
  for (const std::string& name : (*session)->KernelNames()) {
    const auto kernel = (*session)->FindKernel(name);
    if (!kernel) continue;
    LaunchRequest request;
    request.kernel = name;
    request.range.dimensions = 2;
    request.range.global = {25, 2, 1};
    if (kernel->required_local_size) {
      // Some of a group's items are missing.
      for (int d = 0; d < 3; ++d) {
        request.range.global[d] =
            std::min<std::uint64_t>((*kernel->required_local_size)[d], 25) + 1;
      }
      request.range.dimensions = 3;
    } else {
      request.range.local = {{10, 2, 1}};
    }
    if (!MakeArguments(session->get(), *kernel, &request)) continue;
    request.options.threads = 1;
    if (variant == 3) request.options.seed = size;
    request.options.max_instructions = 20000;
    request.options.timeout_seconds = 2;
    request.options.max_findings = 20;
    (void)(*session)->Launch(request);
  }
  return 0;
}
