#include "input/reader/process/classic_length.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "input/reader/process/wire.hpp"

namespace tailrace::input::process {
namespace {

// The library is not asked then: it takes memory for each length before it looks whether the file has as
// much.
[[noreturn]] void refuse_header() { throw Refusal("its header is damaged: it is longer than the file"); }

// The header of a file, from its beginning on. Throws Refusal at the end of the file.
class Header {
 public:
  explicit Header(const std::string& path) : file_(path, std::ios::binary) {
    std::error_code error;
    left_ = std::filesystem::file_size(path, error);
    if (error) left_ = 0;
  }

  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    take(static_cast<std::uint64_t>(bytes));
    for (int n = 0; n < bytes; ++n) value = value << 8 | static_cast<std::uint64_t>(file_.get() & 0xFF);
    return value;
  }
  void skip(std::uint64_t bytes) {
    take(bytes);
    file_.seekg(static_cast<std::streamoff>(bytes), std::ios::cur);
  }

 private:
  void take(std::uint64_t bytes) {
    if (bytes > left_) refuse_header();
    left_ -= bytes;
  }

  std::ifstream file_;
  std::uint64_t left_ = 0;  // bytes of the file
};

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) refuse_header();
  return product;
}

std::uint64_t padded(std::uint64_t bytes) { return times((bytes >> 2) + ((bytes & 3) != 0 ? 1 : 0), 4); }

std::uint64_t size_of_type(std::uint64_t type) {
  constexpr std::array<std::uint64_t, 12> sizes{1, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};  // by nc_type
  return sizes.at(type);
}

struct Variable {
  bool has_records = false;
  std::uint64_t begin = 0, bytes = 0;  // of one record, if it has records
};

class Classic {
 public:
  // `version`: 1, 2 or 5, the fourth byte.
  Classic(Header& header, int version)
      : header_(header), count_bytes_(version == 5 ? 8 : 4), begin_bytes_(version == 1 ? 4 : 8) {}

  std::optional<std::uint64_t> length() {
    const std::uint64_t records = count();
    if (records == (count_bytes_ == 4 ? 0xFFFFFFFFu : ~std::uint64_t{0})) return std::nullopt;  // not known
    read_list([&] { read_dim(); });
    read_list([&] { skip_attribute(); });
    read_list([&] { read_variable(); });
    return end(records);
  }

 private:
  std::uint64_t count() { return header_.number(count_bytes_); }

  template <class Read>
  void read_list(const Read& read) {
    header_.number(4);  // the tag
    const std::uint64_t length = count();
    for (std::uint64_t n = 0; n < length; ++n) read();
  }
  void skip_name() { header_.skip(padded(count())); }
  void read_dim() {
    skip_name();
    dims_.push_back(count());
  }
  void skip_attribute() {
    skip_name();
    const std::uint64_t size = size_of_type(header_.number(4));
    header_.skip(padded(times(size, count())));
  }
  void read_variable() {
    Variable variable;
    variable.bytes = 1;
    skip_name();
    const std::uint64_t dims = count();
    for (std::uint64_t d = 0; d < dims; ++d) {
      const std::uint64_t length = dims_.at(count());  // 0: the dim of the records
      if (d == 0 && length == 0)
        variable.has_records = true;
      else
        variable.bytes = times(variable.bytes, length);
    }
    read_list([&] { skip_attribute(); });
    variable.bytes = times(variable.bytes, size_of_type(header_.number(4)));
    header_.number(count_bytes_);  // vsize, which need not be right
    variable.begin = header_.number(begin_bytes_);
    variables_.push_back(variable);
  }

  std::uint64_t end(std::uint64_t records) const {
    const auto with_records = std::ranges::count(variables_, true, &Variable::has_records);
    std::uint64_t of_record = 0;
    for (const Variable& one : variables_)
      if (one.has_records) of_record += with_records == 1 ? one.bytes : padded(one.bytes);
    std::uint64_t end = 0;
    for (const Variable& one : variables_) {
      if (one.has_records && records == 0) continue;
      const std::uint64_t before = one.has_records ? times(records - 1, of_record) : 0;
      end = std::max(end, one.begin + before + one.bytes);
    }
    return end;
  }

  Header& header_;
  int count_bytes_, begin_bytes_;
  std::vector<std::uint64_t> dims_;
  std::vector<Variable> variables_;
};

}  // namespace

std::optional<std::uint64_t> classic_length(const std::string& path) {
  char word[4] = {};
  std::ifstream(path, std::ios::binary).read(word, sizeof word);
  const int version = word[3];
  if (std::string(word, 3) != "CDF" || (version != 1 && version != 2 && version != 5)) return std::nullopt;
  Header header(path);
  header.skip(sizeof word);
  try {
    return Classic(header, version).length();
  } catch (const std::out_of_range&) {  // a type or a dim that there is not, which the library says better
    return std::nullopt;
  }
}

void check_length(const std::string& path) {
  const auto expected = classic_length(path);
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (expected && !error && size < *expected)
    throw Refusal("it is truncated: it has " + std::to_string(size) + " bytes; expected at least " +
                  std::to_string(*expected) + " by its header");
}

}  // namespace tailrace::input::process
