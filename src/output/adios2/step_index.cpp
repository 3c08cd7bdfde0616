#include "output/adios2/step_index.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/error.hpp"

namespace tailrace::output::adios2 {
namespace {

namespace fs = std::filesystem;

constexpr const char* index_name = "md.idx";
constexpr const char* descriptions_name = "md.0";
constexpr const char* values_name = "data.";
// As ADIOS2 documents BP5: a head, then records of a letter, the length of what follows, and that. A step
// begins with the place and the size of its description.
constexpr std::size_t head_bytes = 64, version_at = 37, record_head = 9;
constexpr char step_letter = 's';

struct Ends {
  std::size_t index = head_bytes;
  std::uint64_t descriptions = 0;
};

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

std::vector<char> bytes_of(const fs::path& index) {
  std::ifstream in(index, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  if (bytes.size() < head_bytes || bytes[version_at] != 5)
    refuse("cannot be continued: it has no index of BP5; expected a dataset of engine `bp5`");
  return bytes;
}

std::uint64_t number_at(const std::vector<char>& bytes, std::size_t at) {
  std::uint64_t number = 0;
  if (bytes.size() < at + sizeof number) refuse("is damaged: its index ends early");
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// Where the first `steps` steps end.
Ends ends_of(const std::vector<char>& index, std::size_t steps) {
  Ends ends;
  for (std::size_t found = 0; found < steps;) {
    const std::uint64_t length = number_at(index, ends.index + 1);
    const std::size_t body = ends.index + record_head;
    if (length > index.size() - body) refuse("is damaged: its index ends early");
    if (index[ends.index] == step_letter) {
      ends.descriptions = number_at(index, body) + number_at(index, body + sizeof(std::uint64_t));
      ++found;
    }
    ends.index = body + length;
  }
  return ends;
}

void shorten(const fs::path& file, std::uintmax_t bytes) {
  if (fs::file_size(file) > bytes) fs::resize_file(file, bytes);
}

template <class Work>
void changing(Work work) {
  try {
    work();
  } catch (const fs::filesystem_error& error) {
    refuse(fmt::format("cannot be continued: {}", error.what()));
  }
}

bool exchanged(const std::string& one, const std::string& other) {
  return renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
}

}  // namespace

std::string index_of(const std::string& dataset) { return dataset + "/" + index_name; }

void cut_steps(const std::string& dataset, std::size_t steps) {
  changing([&] {
    const Ends ends = ends_of(bytes_of(index_of(dataset)), steps);
    shorten(index_of(dataset), ends.index);
    shorten(fs::path(dataset) / descriptions_name, ends.descriptions);
  });
}

void make_branch(const std::string& dataset, const std::string& branch, std::size_t steps) {
  changing([&] {
    fs::remove_all(branch);
    fs::create_directory(branch);
    for (const auto& entry : fs::directory_iterator(dataset)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file()) continue;
      if (name.starts_with(values_name))
        fs::create_hard_link(entry.path(), fs::path(branch) / name);
      else
        fs::copy_file(entry.path(), fs::path(branch) / name);
    }
  });
  cut_steps(branch, steps);
}

// In one moment, where the file system can; else the dataset is away for a moment, and bears the name `.old`.
void take_branch(const std::string& dataset, const std::string& branch) {
  changing([&] {
    if (exchanged(branch, dataset)) {
      fs::remove_all(branch);
      return;
    }
    const std::string old = dataset + ".old";
    fs::rename(dataset, old);
    fs::rename(branch, dataset);
    fs::remove_all(old);
  });
}

}  // namespace tailrace::output::adios2
