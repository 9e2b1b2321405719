#include "frontend/build/requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace assay::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BuildRequests, GoThereAndBack) {
  CompileRequest compile{"a\0b", "-D x", {{"h.h", "text"}, {"", ""}}, "/folder", "program 2"};
  compile.source = std::string("a\0b", 3);
  const auto request = UnpackRequest(Pack(compile, RequestKind::kBuild));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->kind, RequestKind::kBuild);
  EXPECT_EQ(request->compile.source, compile.source);
  EXPECT_EQ(request->compile.options, "-D x");
  EXPECT_EQ(request->compile.working_folder, "/folder");
  EXPECT_EQ(request->compile.name, "program 2");
  ASSERT_EQ(request->compile.headers.size(), 2u);
  EXPECT_EQ(request->compile.headers[0].source, "text");

  const auto link = UnpackRequest(Pack(LinkRequest{{{1, 2}, {}, {3}}, "-create-library"}));
  ASSERT_TRUE(link);
  EXPECT_EQ(link->kind, RequestKind::kLink);
  EXPECT_EQ(link->link.modules, (std::vector<std::vector<Word>>{{1, 2}, {}, {3}}));
  EXPECT_EQ(link->link.options, "-create-library");

  const auto il = UnpackRequest(Pack(IlRequest{"bytes", "program 5", {{1, 2}, {3, 4}}}));
  ASSERT_TRUE(il);
  EXPECT_EQ(il->kind, RequestKind::kCheckIl);
  EXPECT_EQ(il->il.bytes, "bytes");
  EXPECT_EQ(il->il.specialization, (Specialization{{1, 2}, {3, 4}}));
}

TEST(BuildRequests, AnswersToo) {
  const auto answer =
      UnpackAnswer(Pack({BuildStatus::kInvalidOptions, {5, 6}, "log\n", true, {{1, 4}, {2, 8}}}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, BuildStatus::kInvalidOptions);
  EXPECT_THAT(answer->words, ElementsAre(5, 6));
  EXPECT_EQ(answer->log, "log\n");
  EXPECT_TRUE(answer->from_cache);
  ASSERT_EQ(answer->spec_constants.size(), 2u);
  EXPECT_EQ(answer->spec_constants[1].bytes, 8u);
}

TEST(BuildRequests, OtherFormsAndDamagedBytesAreRefusedOrHarmless) {
  for (const std::string& bytes : {std::string(), std::string("x"), std::string(100, '\xff')}) {
    const auto request = UnpackRequest(bytes);
    ASSERT_FALSE(request);
    EXPECT_THAT(request.error().message, HasSubstr("ASSAY_PROGRAM"));
    EXPECT_FALSE(UnpackAnswer(bytes));
  }
  const std::string whole =
      Pack({"source", "options", {{"a", "b"}}, "", ""}, RequestKind::kCompile);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    (void)UnpackRequest(whole.substr(0, size));
    std::string damaged = whole;
    damaged[size] = static_cast<char>(damaged[size] ^ 0x7f);
    (void)UnpackRequest(damaged);
    (void)UnpackAnswer(damaged);
  }
}

TEST(BuildMessages, LargeOnesPassAndAnEndIsTold) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string sent(5'000'000, 'x');
  std::thread sender([&] {
    EXPECT_TRUE(SendMessage(ends[0], sent, 10));
    close(ends[0]);
  });
  const auto received = ReceiveMessage(ends[1], 10);
  sender.join();
  ASSERT_TRUE(received);
  EXPECT_EQ(*received, sent);
  const auto end = ReceiveMessage(ends[1], 10);
  ASSERT_FALSE(end);
  EXPECT_THAT(end.error().message, HasSubstr("it has ended"));
  EXPECT_FALSE(SendMessage(ends[1], sent, 10)) << "and no signal ends the process";
  close(ends[1]);
}

TEST(BuildMessages, SilenceAndNonsenseAreErrors) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  EXPECT_THAT(ReceiveMessage(ends[1], 0.05).error().message, HasSubstr("nothing for"));
  const std::string nonsense(8, '\xff');
  ASSERT_EQ(write(ends[0], nonsense.data(), nonsense.size()), 8);
  EXPECT_THAT(ReceiveMessage(ends[1], 1).error().message, HasSubstr("no message"));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace assay::frontend
