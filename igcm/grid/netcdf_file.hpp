// A NetCDF file that closes itself and whose errors are exceptions with its path.
#pragma once

#include <netcdf.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace igcm::grid {

inline nc_type type_of(const double*) { return NC_DOUBLE; }
inline nc_type type_of(const std::int32_t*) { return NC_INT; }
inline nc_type type_of(const std::int8_t*) { return NC_BYTE; }

class NetcdfFile {
 public:
  /// Over a file that this process has made (UnfinishedFile).
  static NetcdfFile create(const std::string& path) {
    NetcdfFile file(path);
    file.check(nc_create(path.c_str(), NC_NETCDF4 | NC_CLASSIC_MODEL | NC_CLOBBER, &file.id_),
               "cannot be created");
    return file;
  }
  static NetcdfFile open(const std::string& path) {
    NetcdfFile file(path);
    file.check(nc_open(path.c_str(), NC_NOWRITE, &file.id_), "cannot be opened");
    return file;
  }
  NetcdfFile(NetcdfFile&& other) noexcept
      : path_(std::move(other.path_)), id_(std::exchange(other.id_, -1)) {}
  NetcdfFile& operator=(NetcdfFile&&) = delete;
  ~NetcdfFile() {
    if (id_ >= 0) nc_close(id_);
  }
  /// Reports what the destructor cannot.
  void close() { check(nc_close(std::exchange(id_, -1)), "cannot be closed"); }

  int id() const { return id_; }
  const std::string& path() const { return path_; }
  void check(int status, const std::string& what) const {
    if (status != NC_NOERR) throw std::runtime_error(path_ + ": " + what + ": " + nc_strerror(status));
  }

  void define_dimension(const char* name, std::int64_t length) {
    int dimension = 0;
    check(nc_def_dim(id_, name, static_cast<std::size_t>(length), &dimension), name);
  }
  int define(const std::string& name, nc_type type, const std::vector<std::string>& dimensions) {
    std::vector<int> ids(dimensions.size());
    for (std::size_t k = 0; k < ids.size(); ++k)
      check(nc_inq_dimid(id_, dimensions[k].c_str(), &ids[k]), name);
    int variable = 0;
    check(nc_def_var(id_, name.c_str(), type, static_cast<int>(ids.size()), ids.data(), &variable), name);
    return variable;
  }
  int variable(const std::string& name) const {
    int found = 0;
    check(nc_inq_varid(id_, name.c_str(), &found), "variable " + name);
    return found;
  }
  void attribute(int variable, const char* name, const std::string& text) {
    check(nc_put_att_text(id_, variable, name, text.size(), text.c_str()), name);
  }
  template <class Number>
  void attribute(int variable, const char* name, Number value) {
    check(nc_put_att(id_, variable, name, type_of(&value), 1, &value), name);
  }
  std::string text_attribute(const char* name) const {
    std::size_t length = 0;
    check(nc_inq_attlen(id_, NC_GLOBAL, name, &length), std::string("attribute ") + name);
    std::string text(length, ' ');
    check(nc_get_att_text(id_, NC_GLOBAL, name, text.data()), std::string("attribute ") + name);
    return text;
  }
  double number_attribute(const char* name) const {
    double value = 0;
    check(nc_get_att_double(id_, NC_GLOBAL, name, &value), std::string("attribute ") + name);
    return value;
  }

 private:
  explicit NetcdfFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  int id_ = -1;
};

}  // namespace igcm::grid
