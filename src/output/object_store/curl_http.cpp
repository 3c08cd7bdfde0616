// libcurl is loaded when a name of an object store occurs: every rank of a model loads libtailrace, and
// libcurl would bring some twenty libraries to each, also where no output goes to an object store.
#include <dlfcn.h>
#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/thread_safety.hpp"
#include "output/object_store/http.hpp"
#include "output/object_store/location.hpp"

#ifdef TAILRACE_WITH_CURL
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

namespace tailrace::output::object_store {
namespace {

constexpr const char* library_name = "libcurl.so.4";
constexpr unsigned oldest_version = 0x074B00;  // 7.75, the first that signs requests
constexpr long connect_seconds = 10, silent_seconds = 30;

struct Curl {
  void* library = nullptr;
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_version_info) version_info = nullptr;
  decltype(&curl_easy_init) init = nullptr;
  decltype(&curl_easy_reset) reset = nullptr;
  decltype(&curl_easy_setopt) setopt = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_getinfo) getinfo = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_easy_strerror) strerror = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) free_all = nullptr;
  std::string missing;

  Curl() {
    library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      missing = fmt::format("libcurl cannot be loaded ({})", dlerror());
      return;
    }
    find(global_init, "curl_global_init");
    find(version_info, "curl_version_info");
    find(init, "curl_easy_init");
    find(reset, "curl_easy_reset");
    find(setopt, "curl_easy_setopt");
    find(perform, "curl_easy_perform");
    find(getinfo, "curl_easy_getinfo");
    find(cleanup, "curl_easy_cleanup");
    find(strerror, "curl_easy_strerror");
    find(append, "curl_slist_append");
    find(free_all, "curl_slist_free_all");
    if (!missing.empty()) return;
    const curl_version_info_data* const info = version_info(CURLVERSION_NOW);
    if (info->version_num < oldest_version)
      missing = fmt::format("libcurl is {}, and 7.75 is the first that signs requests", info->version);
    else if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
      missing = "libcurl cannot be initialised";
  }

  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) missing = fmt::format("libcurl has no {}", name);
  }
};

// Never unloaded: it and its libraries keep state until the process ends.
const Curl& curl() {
  static const Curl* const loaded = new Curl;
  return *loaded;
}

struct Upload {
  std::span<const std::byte> body;
  std::size_t at = 0;
};

std::size_t read_body(char* into, std::size_t size, std::size_t count, void* data) {
  auto& upload = *static_cast<Upload*>(data);
  const std::size_t taken = std::min(size * count, upload.body.size() - upload.at);
  if (taken > 0) std::memcpy(into, upload.body.data() + upload.at, taken);
  upload.at += taken;
  return taken;
}

// Called where a connection that was used again turns out to be closed.
int rewind_body(void* data, curl_off_t offset, int origin) {
  auto& upload = *static_cast<Upload*>(data);
  if (origin != SEEK_SET || offset < 0 || static_cast<std::size_t>(offset) > upload.body.size())
    return CURL_SEEKFUNC_FAIL;
  upload.at = static_cast<std::size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

std::size_t take_body(char* from, std::size_t size, std::size_t count, void* data) {
  auto& body = static_cast<Response*>(data)->body;
  const auto* const bytes = reinterpret_cast<const std::byte*>(from);
  body.insert(body.end(), bytes, bytes + size * count);
  return size * count;
}

std::size_t take_header(char* from, std::size_t size, std::size_t count, void* data) {
  auto& response = *static_cast<Response*>(data);
  const std::string_view line(from, size * count);
  const auto value_of = [&line](std::string_view name) -> std::string {
    if (line.size() <= name.size() || line[name.size()] != ':' ||
        strncasecmp(line.data(), name.data(), name.size()) != 0)
      return "";
    const std::string_view rest = line.substr(name.size() + 1);
    const std::size_t first = rest.find_first_not_of(" \t");
    if (first == std::string_view::npos) return "";
    return std::string(rest.substr(first, rest.find_last_not_of(" \t\r\n") + 1 - first));
  };
  if (const std::string etag = value_of("etag"); !etag.empty()) response.etag = etag;
  if (const std::string after = value_of("retry-after"); !after.empty())
    response.retry_after = std::max(0.0, std::strtod(after.c_str(), nullptr));  // a date gives 0
  return size * count;
}

class Headers {
 public:
  ~Headers() { curl().free_all(list_); }
  Headers() = default;
  Headers(const Headers&) = delete;
  Headers& operator=(const Headers&) = delete;
  void add(const std::string& line) {
    if (curl_slist* const longer = curl().append(list_, line.c_str())) list_ = longer;
  }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

class CurlHttp final : public Http {
 public:
  explicit CurlHttp(Server server) : server_(std::move(server)) {}
  ~CurlHttp() override {
    for (CURL* const handle : idle_) curl().cleanup(handle);
  }
  CurlHttp(const CurlHttp&) = delete;
  CurlHttp& operator=(const CurlHttp&) = delete;
  const Server& server() const override { return server_; }

  Response send(const Request& request, const Credentials& credentials) override {
    CURL* const handle = take();
    Response response;
    if (handle == nullptr) {
      response.failure = "libcurl has no memory";
      return response;
    }
    Upload upload{request.body};
    Headers headers;
    prepare(handle, request, credentials, headers, upload, response);
    const CURLcode code = curl().perform(handle);
    long status = 0;
    curl_off_t size = 0;
    if (code == CURLE_OK) {
      curl().getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
      curl().getinfo(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    } else {
      response = Response{};  // an answer that was cut off is none
      response.failure = curl().strerror(code);
    }
    response.status = static_cast<int>(status);
    response.size = static_cast<std::uint64_t>(std::max<curl_off_t>(size, 0));
    give_back(handle);
    return response;
  }

 private:
  void prepare(CURL* handle, const Request& request, const Credentials& credentials, Headers& headers,
               Upload& upload, Response& response) const {
    const auto set = [handle](CURLoption option, auto value) { curl().setopt(handle, option, value); };
    curl().reset(handle);
    set(CURLOPT_URL, url_of(request).c_str());
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_CONNECTTIMEOUT, connect_seconds);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, silent_seconds);
    set(CURLOPT_USERPWD, fmt::format("{}:{}", credentials.key_id, credentials.secret).c_str());
    set(CURLOPT_AWS_SIGV4, fmt::format("aws:amz:{}:s3", server_.region).c_str());
    if (const auto bundle = process_variable("AWS_CA_BUNDLE")) set(CURLOPT_CAINFO, bundle->c_str());
    headers.add("x-amz-content-sha256: UNSIGNED-PAYLOAD");
    if (!credentials.token.empty()) headers.add("x-amz-security-token: " + credentials.token);
    // Large bodies are announced, and few servers answer that. An empty `Expect:` would keep curl from it,
    // but curl 7.88 signs such a header, which it does not send.
    set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
    for (const auto& [name, value] : request.headers) headers.add(name + ": " + value);
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_WRITEFUNCTION, take_body);
    set(CURLOPT_WRITEDATA, &response);
    set(CURLOPT_HEADERFUNCTION, take_header);
    set(CURLOPT_HEADERDATA, &response);
    set_method(handle, request, upload);
  }

  static void set_method(CURL* handle, const Request& request, Upload& upload) {
    const auto set = [handle](CURLoption option, auto value) { curl().setopt(handle, option, value); };
    if (request.method == "HEAD") {
      set(CURLOPT_NOBODY, 1L);
    } else if (request.method == "PUT") {
      set(CURLOPT_UPLOAD, 1L);
      set(CURLOPT_READFUNCTION, read_body);
      set(CURLOPT_READDATA, &upload);
      set(CURLOPT_SEEKFUNCTION, rewind_body);
      set(CURLOPT_SEEKDATA, &upload);
      set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    } else if (request.method == "POST") {
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      set(CURLOPT_POSTFIELDS, request.body.empty() ? "" : reinterpret_cast<const char*>(request.body.data()));
    } else if (request.method != "GET") {
      set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
  }

  std::string url_of(const Request& request) const {
    std::string url = fmt::format("{}/{}", server_.endpoint, request.bucket);
    if (!request.key.empty()) url.append("/").append(percent_encoded(request.key, true));
    char separator = '?';
    for (const auto& [name, value] : request.query) {
      url += fmt::format("{}{}={}", separator, percent_encoded(name, false), percent_encoded(value, false));
      separator = '&';
    }
    return url;
  }

  CURL* take() TAILRACE_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    if (idle_.empty()) return curl().init();
    CURL* const handle = idle_.back();
    idle_.pop_back();
    return handle;
  }

  void give_back(CURL* handle) TAILRACE_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    idle_.push_back(handle);
  }

  const Server server_;
  base::Mutex mutex_;
  std::vector<CURL*> idle_ TAILRACE_GUARDED_BY(mutex_);  // each keeps its connection open
};

}  // namespace

std::string missing_client() {
  if (curl().missing.empty()) return "";
  return fmt::format(
      "writing to an object store needs libcurl, and {}; expected an installed libcurl "
      "(Debian and Ubuntu: libcurl4)",
      curl().missing);
}

std::unique_ptr<Http> make_http(Server server) {
  if (const std::string missing = missing_client(); !missing.empty())
    throw Error(ErrorCode::configuration, missing);
  return std::make_unique<CurlHttp>(std::move(server));
}

}  // namespace tailrace::output::object_store

#else

namespace tailrace::output::object_store {

std::string missing_client() {
  return "Tailrace was built without libcurl, which writes to object stores; expected a build where it is "
         "installed (Debian and Ubuntu: libcurl4-openssl-dev)";
}

std::unique_ptr<Http> make_http(Server) { throw Error(ErrorCode::configuration, missing_client()); }

}  // namespace tailrace::output::object_store

#endif
