// The options of a format for one dataset. The configuration and the spec of a dataset carry them; only the
// folder of the format knows what they are.
#pragma once

#include <memory>
#include <utility>

#include "base/error.hpp"

namespace tailrace::output {

class FormatOptions {
 public:
  virtual ~FormatOptions() = default;
};

// A plain struct of a format's folder as FormatOptions.
template <class Options>
class OwnOptions final : public FormatOptions {
 public:
  explicit OwnOptions(Options options) : options_(std::move(options)) {}
  const Options& get() const { return options_; }

 private:
  const Options options_;
};

template <class Options>
std::shared_ptr<const FormatOptions> wrap_options(Options options) {
  return std::make_shared<const OwnOptions<Options>>(std::move(options));
}

// Returns the wrapped options; Options() for null, which means that none are given.
template <class Options>
const Options& unwrap_options(const FormatOptions* options) {
  static const Options defaults{};
  if (options == nullptr) return defaults;
  const auto* own = dynamic_cast<const OwnOptions<Options>*>(options);
  TAILRACE_ASSERT(own != nullptr, "the options are those of another format");
  return own->get();
}

}  // namespace tailrace::output
