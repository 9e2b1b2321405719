// Pipes: one kernel fills a pipe, and the program reads it.  Which work-item gets which packet is
// open; that each comes once is not.
#include <fmt/format.h>

#include "tools/hunt/generate.h"

namespace assay::tools {
namespace {

using G = HuntGenerator;

constexpr HuntType kPipeUint{HuntBase::kUint, 1};

// How work-items write or read: alone, or with a reservation of the scope's.
enum class Access : std::uint8_t { kPlain, kReserved, kGroup, kSubgroup };
struct AccessRow {
  std::string_view prefix, count, place;  // of a reservation, and in it
};
constexpr AccessRow kAccesses[] = {
    {"", "", ""},
    {"", "1u", "0u"},
    {"work_group_", "(uint)get_local_size(0)", "(uint)get_local_id(0)"},
    {"sub_group_", "get_sub_group_size()", "get_sub_group_local_id()"},
};

// Each work-item writes or reads (`verb`) a packet, and `does` something where that succeeded.  One
// statement, because parts of it are not defined.
std::string AccessText(Access access, std::string_view verb, std::string_view pipe,
                       std::string_view packet, std::string_view does) {
  const auto& [prefix, count, place] = kAccesses[static_cast<int>(access)];
  const std::string in = access == Access::kPlain ? "" : fmt::format("id, {}, ", place);
  const std::string call = fmt::format("{}_pipe({}, {}&{})", verb, pipe, in, packet);
  const std::string one = does.empty() ? call + ";" : fmt::format("if ({} == 0) {}", call, does);
  if (access == Access::kPlain) return one;
  return fmt::format(
      "{{\n    const reserve_id_t id = {0}reserve_{1}_pipe({2}, {3});\n"
      "    if (is_valid_reserve_id(id)) {{\n      {4}\n"
      "      {0}commit_{1}_pipe({2}, id);\n    }}\n  }}",
      prefix, verb, pipe, count, one);
}

std::string NameOf(Access access, std::string_view verb) {
  return fmt::format("{}{}{}_pipe", kAccesses[static_cast<int>(access)].prefix,
                     access == Access::kPlain ? "" : "reserve_", verb);
}

struct Pipe {
  std::string name;
  HuntType packet;
  std::uint32_t first = 0;
};

// All components of a packet are the number of its work-item, plus `first`.  Work-items from
// `count` on write none, where they do not have to reserve together.
Pipe AddPipe(G& to, Access access, std::uint64_t count) {
  Pipe pipe{.name = to.NewName("x"), .packet = to.IntegerType()};
  pipe.first = static_cast<std::uint32_t>(to.random().Below(64));
  const std::uint64_t items = to.program().items;
  const std::string type = tools::NameOf(pipe.packet);
  const int width = pipe.packet.width;
  HuntCells cells;
  cells.name = pipe.name;
  cells.parameter = fmt::format("read_only pipe {} {}", type, pipe.name);
  cells.pipe = HuntPipe{.packet = pipe.packet, .max_packets = items};
  cells.pipe->filler = fmt::format("fill_{}@", pipe.name);
  const auto text = [&](Access by) {
    const std::string condition =
        count < items ? fmt::format("if (get_global_id(0) < {}u) ", count) : "";
    return fmt::format(
        "kernel void {0}(write_only pipe {1} p) {{\n"
        "  {1} v = convert_{1}((uint{2})((uint)get_global_id(0) + {3}u));\n  {4}{5}\n}}\n",
        cells.pipe->filler, type, width == 1 ? "" : fmt::format("{}", width), pipe.first, condition,
        AccessText(by, "write", "p", "v", ""));
  };
  cells.pipe->text = text(access);
  if (access != Access::kPlain) {
    cells.pipe->cause = NameOf(access, "write");
    cells.pipe->plain = text(Access::kPlain);
  }
  to.program().cells.push_back(std::move(cells));
  return pipe;
}

// Each packet comes once, whole; what is one too many comes from an empty pipe.
void Read(G& to, Access writes, Access reads, std::uint64_t count, std::string_view cause) {
  const Pipe pipe = AddPipe(to, writes, count);
  const std::uint64_t items = to.program().items;
  const std::string seen = to.Cells("uint", items, 0), v = to.NewName("v");
  to.Add({.head = fmt::format("{} {} = 0;", tools::NameOf(pipe.packet), v), .declares = v});
  const int width = pipe.packet.width;
  const std::string first = width == 1 ? v : v + ".s0";
  const std::string last = width == 1 ? v : fmt::format("{}.s{:x}", v, width - 1);
  to.Line(AccessText(reads, "read", pipe.name, v,
                     fmt::format("atomic_add(&{}[((uint){} - {}u) % {}u], 1u + (uint){});", seen,
                                 first, pipe.first, items, last)),
          {}, std::string(cause));
}

template <Access kAccess>
void AddReads(G& to) {
  Read(to, Access::kPlain, kAccess, to.program().items, NameOf(kAccess, "read"));
}
template <Access kAccess>
void AddWrites(G& to) {
  Read(to, kAccess, Access::kPlain, to.program().items, NameOf(Access::kPlain, "read"));
}
void AddEmpty(G& to) {
  Read(to, Access::kPlain, Access::kPlain, to.random().Below(to.program().items),
       "read_pipe_empty");
}

// Nobody reads or writes meanwhile.
void Query(G& to, std::string_view what) {
  const Pipe pipe = AddPipe(to, Access::kPlain, to.random().Below(to.program().items + 1));
  to.Output(G::Raw(kPipeUint, fmt::format("{}({})", what, pipe.name), {}, std::string(what)));
}
void AddNumber(G& to) { Query(to, "get_pipe_num_packets"); }
void AddMost(G& to) { Query(to, "get_pipe_max_packets"); }

constexpr bool HasPipes(const HuntDevice& device) { return device.has_pipes; }
constexpr bool HasSubgroups(const HuntDevice& device) {
  return device.has_pipes && device.has_subgroups;
}

constexpr HuntKind kPipes = HuntKind::kPipes;
constexpr HuntFeature kPipeFeatures[] = {
    {"read_pipe", kPipes, "6.15.18", AddReads<Access::kPlain>, HasPipes},
    {"read_pipe_empty", kPipes, "6.15.18", AddEmpty, HasPipes},
    {"reserve_read_pipe", kPipes, "6.15.18", AddReads<Access::kReserved>, HasPipes},
    {"reserve_write_pipe", kPipes, "6.15.18", AddWrites<Access::kReserved>, HasPipes},
    {"work_group_reserve_read_pipe", kPipes, "6.15.18", AddReads<Access::kGroup>, HasPipes},
    {"work_group_reserve_write_pipe", kPipes, "6.15.18", AddWrites<Access::kGroup>, HasPipes},
    {"sub_group_reserve_read_pipe", kPipes, "6.15.20", AddReads<Access::kSubgroup>, HasSubgroups},
    {"sub_group_reserve_write_pipe", kPipes, "6.15.20", AddWrites<Access::kSubgroup>, HasSubgroups},
    {"get_pipe_num_packets", kPipes, "6.15.18", AddNumber, HasPipes},
    {"get_pipe_max_packets", kPipes, "6.15.18", AddMost, HasPipes},
};

}  // namespace

std::span<const HuntFeature> PipeFeatures() { return kPipeFeatures; }

}  // namespace assay::tools
