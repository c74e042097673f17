// SPDX-License-Identifier: Apache-2.0
#include "vsmax/data/csv.h"

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace vsmax {
namespace {

using Fields = std::vector<std::string>;

TEST(Csv, SplitsRowsAndTrimsFields) {
  const auto rows = parse_csv("a,b\n 1 ,\t2\n,,\n", "t.csv");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].fields, (Fields{"a", "b"}));
  EXPECT_EQ(rows[1].fields, (Fields{"1", "2"}));
  EXPECT_EQ(rows[2].fields, (Fields{"", "", ""}));
}

TEST(Csv, ToleratesByteOrderMarkCrlfBlankRowsAndNoFinalNewline) {
  const auto rows = parse_csv(
      "\xEF\xBB\xBF"
      "a,b\r\n\r\n  \n1,2",
      "t.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].fields, (Fields{"a", "b"}));
  EXPECT_EQ(rows[0].row, 1U);
  EXPECT_EQ(rows[1].fields, (Fields{"1", "2"}));
  EXPECT_EQ(rows[1].row, 4U) << "blank rows count";
  EXPECT_TRUE(parse_csv("", "t.csv").empty());
}

TEST(Csv, UnquotesFields) {
  const auto rows = parse_csv("\"a,b\", \"say \"\"hi\"\"\" ,\"\"\n", "t.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].fields, (Fields{"a,b", "say \"hi\"", ""}));
}

TEST(Csv, RejectsBrokenQuotes) {
  using test::throws_error_with;
  EXPECT_TRUE(throws_error_with({"t.csv", "row 2", "not closed"},
                                [] { parse_csv("a\n\"b,c\n", "t.csv"); }));
  EXPECT_TRUE(throws_error_with({"t.csv", "row 1", "after a closing quote"},
                                [] { parse_csv("\"a\"b,c\n", "t.csv"); }));
}

TEST(Csv, FieldsSurviveWritingAndReading) {
  const Fields fields{"plain.png", "a,b", "say \"hi\"", " spaced ", "", "\"", "ü.jpg"};
  std::string text;
  for (const auto& field : fields) {
    text += csv_field(field);
    text += ',';
  }
  const auto rows = parse_csv(text + "end", "t.csv");
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].fields.size(), fields.size() + 1);
  for (std::size_t i = 0; i < fields.size(); ++i) EXPECT_EQ(rows[0].fields[i], fields[i]);
  EXPECT_EQ(csv_field("plain.png"), "plain.png");
}

}  // namespace
}  // namespace vsmax
