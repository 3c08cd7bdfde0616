// The requests to object stores: names, environment, XML, retries, and the client with answers that are
// given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <thread>

#include "output/object_store/client.hpp"
#include "output/object_store/environment.hpp"
#include "output/object_store/location.hpp"
#include "output/object_store/retries.hpp"
#include "output/object_store/upload_queue.hpp"
#include "output/object_store/xml.hpp"
#include "output/zarr/object_file.hpp"

namespace tailrace::output::object_store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Variables variables(std::map<std::string, std::string> given) {
  return [given = std::move(given)](const char* name) -> std::optional<std::string> {
    const auto found = given.find(name);
    return found == given.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Location, is_a_bucket_and_a_key) {
  const Location location = location_of("s3://climate/runs/a b.zarr///");
  EXPECT_EQ(location.bucket, "climate");
  EXPECT_EQ(location.key, "runs/a b.zarr");
  EXPECT_FALSE(is_object_url("a.zarr"));
  EXPECT_FALSE(is_object_url("/s3://climate/a.zarr"));
}

TEST(Location, tells_names_of_unknown_stores_from_paths) {
  for (const char* const name : {"S3://climate/a.zarr", "s3:/climate/a.zarr", "gs://climate/a.zarr"})
    EXPECT_TRUE(is_unknown_url(name)) << name;
  for (const char* const name : {"s3://climate/a.zarr", "a.zarr", "/a://b.zarr", "runs:1/a.zarr", "a/b://c"})
    EXPECT_FALSE(is_unknown_url(name)) << name;
}

TEST(Location, refuses_names_that_a_server_would_change) {
  for (const char* const name :
       {"s3://", "s3://climate", "s3://climate/", "s3:///a.zarr", "s3://climate/a//b", "s3://climate/../b",
        "s3://climate/./b", "s3://cli mate/a", "s3://climate/a\nb"})
    EXPECT_THAT(message_of([&] { location_of(name); }), HasSubstr("expected a name such as")) << name;
  EXPECT_THAT(message_of([] { location_of("s3://climate/" + std::string(801, 'a')); }), HasSubstr("800"));
}

TEST(Percent, encodes_all_but_unreserved_characters) {
  EXPECT_EQ(percent_encoded("a-Z_0.~/b c+\xC3\xBC%", true), "a-Z_0.~/b%20c%2B%C3%BC%25");
  EXPECT_EQ(percent_encoded("a/b=", false), "a%2Fb%3D");
  EXPECT_EQ(percent_decoded("a-Z_0.~/b%20c%2B%c3%BC%25"), "a-Z_0.~/b c+\xC3\xBC%");
  EXPECT_EQ(percent_decoded("a+b%2"), "a b%2");
  EXPECT_EQ(percent_decoded("%zz%"), "%zz%");
}

TEST(Environment, names_the_server) {
  EXPECT_EQ(endpoint_of(variables({})), "https://s3.us-east-1.amazonaws.com");
  EXPECT_EQ(endpoint_of(variables({{"AWS_DEFAULT_REGION", "eu-west-2"}})),
            "https://s3.eu-west-2.amazonaws.com");
  EXPECT_EQ(region_of(variables({{"AWS_DEFAULT_REGION", "a"}, {"AWS_REGION", "b"}})), "b");
  EXPECT_EQ(endpoint_of(variables({{"AWS_ENDPOINT_URL", "http://a:9000//"}})), "http://a:9000");
  EXPECT_EQ(endpoint_of(variables({{"AWS_ENDPOINT_URL", "http://a"}, {"AWS_ENDPOINT_URL_S3", "http://b"}})),
            "http://b");
  for (const char* const wrong : {"a:9000", "ftp://a", "https://", "http://a/bucket", "http://a?b"})
    EXPECT_THAT(message_of([&] {
                  endpoint_of(variables({{"AWS_ENDPOINT_URL", wrong}}));
                }),
                HasSubstr("AWS_ENDPOINT_URL"))
        << wrong;
}

TEST(Environment, has_credentials_or_a_file_of_them) {
  const auto files = env::make_memory_files();
  files->make_directories("/home/.aws");
  files->write(
      "/home/.aws/credentials",
      "# aws_access_key_id = NONE\n[default]\naws_access_key_id=A\naws_secret_access_key = b = c\n\n"
      "[ other ]\r\naws_access_key_id = D\r\naws_secret_access_key = e\r\naws_session_token = f\r\n");
  const auto of = [&](std::map<std::string, std::string> given) {
    return credentials_of(variables(std::move(given)), *files);
  };
  EXPECT_EQ(of({{"AWS_ACCESS_KEY_ID", "X"}, {"AWS_SECRET_ACCESS_KEY", "y"}, {"HOME", "/home"}}),
            (Credentials{"X", "y", "", "AWS_ACCESS_KEY_ID"}));
  EXPECT_EQ(of({{"HOME", "/home"}}), (Credentials{"A", "b = c", "", "/home/.aws/credentials"}));
  EXPECT_EQ(of({{"HOME", "/home"}, {"AWS_PROFILE", "other"}}).token, "f");
  EXPECT_THAT(message_of([&] {
                of({{"AWS_ACCESS_KEY_ID", "X"}});
              }),
              HasSubstr("without AWS_SECRET_ACCESS_KEY"));
  EXPECT_THAT(message_of([&] {
                of({{"HOME", "/home"}, {"AWS_PROFILE", "none"}});
              }),
              HasSubstr("profile \"none\""));
  EXPECT_THAT(message_of([&] { of({}); }), HasSubstr("~/.aws/credentials"));
}

TEST(Xml, has_elements_text_and_references) {
  const XmlElement root = parse_xml(
      "<?xml version=\"1.0\"?>\n<!-- a --><s3:List xmlns:s3=\"x>\">\n <Key>a&amp;b&lt;&#252;&#x1F300;</Key>"
      "<Empty/><Key><![CDATA[<&>]]></Key ></s3:List>");
  EXPECT_EQ(root.name, "List");
  ASSERT_EQ(root.children.size(), 3U);
  EXPECT_EQ(root.children[0].text, "a&b<\xC3\xBC\xF0\x9F\x8C\x80");
  EXPECT_EQ(root.children[2].text, "<&>");
  EXPECT_EQ(root.text_of("Empty"), "");
  EXPECT_EQ(root.find("None"), nullptr);
  EXPECT_EQ(parse_xml("<a>" + escaped_for_xml("\"<'&>") + "</a>").text, "\"<'&>");
}

TEST(Xml, refuses_what_is_not_well_formed) {
  for (const char* const text : {"", "text", "<a>", "<a", "<a><b></a>", "<a>&none;</a>", "<a>&#x110000;</a>",
                                 "<a>&amp</a>", "<a>&#xg;</a>", "<a><!-- </a>", "<a></b>"})
    EXPECT_THAT(message_of([&] { parse_xml(text); }), HasSubstr("not well-formed")) << text;
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_THAT(message_of([&] { parse_xml(deep); }), HasSubstr("too many levels"));
}

TEST(Retries, wait_longer_and_longer_until_the_patience_ends) {
  env::ManualClock clock;
  Retries retries(60.0, clock, 7);
  double waited = 0.0, longest = 0.0;
  int tries = 0;
  while (const auto wait = retries.wait_after({.status = 503})) {
    EXPECT_GE(*wait, 0.0);
    EXPECT_LE(*wait, std::min(10.0, 0.2 * std::pow(2.0, tries))) << tries;
    longest = std::max(longest, *wait);
    waited += *wait;
    clock.advance(*wait);
    ASSERT_LT(++tries, 1000);
  }
  EXPECT_DOUBLE_EQ(waited, 60.0);
  EXPECT_GT(longest, 2.0);
  EXPECT_EQ(retries.failures(), tries + 1);
}

TEST(Retries, wait_as_long_as_the_server_asks) {
  env::ManualClock clock;
  Retries retries(100.0, clock, 7);
  EXPECT_EQ(retries.wait_after({.status = 503, .retry_after = 20.0}), 20.0);
  EXPECT_EQ(retries.wait_after({.status = 503, .retry_after = 1e9}), 30.0);
}

TEST(Retries, are_for_faults_that_pass) {
  for (const int status : {0, 408, 409, 429, 500, 502, 503, 504}) EXPECT_TRUE(is_passing({.status = status}));
  for (const int status : {200, 204, 301, 400, 403, 404, 412, 501})
    EXPECT_FALSE(is_passing({.status = status}));
}

// Gives the answers in order and keeps the requests.
class ScriptedHttp final : public Http {
 public:
  struct Script {
    std::deque<Response> answers;
    std::vector<std::string> requests;
    std::vector<Credentials> credentials;
    std::function<void()> before = [] {};
  };
  explicit ScriptedHttp(Script& script) : script_(script) {}
  Response send(const Request& request, const Credentials& credentials) override {
    script_.credentials.push_back(credentials);
    script_.before();
    std::string text = request.method + " " + request.key;
    for (const auto& [name, value] : request.query) text += " " + name + "=" + value;
    for (const auto& [name, value] : request.headers) text += " " + name + ":" + value;
    script_.requests.push_back(text);
    if (script_.answers.empty()) return {.status = 200, .etag = "\"e\""};
    Response answer = std::move(script_.answers.front());
    script_.answers.pop_front();
    return answer;
  }
  const Server& server() const override { return server_; }

 private:
  Script& script_;
  Server server_{"http://store", "r"};
};

Response answer(int status, std::string_view body = "", std::string etag = "") {
  return {.status = status, .etag = std::move(etag), .body = bytes_of(body)};
}

struct ClientTest : testing::Test {
  ScriptedHttp::Script script;
  env::ManualClock clock;
  std::unique_ptr<env::FileSystem> files = env::make_memory_files();
  Client client = make({{"AWS_ACCESS_KEY_ID", "A"}, {"AWS_SECRET_ACCESS_KEY", "b"}});

  Client make(std::map<std::string, std::string> given) {
    return Client(std::make_unique<ScriptedHttp>(script), "climate", {.patience = 5.0, .part_bytes = 4},
                  variables(std::move(given)), *files, clock);
  }
};

TEST_F(ClientTest, puts_with_conditions) {
  EXPECT_EQ(client.put("k", bytes_of("a"), {.is_new = true}), "\"e\"");
  client.put("k", bytes_of("a"), {.etag = "\"old\""});
  EXPECT_THAT(script.requests, ElementsAre("PUT k if-none-match:*", "PUT k if-match:\"old\""));
  script.answers = {answer(412), answer(200, "b")};
  EXPECT_THROW(client.put("k", bytes_of("a"), {.is_new = true}), Conflict);
  script.answers = {answer(404), answer(404)};  // removed
  EXPECT_THROW(client.put("k", bytes_of("a"), {.etag = "\"old\""}), Conflict);
}

// The first try succeeded, and its answer was lost.
TEST_F(ClientTest, knows_its_own_object_after_a_lost_answer) {
  script.answers = {answer(0), answer(412), answer(200, "mine", "\"new\"")};
  EXPECT_EQ(client.put("k", bytes_of("mine"), {.etag = "\"old\""}), "\"new\"");
  script.answers = {answer(412), answer(200, "mine", "\"new\"")};  // libcurl has repeated it by itself
  EXPECT_EQ(client.put("k", bytes_of("mine"), {.is_new = true}), "\"new\"");
  script.answers = {answer(0), answer(412), answer(200, "theirs", "\"new\"")};
  EXPECT_THROW(client.put("k", bytes_of("mine"), {.etag = "\"old\""}), Conflict);
}

TEST_F(ClientTest, finds_the_etag_of_its_object_where_the_answer_has_none) {
  script.answers = {answer(200), answer(200, "mine", "\"new\"")};
  EXPECT_EQ(client.put("k", bytes_of("mine"), {.is_new = true}), "\"new\"");
  EXPECT_THAT(script.requests, ElementsAre("PUT k if-none-match:*", "GET k"));
  script.answers = {answer(200), answer(200, "theirs", "\"new\"")};  // another session was faster
  EXPECT_THROW(client.put("k", bytes_of("mine"), {.etag = "\"old\""}), Conflict);
  const auto without = [](const std::string& what) {
    return testing::AllOf(HasSubstr("gave no ETag of climate/k"), HasSubstr(what));
  };
  script.answers = {answer(200), answer(200, "mine")};
  EXPECT_THAT(message_of([&] { client.put("k", bytes_of("mine"), {.is_new = true}); }), without("proxies"));
  script.answers = {answer(200)};
  EXPECT_THAT(message_of([&] { client.head("k"); }), without("proxies"));
  // Nothing is put where the object that is to be replaced has no ETag.
  script.requests.clear();
  EXPECT_THAT(message_of([&] { client.put("k", bytes_of("mine"), {.etag = ""}); }), without("proxies"));
  EXPECT_THAT(script.requests, ElementsAre());
}

TEST_F(ClientTest, outlasts_a_connection_that_is_lost_for_a_minute) {
  const Client patient(
      std::make_unique<ScriptedHttp>(script), "climate", {.patience = 120.0, .part_bytes = 4},
      variables({{"AWS_ACCESS_KEY_ID", "A"}, {"AWS_SECRET_ACCESS_KEY", "b"}}), *files, clock);
  script.before = [&] { script.answers = {clock.seconds() < 60.0 ? answer(0) : answer(204)}; };
  patient.remove("k");
  EXPECT_GE(clock.seconds(), 60.0);
  EXPECT_LE(clock.seconds(), 70.0);  // the longest pause is 10 s
  EXPECT_LT(script.requests.size(), 40U);
}

TEST_F(ClientTest, says_what_failed_and_what_to_do) {
  script.before = [&] { script.answers = {answer(0)}; };
  EXPECT_THAT(message_of([&] { client.remove("k"); }),
              testing::AllOf(HasSubstr("http://store gave no answer"), HasSubstr("DELETE climate/k"),
                             HasSubstr("times"), HasSubstr("AWS_ENDPOINT_URL")));
  EXPECT_DOUBLE_EQ(clock.seconds(), 5.0);
  script.before = [] {};
  script.answers = {answer(404, "<Error><Code>NoSuchBucket</Code><Message>none</Message></Error>")};
  EXPECT_THAT(message_of([&] { client.get("k"); }),
              testing::AllOf(HasSubstr("NoSuchBucket (none)"), HasSubstr("existing bucket")));
  script.answers = {answer(301, "<html>moved")};
  EXPECT_THAT(message_of([&] { client.get("k"); }), HasSubstr("AWS_REGION"));
}

TEST_F(ClientTest, reads_renewed_credentials) {
  files->make_directories("/h/.aws");
  const auto write = [&](const char* id) {
    files->write("/h/.aws/credentials",
                 std::string("[default]\naws_secret_access_key=s\naws_access_key_id=") + id + "\n");
  };
  write("OLD");
  const Client own = make({{"HOME", "/h"}});
  script.before = [&] { write("NEW"); };
  script.answers = {answer(403), answer(204)};
  own.remove("k");
  EXPECT_EQ(script.credentials.at(0).key_id, "OLD");
  EXPECT_EQ(script.credentials.at(1).key_id, "NEW");
  script.answers = {answer(403)};
  EXPECT_THAT(message_of([&] { own.remove("k"); }), HasSubstr("/h/.aws/credentials"));
  // Amazon answers 400, and a HEAD does not tell why.
  write("OLDER");
  script.before = [] {};
  script.answers = {answer(400), answer(200, "", "\"e\"")};
  EXPECT_TRUE(own.head("k"));
  EXPECT_EQ(script.credentials.back().key_id, "OLDER");
  script.answers = {answer(400, "<Error><Code>InvalidArgument</Code></Error>")};
  EXPECT_THAT(message_of([&] { own.remove("k"); }), HasSubstr("takes this request"));
}

// The program that renews the file may be late, and write it piece by piece.
TEST_F(ClientTest, waits_for_credentials_that_expired) {
  const char* const expired = "<Error><Code>ExpiredToken</Code><Message>old</Message></Error>";
  files->make_directories("/h/.aws");
  const auto write = [&](const char* id) {
    files->write("/h/.aws/credentials",
                 std::string("[default]\naws_secret_access_key=s\naws_access_key_id=") + id + "\n");
  };
  write("OLD");
  const Client own = make({{"HOME", "/h"}});
  int tries = 0;
  script.before = [&] {
    if (++tries == 2) files->write("/h/.aws/credentials", "");
    if (tries == 4) write("NEW");
    script.answers = {script.credentials.back().key_id == "NEW" ? answer(204) : answer(400, expired)};
  };
  own.remove("k");
  EXPECT_EQ(script.credentials.back().key_id, "NEW");
  EXPECT_EQ(tries, 5);
  script.before = [&] { script.answers = {answer(403, expired)}; };
  const double begin = clock.seconds();
  EXPECT_THAT(message_of([&] { own.remove("k"); }),
              testing::AllOf(HasSubstr("ExpiredToken (old)"), HasSubstr("/h/.aws/credentials")));
  EXPECT_DOUBLE_EQ(clock.seconds(), begin + 5.0);
  // Those of the environment do not change.
  EXPECT_THAT(message_of([&] { client.remove("k"); }), HasSubstr("ExpiredToken (old)"));
  EXPECT_DOUBLE_EQ(clock.seconds(), begin + 5.0);
}

TEST_F(ClientTest, lists_page_by_page) {
  script.answers = {
      answer(200,
             "<R><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextContinuationToken>t/1"
             "</NextContinuationToken><Contents><Key>a/x+y%0A%26</Key><Size>12</Size></Contents></R>"),
      answer(200,
             "<R><IsTruncated>false</IsTruncated><Contents><Key>a/p+q%20&amp;</Key><Size>3</Size></Contents>"
             "<CommonPrefixes><Prefix>a/b/</Prefix></CommonPrefixes></R>")};
  const Client::Listing found = client.list("a/", "/");
  using Entry = std::pair<std::string, std::uint64_t>;
  EXPECT_THAT(found.objects, ElementsAre(Entry{"a/x y\n&", 12}, Entry{"a/p+q%20&", 3}));
  EXPECT_THAT(found.folders, ElementsAre("a/b/"));
  EXPECT_THAT(script.requests,
              ElementsAre("GET  delimiter=/ encoding-type=url list-type=2 prefix=a/",
                          "GET  continuation-token=t/1 delimiter=/ encoding-type=url list-type=2 prefix=a/"));
}

const char* const begun = "<R><UploadId>u</UploadId></R>";
Response part() { return answer(200, "", "\"p\""); }
Response joined() { return answer(200, "<CompleteMultipartUploadResult/>"); }
Response failed_later(const char* code) {  // an error that comes with 200
  return answer(200, std::string("\n\n<Error><Code>") + code + "</Code></Error>");
}

TEST_F(ClientTest, puts_large_objects_in_parts) {
  script.answers = {answer(200, begun), answer(200, "", "1"), answer(503), answer(200, "", "2"), joined()};
  client.put("k", bytes_of("abcdef"));
  EXPECT_THAT(script.requests,
              ElementsAre("POST k uploads=", "PUT k partNumber=1 uploadId=u", "PUT k partNumber=2 uploadId=u",
                          "PUT k partNumber=2 uploadId=u", "POST k uploadId=u content-type:application/xml"));
}

TEST_F(ClientTest, removes_the_parts_of_an_upload_that_fails) {
  script.answers = {answer(200, begun), answer(400), answer(204)};
  EXPECT_THAT(message_of([&] { client.put("k", bytes_of("abcdef")); }), HasSubstr("answered 400"));
  EXPECT_EQ(script.requests.back(), "DELETE k uploadId=u");
  script.answers = {answer(200, begun), part(), part(), failed_later("InvalidPart"), answer(204)};
  EXPECT_THAT(message_of([&] { client.put("k", bytes_of("abcdef")); }), HasSubstr("InvalidPart"));
  EXPECT_EQ(script.requests.back(), "DELETE k uploadId=u");
}

TEST_F(ClientTest, joins_the_parts_again_after_an_error_that_comes_with_200) {
  script.answers = {answer(200, begun),       part(),          part(),  failed_later("InternalError"),
                    failed_later("SlowDown"), answer(200, ""), joined()};
  client.put("k", bytes_of("abcdef"));
  EXPECT_EQ(script.requests.size(), 7U);
  // It was joined, and the answer that told so was lost on its way.
  script.answers = {answer(200, begun),
                    part(),
                    part(),
                    answer(200, "<html>"),
                    failed_later("NoSuchUpload"),
                    answer(200, begun),
                    part(),
                    part(),
                    joined()};
  client.put("k", bytes_of("abcdef"));
  EXPECT_EQ(script.requests.size(), 16U);
}

TEST_F(ClientTest, needs_the_etags_of_parts) {
  script.answers = {answer(200, begun), answer(200), answer(204)};
  EXPECT_THAT(message_of([&] { client.put("k", bytes_of("abcdef")); }),
              HasSubstr("gave no ETag of climate/k"));
  EXPECT_EQ(script.requests.back(), "DELETE k uploadId=u");
}

// A server may take DELETE with an empty uploadId for that of the object.
TEST_F(ClientTest, asks_for_no_upload_without_its_number) {
  script.answers = {answer(200, "<R/>")};
  EXPECT_THAT(message_of([&] { client.put("k", bytes_of("abcdef")); }),
              testing::AllOf(HasSubstr("climate/k without an UploadId"), HasSubstr("part_size")));
  EXPECT_THAT(script.requests, ElementsAre("POST k uploads="));
}

TEST_F(ClientTest, begins_anew_where_the_answer_to_the_last_part_was_lost) {
  script.answers = {answer(200, begun), part(), part(), answer(0), answer(404),
                    answer(200, begun), part(), part(), joined()};
  client.put("k", bytes_of("abcdef"));
  EXPECT_EQ(script.requests.size(), 9U);
  script.answers = {answer(200, begun), part(), part(), answer(404),  // libcurl has repeated it
                    answer(200, begun), part(), part(), joined()};
  client.put("k", bytes_of("abcdef"));
  EXPECT_EQ(script.requests.size(), 17U);
}

TEST_F(ClientTest, reads_ranges) {
  script.answers = {answer(206, "cd"), answer(200, "abcdef"), answer(206, "c")};
  EXPECT_EQ(client.get_range("k", 2, 2), bytes_of("cd"));
  EXPECT_EQ(script.requests.back(), "GET k range:bytes=2-3");
  EXPECT_EQ(client.get_range("k", 2, 2), bytes_of("cd"));  // a server without ranges
  EXPECT_THAT(message_of([&] { client.get_range("k", 2, 2); }), HasSubstr("1 of 2 bytes"));
  EXPECT_TRUE(client.get_range("k", 2, 0).empty());
}

TEST(UploadQueue, runs_work_side_by_side_within_its_memory) {
  UploadQueue queue(4, 100);
  std::atomic<int> running{0}, most{0}, bytes{0}, most_bytes{0}, done{0};
  for (int i = 0; i < 50; ++i) {
    const int size = i == 20 ? 1000 : 40;
    queue.add(std::to_string(i), static_cast<std::size_t>(size), [&, size] {
      const int now = ++running, held = bytes += size;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      for (int seen = most_bytes; seen < held && !most_bytes.compare_exchange_weak(seen, held);) {
      }
      std::this_thread::yield();
      bytes -= size;
      --running;
      ++done;
    });
  }
  queue.settle();
  EXPECT_EQ(done, 50);
  EXPECT_LE(most, 4);
  EXPECT_EQ(most_bytes, 1000);  // the large one was alone
}

TEST(UploadQueue, runs_work_of_one_key_in_order) {
  UploadQueue queue(4, 1000);
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) queue.add("k", 1, [&order, i] { order.push_back(i); });
  queue.settle("k");
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(order.size(), 20U);
}

TEST(UploadQueue, throws_the_first_failure_and_drops_the_rest) {
  UploadQueue queue(1, 1000);
  int done = 0;
  queue.add("a", 1, [] { throw Error(ErrorCode::resource, "first"); });
  EXPECT_EQ(message_of([&] {
              for (int i = 0; i < 100; ++i) queue.add(std::to_string(i), 1, [&done] { ++done; });
              queue.settle();
            }),
            "first");
  EXPECT_EQ(done, 0);
  queue.add("b", 1, [&done] { ++done; });  // the same commit again
  queue.settle();
  EXPECT_EQ(done, 1);
}

TEST_F(ClientTest, objects_are_read_ahead_as_files) {
  const zarr::ObjectFile file(std::shared_ptr<const Client>(std::shared_ptr<void>(), &client), "k", 6);
  script.answers = {answer(206, "cdef"), answer(206, "abcdef")};
  std::vector<std::byte> found(3);
  file.read(2, found);
  EXPECT_EQ(found, bytes_of("cde"));
  file.read(5, found);  // past the end are zeros
  EXPECT_EQ(found, bytes_of(std::string_view("f\0\0", 3)));
  file.read(0, found);
  EXPECT_EQ(found, bytes_of("abc"));
  file.read(6, found);
  EXPECT_EQ(found, bytes_of(std::string_view("\0\0\0", 3)));
  EXPECT_EQ(script.requests.size(), 2U);
}

}  // namespace
}  // namespace tailrace::output::object_store
