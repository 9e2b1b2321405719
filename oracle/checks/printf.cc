// printf against C99: one row a conversion, each a kernel whose one work-item prints lines.
//
// The expected text is that of this machine's C library in the "C" locale; OpenCL C 6.15.14 says
// where printf differs: vectors (%v4hld) and hl as their length.
#include <fmt/format.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "oracle/checks/integer.h"

namespace assay::oracle {
namespace {

constexpr std::uint32_t kPrintRoom = 1 << 14;

// One call: "%5d" with the argument "-7", and what C99 prints.
struct PrintLine {
  std::string format;
  std::string argument;  // OpenCL C
  std::string expected;
  bool by_value = false;  // %a: C99 leaves the leading digit open; the number counts
};

struct PrintRow {
  std::string name;
  std::string lacks;
  std::vector<PrintLine> lines;
};

__attribute__((format(printf, 1, 2))) std::string Printed(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  const int size = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return {text, static_cast<std::size_t>(size)};
}

#define LINE(format, argument) \
  PrintLine { format, #argument, Printed(format, argument), false }

std::vector<PrintLine> SignedLines() {
  return {
      LINE("%d", 0),     LINE("%d", -7),     LINE("%i", 2147483647), LINE("%d", (-2147483647 - 1)),
      LINE("%5d", 42),   LINE("%-5d|", 42),  LINE("%05d", 42),       LINE("%05d", -42),
      LINE("%+d", 42),   LINE("%+d", -42),   LINE("% d", 42),        LINE("%.3d", 7),
      LINE("%8.3d", -7), LINE("%-8.3d|", 7), LINE("%+.2d", 3),       LINE("%12d", -123456),
      LINE("%.0d|", 0),  LINE("%3d", 123456)};
}
std::vector<PrintLine> UnsignedLines() {
  return {LINE("%u", 0u),     LINE("%u", 4294967295u), LINE("%10u", 77u), LINE("%-10u|", 77u),
          LINE("%010u", 77u), LINE("%.5u", 77u),       LINE("%8.3u", 5u), LINE("%.0u|", 0u)};
}
std::vector<PrintLine> HexadecimalLines() {
  return {LINE("%x", 0u),      LINE("%x", 3735928559u), LINE("%X", 3735928559u),
          LINE("%#x", 255u),   LINE("%#X", 255u),       LINE("%08x", 255u),
          LINE("%#10x", 255u), LINE("%-#10x|", 255u),   LINE("%#010x", 255u),
          LINE("%.6x", 255u),  LINE("%#x", 0u),         LINE("%10.4X", 48879u)};
}
std::vector<PrintLine> OctalLines() {
  return {LINE("%o", 0u),   LINE("%o", 8u),    LINE("%o", 4294967295u), LINE("%#o", 8u),
          LINE("%06o", 8u), LINE("%-6o|", 8u), LINE("%.5o", 8u),        LINE("%#8o", 64u)};
}
std::vector<PrintLine> CharacterLines() {
  return {LINE("%c", 'A'), LINE("%3c", 'b'), LINE("%-3c|", 'c'), LINE("%c", 37),
          LINE("%%|%c", 'x')};
}
std::vector<PrintLine> StringLines() {
  return {LINE("%s", "text"),    LINE("%10s", "text"),  LINE("%-10s|", "text"),
          LINE("%.2s|", "text"), LINE("%6.3s", "text"), LINE("[%s]", "")};
}
// Of an argument of their own type: hh and h narrow what they print.
std::vector<PrintLine> LengthLines() {
  std::vector<PrintLine> lines = {LINE("%hhd", -1),   LINE("%hhu", 255), LINE("%hd", -300),
                                  LINE("%hu", 65535), LINE("%hhx", 171), LINE("%hX", 48879)};
  lines.push_back({"%ld", "-1234567890123L", "-1234567890123", false});
  lines.push_back({"%lu", "18446744073709551615UL", "18446744073709551615", false});
  lines.push_back({"%lx", "0x123456789abcdefUL", "123456789abcdef", false});
  lines.push_back({"%#lo", "8UL", "010", false});
  lines.push_back({"%20ld", "-5L", "                  -5", false});
  return lines;
}
// Numbers that few decimal digits write exactly, or that no mode of rounding changes.
std::vector<PrintLine> FixedLines() {
  return {LINE("%f", 0.0f),
          LINE("%f", 1.5f),
          LINE("%f", -0.25f),
          LINE("%.3f", 1.5f),
          LINE("%.0f", 3.0f),
          LINE("%10.2f", 2.5f),
          LINE("%-10.2f|", 2.5f),
          LINE("%010.2f", -2.5f),
          LINE("%+f", 1.0f),
          LINE("% f", 1.0f),
          LINE("%#.0f", 3.0f),
          LINE("%F", 16777216.0f),
          LINE("%.1f", 1.25f + 1.25f),
          LINE("%f", -0.0f)};
}
std::vector<PrintLine> ExponentLines() {
  return {LINE("%e", 0.0f),       LINE("%e", 1.5f),       LINE("%E", -1024.0f), LINE("%.2e", 1.5f),
          LINE("%12.3e", 2.5f),   LINE("%-12.3e|", 2.5f), LINE("%.0e", 4.0f),   LINE("%+e", 0.125f),
          LINE("%e", 1048576.0f), LINE("%#.0e", 8.0f),    LINE("%.3E", 0.5f)};
}
std::vector<PrintLine> GeneralLines() {
  return {LINE("%g", 0.0f),
          LINE("%g", 1.5f),
          LINE("%g", 100000.0f),
          LINE("%g", 1e6f),
          LINE("%g", 0.0001220703125f),
          LINE("%G", 16777216.0f),
          LINE("%#g", 1.5f),
          LINE("%10g", -2.5f),
          LINE("%.3g", 1.25f),
          LINE("%g", 0.5f),
          LINE("%-10g|", 2.5f),
          LINE("%g", 0.000030517578125f)};
}
std::vector<PrintLine> HexFloatLines() {
  std::vector<PrintLine> lines = {LINE("%a", 1.0f), LINE("%a", -0.15625f), LINE("%A", 1024.0f),
                                  LINE("%a", 0.0f), LINE("%a", 0x1.fffffep+127f)};
  for (PrintLine& line : lines) line.by_value = true;
  return lines;
}
#undef LINE

std::vector<PrintLine> VectorLines() {
  // A vector specifier without a length modifier is undefined.
  return {{"%v2hld", "(int2)(-1, 2)", "-1,2", false},
          {"%v3hld", "(int3)(1, 2, 3)", "1,2,3", false},
          {"%v4hld", "(int4)(1, -2, 3, 4)", "1,-2,3,4", false},
          {"%v4hlu", "(uint4)(1, 2, 3, 4294967295u)", "1,2,3,4294967295", false},
          {"%v4hlx", "(uint4)(255, 16, 1, 0)", "ff,10,1,0", false},
          {"%#v4hlx", "(uint4)(255, 16, 1, 2)", "0xff,0x10,0x1,0x2", false},
          {"%v4hhd", "(char4)(1, -2, 3, 127)", "1,-2,3,127", false},
          {"%v8hhx", "(uchar8)(1, 2, 3, 4, 5, 6, 7, 255)", "1,2,3,4,5,6,7,ff", false},
          {"%v4hd", "(short4)(1, -2, 300, 4)", "1,-2,300,4", false},
          {"%v16hhu", "(uchar16)(7)", "7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7", false},
          {"%v2ld", "(long2)(-5, 1234567890123L)", "-5,1234567890123", false},
          {"%v4hlf", "(float4)(1.0f, 2.5f, -3.0f, 0.0f)", "1.000000,2.500000,-3.000000,0.000000",
           false},
          {"%v2hlg", "(float2)(0.5f, 100000.0f)", "0.5,100000", false},
          {"%v2hle", "(float2)(1.5f, 0.0f)", "1.500000e+00,0.000000e+00", false},
          {"%03v4hld", "(int4)(1, 2, 3, 4)", "001,002,003,004", false},
          {"%4v4hld", "(int4)(1, -2, 3, 4)", "   1,  -2,   3,   4", false},
          {"%.3v2hlf", "(float2)(1.0f, 2.5f)", "1.000,2.500", false}};
}

// Several conversions in a format.
std::vector<PrintLine> SeveralLines() {
  return {{"%d %u %x", "-1, 2u, 255u", "-1 2 ff", false},
          {"%s=%d;", "\"a\", 5", "a=5;", false},
          {"%c%c%c", "'x', 'y', 'z'", "xyz", false},
          {"%f %d %e", "0.5f, 7, 0.5f", "0.500000 7 5.000000e-01", false},
          {"%d%%|%d", "50, 60", "50%|60", false}};
}

std::vector<PrintRow> PrintRows(const DeviceFacts& facts) {
  const std::string no_long = facts.HasLong() ? "" : "CL_DEVICE_EXTENSIONS: no cles_khr_int64";
  return {{"d", "", SignedLines()},
          {"u", "", UnsignedLines()},
          {"x", "", HexadecimalLines()},
          {"o", "", OctalLines()},
          {"c", "", CharacterLines()},
          {"s", "", StringLines()},
          {"lengths", no_long, LengthLines()},
          {"f", "", FixedLines()},
          {"e", "", ExponentLines()},
          {"g", "", GeneralLines()},
          {"a", "", HexFloatLines()},
          {"vectors", no_long, VectorLines()},
          {"several", "", SeveralLines()}};
}

// Each line ends with a newline; its number stands before, so that one that is lost is told.
std::string PrintProgram(const std::vector<PrintLine>& lines) {
  std::string calls;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    calls += fmt::format("  printf(\"{}:{}\\n\", {});\n", k, lines[k].format, lines[k].argument);
  }
  return fmt::format("kernel void ask(global uint* done) {{\n{}  done[0] = 1;\n}}\n", calls);
}

bool SameLine(const PrintLine& line, const std::string& observed) {
  if (!line.by_value) return observed == line.expected;
  char* end = nullptr;
  const double value = std::strtod(observed.c_str(), &end);
  const bool is_hex = observed.find_first_of("xX") != std::string::npos;
  return is_hex && *end == '\0' && !observed.empty() &&
         value == std::strtod(line.expected.c_str(), nullptr);
}

Expected<void> RunPrintf(CheckRun& run, const PrintRow& row) {
  KernelRequest request{.source = PrintProgram(row.lines),
                        .options = run.facts().Standard(),
                        .kernel = "ask",
                        .arguments = {OutputOf(4)}};
  request.global = request.local = {1, 1, 1};
  request.printed = kPrintRoom;
  auto answers = run.Ask(request);
  if (!answers) return tl::unexpected<Error>(answers.error());
  const QueryAnswer text = ReadQueryAnswer((*answers)[1]);
  if (text.status != 0) return Fail(ErrorKind::kInternal, "the output of printf cannot be caught");
  const std::size_t size = std::min<std::size_t>(text.size, kPrintRoom);
  std::istringstream lines(std::string(reinterpret_cast<const char*>(text.value.data()), size));
  std::vector<std::optional<std::string>> found(row.lines.size());
  for (std::string line; std::getline(lines, line);) {
    char* end = nullptr;
    const std::size_t number = std::strtoull(line.c_str(), &end, 10);
    if (*end == ':' && number < found.size()) found[number] = end + 1;
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    const PrintLine& line = row.lines[k];
    run.Expect(found[k] && SameLine(line, *found[k]),
               fmt::format("printf(\"{}\", {})", line.format, line.argument),
               found[k] ? fmt::format("\"{}\"", *found[k]) : "no line",
               fmt::format("\"{}\"", line.expected));
  }
  return {};
}

}  // namespace

void AddPrintf(const DeviceFacts& facts, std::vector<Check>* checks) {
  for (PrintRow& row : PrintRows(facts)) {
    checks->push_back({.list = CheckList::kInteger,
                       .name = fmt::format("integer_printf_{}", row.name),
                       .clause = "OpenCL C 6.15.14; C99 7.19.6.1",
                       .lacks = row.lacks,
                       .run = [row](CheckRun& run) { return RunPrintf(run, row); }});
  }
}

void AddIntegerChecks(const DeviceFacts& facts, std::vector<Check>* checks) {
  AddIntegerOperations(facts, checks);
  AddFloatRelations(facts, checks);
  AddConversions(facts, checks);
  AddVectorShapes(facts, checks);
  AddPrintf(facts, checks);
}

}  // namespace assay::oracle
