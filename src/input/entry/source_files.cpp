#include "input/entry/source_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "env/programs.hpp"
#include "input/values.hpp"

namespace tailrace::input {
namespace {

constexpr std::size_t most_open = 32;
constexpr double usual_patience = 120.0;

// Seconds for which the process may work at one request. Tests are less patient.
double patience() {
  const char* const text = std::getenv("TAILRACE_READER_PATIENCE");
  const double seconds = text != nullptr ? std::strtod(text, nullptr) : 0.0;
  return seconds > 0.0 ? seconds : usual_patience;
}

std::size_t cells_of(const VariableHeader& variable) {
  std::size_t cells = 1;
  for (const std::int64_t length : variable.shape) cells *= static_cast<std::size_t>(length);
  return cells;
}

}  // namespace

std::vector<std::string> command_of(const Source& source, const std::string& folder) {
  if (std::holds_alternative<NetcdfSource>(source)) return {folder + "/tailrace_read_netcdf", "{socket}"};
  const auto* const python = std::get_if<PythonSource>(&source);
  const auto* const adios2 = std::get_if<Adios2Source>(&source);
  std::vector<std::string> command{python ? python->interpreter : env::default_interpreter(), "-P", "-m",
                                   "tailrace.input_source"};
  if (python != nullptr && !python->function.empty()) command.push_back(python->function);
  if (adios2 != nullptr && adios2->is_stream) command.emplace_back("--stream");
  command.emplace_back("{socket}");
  return command;
}

SourceFiles::SourceFiles(std::vector<std::string> paths, std::vector<std::string> command)
    : paths_(std::move(paths)), identities_(paths_.size()), process_(std::move(command), patience()) {}

SourceFiles::Open& SourceFiles::open(std::size_t file) {
  const auto found = std::ranges::find(open_, file, &Open::file);
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
    return open_.front();
  }
  if (open_.size() >= most_open) {
    process_.close(open_.back().opened.number);
    open_.pop_back();
  }
  open_.push_front({file, process_.open(paths_[file], identities_[file])});
  identities_[file] = open_.front().opened.identity;
  return open_.front();
}

const FileHeader& SourceFiles::header(std::size_t file) { return open(file).opened.header; }

env::ReceivedPages SourceFiles::read(std::size_t file, const VariableHeader& variable,
                                     const std::vector<std::int64_t>& start,
                                     const std::vector<std::int64_t>& count) {
  return process_.read(open(file).opened.number, variable, start, count);
}

void SourceFiles::add(const std::vector<std::string>& paths) {
  paths_.insert(paths_.end(), paths.begin(), paths.end());
  identities_.resize(paths_.size());
}

void SourceFiles::keep_first(std::size_t count) {
  paths_.resize(count);
  identities_.resize(count);
  std::vector<std::int64_t> numbers;
  for (const Open& one : open_)
    if (one.file >= count) numbers.push_back(one.opened.number);
  std::erase_if(open_, [count](const Open& one) { return one.file >= count; });
  for (const std::int64_t number : numbers) process_.close(number);
}

bool SourceFiles::may_grow() const {
  return std::ranges::any_of(open_, [](const Open& one) { return one.opened.more; });
}

void SourceFiles::grow(double seconds, const std::map<std::string, std::int64_t>& needed) {
  for (Open& one : open_)
    if (one.opened.more) one.opened = process_.extend(one.opened.number, seconds, needed);
}

std::vector<double> SourceFiles::numbers(std::size_t file, const VariableHeader& variable) {
  if (cells_of(variable) == 0) return {};
  const std::vector<std::int64_t> start(variable.shape.size(), 0);
  // Read before there is room for the result: a damaged header may claim any length.
  const auto pages = read(file, variable, start, variable.shape);
  std::vector<double> values(pages.bytes().size() / model::size_of(variable.type));
  unpack(pages.bytes(), variable.type, rules_of(variable), values);
  return values;
}

std::vector<std::string> SourceFiles::texts(std::size_t file, const VariableHeader& variable) {
  const std::size_t cells = cells_of(variable);
  if (cells == 0) return {};
  const auto width = static_cast<std::size_t>(variable.shape.back());
  const std::vector<std::int64_t> start(variable.shape.size(), 0);
  const auto pages = read(file, variable, start, variable.shape);
  const char* const letters = reinterpret_cast<const char*>(pages.bytes().data());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < cells / width; ++i) {
    std::string text(letters + i * width, width);
    text.resize(std::min(text.find('\0'), text.find_last_not_of(' ') + 1));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace tailrace::input
