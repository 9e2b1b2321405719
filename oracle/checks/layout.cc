// @layout: sizes, alignments and offsets of types in buffers, local, private and constant memory,
// and in arguments.
//
// OpenCL C, Alignment of Types: a type is aligned to its size, and a vector of three has the size
// and alignment of one of four.  The members of a structure lie as C99 6.7.2.1 has it: each at the
// next place of its alignment.  Both are computed here; the kernel and the host must see the same
// bytes.
#include "oracle/checks/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace assay::oracle {
namespace {

constexpr char kAlignment[] = "OpenCL C, Alignment of Types";
constexpr char kStructures[] = "OpenCL C, Alignment of Types; C99 6.7.2.1";
constexpr char kArguments[] = "OpenCL API 5.9.2, clSetKernelArg";
constexpr std::size_t kCopies = 3;  // structures in an array

// ---- Structures in memory ----

// Element `which` of an array of structures reads and writes its scalars as 64-bit numbers.
std::string LeafRead(const StructLeaf& leaf, const std::string& object) {
  return fmt::format("(ulong)as_{}({}{})", UnsignedOf(leaf.type).name, object, leaf.path);
}
std::string LeafWrite(const StructLeaf& leaf, const std::string& object, std::size_t number) {
  return fmt::format("{}{} = as_{}(({})values[{}]);", object, leaf.path, leaf.type.name,
                     UnsignedOf(leaf.type).name, number);
}

constexpr const char* kSpaces[] = {"a buffer", "private memory", "local memory", "constant memory"};

std::string StructKernel(const StructType& type, const Layout& layout, bool with_local) {
  std::string facts = fmt::format(
      "  facts[0] = sizeof({0});\n  facts[1] = (ulong)((const global "
      "uchar*)(g + 1) - (const global uchar*)g);\n",
      type.name);
  for (std::size_t k = 0; k < layout.offsets.size(); ++k) {
    facts += fmt::format(
        "  facts[{}] = (ulong)((const global uchar*)&g->f{} - (const global "
        "uchar*)g);\n",
        k + 2, k);
  }
  std::string reads, writes;
  const std::size_t count = layout.leaves.size();
  const char* objects[] = {"g[1]", "p", "l[1]", "c[1]"};
  for (std::size_t space = 0; space < 4; ++space) {
    if (space == 2 && !with_local) continue;
    for (std::size_t k = 0; k < count; ++k) {
      reads += fmt::format("  found[{}] = {};\n", space * count + k,
                           LeafRead(layout.leaves[k], objects[space]));
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    writes += "  " + LeafWrite(layout.leaves[k], "w[1]", k) + "\n";
  }
  return fmt::format(
      "kernel void memory_{0}(const global {0}* g, constant {0}* c, const global ulong* values, "
      "global {0}* w, global ulong* found, global ulong* facts) {{\n"
      "  local {0} l[2];\n  l[1] = g[1];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  {0} p = g[1];\n"
      "  facts[{1}] = (ulong)(size_t)(local {0}*)&l[0] % {2};\n  facts[{3}] = (ulong)(size_t)&p % "
      "{2};\n{4}{5}{6}}}\n"
      "kernel void argument_{0}(uchar before, {0} s, ushort after, global ulong* found) {{\n{7}"
      "  found[{8}] = before;\n  found[{9}] = after;\n}}\n",
      type.name, layout.offsets.size() + 2, layout.alignment, layout.offsets.size() + 3, facts,
      reads, writes,
      [&] {
        std::string text;
        for (std::size_t k = 0; k < count; ++k) {
          text += fmt::format("  found[{}] = {};\n", k, LeafRead(layout.leaves[k], "s"));
        }
        return text;
      }(),
      count, count + 1);
}

std::string StructProgram(const AllStructs& structs, const StructType& asked) {
  std::string text;
  for (const auto& type : structs.inner) text += DeclarationOf(*type) + "\n";
  text += DeclarationOf(asked) + "\n" + StructKernel(asked, LayoutOf(asked), true);
  return ExtensionPragmas(text) + text;
}

ElementBits LeafValue(std::uint64_t seed, std::size_t number, const ElementType& type) {
  const ElementBits bits = Truncated(CheckHash(seed, number, 77), type);
  if (!type.is_float()) return bits;
  const ElementBits top = ElementBits{1} << (type.bits - 2);
  return (bits & ~top) | top >> 1;  // a normal number
}

std::vector<std::byte> StructBytes(const Layout& layout, std::uint64_t seed, std::size_t copies) {
  std::vector<std::byte> bytes(layout.size * copies, std::byte{0xA5});
  for (std::size_t k = 0; k < layout.leaves.size(); ++k) {
    const StructLeaf& leaf = layout.leaves[k];
    const ElementBits value = LeafValue(seed, k, leaf.type);
    std::memcpy(bytes.data() + (copies > 1 ? layout.size : 0) + leaf.offset, &value,
                leaf.type.bytes());
  }
  return bytes;
}

void JudgeLeaves(CheckRun& run, const StructType& type, const Layout& layout, const char* where,
                 std::span<const std::uint64_t> found) {
  for (std::size_t k = 0; k < layout.leaves.size(); ++k) {
    const StructLeaf& leaf = layout.leaves[k];
    const ElementBits expected = LeafValue(run.options().seed, k, leaf.type);
    run.Expect(found[k] == expected,
               fmt::format("{} in {} of {}", leaf.path.substr(1), where, DeclarationOf(type)),
               fmt::format("{:#x}", found[k]),
               fmt::format("{:#x}, the bytes from {} on", expected, leaf.offset));
  }
}

Expected<void> RunStruct(CheckRun& run, const AllStructs& structs, const StructType& type) {
  const Layout layout = LayoutOf(type);
  const std::uint64_t seed = run.options().seed;
  std::vector<std::uint64_t> values;
  for (std::size_t k = 0; k < layout.leaves.size(); ++k) {
    values.push_back(LeafValue(seed, k, layout.leaves[k].type));
  }
  const auto content = StructBytes(layout, seed, kCopies);
  const std::size_t count = layout.leaves.size(), facts = layout.offsets.size() + 4;
  KernelRequest request{
      .source = StructProgram(structs, type),
      .options = run.facts().Standard(),
      .kernel = "memory_" + type.name,
      .arguments = {InputOf(content.size()), InputOf(content.size()), InputOf(count * 8),
                    OutputOf(content.size()), OutputOf(4 * count * 8), OutputOf(facts * 8)}};
  request.global = request.local = {1, 1, 1};
  auto answers = run.Ask(request, {content, content, BytesOf(values)});
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto found = NumbersOf<std::uint64_t>((*answers)[1]);
  const auto told = NumbersOf<std::uint64_t>((*answers)[2]);
  std::vector<std::pair<std::string, std::uint64_t>> wanted = {{"sizeof", layout.size},
                                                               {"stride of an array", layout.size}};
  for (std::size_t k = 0; k < layout.offsets.size(); ++k) {
    wanted.emplace_back(fmt::format("offset of f{}", k), layout.offsets[k]);
  }
  wanted.emplace_back("address in local memory modulo the alignment", 0);
  wanted.emplace_back("address in private memory modulo the alignment", 0);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    run.Expect(told[k] == wanted[k].second,
               fmt::format("{} of {}", wanted[k].first, DeclarationOf(type)),
               fmt::format("{}", told[k]), fmt::format("{}", wanted[k].second));
  }
  for (std::size_t space = 0; space < 4; ++space) {
    JudgeLeaves(run, type, layout, kSpaces[space], std::span(found).subspan(space * count, count));
  }
  std::vector<std::uint64_t> written(count);
  for (std::size_t k = 0; k < count; ++k) {
    std::memcpy(&written[k], (*answers)[0].data() + layout.size + layout.leaves[k].offset,
                layout.leaves[k].type.bytes());
  }
  JudgeLeaves(run, type, layout, "a buffer that the kernel wrote", written);
  return {};
}

Expected<void> RunStructArgument(CheckRun& run, const AllStructs& structs, const StructType& type) {
  const Layout layout = LayoutOf(type);
  const auto content = StructBytes(layout, run.options().seed, 1);
  const std::size_t count = layout.leaves.size();
  const auto value = [](const std::vector<std::byte>& bytes) {
    KernelArgument argument{
        .kind = KernelArgument::Kind::kValue, .size = bytes.size(), .value = {}};
    for (const std::byte byte : bytes) argument.value.push_back(static_cast<std::uint8_t>(byte));
    return argument;
  };
  KernelRequest request{
      .source = StructProgram(structs, type),
      .options = run.facts().Standard(),
      .kernel = "argument_" + type.name,
      .arguments = {value({std::byte{0x5A}}), value(content),
                    value({std::byte{0xCD}, std::byte{0xAB}}), OutputOf((count + 2) * 8)}};
  request.global = request.local = {1, 1, 1};
  request.tolerant = true;
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  std::int64_t status = 0;
  std::memcpy(&status, (*answers)[1].data(), sizeof status);
  constexpr std::int64_t kInvalidArgSize = -51;
  run.Expect(status == 0,
             fmt::format("an argument of {} bytes for {}", content.size(), DeclarationOf(type)),
             status == kInvalidArgSize ? "CL_INVALID_ARG_SIZE" : fmt::format("error {}", status),
             "no error");
  if (status != 0) return {};
  const auto found = NumbersOf<std::uint64_t>((*answers)[0]);
  JudgeLeaves(run, type, layout, "an argument", std::span(found).first(count));
  run.Expect(found[count] == 0x5A, "the uchar before " + type.name,
             fmt::format("{:#x}", found[count]), "0x5a");
  run.Expect(found[count + 1] == 0xABCD, "the ushort after " + type.name,
             fmt::format("{:#x}", found[count + 1]), "0xabcd");
  return {};
}

// ---- Sizes, alignments and arguments of the types themselves ----

constexpr int kAllWidths[] = {1, 2, 3, 4, 8, 16};

std::string TypeName(const ElementType& type, int width) {
  return width == 1 ? type.name : fmt::format("{}{}", type.name, width);
}

// sizeof, the stride of arrays, and addresses of variables modulo the size.
Expected<void> RunSizes(CheckRun& run, const ElementType& type) {
  std::string locals, text;
  std::size_t next = 0;
  for (const int width : kAllWidths) {
    const std::string name = TypeName(type, width);
    locals += fmt::format("  local uchar x{0}; local {1} l{0}; x{0} = 1; l{0} = ({1})(0);\n", width,
                          name);
    text += fmt::format(
        "  {{ uchar y = 1; {0} p = ({0})(1); {0} q[2]; found[{1}] = sizeof({0}); found[{2}] = "
        "(ulong)((uchar*)&q[1] - (uchar*)&q[0]); found[{3}] = (ulong)(size_t)&p % {5}; found[{4}] "
        "= (ulong)(size_t)&l{6} % {5}; }}\n",
        name, next, next + 1, next + 2, next + 3, VectorSize(type, width), width);
    next += 4;
  }
  KernelRequest request{.source = fmt::format("{}kernel void ask(global ulong* found) {{\n{}{}}}\n",
                                              ExtensionPragmas(type.name), locals, text),
                        .options = run.facts().Standard(),
                        .kernel = "ask",
                        .arguments = {OutputOf(next * 8)}};
  request.global = request.local = {1, 1, 1};
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto found = NumbersOf<std::uint64_t>((*answers)[0]);
  next = 0;
  for (const int width : kAllWidths) {
    const std::uint64_t size = VectorSize(type, width);
    const std::uint64_t wanted[] = {size, size, 0, 0};
    const char* what[] = {"sizeof", "stride in an array", "private address modulo the size",
                          "local address modulo the size"};
    for (std::size_t k = 0; k < 4; ++k, ++next) {
      run.Expect(found[next] == wanted[k], fmt::format("{} of {}", what[k], TypeName(type, width)),
                 fmt::format("{}", found[next]), fmt::format("{}", wanted[k]));
    }
  }
  return {};
}

// Every width by value, with small arguments between.
Expected<void> RunArguments(CheckRun& run, const ElementType& type) {
  std::string parameters, text;
  KernelRequest request;
  std::vector<ElementBits> expected;
  for (const int width : kAllWidths) {
    parameters += fmt::format("uchar b{0}, {1} v{0}, ", width, TypeName(type, width));
    const auto small = static_cast<std::uint8_t>(width + 40);
    text += fmt::format("  found[{}] = b{};\n", expected.size(), width);
    expected.push_back(small);
    request.arguments.push_back(
        {.kind = KernelArgument::Kind::kValue, .size = 1, .value = {small}});
    KernelArgument value{.kind = KernelArgument::Kind::kValue,
                         .size = VectorSize(type, width),
                         .value = std::vector<std::uint8_t>(VectorSize(type, width), 0xEE)};
    for (int k = 0; k < width; ++k) {
      const ElementBits bits = LeafValue(run.options().seed, expected.size(), type);
      std::memcpy(value.value.data() + static_cast<std::size_t>(k) * type.bytes(), &bits,
                  type.bytes());
      text += fmt::format("  found[{}] = (ulong)as_{}(v{}{});\n", expected.size(),
                          UnsignedOf(type).name, width, width == 1 ? "" : fmt::format(".s{:x}", k));
      expected.push_back(bits);
    }
    request.arguments.push_back(value);
  }
  request.source = fmt::format("{}kernel void ask({}global ulong* found) {{\n{}}}\n",
                               ExtensionPragmas(type.name), parameters, text);
  request.options = run.facts().Standard();
  request.kernel = "ask";
  request.arguments.push_back(OutputOf(expected.size() * 8));
  request.global = request.local = {1, 1, 1};
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto found = NumbersOf<std::uint64_t>((*answers)[0]);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    run.Expect(found[k] == expected[k],
               fmt::format("scalar {} of the arguments of ask(uchar, {}, uchar, {}2, ...)", k,
                           type.name, type.name),
               fmt::format("{:#x}", found[k]), fmt::format("{:#x}", expected[k]));
  }
  return {};
}

// size_t and pointers have the size that CL_DEVICE_ADDRESS_BITS says.
Expected<void> RunPointers(CheckRun& run) {
  KernelRequest request{
      .source =
          "kernel void ask(global ulong* found) {\n  found[0] = sizeof(size_t);\n  found[1] = "
          "sizeof(ptrdiff_t);\n  found[2] = sizeof(global char*);\n  found[3] = "
          "sizeof(intptr_t);\n  uint u = 0x01020304; found[4] = *(uchar*)&u;\n}\n",
      .options = run.facts().Standard(),
      .kernel = "ask",
      .arguments = {OutputOf(5 * 8)}};
  request.global = request.local = {1, 1, 1};
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  const auto found = NumbersOf<std::uint64_t>((*answers)[0]);
  const std::uint64_t bytes = run.facts().Number(DeviceQuery::kAddressBits) / 8;
  const char* what[] = {"sizeof(size_t)", "sizeof(ptrdiff_t)", "sizeof(global char*)",
                        "sizeof(intptr_t)"};
  for (std::size_t k = 0; k < 4; ++k) {
    run.Expect(found[k] == bytes, what[k], fmt::format("{}", found[k]),
               fmt::format("{}, by CL_DEVICE_ADDRESS_BITS", bytes));
  }
  const std::uint64_t first = run.facts().Number(DeviceQuery::kEndianLittle) != 0 ? 4 : 1;
  run.Expect(found[4] == first, "the first byte of (uint)0x01020304", fmt::format("{}", found[4]),
             fmt::format("{}, by CL_DEVICE_ENDIAN_LITTLE", first));
  return {};
}

}  // namespace

void AddLayoutChecks(const DeviceFacts& facts, std::vector<Check>* checks) {
  const std::string no_long =
      facts.HasLong() ? "" : "CL_DEVICE_EXTENSIONS: embedded profile without cles_khr_int64";
  const auto add = [&](std::string name, const char* clause, std::string lacks, auto run) {
    checks->push_back({.list = CheckList::kLayout,
                       .name = "layout_" + std::move(name),
                       .clause = clause,
                       .lacks = lacks.empty() ? no_long : std::move(lacks),
                       .run = std::move(run)});
  };
  add("pointers", "OpenCL C, Built-in Scalar Data Types", "", RunPointers);
  std::vector<ElementType> types(std::begin(kIntegers), std::end(kIntegers));
  for (const ElementType& type : {kHalf, kFloat, kDouble}) types.push_back(type);
  for (const ElementType& type : types) {
    std::string lacks;
    if (type.is_float() && type.bits == 16 && !facts.HasHalf()) {
      lacks = "CL_DEVICE_EXTENSIONS: no cl_khr_fp16";
    }
    if (type.is_float() && type.bits == 64 && !facts.HasDouble()) {
      lacks = "CL_DEVICE_DOUBLE_FP_CONFIG: no double";
    }
    add(fmt::format("sizes_{}", type.name), kAlignment, lacks,
        [type](CheckRun& run) { return RunSizes(run, type); });
    add(fmt::format("arguments_{}", type.name), kArguments, lacks,
        [type](CheckRun& run) { return RunArguments(run, type); });
  }
  // The random structures are those of seed 1: their rows have the same names in every run.
  auto structs = std::make_shared<AllStructs>(StructsFor(facts, 1));
  for (std::size_t k = 0; k < structs->asked.size(); ++k) {
    add(fmt::format("struct_{}", k), kStructures, "",
        [structs, k](CheckRun& run) { return RunStruct(run, *structs, *structs->asked[k]); });
    add(fmt::format("struct_argument_{}", k), kArguments, "", [structs, k](CheckRun& run) {
      return RunStructArgument(run, *structs, *structs->asked[k]);
    });
  }
}

}  // namespace assay::oracle
