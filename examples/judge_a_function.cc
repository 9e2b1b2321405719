// Judges a sine of our own: two terms too few of a series, which is good enough near zero only.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "assay/judge.h"
#include "assay/numerics.h"
#include "assay/version.h"

namespace {

float OurSine(float x) {
  const float square = x * x;
  return x - x * square * (1.0f / 6 - square * (1.0f / 120));
}

}  // namespace

int main() {
  const auto sine = assay::api::Function::Find("sin", "float");
  if (!sine) {
    std::fprintf(stderr, "%s\n", sine.error().message.c_str());
    return 1;
  }
  const auto judge = assay::api::Judge::Make(*sine, {.profile = assay::api::Profile::kFull});
  std::printf("assay %s; the limit of sin is %s ulp (%s)\n", assay::api::LibraryVersion(),
              judge->limit().text.c_str(), judge->limit().clause.c_str());

  std::vector<float> x, y;
  for (int i = 1; i <= 1024; ++i) {
    x.push_back(static_cast<float>(i) / 1024);
    y.push_back(OurSine(x.back()));
  }
  const assay::api::Column operands[] = {{x.data()}};
  const void* const answers[] = {y.data()};
  std::vector<std::uint8_t> conforms(x.size());
  std::vector<double> ulps(x.size());
  judge->Answers(operands, answers, x.size(), {.conforms = conforms.data(), .ulps = ulps.data()});

  const auto first = std::find(conforms.begin(), conforms.end(), 0) - conforms.begin();
  const auto bad = std::count(conforms.begin(), conforms.end(), 0);
  const double worst = *std::max_element(ulps.begin(), ulps.end());
  std::printf("%d of %zu answers break it, from x = %g on; the largest error is %.1f ulp\n",
              static_cast<int>(bad), x.size(), x[static_cast<std::size_t>(first)], worst);

  std::vector<float> right(x.size());
  void* const results[] = {right.data()};
  sine->Evaluate(operands, results, x.size());
  std::printf("sin(1) is %.9g, ours is %.9g\n", right.back(), y.back());
  return 0;
}
