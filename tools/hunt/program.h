// Random programs of OpenCL C as trees: small enough to be printed, and to be made smaller.
//
// A tree has texts with places for its parts: "($0 + $1)".  So an operation is a row of a table
// (operations.h), and the printer and the reducer know nothing about single operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interp/program/image.h"

namespace assay::tools {

// In the order of their sizes; of each integer size the signed type comes first.
enum class HuntBase : std::uint8_t {
  kChar,
  kUchar,
  kShort,
  kUshort,
  kInt,
  kUint,
  kLong,
  kUlong,
  kFloat,
  kDouble,
  kHalf,
};
inline constexpr int kHuntBases = 11;

struct HuntType {
  HuntBase base = HuntBase::kUint;
  int width = 1;  // 1, 2, 3, 4, 8, 16
  bool operator==(const HuntType&) const = default;
  auto operator<=>(const HuntType&) const = default;
};

std::string_view NameOf(HuntBase base);  // "uchar"
std::string NameOf(HuntType type);       // "uchar4"
int BytesOf(HuntBase base);
bool IsInteger(HuntBase base);
bool IsSigned(HuntBase base);  // of an integer
HuntBase SignedOf(HuntBase base);
HuntBase UnsignedOf(HuntBase base);

struct HuntExpr {
  HuntType type;
  // "$0" to "$9": the operands; "@": what makes names of one program differ from others' (Print).
  std::string form = {};
  std::vector<HuntExpr> kids = {};
  std::string cause = {};  // the operation, "mul_hi"; "" of leaves, which are no cause
  bool is_constant = false;
  // Of an operation with more than one right result, which only an output has: its name for the
  // oracle ("sin", "convert_int_sat"), which judges the result by the operands.
  std::string judged = {};
  // Of its second result, which `form` gets at "&second"; without one its width is 0.
  HuntType second = {HuntBase::kUint, 0};
};

struct HuntStmt {
  // "v0 = $0;", "if ($0)", "for (uint k0 = 0; k0 < 5; ++k0)"; "": a bare block.
  std::string head = {};
  std::vector<HuntExpr> exprs = {};
  std::vector<HuntStmt> body = {};       // in braces, if has_body
  std::vector<HuntStmt> otherwise = {};  // "else"
  bool has_body = false;
  std::string declares = {};  // the name of the variable that it declares; "": none
  std::string cause = {};     // "barrier"; "": none
  // exprs[0] becomes an element of an output buffer; before a judged one its operands do.
  bool is_output = false;
};

// What stands outside of a kernel, or at its beginning: printed if its name is used.
struct HuntPart {
  std::string name;  // with '@' where it stands outside of the kernel
  HuntStmt text;
  bool is_inside = false;  // a variable of local memory, which is declared in the kernel
};

// A pipe, and the kernel that fills it before the program runs: it has as many work-items, and the
// pipe is its one argument.
struct HuntPipe {
  HuntType packet;
  std::uint64_t max_packets = 0;
  std::string filler;  // the kernel's name, with '@'
  std::string text;    // of the kernel
  // What is special in the text ("reserve_write_pipe"), and one without it; "": nothing is.
  std::string cause, plain;
};

// A buffer of the program's own, which atomic operations change, or an image, or a pipe.
struct HuntCells {
  std::string name;  // of the parameter
  std::string type;  // "uint"
  std::uint64_t count = 0;
  std::uint64_t first = 0;  // the content of each
  std::string parameter;    // "volatile global uint* sums", "read_only image2d_t x3"
  // Its contents are random numbers; then there are no type, count and first content.
  std::optional<interp::ImageDescriptor> image;
  std::optional<HuntPipe> pipe;  // the same; the pipe is no result
};

struct HuntProgram {
  std::uint64_t seed = 0;       // of it alone
  std::uint64_t data_seed = 0;  // of what its input buffers have
  std::vector<HuntPart> parts;
  std::vector<HuntStmt> body;
  std::vector<HuntCells> cells;
  std::uint32_t items = 64;
};

// What an output statement stores: an element of `type` for each work-item, from `offset` on in the
// output buffer of the base.
struct HuntStore {
  HuntType type;
  std::uint64_t offset = 0;  // in components
};
// Operands of a judged result, then results.  `used`: components of each output buffer before it.
std::vector<HuntStore> StoresOf(const HuntStmt& output, std::uint32_t items,
                                std::map<HuntBase, std::uint64_t>* used);

// A judged result, and the operands that it is judged by.
struct HuntJudged {
  std::string name;
  std::vector<HuntStore> operands, results;
};

struct HuntText {
  struct Pipe {
    std::size_t cell = 0;  // place in HuntProgram::cells
    std::string filler;    // the kernel
  };
  std::string outside;  // types and functions
  std::string kernel;   // with its head
  // Parameters, in order.
  std::vector<Pipe> pipes;
  std::vector<HuntBase> inputs;              // global const T* in_T
  std::vector<HuntBase> outputs;             // global T* out_T
  std::vector<std::size_t> cells;            // the others
  std::vector<std::uint64_t> output_counts;  // of `outputs`, in components
  std::vector<HuntJudged> judged;
};

// Components of an input buffer for so many work-items.
std::uint64_t InputCount(std::uint32_t items);

// `name` is the kernel's; `suffix` takes the place of '@'.
HuntText PrintProgram(const HuntProgram& program, const std::string& name,
                      const std::string& suffix);
std::string PrintExpr(const HuntExpr& expr);
// Lines of the kernel and of what stands outside of it that are not empty.
int LinesOf(const HuntText& text);

// All expressions in all statements, also those of parts; parents come before their operands.
void ForEachExpr(HuntProgram* program, const std::function<void(HuntExpr*)>& visit);
void ForEachExpr(const HuntProgram& program, const std::function<void(const HuntExpr&)>& visit);
void ForEachStmt(const HuntProgram& program, const std::function<void(const HuntStmt&)>& visit);
// Whether a text has the name as a whole word.
bool HasWord(std::string_view text, std::string_view word);

}  // namespace assay::tools
