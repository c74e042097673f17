// SPDX-License-Identifier: Apache-2.0
#include "draw/svg.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "xml_elements.h"

namespace vsmax::drawing {
namespace {

const std::string kReplaced = "\uFFFD";

TEST(Svg, TextSurvivesXml) {
  for (const std::string text : {"plain.png", "a<b>&c.png", "\"quoted\" 'name'", "]]>", "&amp;",
                                 "Möbius θ 線 \U0001F600", "a\tb"}) {
    const std::string xml = xml_text(text);
    const auto elements = XmlReader::read("<a b='" + xml + "'>" + xml + "</a>");
    EXPECT_EQ(elements.at(0).text, text);
    EXPECT_EQ(elements.at(0).attributes.at("b"), text);
  }
}

TEST(Svg, BytesThatAreNotXmlBecomeReplacementCharacters) {
  EXPECT_EQ(xml_text("a\xFFz"), "a" + kReplaced + "z");
  EXPECT_EQ(xml_text("\xC3"), kReplaced);                  // cut off
  EXPECT_EQ(xml_text("\xC0\xAF"), kReplaced + kReplaced);  // overlong
  EXPECT_EQ(xml_text("\xE0\x80\xAF"), kReplaced + kReplaced + kReplaced);
  EXPECT_EQ(xml_text("\xED\xA0\x80"), kReplaced + kReplaced + kReplaced);  // surrogate
  EXPECT_EQ(xml_text("\xEF\xBF\xBF"), kReplaced + kReplaced + kReplaced);  // U+FFFF
  EXPECT_EQ(xml_text("\xF4\x90\x80\x80").size(), 4 * kReplaced.size());    // beyond Unicode
  EXPECT_EQ(xml_text("a\x01\x1B\rz"), "a" + kReplaced + kReplaced + kReplaced + "z");
  EXPECT_EQ(xml_text(std::string_view("\0", 1)), kReplaced);
}

// The vectors of RFC 4648.
TEST(Svg, DataUriIsBase64) {
  const auto encoded = [](const std::string& text) {
    return data_uri(std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  const std::string head = "data:image/png;base64,";
  EXPECT_EQ(encoded(""), head);
  EXPECT_EQ(encoded("f"), head + "Zg==");
  EXPECT_EQ(encoded("fo"), head + "Zm8=");
  EXPECT_EQ(encoded("foo"), head + "Zm9v");
  EXPECT_EQ(encoded("foob"), head + "Zm9vYg==");
  EXPECT_EQ(encoded("\xFB\xFF"), head + "+/8=");
}

TEST(XmlReader, RefusesMalformedDocuments) {
  for (const char* document : {"<a>", "<a></b>", "</a>", "<a/><b/>", "<a b='1' b='2'/>", "<a b=1/>",
                               "<a b='1/>", "<a>&</a>", "<a>x"})
    EXPECT_THROW(XmlReader::read(document), std::runtime_error) << document;
}

}  // namespace
}  // namespace vsmax::drawing
