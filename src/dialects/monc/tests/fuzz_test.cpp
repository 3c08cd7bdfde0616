#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "dialects/monc/tests/support.hpp"

namespace tailrace::dialects::monc::testing {
namespace {

const std::string valid = R"(<io-configuration>
! a line that is dropped
-#include "more.xml"
<!-- a comment --><!-- -- odd <!-- -->
<server-configuration><thread_pool number=500/></server-configuration>
<data-definition name="d" frequency="{n}" namespace="ns" send_on_terminate=true>
  <field name="vwp" type="array" data_type="double" optional=true/>
  <field name="p" type="array" data_type="double" size="z"/>
  <field name="w" type="array" data_type="double" size="z,y,x" collective=true/>
  <field name="q" type="array" data_type="double" size="z,y,x,qfields" collective=true/>
</data-definition>
<data-handling namespace="ns">
  <diagnostic field="m" type="scalar" data_type="double" units="kg/m^2">
    <operator name="arithmetic" result="m" equation="g/({x_size}*{y_size})-2*g+g%3"/>
    <communication name="reduction" operator="sum" result="g" field="l" root="auto"/>
    <operator name="localreduce" operator="sum" result="l" field="vwp"/>
  </diagnostic>
  <diagnostic field="prof" type="array" data_type="double" size="z">
    <communication name="reduction" operator="mean" result="prof" field="p" root="0"/>
  </diagnostic>
</data-handling>
<group name="g" namespace="ns"><member name="m"/><member name="prof"/><member name="q"/></group>
<data-writing><file name="o.nc" write_time_frequency="100" title="t">
  <include group="g" time_manipulation="averaged" output_frequency="{mm}"/>
  <include group="g" time_manipulation="instantaneous" output_frequency="20"/>
  <include state="io"/>
</file></data-writing>
</io-configuration>
)";

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string text) {
    for (std::size_t i = 0, n = 1 + below(6); i < n && !text.empty(); ++i) mutate_once(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  void mutate_once(std::string& text) {
    constexpr std::string_view marks =
        "<>/=\"'{}()+-*%,!#& \n\t\0\xFF"
        "a0";
    const std::size_t at = below(text.size());
    const std::size_t other = below(text.size());
    const std::size_t length = 1 + below(80);
    switch (below(6)) {
      case 0: text[at] = marks[below(marks.size())]; break;
      case 1: text.insert(at, 1 + below(3), marks[below(marks.size())]); break;
      case 2: text.erase(at, length); break;
      case 3: text.insert(at, text.substr(other, length)); break;
      case 4: text.resize(at); break;
      default: std::swap(text[at], text[other]); break;
    }
  }

  std::mt19937 random_;
};

void try_text(const std::string& text) {
  Problems problems;
  const std::map<std::string, std::string> values{{"legacy", text.size() % 2 == 0 ? "monc" : "none"},
                                                  {"mm", "20"}};
  const Translation made =
      translate({{"a.xml", text}, {"more.xml", "<!-- nothing -->"}}, {&values, false}, problems);
  if (!problems.empty()) {
    EXPECT_FALSE(problems.text().empty());
    return;
  }
  Problems of_yaml;
  config::parse_yaml("made.yaml", to_yaml(made.tree), of_yaml);
  const bool is_text = text.find_first_of(std::string_view("\0\xFF", 2)) == std::string::npos;
  if (is_text) {
    EXPECT_EQ(of_yaml.text(), "") << text;
  }
}

TEST(MoncFuzz, TheTextThatIsMutatedIsValid) {
  Problems problems;
  translate({{"a.xml", valid}, {"more.xml", ""}}, {}, problems);
  EXPECT_EQ(problems.text(), "");
}

TEST(MoncFuzz, NoMutationCrashesOrHangs) {
  Mutator mutator(20261121);
  for (int i = 0; i < 3000; ++i) try_text(mutator.mutate(valid));
}

TEST(MoncFuzz, RepetitionStaysFast) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* piece : {"<", "<!--", "<a \"", "<a b=\"", "<a b=c ", "\"", "<group name=\"g\">",
                            "#include \"b\"\n", "<a b='", "<field/>", "-->", ">", "{", "<a/>"}) {
    std::string text;
    while (text.size() < 100000) text += piece;
    try_text(text);
  }
  for (const char* piece : {"(", "-", "w+", "w-", "w%", "{a}", "1", "1e-"}) {
    std::string equation;
    while (equation.size() < 20000) equation += piece;
    try_text(
        "<data-handling><diagnostic field=\"m\" type=\"scalar\" data_type=\"double\"><operator "
        "name=\"arithmetic\" "
        "result=\"m\" equation=\"" +
        equation + "\"/></diagnostic></data-handling>");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace tailrace::dialects::monc::testing
