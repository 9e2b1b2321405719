#include "tools/hunt/program_job.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "frontend/opencl_c.h"
#include "tools/bisect/subject.h"
#include "tools/hunt/data.h"

namespace assay::tools {
namespace {

constexpr std::string_view kNoContraction = "#pragma OPENCL FP_CONTRACT OFF\n";
constexpr std::string_view kHalves = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";

interp::JobBuffer BufferOfCells(const HuntCells& cells) {
  interp::JobBuffer buffer = ZeroBuffer(cells.name, cells.type, cells.count);
  for (std::uint64_t i = 0; i < cells.count; ++i) {
    std::memcpy(buffer.bytes.data() + i * buffer.type.bytes, &cells.first, buffer.type.bytes);
  }
  return buffer;
}

interp::JobBuffer BufferOfPipe(const HuntCells& cells) {
  interp::JobBuffer buffer = ZeroBuffer(cells.name, NameOf(cells.pipe->packet), 0);
  buffer.max_packets = cells.pipe->max_packets;
  buffer.packet_bytes = buffer.type.bytes;
  return buffer;
}

}  // namespace

std::string WithHead(std::string text) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
  const bool has_halves = has("in_half") || has("out_half");
  if (has("float") || has("double") || has_halves) text.insert(0, kNoContraction);
  if (has_halves) text.insert(0, kHalves);
  return text;
}

std::size_t HuntJobWriter::Place(interp::JobBuffer buffer) {
  job_.buffer_bytes += buffer.bytes.size();
  job_.buffers.push_back(std::move(buffer));
  return job_.buffers.size() - 1;
}

std::vector<std::size_t> HuntJobWriter::Add(const HuntProgram& program, const HuntText& text,
                                            const std::string& kernel, std::uint32_t local) {
  interp::JobLaunch launch;
  launch.kernel = kernel;
  const std::uint64_t global_size[] = {program.items}, local_size[] = {local};
  launch.range = *interp::MakeRange(global_size, local_size, {});
  const auto add = [&](std::size_t buffer) {
    launch.arguments.emplace_back(interp::JobBufferUse{buffer, 0});
    return buffer;
  };
  for (const HuntText::Pipe& pipe : text.pipes) {
    add(Place(BufferOfPipe(program.cells[pipe.cell])));
    interp::JobLaunch fill;
    fill.kernel = pipe.filler;
    fill.range = launch.range;
    fill.arguments.push_back(launch.arguments.back());
    job_.launches.push_back(std::move(fill));
  }
  for (const HuntBase base : text.inputs) {
    const auto key = std::tuple(program.data_seed, base, program.items);
    const auto [found, is_new] = inputs_.emplace(key, job_.buffers.size());
    if (is_new) Place(HuntInput(base, program));
    add(found->second);
  }
  std::vector<std::size_t> counted;
  for (std::size_t i = 0; i < text.outputs.size(); ++i) {
    const std::string type(NameOf(text.outputs[i]));
    counted.push_back(add(Place(ZeroBuffer("out_" + type, type, text.output_counts[i]))));
  }
  for (const std::size_t cell : text.cells) {
    const HuntCells& cells = program.cells[cell];
    counted.push_back(
        add(Place(cells.image ? HuntImage(cells, program.data_seed) : BufferOfCells(cells))));
  }
  job_.launches.push_back(std::move(launch));
  return counted;
}

interp::Job EmptyJob(const std::string& path, const std::string& standard,
                     const std::string& options) {
  interp::Job job;
  job.modules = {path};
  job.load.compile.build_options = "-cl-std=" + standard + (options.empty() ? "" : " " + options);
  job.load.compile.use_cache = false;
  return job;
}

std::uint32_t LocalOf(const HuntProgram& program, const HuntSetting& setting) {
  std::uint32_t local = std::min(setting.local, program.items);
  while (program.items % local != 0) --local;
  return local;
}

std::string TextOf(const HuntProgram& program) {
  const HuntText text = PrintProgram(program, "hunted", "");
  return WithHead(text.outside + text.kernel);
}

interp::Job JobOf(const HuntProgram& program, const HuntSetting& setting,
                  const std::string& standard, const std::string& path) {
  interp::Job job = EmptyJob(path, standard, setting.options);
  HuntJobWriter(&job).Add(program, PrintProgram(program, "hunted", ""), "hunted",
                          LocalOf(program, setting));
  return job;
}

Expected<frontend::Binary> ModuleOf(const std::string& path, const std::string& standard,
                                    const HuntSpirv& spirv) {
  frontend::CompileOptions options = EmptyJob(path, standard, spirv.options).load.compile;
  auto compiled = frontend::CompileFile(path, options);
  if (!compiled) return tl::unexpected(compiled.error());
  return WithForms(compiled->binary, spirv.forms);
}

}  // namespace assay::tools
