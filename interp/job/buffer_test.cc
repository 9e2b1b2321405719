// Buffers of jobs in a memory: access, offsets, undefined content.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/job/job.h"

namespace assay::interp {
namespace {

using testing::HasSubstr;

Expected<Job> ReadOne(const std::string& argument) {
  return ParseJob(R"({"module": "m.cl", "global": 1, "args": [)" + argument + "]}", "job.json");
}
std::string ErrorOf(const std::string& argument) {
  const auto job = ReadOne(argument);
  return job ? "" : job.error().message;
}

TEST(JobBuffers, AccessAndOffset) {
  const auto job = ReadOne(
      R"({"buffer": {"type": "int", "count": 4, "init": {"fill": 0}, "access": "read_only",
                     "offset": 8}})");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_TRUE(job->buffers[0].readable);
  EXPECT_FALSE(job->buffers[0].writable);
  EXPECT_EQ(std::get<JobBufferUse>(job->launches[0].arguments[0]).offset, 8u);
}

TEST(JobBuffers, OffsetsBesideNames) {
  const auto job = ParseJob(
      R"({"module": "m.cl", "global": 1,
          "buffers": {"b": {"type": "int", "count": 4, "init": {"fill": 0},
                            "access": "write_only"}},
          "launches": [{"args": [{"buffer": "b"}, {"buffer": "b", "offset": 4}]}]})",
      "job.json");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_FALSE(job->buffers[0].readable);
  EXPECT_EQ(std::get<JobBufferUse>(job->launches[0].arguments[0]).offset, 0u);
  EXPECT_EQ(std::get<JobBufferUse>(job->launches[0].arguments[1]).offset, 4u);
}

TEST(JobBuffers, Errors) {
  EXPECT_THAT(
      ErrorOf(R"({"buffer": {"type": "int", "count": 1, "init": {"fill": 0}, "access": "some"}})"),
      HasSubstr("job.json: /args/0/buffer/access: it is read_only, write_only or read_write"));
  EXPECT_THAT(
      ErrorOf(R"({"buffer": {"type": "int", "count": 1, "init": {"fill": 0}, "offset": 5}})"),
      HasSubstr("/args/0/buffer/offset"));
  EXPECT_THAT(ErrorOf(R"({"scalar": {"type": "int", "value": 0}, "offset": 5})"),
              HasSubstr("/args/0"));
  const auto named = ParseJob(
      R"({"module": "m.cl", "global": 1,
          "buffers": {"b": {"type": "int", "count": 1, "init": {"fill": 0}, "offset": 0}},
          "launches": [{"args": [{"buffer": "b"}]}]})",
      "job.json");
  ASSERT_FALSE(named);
  EXPECT_THAT(named.error().message, HasSubstr("/buffers/b/offset"));
}

TEST(JobBuffers, Words) {
  Job job;
  job.launches.emplace_back();
  const auto parse = [&](const char* text) {
    const auto argument = ParseArgument(text, &job);
    EXPECT_TRUE(argument) << text << ": " << argument.error().message;
    if (argument) job.launches.back().arguments.push_back(*argument);
    return argument ? std::get<JobBufferUse>(*argument) : JobBufferUse{};
  };
  EXPECT_EQ(parse("offset(4) read_only int[4]=0").offset, 4u);
  EXPECT_FALSE(job.buffers[0].writable);
  EXPECT_FALSE((parse("write_only int[4]=1, 2, 3, 4"), job.buffers[1].readable));
  EXPECT_EQ(parse("offset(8) buffer(0)").buffer, 0u);
  EXPECT_EQ(job.buffers.size(), 2u);
  for (const char* text : {"offset(17) int[4]=0", "read_only int=4", "buffer(9)", "offset(x) int=4",
                           "only int[4]=0", "read_only"}) {
    EXPECT_FALSE(ParseArgument(text, &job)) << text;
  }
}

TEST(JobBuffers, InMemory) {
  Memory memory(kLayout64, 1 << 20);
  JobBuffer buffer;
  buffer.bytes = {std::byte{1}, std::byte{2}};
  buffer.writable = false;
  buffer.uninitialized = true;
  const auto address = PlaceBuffer(&memory, buffer, "b");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_EQ(memory.Bytes(*address)[1], std::byte{2});
  const Region& region = memory.regions().back();
  EXPECT_FALSE(region.writable);
  EXPECT_TRUE(region.readable);
  EXPECT_TRUE(region.is_buffer);
  EXPECT_EQ(region.shadow->undefined.load()[0], std::byte{0xff});
}

}  // namespace
}  // namespace assay::interp
