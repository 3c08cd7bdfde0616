#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>

#include "env/open_files.hpp"
#include "env/threads.hpp"

namespace tailrace::env {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

// A descriptor's line `flags:` has the flags of open() in octal.
bool is_for_writing(const fs::path& process, const std::string& descriptor) {
  std::ifstream info(process / "fdinfo" / descriptor);
  for (std::string word; info >> word;)
    if (word == "flags:" && info >> word) return (std::stoul(word, nullptr, 8) & O_ACCMODE) != O_RDONLY;
  return false;
}

int descriptors_that_write(const fs::path& process, const struct stat& file) {
  int found = 0;
  std::error_code refused;
  for (const fs::directory_entry& descriptor : fs::directory_iterator(process / "fd", refused)) {
    struct stat opened {};
    if (::stat(descriptor.path().c_str(), &opened) == 0 && opened.st_ino == file.st_ino &&
        opened.st_dev == file.st_dev && is_for_writing(process, descriptor.path().filename().string()))
      ++found;
  }
  return found;
}

std::string name_of(const fs::path& process) {
  std::ifstream words(process / "comm");
  std::string name;
  std::getline(words, name);
  return name;
}

}  // namespace

std::string who_writes(const std::string& path, int own) noexcept {
  try {
    const fs::path all = "/proc";
    const std::string here = std::to_string(process_id());
    const auto described = [&](const std::string& number) {
      return fmt::format("process {} ({}) on {}", number, name_of(all / number), host_name());
    };
    struct stat file {};
    std::error_code refused;
    if (::stat(path.c_str(), &file) == 0) {
      for (const fs::directory_entry& process : fs::directory_iterator(all, refused)) {
        const std::string number = process.path().filename().string();
        if (is_number(number) && number != here && descriptors_that_write(process.path(), file) > 0)
          return described(number);
      }
      if (descriptors_that_write(all / here, file) > own) return described(here);
    }
    return fmt::format("a process that cannot be seen from {}", host_name());
  } catch (const std::exception&) {
    return "a process that cannot be seen";
  }
}

}  // namespace tailrace::env
