#include "checkpoint/describe.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/version.hpp"

namespace tailrace::checkpoint {
namespace {

using output::DatasetSpec;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A name that every reader of NetCDF accepts: dots replace slashes.
std::string readable_name(const std::string& name) {
  std::string readable;
  for (const char c : name)
    readable += c == '/' ? '.' : is_letter_or_digit(c) || c == '-' || c == '.' ? c : '_';
  const bool starts_well = !readable.empty() && is_letter_or_digit(readable[0]);
  return starts_well ? readable : "_" + readable;
}

// Unique names of variables and dims in a file.
class Names {
 public:
  std::string unused(const std::string& wanted) {
    std::string name = wanted;
    for (int next = 2; !used_.insert(name).second; ++next) name = fmt::format("{}_{}", wanted, next);
    return name;
  }

 private:
  std::set<std::string> used_;
};

class Header {
 public:
  explicit Header(const CheckpointHeader& head) {
    spec_.attributes = {{"title", fmt::format("State of component {}", head.component)},
                        {"source", fmt::format("Tailrace {}", base::version)},
                        {"tailrace_state_version", std::int64_t{format_version}},
                        {"component", head.component},
                        {"step", head.step},
                        {"time", head.time},
                        {"byte_order", std::string("little")}};
  }

  void add(const model::StateArray& array) {
    output::VariableSpec variable;
    variable.name = names_.unused(readable_name(array.name));
    variable.type = array.type;
    std::string dims;
    for (std::size_t d = 0; d < array.dims.size(); ++d) {
      variable.dims.push_back(dim_of(array, d));
      dims += (d == 0 ? "" : ",") + array.dims[d];
    }
    variable.attributes = {{"state_name", array.name}, {"state_dims", dims}};
    spec_.variables.push_back(std::move(variable));
  }

  const DatasetSpec& spec() const { return spec_; }

 private:
  // Dims of the same name may differ in size, if several classes save lists under one name.
  int dim_of(const model::StateArray& array, std::size_t d) {
    const auto [found, is_new] =
        dims_.try_emplace({array.dims[d], array.shape[d]}, static_cast<int>(spec_.dims.size()));
    if (is_new) {
      std::string wanted = readable_name(array.dims[d]);
      if (array.dims[d] == array.name) wanted += ".index";  // otherwise the variable would be its coordinate
      spec_.dims.push_back({names_.unused(wanted), array.shape[d], false});
    }
    return found->second;
  }

  DatasetSpec spec_;
  Names names_;
  std::map<std::pair<std::string, std::int64_t>, int> dims_;
};

}  // namespace

std::string describe(const model::StateArray& array) {
  std::string dims;
  for (std::size_t d = 0; d < array.dims.size(); ++d)
    dims += fmt::format("{}{}={}", d == 0 ? "" : ", ", array.dims[d], array.shape[d]);
  return fmt::format("{}({})", model::name_of(array.type), dims);
}

output::netcdf::HeaderAround make_header(const CheckpointHeader& head, const std::vector<StoredArray>& arrays,
                                         std::uint64_t end) {
  Header header(head);
  std::vector<std::uint64_t> places;
  for (const auto& [array, address] : arrays) {
    header.add(array);
    places.push_back(address);
  }
  return output::netcdf::make_header_around(header.spec(), places, end);
}

}  // namespace tailrace::checkpoint
