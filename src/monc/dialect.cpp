#include "monc/dialect.hpp"

#include "monc/convention.hpp"
#include "monc/translate.hpp"
#include "monc/xml/text.hpp"

namespace tailrace::monc {
namespace {

class MoncXml final : public config::Dialect {
 public:
  std::string name() const override { return legacy_name; }
  bool recognises(std::string_view text) const override { return looks_like_xml(text); }
  Sources read_sources(const std::string& path, const config::Reader& reader) const override {
    return monc::read_sources(path, reader);
  }
  Translation translate(const Sources& sources, const Options& options, Problems& problems) const override {
    return monc::translate(sources, options, problems);
  }
};

}  // namespace

const config::Dialect& dialect() {
  static const MoncXml xml;
  return xml;
}

}  // namespace tailrace::monc
