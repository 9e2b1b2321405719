// Damaged modules: whatever is done to the words of a real one, the answer is a module or an error.
#include <gtest/gtest.h>

#include <random>

#include "frontend/capabilities.h"
#include "frontend/load.h"
#include "frontend/testing_modules.h"
#include "frontend/validate.h"

namespace assay::frontend {
namespace {

// Decodes without validation, which is harder on the decoder than what users get.  Returns whether
// a module came out, and reads some of it.
bool Survives(const std::vector<Word>& words) {
  auto binary = LoadWords(words, "damaged.spv");
  if (!binary) {
    EXPECT_FALSE(binary.error().message.empty());
    return false;
  }
  const bool supported = CheckCapabilities(*binary).has_value();
  const auto module = BuildModule(*binary);
  if (!module) {
    EXPECT_FALSE(module.error().message.empty());
    return false;
  }
  std::size_t length = 0;
  for (const Instruction& instruction : (*module)->instructions) {
    length += (*module)->Text(instruction).size();
  }
  for (const Type& type : (*module)->types.All())
    length += (*module)->types.Describe(type.id).size();
  return length > 0 && supported;
}

std::vector<Binary> RealModules() {
  std::vector<Binary> modules;
  for (const auto& [compiler, options] :
       {std::pair(Compiler::kClang15, "-O0"), std::pair(Compiler::kClang15, "-O2"),
        std::pair(Compiler::kClang22, "-O0")}) {
    if (!HasCompiler(compiler)) continue;
    auto compiled = CompileSource(std::string(kKernelSource), "kernel.cl", "",
                                  {.compiler = compiler, .build_options = options});
    EXPECT_TRUE(compiled) << compiled.error().message;
    if (compiled) modules.push_back(std::move(compiled->binary));
  }
  return modules;
}

class Robustness : public testing::Test {
 protected:
  void SetUp() override {
    modules_ = RealModules();
    if (modules_.empty()) GTEST_SKIP() << "no compiler is installed (./dev setup)";
  }
  ScratchFolder scratch_;
  std::vector<Binary> modules_;
};

TEST_F(Robustness, TruncatedAtEveryWord) {
  for (const Binary& binary : modules_) {
    EXPECT_TRUE(Survives(binary.words));
    for (std::size_t size = 0; size < binary.words.size(); ++size) {
      Survives({binary.words.begin(), binary.words.begin() + static_cast<std::ptrdiff_t>(size)});
    }
  }
}

TEST_F(Robustness, FlippedBits) {
  constexpr int kFlips = 5'000;  // of each module; ./dev fuzz flips more
  std::mt19937_64 random(17);
  int survived = 0;
  for (const Binary& binary : modules_) {
    std::vector<Word> words = binary.words;
    for (int i = 0; i < kFlips; ++i) {
      const std::size_t place = random() % words.size();
      const Word bit = Word{1} << (random() % 32);
      words[place] ^= bit;
      survived += Survives(words) ? 1 : 0;
      words[place] ^= bit;
    }
  }
  // Some flips only change a literal: if nothing survived, the test would test nothing.
  EXPECT_GT(survived, kFlips / 100);
}

// Through the validator, as users' files go; fewer, because it is the slower part.
TEST_F(Robustness, FlippedBitsInAllSteps) {
  std::mt19937_64 random(18);
  for (const Binary& binary : modules_) {
    for (int i = 0; i < 700; ++i) {
      std::vector<Word> words = binary.words;
      for (int flips = 1 + static_cast<int>(random() % 4); flips > 0; --flips) {
        words[random() % words.size()] ^= Word{1} << (random() % 32);
      }
      auto damaged = LoadWords(std::move(words), "damaged.spv");
      if (!damaged) continue;
      const auto loaded = LoadModule(std::span<const Binary>(&*damaged, 1), {});
      if (!loaded) {
        EXPECT_FALSE(loaded.error().message.empty());
      }
    }
  }
}

TEST_F(Robustness, RandomTextIsRefused) {
  std::mt19937_64 random(19);
  for (int i = 0; i < 2000; ++i) {
    std::string text = "OpCapability ";
    for (int j = 0; j < 40; ++j) text += static_cast<char>(32 + random() % 95);
    const auto result = LoadText(text, "random.spvasm");
    if (!result) {
      EXPECT_FALSE(result.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace assay::frontend
