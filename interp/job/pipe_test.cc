#include "interp/job/pipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "interp/job/job.h"

namespace assay::interp {
namespace {

using testing::HasSubstr;

Expected<Job> ParseWithPipes(const std::string& arguments) {
  return ParseJob(R"({"module": "x.cl", "global": 1, "launches": [{"args": [)" + arguments + "]}]}",
                  "job.json");
}

void ExpectRefused(const std::string& arguments, const char* place, const char* why) {
  const auto job = ParseWithPipes(arguments);
  ASSERT_FALSE(job) << arguments;
  EXPECT_THAT(job.error().message, HasSubstr(place));
  EXPECT_THAT(job.error().message, HasSubstr(why));
}

TEST(JobPipe, AnArgumentMakesItAndOthersNameIt) {
  const auto job = ParseWithPipes(R"({"pipe": {"name": "p", "packet": "int2", "max_packets": 3,
                                      "data": [1, 2, 3, 4]}},
                            {"pipe": "p"}, {"pipe": {"name": "p", "packet": "int2", "max_packets": 3}},
                            {"pipe": {"packet": 12, "max_packets": 5}})");
  ASSERT_TRUE(job) << job.error().message;
  ASSERT_EQ(job->buffers.size(), 2U);
  EXPECT_EQ(job->buffers[0].max_packets, 3U);
  EXPECT_EQ(job->buffers[0].packet_bytes, 8U);
  EXPECT_EQ(job->buffers[0].count, 2U);
  EXPECT_EQ(job->buffers[1].packet_bytes, 12U);
  EXPECT_EQ(job->buffers[1].name, "3");
  for (const std::size_t i : {0, 1, 2}) {
    EXPECT_EQ(std::get<JobBufferUse>(job->launches[0].arguments[i]).buffer, 0U);
  }
}

TEST(JobPipe, MistakesAreNamedWithTheirPlace) {
  ExpectRefused(R"({"pipe": "p"})", "/launches/0/args/0/pipe", "no pipe 'p'");
  ExpectRefused(R"({"pipe": {"packet": "int"}})", "/launches/0/args/0/pipe", "max_packets");
  ExpectRefused(R"({"pipe": {"packet": "integer", "max_packets": 1}})", "/pipe/packet",
                "unknown type");
  ExpectRefused(R"({"pipe": {"packet": 0, "max_packets": 1}})", "/pipe/packet", "0 bytes");
  ExpectRefused(R"({"pipe": {"packet": "int", "max_packets": 0}})", "/pipe", "0 packets");
  ExpectRefused(R"({"pipe": {"packet": "int", "max_packets": 1, "data": [1, 2]}})", "/pipe",
                "8 bytes are put");
  ExpectRefused(R"({"pipe": {"packet": "int", "max_packets": 99999999999}})", "/pipe", "packets");
  ExpectRefused(R"({"pipe": {"packet": 1048576, "max_packets": 2147483648}})", "/pipe",
                "too large");
  ExpectRefused(R"({"pipe": {"name": "p", "packet": "int", "max_packets": 1}},
                   {"pipe": {"name": "p", "packet": "int", "max_packets": 2}})",
                "/args/1/pipe", "in another way");
  ExpectRefused(R"({"pipe": {"name": "p", "packet": "int", "max_packets": 1}}, {"buffer": "p"})",
                "/args/1/buffer", "it is a pipe");
}

TEST(JobPipe, OnTheCommandLine) {
  Job job;
  job.launches.emplace_back();
  const auto made = ParseArgument("pipe(int2,4)=1,2,3,4", &job);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(job.buffers[0].max_packets, 4U);
  EXPECT_EQ(job.buffers[0].count, 2U);
  EXPECT_TRUE(ParseArgument("pipe(12,4)", &job));
  for (const char* wrong : {"pipe(int2)", "pipe(int2,0)", "pipe(,4)", "pipe(int2,4)=1,2,3",
                            "read_only pipe(int2,4)", "pipe(int2,x)"}) {
    const auto refused = ParseArgument(wrong, &job);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(refused.error().message, HasSubstr(wrong));
  }
}

TEST(JobPipe, WhatIsLeftIsTaken) {
  Memory memory(kLayout64, 1 << 20);
  Job job;
  job.launches.emplace_back();
  ASSERT_TRUE(ParseArgument("pipe(ushort,4)=1,2,3", &job));
  const auto address = PlaceBuffer(&memory, job.buffers[0], "p");
  ASSERT_TRUE(address) << address.error().message;
  JobBuffer taken = job.buffers[0].WithoutBytes();
  taken.count = 0;
  TakeBuffer(&memory, *address, &taken);
  EXPECT_EQ(taken.count, 3U);
  EXPECT_EQ(taken.bytes, job.buffers[0].bytes);
}

}  // namespace
}  // namespace assay::interp
