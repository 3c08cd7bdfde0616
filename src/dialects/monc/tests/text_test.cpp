#include <gtest/gtest.h>

#include "dialects/monc/tests/support.hpp"
#include "dialects/monc/xml/tags.hpp"

namespace tailrace::dialects::monc::testing {
namespace {

std::string names_of(const Sources& sources) {
  std::string names;
  for (const SourceFile& source : sources) names += source.name + " ";
  return names;
}

struct Scanned {
  std::vector<Tag> tags;
  std::string problems, warnings, names;
};

Scanned scanned(const std::string& xml) {
  Problems problems;
  Warnings warnings;
  Scanned result{scan(expand({{"a.xml", xml}}, problems, warnings), problems, warnings), problems.text(), "",
                 ""};
  for (const std::string& line : warnings.lines()) result.warnings += line + "\n";
  for (const Tag& tag : result.tags) result.names += tag.name + (tag.opens ? " " : "/ ");
  return result;
}

TEST(MoncText, DropsLinesOfCommentAndKeepsPlaces) {
  const Scanned found = scanned("! <a/>\n  // <b/>\n <c x=\"1\"/> // <d/>\r\n\t<e/>\n");
  EXPECT_EQ(found.names, "c d e ");
  EXPECT_EQ(found.tags[0].location.text(), "a.xml:3:2");
  EXPECT_EQ(found.tags[0].attributes[0].name.location.text(), "a.xml:3:5");
  EXPECT_EQ(found.tags[0].attributes[0].value.location.text(), "a.xml:3:8");
  EXPECT_EQ(found.tags[2].location.text(), "a.xml:4:2");
}

TEST(MoncText, IncludesAreFoundBesideInTheWorkingFolderAndAbove) {
  const Files files{
      {"io/cfg/main.xml", "#include \"beside.xml\"\n#include \"io/cfg/above.xml\"\n#include \"cwd.xml\"\n"},
      {"io/cfg/beside.xml", "<a/>"},
      {"io/cfg/above.xml", "<b/>"},
      {"cwd.xml", "<c/>"}};
  EXPECT_EQ(names_of(read_sources("io/cfg/main.xml", reader_of(files))),
            "io/cfg/main.xml io/cfg/beside.xml io/cfg/above.xml cwd.xml ");
  // Started from within the folder, and with a whole path.
  const Files inside{{"main.xml", "#include \"io/cfg/b.xml\"\n"}, {"../../io/cfg/b.xml", "<b/>"}};
  EXPECT_EQ(names_of(read_sources("main.xml", reader_of(inside))), "main.xml ../../io/cfg/b.xml ");
  const Files whole{{"/m/io/cfg/main.xml", "#include \"io/cfg/b.xml\"\n"}, {"/m/io/cfg/b.xml", "<b/>"}};
  EXPECT_EQ(names_of(read_sources("/m/io/cfg/main.xml", reader_of(whole))),
            "/m/io/cfg/main.xml /m/io/cfg/b.xml ");
}

TEST(MoncText, AnIncludedTextStandsWhereItIsIncluded) {
  Problems problems;
  Warnings warnings;
  const Sources sources{{"m.xml", "<a/>\nmore #include \"i.xml\" <lost/>\n<c/>\n"}, {"i.xml", "\n <b/>\n"}};
  const auto tags = scan(expand(sources, problems, warnings), problems, warnings);
  ASSERT_EQ(tags.size(), 3u);
  EXPECT_EQ(tags[1].location.text(), "i.xml:2:2");
  EXPECT_EQ(tags[2].location.text(), "m.xml:3:1");
}

TEST(MoncText, ACircleIsNamed) {
  const Files files{{"a.xml", "#include \"b.xml\"\n"}, {"b.xml", "\n  #include \"a.xml\"\n"}};
  try {
    read_sources("a.xml", reader_of(files));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "b.xml:2:13  these files include each other circularly: a.xml -> b.xml -> a.xml");
  }
}

TEST(MoncText, WhatIsMissingIsNamedWithThePlacesLookedAt) {
  try {
    read_sources("io/a.xml", reader_of({{"io/a.xml", "#include \"no.xml\"\n#include nothing\n"}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(
        holds(error.what(),
              "io/a.xml:1:11  the included file \"no.xml\" does not exist; searched for io/no.xml, no.xml"));
    EXPECT_TRUE(holds(error.what(), "io/a.xml:2:1  expected a file name in double quotes"));
  }
  EXPECT_THROW(read_sources("none.xml", reader_of({})), Error);
}

TEST(MoncText, ASecondIncludeIsLeftOut) {
  Problems problems;
  Warnings warnings;
  const Sources sources{{"m.xml", "#include \"i.xml\"\n#include \"i.xml\"\n"}, {"i.xml", "<b/>\n"}};
  EXPECT_EQ(scan(expand(sources, problems, warnings), problems, warnings).size(), 1u);
  EXPECT_EQ(warnings.lines().at(0),
            "m.xml:2:11  i.xml is included a second time; the second inclusion is left out");
}

TEST(MoncText, AnIncludeInACommentIsLeftOut) {
  Problems problems;
  Warnings warnings;
  const Sources sources{{"m.xml", "<!-- off:\n#include \"i.xml\"\n-->\n<c/>"}, {"i.xml", "<b/>\n"}};
  EXPECT_EQ(scan(expand(sources, problems, warnings), problems, warnings).size(), 1u);
  EXPECT_EQ(warnings.lines().size(), 1u);
}

TEST(MoncText, TellsXmlFromYaml) {
  EXPECT_TRUE(looks_like_xml("! comment\n\n  <io-configuration>\n"));
  EXPECT_TRUE(looks_like_xml("#include \"a.xml\"\n"));
  EXPECT_FALSE(looks_like_xml("tailrace: 1\n"));
  EXPECT_FALSE(looks_like_xml("# a comment\ntailrace: 1\n"));
  EXPECT_FALSE(looks_like_xml(""));
}

TEST(MoncTags, ValuesMayBeBare) {
  const Scanned found = scanned("<thread_pool number=500/>\n<f optional=true collective = 'x y' name=a/b/>");
  ASSERT_EQ(found.tags.size(), 2u);
  EXPECT_EQ(found.tags[0].find("number")->text, "500");
  EXPECT_TRUE(found.tags[0].opens && found.tags[0].closes);
  EXPECT_EQ(found.tags[1].find("optional")->text, "true");
  EXPECT_EQ(found.tags[1].find("collective")->text, "x y");
  EXPECT_EQ(found.tags[1].find("name")->text, "a/b");
  EXPECT_EQ(found.tags[1].find("none"), nullptr);
  EXPECT_EQ(found.problems, "");
}

TEST(MoncTags, QuotedValuesMayHoldAnyMarkButTheQuoteAndTheTagStart) {
  const Scanned found = scanned("<d equation=\"a/b>c=d\"\n\tunits=\"m s-1\"></d>");
  EXPECT_EQ(found.names, "d d/ ");
  EXPECT_EQ(found.tags[0].find("equation")->text, "a/b>c=d");
  EXPECT_EQ(found.tags[0].find("units")->text, "m s-1");
}

TEST(MoncTags, CommentsHideTheirContents) {
  EXPECT_EQ(scanned("<!-- a <b/> <c> --><d/><!-- --><e/><!--  --><f/>").names, "d e f ");
  EXPECT_EQ(scanned("<!-- a\n <b/> \n--><d/>").names, "d ");
  EXPECT_EQ(scanned("<!--><d/><!-- x -->").names, "d ");
  EXPECT_EQ(scanned("<?xml version=\"1.0\"?><!DOCTYPE x><d/>").names, "d ");
}

TEST(MoncTags, PseudoCommentsEndAtTheirFirstMark) {
  const Scanned odd = scanned("<!-- -- text\n more text <!-- -->\n<d/>");
  EXPECT_EQ(odd.names, "d ");
  EXPECT_EQ(odd.warnings, "");
  const Scanned live = scanned("<!-- text > <b/> <!-- end -->\n<d/>");
  EXPECT_EQ(live.names, "b d ");
  EXPECT_TRUE(holds(live.warnings, "a.xml:1:1  this comment is not closed by `-->`"));
  EXPECT_EQ(scanned("<!-- text > <b/>").names, "b ");
}

TEST(MoncTags, MistakesHavePlaces) {
  EXPECT_EQ(scanned("<a x=\"1/>\n<b/>").problems, "a.xml:1:6  this quote is never closed");
  EXPECT_EQ(scanned("<a \n<b/>").problems, "a.xml:1:1  this tag is never closed; expected `>`");
  EXPECT_EQ(scanned("\n<!-- x").problems, "a.xml:2:1  this comment is never closed; expected `-->`");
  EXPECT_EQ(scanned("<a x=\"\"/>").problems, "a.xml:1:4  the attribute \"x\" of <a> has no value");
  EXPECT_EQ(scanned("<a x/>").problems, "a.xml:1:4  the attribute \"x\" of <a> has no value");
  EXPECT_EQ(scanned("<a =3/>").problems, "a.xml:1:4  expected the name of an attribute of <a> before `=`");
  EXPECT_EQ(scanned("< a/>").problems, "a.xml:1:1  expected the name of an element after `<`");
  const Scanned twice = scanned("<a x=1 x=2/>");
  EXPECT_EQ(twice.tags[0].find("x")->text, "1");
  EXPECT_TRUE(
      holds(twice.warnings, "a.xml:1:8  the attribute \"x\" of <a> is given twice; the first one is used"));
}

}  // namespace
}  // namespace tailrace::dialects::monc::testing
