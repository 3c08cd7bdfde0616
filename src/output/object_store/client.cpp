#include "output/object_store/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <random>

#include "base/log.hpp"
#include "output/object_store/location.hpp"
#include "output/object_store/retries.hpp"
#include "output/object_store/xml.hpp"

namespace tailrace::output::object_store {
namespace {

constexpr std::size_t most_parts = 10'000;  // of an upload, a limit of S3
constexpr int uploads_tried = 3;
constexpr int bad_request = 400, forbidden = 403, not_found = 404, precondition_failed = 412;
constexpr const char* completed = "CompleteMultipartUploadResult";

// The code in the body of an error: "ExpiredToken". A HEAD has no body.
std::pair<std::string, std::string> code_and_message(const Response& response) {
  try {
    const XmlElement error = parse_xml(response.text());
    if (error.name == "Error") return {error.text_of("Code"), error.text_of("Message")};
  } catch (const Error&) {
    // A proxy in between answers in HTML.
  }
  return {};
}

bool is_expired(const Response& response) { return code_and_message(response).first == "ExpiredToken"; }

// Amazon answers 400 to a token that has expired, others 403. A HEAD does not tell why.
bool refuses_credentials(const Response& response) {
  if (response.status == forbidden) return true;
  if (response.status != bad_request) return false;
  const std::string code = code_and_message(response).first;
  return response.body.empty() || code == "ExpiredToken" || code == "InvalidToken";
}

// A store answers 200 before it has joined the parts, and tells of an error in the body: as the status that
// the same error has elsewhere, so that it is repeated if it may pass. A body without a result, as where a
// proxy has lost it, is no answer.
void take_status_of_body(Response& response) {
  if (!response.is_success()) return;
  const std::string code = code_and_message(response).first;
  if (code == "InternalError")
    response.status = 500;
  else if (code == "SlowDown" || code == "ServiceUnavailable")
    response.status = 503;
  else if (code == "NoSuchUpload")
    response.status = not_found;
  else if (!code.empty())
    response.status = bad_request;
  else if (response.text().find(completed) == std::string_view::npos)
    response = {.failure = "an answer without its result"};
}

}  // namespace

Client::Client(std::unique_ptr<Http> http, std::string bucket, ClientOptions options, Variables variables,
               const env::FileSystem& files, env::Clock& clock)
    : http_(std::move(http)),
      bucket_(std::move(bucket)),
      options_(options),
      variables_(std::move(variables)),
      files_(files),
      clock_(clock),
      seed_(std::random_device()()) {}

Credentials Client::credentials() const {
  const base::MutexLock lock(mutex_);
  if (!credentials_) credentials_ = credentials_of(variables_, files_);
  return *credentials_;
}

// Another program may have written new ones to the file, or be about to: then the file may be empty. Several
// threads may be refused at the same time.
bool Client::renew_credentials(const Credentials& refused) const {
  const base::MutexLock lock(mutex_);
  if (credentials_ && *credentials_ != refused) return true;
  try {
    credentials_ = credentials_of(variables_, files_);
  } catch (const Error&) {
    return false;  // the refusal names the file
  }
  return *credentials_ != refused;
}

// Only with the file may they change while the session lives.
bool Client::waits_for_credentials(const Response& response) const {
  return refuses_credentials(response) && is_expired(response) && credentials().source != "AWS_ACCESS_KEY_ID";
}

Client::Answer Client::ask(Request request, void (*correct)(Response&)) const {
  request.bucket = bucket_;
  std::uint64_t seed = 0;
  {
    const base::MutexLock lock(mutex_);
    seed = seed_++;
  }
  Retries retries(options_.patience, clock_, seed);
  while (true) {
    const Credentials used = credentials();
    Answer answer{http_->send(request, used), retries.failures()};
    if (correct != nullptr) correct(answer.response);
    if (refuses_credentials(answer.response) && renew_credentials(used)) continue;
    if (!is_passing(answer.response) && !waits_for_credentials(answer.response)) return answer;
    const auto wait = retries.wait_after(answer.response);
    answer.failures = retries.failures();
    if (!wait) return answer;
    if (retries.failures() == 1)
      base::log_info(fmt::format(
          "{} {}/{} failed ({}), and is tried again for {} s", request.method, bucket_, request.key,
          answer.response.status == 0 ? answer.response.failure : std::to_string(answer.response.status),
          options_.patience));
    clock_.sleep(*wait);
  }
}

std::string Client::remedy(const Response& response, const std::string& code) const {
  if (response.status == 0)
    return "expected AWS_ENDPOINT_URL to name a server that the nodes of the servers reach";
  if (refuses_credentials(response)) {
    const std::string source = credentials().source;
    return source == "AWS_ACCESS_KEY_ID"
               ? "expected credentials in the environment that are valid and may read and write there; "
                 "temporary ones that end before the run belong in a file of credentials without "
                 "AWS_ACCESS_KEY_ID in the environment, since the file is read again when the store refuses "
                 "them"
               : fmt::format(
                     "expected credentials in {} that are valid and may read and write there; the "
                     "file is read again with the next request",
                     source);
  }
  if (code == "NoSuchBucket") return "expected the name of an existing bucket";
  if (response.status >= 300 && response.status < 400)
    return "expected the region of the bucket in AWS_REGION";
  if (is_passing(response)) return "expected a store that answers again; `on_error` says what follows";
  return "expected a store that takes this request";
}

// Without an ETag nothing tells whether an object is still the one that this session has put.
const std::string& Client::known(const std::string& etag, const std::string& key) const {
  if (!etag.empty()) return etag;
  throw Error(
      ErrorCode::resource,
      fmt::format("the object store at {} gave no ETag of {}/{}; expected a store that gives one, and "
                  "proxies that pass it on",
                  http_->server().endpoint, bucket_, key));
}

void Client::refuse(const Request& request, const Answer& answer) const {
  const auto [code, message] = code_and_message(answer.response);
  std::string what = answer.response.status == 0 ? fmt::format("gave no answer ({})", answer.response.failure)
                                                 : fmt::format("answered {}", answer.response.status);
  if (!code.empty()) what += fmt::format(" {}", code);
  if (!message.empty()) what += fmt::format(" ({})", message);
  if (answer.failures > 1) what += fmt::format(", tried {} times", answer.failures);
  throw Error(ErrorCode::resource,
              fmt::format("the object store at {} {} to {} {}/{}; {}", http_->server().endpoint, what,
                          request.method, bucket_, request.key, remedy(answer.response, code)));
}

std::optional<Client::Object> Client::get(const std::string& key) const {
  const Request request{.method = "GET", .bucket = bucket_, .key = key};
  Answer answer = ask(request);
  if (answer.response.status == not_found && code_and_message(answer.response).first != "NoSuchBucket")
    return std::nullopt;
  if (!answer.response.is_success()) refuse(request, answer);
  return Object{std::move(answer.response.body), std::move(answer.response.etag)};
}

std::vector<std::byte> Client::get_range(const std::string& key, std::uint64_t address,
                                         std::uint64_t size) const {
  if (size == 0) return {};
  const Request request{.method = "GET",
                        .bucket = bucket_,
                        .key = key,
                        .headers = {{"range", fmt::format("bytes={}-{}", address, address + size - 1)}}};
  Answer answer = ask(request);
  if (!answer.response.is_success()) refuse(request, answer);
  auto& body = answer.response.body;
  if (answer.response.status == 200 && body.size() >= address + size) {  // a server without ranges
    const auto first = body.begin() + static_cast<std::ptrdiff_t>(address);
    return {first, first + static_cast<std::ptrdiff_t>(size)};
  }
  if (body.size() != size)
    throw Error(ErrorCode::resource,
                fmt::format("the object store at {} gave {} of {} bytes of {}/{}; expected an object that "
                            "no other program replaces",
                            http_->server().endpoint, body.size(), size, bucket_, key));
  return std::move(body);
}

std::optional<Client::Head> Client::head(const std::string& key) const {
  const Request request{.method = "HEAD", .bucket = bucket_, .key = key};
  Answer answer = ask(request);
  if (answer.response.status == not_found) return std::nullopt;
  if (!answer.response.is_success()) refuse(request, answer);
  return Head{answer.response.size, known(answer.response.etag, key)};
}

std::string Client::put(const std::string& key, std::span<const std::byte> body,
                        const Condition& condition) const {
  Request request{.method = "PUT", .bucket = bucket_, .key = key, .body = body};
  if (condition.is_new)
    request.headers.emplace_back("if-none-match", "*");
  else
    request.headers.emplace_back("if-match", known(condition.etag, key));
  Answer answer = ask(request);
  if (answer.response.is_success() && !answer.response.etag.empty()) return answer.response.etag;
  const bool may_be_own = answer.response.is_success() || answer.response.status == precondition_failed ||
                          (answer.response.status == not_found && !condition.is_new);
  if (!may_be_own) refuse(request, answer);
  // The answer to a try that succeeded may be lost. No failure may tell of it: libcurl repeats a request by
  // itself on a connection that it used before and finds closed.
  if (auto found = get(key); found && std::ranges::equal(found->bytes, body)) return known(found->etag, key);
  throw Conflict(ErrorCode::resource, fmt::format("{}/{} was {} by another program", bucket_, key,
                                                  condition.is_new ? "made" : "changed or removed"));
}

void Client::put(const std::string& key, std::span<const std::byte> body) const {
  if (body.size() > options_.part_bytes) return put_in_parts(key, body);
  const Request request{.method = "PUT", .bucket = bucket_, .key = key, .body = body};
  const Answer answer = ask(request);
  if (!answer.response.is_success()) refuse(request, answer);
}

// Completing an upload a second time, after a lost answer, may find no upload: then it begins anew.
void Client::put_in_parts(const std::string& key, std::span<const std::byte> body) const {
  for (int tries = 1;; ++tries) {
    const Request request{.method = "POST", .bucket = bucket_, .key = key, .query = {{"uploads", ""}}};
    const Answer answer = ask(request);
    if (!answer.response.is_success()) refuse(request, answer);
    const std::string upload = parse_xml(answer.response.text()).text_of("UploadId");
    // Without its number, requests about the upload would be about the object, which may be an older one.
    if (upload.empty())
      throw Error(
          ErrorCode::resource,
          fmt::format("the object store at {} answered POST {}/{} without an UploadId; expected a store "
                      "that takes objects in parts, or a larger `part_size`",
                      http_->server().endpoint, bucket_, key));
    try {
      if (put_parts(key, upload, body)) return;
      if (tries == uploads_tried)
        throw Error(ErrorCode::resource,
                    fmt::format("the object store at {} has lost the parts of {}/{} {} times; expected a "
                                "store that keeps them",
                                http_->server().endpoint, bucket_, key, tries));
    } catch (...) {
      abort_upload(key, upload);
      throw;
    }
  }
}

// False: the store does not know the upload any more.
bool Client::put_parts(const std::string& key, const std::string& upload,
                       std::span<const std::byte> body) const {
  const std::size_t part = std::max(options_.part_bytes, (body.size() + most_parts - 1) / most_parts);
  std::string parts;
  for (std::size_t number = 1, at = 0; at < body.size(); ++number, at += part) {
    const Request request{.method = "PUT",
                          .bucket = bucket_,
                          .key = key,
                          .query = {{"partNumber", std::to_string(number)}, {"uploadId", upload}},
                          .body = body.subspan(at, std::min(part, body.size() - at))};
    const Answer answer = ask(request);
    if (!answer.response.is_success()) refuse(request, answer);
    parts += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", number,
                         escaped_for_xml(known(answer.response.etag, key)));
  }
  const std::string text = "<CompleteMultipartUpload>" + parts + "</CompleteMultipartUpload>";
  const Request request{.method = "POST",
                        .bucket = bucket_,
                        .key = key,
                        .query = {{"uploadId", upload}},
                        .headers = {{"content-type", "application/xml"}},
                        .body = std::as_bytes(std::span(text))};
  const Answer answer = ask(request, take_status_of_body);
  if (answer.response.status == not_found) return false;
  if (!answer.response.is_success()) refuse(request, answer);
  return true;
}

void Client::abort_upload(const std::string& key, const std::string& upload) const noexcept {
  try {
    const Request request{.method = "DELETE", .bucket = bucket_, .key = key, .query = {{"uploadId", upload}}};
    static_cast<void>(http_->send(request, credentials()));  // once: the error before it is what counts
  } catch (const std::exception&) {
    // The parts stay until a rule of the bucket removes them. No reader sees them.
  }
}

void Client::remove(const std::string& key) const {
  const Request request{.method = "DELETE", .bucket = bucket_, .key = key};
  const Answer answer = ask(request);
  if (!answer.response.is_success() && answer.response.status != not_found) refuse(request, answer);
}

Client::Listing Client::list(const std::string& prefix, const std::string& delimiter, int most) const {
  Listing listing;
  for (std::string next;;) {
    Request request{.method = "GET", .bucket = bucket_, .key = ""};
    if (!next.empty()) request.query.emplace_back("continuation-token", next);
    if (!delimiter.empty()) request.query.emplace_back("delimiter", delimiter);
    request.query.emplace_back("encoding-type", "url");  // keys may have characters that XML has not
    request.query.emplace_back("list-type", "2");
    if (most > 0) request.query.emplace_back("max-keys", std::to_string(most));
    request.query.emplace_back("prefix", prefix);
    const Answer answer = ask(request);
    if (!answer.response.is_success()) refuse(request, answer);
    const XmlElement result = parse_xml(answer.response.text());
    const bool is_encoded = result.text_of("EncodingType") == "url";
    const auto decoded = [is_encoded](const std::string& key) {
      return is_encoded ? percent_decoded(key) : key;
    };
    for (const XmlElement& one : result.children) {
      if (one.name == "CommonPrefixes") listing.folders.push_back(decoded(one.text_of("Prefix")));
      if (one.name != "Contents") continue;
      const std::string size = one.text_of("Size");
      std::uint64_t bytes = 0;
      std::from_chars(size.data(), size.data() + size.size(), bytes);
      listing.objects.emplace_back(decoded(one.text_of("Key")), bytes);
    }
    next = result.text_of("NextContinuationToken");
    const bool is_enough =
        most > 0 && listing.objects.size() + listing.folders.size() >= static_cast<std::size_t>(most);
    if (result.text_of("IsTruncated") != "true" || next.empty() || is_enough) return listing;
  }
}

std::unique_ptr<Client> make_client(const std::string& bucket, ClientOptions options) {
  const Variables variables = process_variable;
  return std::make_unique<Client>(make_http({endpoint_of(variables), region_of(variables)}), bucket, options);
}

}  // namespace tailrace::output::object_store
