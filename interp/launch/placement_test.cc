// Where objects begin: what needs more alignment than their declarations promise is found, whatever
// kind of object it is about and at whatever place in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

struct Object {
  const char* name;
  std::uint64_t alignment;  // of its declaration
};
// In the order in which the kernel tells addresses.
constexpr std::array<Object, 10> kObjects = {{{"a global buffer", 128},
                                              {"a constant buffer", 128},
                                              {"a local argument", 4},
                                              {"a structure by value", 4},
                                              {"a program-scope variable", 2},
                                              {"program-scope constants", 2},
                                              {"a local array", 1},
                                              {"a private array", 1},
                                              {"a private structure", 8},
                                              {"a declared alignment", 32}}};

constexpr const char* kTellAddresses = R"(
typedef struct { int a[4]; } ints;
typedef struct { char c[3]; long l; } mixed;
global short shared[8];
constant short table[4] = {1, 2, 3, 4};
kernel void k(global ulong* out, constant int* c, local int* l, ints s) {
  local char group[8];
  volatile char mine[16];
  volatile mixed m;
  volatile char declared[32] __attribute__((aligned(32)));
  out[0] = (ulong)out;
  out[1] = (ulong)c;
  out[2] = (ulong)l;
  out[3] = (ulong)&s;
  out[4] = (ulong)shared;
  out[5] = (ulong)table;
  out[6] = (ulong)group;
  out[7] = (ulong)mine;
  out[8] = (ulong)&m;
  out[9] = (ulong)declared;
})";

std::vector<std::uint64_t> Addresses(const SessionOptions& options, const LaunchOptions& launch,
                                     const std::string& build_options) {
  auto session = TestSession::FromC(kTellAddresses, options, build_options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto out = session->Buffer(std::vector<std::uint64_t>(kObjects.size()));
  const auto constants = session->Buffer(std::vector<int>(4), AddressSpace::kConstant);
  const auto result = session->Launch(
      {out, constants, LocalArgument{16}, Bytes(std::array<int, 4>{})}, 3, launch, 1);
  EXPECT_TRUE(result) << result.error().message;
  return session->Read<std::uint64_t>(out);
}

class Placement : public testing::TestWithParam<const char*> {};

TEST_P(Placement, SeedsInARowAreMultiplesInARow) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto addresses = Addresses({.placement_seed = seed}, {}, GetParam());
    ASSERT_EQ(addresses.size(), kObjects.size());
    for (std::size_t i = 0; i < kObjects.size(); ++i) {
      const std::uint64_t alignment = kObjects[i].alignment;
      EXPECT_EQ(addresses[i] % (4 * alignment), (1 + seed) % 4 * alignment)
          << kObjects[i].name << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, Placement, testing::Values("-m64", "-m32"),
                         [](const auto& parameter) { return std::string(parameter.param + 1); });

TEST(PlacementTest, DependsOnTheSeedOnly) {
  for (const std::uint64_t seed : {0, 1, 62, 63, 64}) {
    const auto within = [](std::vector<std::uint64_t> addresses) {
      for (std::uint64_t& address : addresses) address &= 0xffff'ffff;
      return addresses;
    };
    const auto first = within(Addresses({.placement_seed = seed}, {}, ""));
    for (const int width : {1, 7}) {
      for (const int threads : {1, 3}) {
        const SessionOptions options{
            .detectors = DetectorSet::All(), .batch_width = width, .placement_seed = seed};
        EXPECT_EQ(within(Addresses(options, {.threads = threads}, "")), first) << seed;
      }
    }
  }
}

// Accesses that need twice the alignment of their object, `at` times the alignment behind its
// beginning.
struct Access {
  const char* object;
  std::string body;
};

TEST(PlacementTest, OneOfTwoSeedsShowsWhatNeedsMoreAlignment) {
  const std::vector<Access> accesses = {
      {"a local argument", "*(local int2*)(l + at) = 1;"},
      {"a structure by value", "o[0] = (*(int2*)(s.a + at)).y;"},
      {"a program-scope variable", "*(global int*)(shared + at) = 1;"},
      {"program-scope constants", "o[0] = *(constant int*)(table + at);"},
      {"a local array", "local char group[8]; *(local short*)(group + at) = 1;"},
      {"a private array", "char mine[16]; *(short*)(mine + at) = 1;"},
      {"a private array of vectors", "int2 mine[4]; *(int4*)(mine + at) = 1;"},
      {"a member", "struct { int a; char c[9]; } m; *(long*)((int*)&m + at) = 1;"},
  };
  for (const Access& access : accesses) {
    const std::string source =
        "typedef struct { int a[4]; } ints; global short shared[8];\n"
        "constant short table[4] = {1, 2, 3, 4};\n"
        "kernel void k(global int* o, local int* l, ints s, int at) {" +
        access.body + "}";
    for (int at = 0; at < 2; ++at) {
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        DetectorSet alignment;
        alignment.Add(Detector::kAlignment);
        auto session = TestSession::FromC(source, {.detectors = alignment, .placement_seed = seed});
        ASSERT_TRUE(session) << session.error().message;
        const auto result =
            session->Launch({session->Buffer(std::vector<int>(4)), LocalArgument{64},
                             Bytes(std::array<int, 4>{}), Bytes(at)});
        ASSERT_TRUE(result) << result.error().message;
        const bool is_found = (1 + seed + static_cast<std::uint64_t>(at)) % 2 == 1;
        EXPECT_EQ(result->findings.size(), is_found ? 1u : 0u)
            << access.object << " at " << at << ", seed " << seed;
        for (const Finding& finding : result->findings) {
          EXPECT_EQ(NameOf(finding.rule), "alignment-access") << access.object;
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::interp
