#include "dialects/dialect.hpp"

#include "dialects/monc/convention.hpp"
#include "dialects/monc/translate.hpp"
#include "dialects/monc/xml/text.hpp"

namespace tailrace::dialects::monc {
namespace {

class Monc final : public Dialect {
 public:
  std::string name() const override { return dialect_name; }
  std::string notation() const override { return "the XML of MONC"; }
  std::string legacy_rules() const override {
    return "periods in seconds count from the sample of the previous record, windows end with a sample, the "
           "first "
           "sample of a window counts about twice in a mean, and MONC's XML is read as MONC reads it";
  }
  const time::Convention& convention() const override { return monc::convention(); }

  bool recognises(std::string_view text) const override { return looks_like_xml(text); }
  Sources read_sources(const std::string& path, const config::Reader& reader) const override {
    return monc::read_sources(path, reader);
  }
  Translation translate(const Sources& sources, const Options& options, Problems& problems) const override {
    return monc::translate(sources, options, problems);
  }
};

const DialectRegistration registration{std::make_unique<Monc>()};

}  // namespace
}  // namespace tailrace::dialects::monc
