// What an access outside of its object is said to be in the source's terms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::EndsWith;

struct Row {
  std::string body;
  int n = 0;
  const char* element;
};

// The message of the only finding; the buffer has 256 bytes.
std::string MessageOf(const Row& row, const std::string& options) {
  auto session = TestSession::FromC(
      "typedef struct { int a; float b; } pair;\n"
      "void set(global float* p, int i) { p[i] = 1; }\n"
      "kernel void k(global float* out, global pair* pairs, global uint* words, int n) {\n" +
          row.body + "\n}",
      {}, options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return "";
  const auto buffer = session->Buffer(std::vector<float>(64));
  const auto result = session->Launch({buffer, buffer, buffer, Bytes(row.n)});
  EXPECT_TRUE(result) << result.error().message;
  if (!result || result->findings.size() != 1) return "";
  return result->findings[0].message;
}

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = {
      {"out[n] = 1;", 64, "256 bytes: element 64 of 'buffer' (64 elements of float)"},
      {"out[n] = 1;", -1, ": element -1 of 'buffer' (64 elements of float)"},
      {"set(out + 60, n);", 10, ": element 70 of 'buffer' (64 elements of float)"},
      {"vstore4((float4)(1), n, out + 2);", 15, ": element 64 of 'buffer' (64 elements of float)"},
      {"*(global int*)((global char*)out + n) = 1;", 253,
       ": elements 63 to 64 of 'buffer' (64 elements of float)"},
      {"((global float4*)out)[n].x = 1;", 16, ": element 64 of 'buffer' (64 elements of float)"},
      {"atomic_inc(&words[n]);", 65, ": element 65 of 'buffer' (64 elements of uint)"},
      {"pairs[n].b = 1;", 32, ": element 32 of 'buffer' (32 elements of pair)"},
  };
  return rows;
}

TEST(AccessedElementTest, IsWhatTheSourceSays) {
  for (const Row& row : Rows()) {
    EXPECT_THAT(MessageOf(row, ""), EndsWith(row.element)) << row.body;
  }
}

TEST(AccessedElementTest, OfVariables) {
  const std::vector<Row> rows = {
      {"int table[3] = {1, 2, 3}; out[0] = table[n];", 3,
       ": element 3 of 'table' (3 elements of int)"},
      {"local short part[8]; part[n] = 1;", 8, ": element 8 of 'k.part' (8 elements of short)"},
      {"float4 rows[2][2]; rows[n][0] = 1; out[0] = rows[0][0].x;", 2,
       ": element 2 of 'rows' (2 elements of float4[2])"},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(MessageOf(row, ""), EndsWith(row.element)) << row.body;
  }
}

TEST(AccessedElementTest, IsTheSameInOptimizedCode) {
  for (const std::size_t row : {0, 1, 7}) {
    EXPECT_THAT(MessageOf(Rows()[row], "-O2"), EndsWith(Rows()[row].element)) << Rows()[row].body;
  }
}

TEST(AccessedElementTest, WithoutDebugInformationByThePointersType) {
  EXPECT_THAT(MessageOf(Rows()[0], "-g0"), EndsWith(Rows()[0].element));
  EXPECT_THAT(MessageOf(Rows()[7], "-g0"), EndsWith("(32 elements of struct pair)"));
  // A cast is all that is known of the object there.
  EXPECT_THAT(MessageOf(Rows()[5], "-g0"),
              EndsWith(": element 16 of 'buffer' (16 elements of float4)"));
}

}  // namespace
}  // namespace assay::interp
