#include "output/codec_needs.hpp"

#include <map>
#include <utility>

#include "codecs/own_plugin.hpp"

namespace tailrace::output {
namespace {

std::map<std::pair<std::string, std::string>, std::string>& needs() {
  static std::map<std::pair<std::string, std::string>, std::string> all;
  return all;
}

}  // namespace

CodecNeedRegistration::CodecNeedRegistration(const std::string& format, const std::string& codec,
                                             const std::string& need) {
  needs().emplace(std::pair(format, codec), need);
}

std::optional<std::string> readers_need(const std::string& format, const std::string& codec) {
  const auto found = needs().find({format, codec});
  if (found != needs().end()) return found->second;
  return codecs::needs_own_plugin(codec) ? std::nullopt : std::optional<std::string>("");
}

}  // namespace tailrace::output
