#include "dataset.hpp"

#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace igcm {
namespace {

std::string listed(const auto& map) {
  std::string names;
  for (const auto& [name, value] : map) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

std::string described(const std::vector<std::size_t>& shape) {
  std::string text;
  for (std::size_t length : shape) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return shape.empty() ? "a scalar" : text;
}

// An open file, which closes itself, and removes itself if it was made here and is not whole. Calls of the
// library throw with the path.
class File {
 public:
  File(const std::string& path, bool create) : path_(path), created_(create) {
    check(create ? nc_create(path.c_str(), NC_NETCDF4 | NC_NOCLOBBER, &id_)
                 : nc_open(path.c_str(), NC_NOWRITE, &id_),
          create ? "cannot be made" : "cannot be opened");
    open_ = true;
  }
  ~File() {
    if (!open_) return;
    nc_close(id_);
    if (created_) std::remove(path_.c_str());
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  void close() {
    open_ = false;
    check(nc_close(id_), "cannot be closed");
  }
  void check(int status, const std::string& what) const {
    if (status != NC_NOERR) throw std::runtime_error(path_ + ": " + what + ": " + nc_strerror(status));
  }
  [[nodiscard]] int id() const { return id_; }

 private:
  std::string path_;
  bool created_;
  int id_ = 0;
  bool open_ = false;
};

nc_type type_in_file(Type type) {
  return type == Type::real64 ? NC_DOUBLE : type == Type::real32 ? NC_FLOAT : NC_INT;
}

Type type_of(nc_type type) {
  return type == NC_DOUBLE ? Type::real64 : type == NC_FLOAT ? Type::real32 : Type::int32;
}

Field read_field(const File& file, int variable, const std::string& name) {
  int rank = 0;
  nc_type type = NC_NAT;
  int dimensions[NC_MAX_VAR_DIMS];
  file.check(nc_inq_var(file.id(), variable, nullptr, &type, &rank, dimensions, nullptr), name);
  Field field{{}, type_of(type), {}};
  std::size_t size = 1;
  for (int d = 0; d < rank; ++d) {
    std::size_t length = 0;
    file.check(nc_inq_dimlen(file.id(), dimensions[d], &length), name);
    field.shape.push_back(length);
    size *= length;
  }
  field.values.resize(size);
  file.check(nc_get_var_double(file.id(), variable, field.values.data()), name + " cannot be read");
  return field;
}

}  // namespace

Dataset Dataset::read(const std::string& path) {
  File file(path, false);
  Dataset data;
  data.path_ = path;
  int variables = 0, attributes = 0;
  file.check(nc_inq(file.id(), nullptr, &variables, &attributes, nullptr), "cannot be read");
  for (int v = 0; v < variables; ++v) {
    char name[NC_MAX_NAME + 1];
    file.check(nc_inq_varname(file.id(), v, name), "cannot be read");
    data.fields_[name] = read_field(file, v, name);
  }
  for (int a = 0; a < attributes; ++a) {
    char name[NC_MAX_NAME + 1];
    nc_type type = NC_NAT;
    std::size_t length = 0;
    file.check(nc_inq_attname(file.id(), NC_GLOBAL, a, name), "cannot be read");
    file.check(nc_inq_att(file.id(), NC_GLOBAL, name, &type, &length), name);
    if (type == NC_CHAR) {
      std::string text(length, ' ');
      if (length > 0) file.check(nc_get_att_text(file.id(), NC_GLOBAL, name, text.data()), name);
      data.texts_[name] = text.c_str();
    } else if (type == NC_STRING) {
      std::vector<char*> texts(length);
      file.check(nc_get_att_string(file.id(), NC_GLOBAL, name, texts.data()), name);
      std::string joined;
      for (const char* text : texts) joined += (joined.empty() ? "" : " ") + std::string(text);
      nc_free_string(length, texts.data());
      data.texts_[name] = joined;
    } else {
      std::vector<double> numbers(length);
      file.check(nc_get_att_double(file.id(), NC_GLOBAL, name, numbers.data()), name);
      data.set(name, numbers, type_of(type));
    }
  }
  return data;
}

void Dataset::write(const std::string& path, const std::vector<std::string>& names) const {
  File file(path, true);
  std::map<std::size_t, int> dimensions;
  std::vector<int> variables;
  for (const std::string& name : names) {
    std::vector<int> ids;
    for (std::size_t length : field(name).shape) {
      if (!dimensions.contains(length)) {
        int id = 0;
        file.check(nc_def_dim(file.id(), ("n" + std::to_string(length)).c_str(), length, &id), name);
        dimensions[length] = id;
      }
      ids.push_back(dimensions[length]);
    }
    file.check(nc_def_var(file.id(), name.c_str(), type_in_file(field(name).type),
                          static_cast<int>(ids.size()), ids.data(), &variables.emplace_back()),
               name);
  }
  for (const auto& [name, text] : texts_)
    file.check(nc_put_att_text(file.id(), NC_GLOBAL, name.c_str(), text.size(), text.data()), name);
  for (const auto& [name, values] : numbers_)
    file.check(nc_put_att_double(file.id(), NC_GLOBAL, name.c_str(), type_in_file(number_types_.at(name)),
                                 values.size(), values.data()),
               name);
  file.check(nc_enddef(file.id()), "cannot be written");
  for (std::size_t n = 0; n < names.size(); ++n)
    file.check(nc_put_var_double(file.id(), variables[n], field(names[n]).values.data()),
               names[n] + " cannot be written");
  file.close();
}

Field& Dataset::add(const std::string& name, std::vector<std::size_t> shape, Type type) {
  std::size_t size = 1;
  for (std::size_t length : shape) size *= length;
  return fields_[name] = Field{std::move(shape), type, std::vector<double>(size)};
}

const Field& Dataset::field(const std::string& name) const {
  const auto found = fields_.find(name);
  if (found == fields_.end())
    throw std::runtime_error(path_ + ": no field \"" + name + "\"; there are: " + listed(fields_));
  return found->second;
}

Field& Dataset::field(const std::string& name) {
  return const_cast<Field&>(static_cast<const Dataset*>(this)->field(name));
}

double* Dataset::values(const std::string& name, const std::vector<std::size_t>& shape) {
  Field& found = field(name);
  if (found.shape != shape)
    throw std::runtime_error(path_ + ": \"" + name + "\" is " + described(found.shape) + "; expected " +
                             described(shape));
  return found.values.data();
}

void Dataset::set(const std::string& attribute, std::vector<double> numbers, Type type) {
  numbers_[attribute] = std::move(numbers);
  number_types_[attribute] = type;
}

const std::vector<double>& Dataset::numbers(const std::string& attribute) const {
  const auto found = numbers_.find(attribute);
  if (found == numbers_.end())
    throw std::runtime_error(path_ + ": no attribute \"" + attribute +
                             "\" with numbers; there are: " + listed(numbers_));
  return found->second;
}

std::vector<int> Dataset::integers(const std::string& attribute) const {
  std::vector<int> result;
  for (double value : numbers(attribute)) {
    const bool fits = std::abs(value) <= std::numeric_limits<int>::max();
    if (!fits || value != std::trunc(value)) {
      std::ostringstream number;
      number << value;
      throw std::runtime_error(path_ + ": the attribute \"" + attribute + "\" has the number " +
                               number.str() + "; expected whole numbers of 32 bits");
    }
    result.push_back(static_cast<int>(value));
  }
  return result;
}

std::string Dataset::text(const std::string& attribute) const {
  const auto found = texts_.find(attribute);
  return found == texts_.end() ? std::string() : found->second;
}

double Dataset::constant(std::string_view name) const {
  const std::string names = text("const_names");
  std::istringstream words(names);
  std::string word;
  for (std::size_t at = 0; words >> word; ++at)
    if (word == name && at < numbers("const_values").size()) return numbers("const_values")[at];
  throw std::runtime_error(path_ + ": no constant \"" + std::string(name) +
                           "\" in const_names; there are: " + (names.empty() ? "none" : names));
}

}  // namespace igcm
