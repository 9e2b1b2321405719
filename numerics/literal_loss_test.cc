#include "numerics/literal_loss.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::numerics {
namespace {

struct Row {
  ScalarType type;
  std::string text;
  LiteralLoss loss;
};

TEST(LiteralLossTest, IsWhatTheTypeCannotHold) {
  for (const Row& row : {
           Row{ScalarType::kFloat, "0.5", LiteralLoss::kNone},
           Row{ScalarType::kFloat, "0.1", LiteralLoss::kRounded},
           Row{ScalarType::kFloat, "-0.1", LiteralLoss::kRounded},
           Row{ScalarType::kFloat, "16777217", LiteralLoss::kRounded},
           Row{ScalarType::kDouble, "16777217", LiteralLoss::kNone},
           Row{ScalarType::kFloat, "0x1.8p+0", LiteralLoss::kNone},
           Row{ScalarType::kFloat, "0x1.0000001p+0", LiteralLoss::kRounded},
           Row{ScalarType::kFloat, "0x3dcccccd", LiteralLoss::kNone},
           Row{ScalarType::kFloat, "1e-50", LiteralLoss::kUnderflows},
           Row{ScalarType::kFloat, "-1e-50", LiteralLoss::kUnderflows},
           Row{ScalarType::kFloat, "1e-45", LiteralLoss::kRounded},
           Row{ScalarType::kFloat, "0x1p-149", LiteralLoss::kNone},
           Row{ScalarType::kDouble, "1e-400", LiteralLoss::kUnderflows},
           Row{ScalarType::kHalf, "2049", LiteralLoss::kRounded},
           Row{ScalarType::kFloat, "0", LiteralLoss::kNone},
           Row{ScalarType::kFloat, "-inf", LiteralLoss::kNone},
           Row{ScalarType::kFloat, "nan", LiteralLoss::kNone},
           Row{ScalarType::kInt, "7", LiteralLoss::kNone},
       }) {
    EXPECT_EQ(LossOf(row.type, row.text), row.loss) << row.text;
  }
}

}  // namespace
}  // namespace assay::numerics
