#include "input/entry/entry_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "env/file_system.hpp"
#include "input/file_names.hpp"

namespace tailrace::input {
namespace {

constexpr std::uint64_t own_chunk_bytes = std::uint64_t{512} << 20;

// Throws again with the place in front.
[[noreturn]] void at_place(const std::string& place, const Error& error) {
  const std::string message = fmt::format("{}: {}", place, error.what());
  if (const auto* of_reader = dynamic_cast<const ReaderError*>(&error))
    throw ReaderError(of_reader->trouble(), message);
  throw Error(error.code(), message);
}

}  // namespace

EntryFiles::EntryFiles(Entry entry, std::vector<int> fields, const ReaderContext& context)
    : entry_(std::move(entry)), declared_(std::move(fields)), context_(context) {
  if (!context_.chunks) context_.chunks = std::make_shared<ChunkMemory>(own_chunk_bytes);
}

std::string EntryFiles::place_of(const FieldRequest& request) const {
  return fmt::format("{}  input.{}.fields.{}", request.location.text(), entry_.name, request.name);
}

const FieldRequest& EntryFiles::request_of(int field) const {
  const std::string& name = context_.declarations.fields[base::index(field)].name;
  const auto found = std::ranges::find(entry_.fields, name, &FieldRequest::name);
  TAILRACE_ASSERT(found != entry_.fields.end(), "an entry is asked for fields that it provides");
  return *found;
}

void EntryFiles::open(std::size_t file, const std::vector<std::unique_ptr<FieldRecipe>>& recipes) {
  const std::string& path = files_->paths()[file];
  std::optional<FileCoordinates> coordinates;
  try {
    coordinates.emplace(*files_, file);
  } catch (const Error& error) {
    at_place(fmt::format("{}  input.{}.files: {}", entry_.files_location_text, entry_.name, path), error);
  }
  for (const auto& recipe : recipes) {
    try {
      recipe->add(file, *coordinates);
    } catch (const Error& error) {
      const FieldRequest& request = recipe->request();
      at_place(fmt::format("{}: {}: variable {}", place_of(request), path, request.variable), error);
    }
  }
}

void EntryFiles::find() {
  try {
    std::vector<std::string> paths{""};  // a Python function without files
    const auto* adios2 = std::get_if<Adios2Source>(&entry_.source);
    if (adios2 != nullptr && adios2->is_stream)  // its file has another name, and comes when the job begins
      paths = {std::filesystem::path(context_.directory) / entry_.files.at(0)};
    else if (!entry_.files.empty())
      paths = find_files(entry_.files, context_.directory, env::system_files());
    const std::lock_guard lock(mutex_);
    files_ = std::make_unique<SourceFiles>(std::move(paths), command_of(entry_.source, context_.folder));
    if (is_interrupted_) files_->interrupt();
  } catch (const Error& error) {
    at_place(fmt::format("{}  input.{}.files", entry_.files_location_text, entry_.name), error);
  }
}

void EntryFiles::interrupt() {
  const std::lock_guard lock(mutex_);
  is_interrupted_ = true;
  if (files_) files_->interrupt();
}

std::vector<std::unique_ptr<FieldRecipe>> EntryFiles::open_all() {
  std::vector<std::unique_ptr<FieldRecipe>> recipes;
  for (const int field : declared_) {
    const FieldRequest& request = request_of(field);
    try {
      recipes.push_back(std::make_unique<FieldRecipe>(field, request, context_, is_interrupted_));
    } catch (const Error& error) {
      at_place(place_of(request), error);
    }
  }
  for (std::size_t file = 0; file < files_->paths().size(); ++file) open(file, recipes);
  return recipes;
}

std::vector<PreparedField> EntryFiles::prepare() {
  recipes_.clear();  // they read from the files that find() replaces
  last_read_.clear();
  find();
  return finish(open_all());
}

// Each field from the last record on that was read. As long as one was not read at all, none can be spared.
std::map<std::string, std::int64_t> EntryFiles::needed() const {
  std::map<std::string, std::int64_t> needed;
  for (const auto& recipe : recipes_) {
    const std::string dim = recipe->time_dim();
    if (dim.empty()) continue;
    const auto last = last_read_.find(recipe->field());
    const std::int64_t first = last == last_read_.end() ? 0 : last->second;
    const auto known = needed.try_emplace(dim, first).first;
    known->second = std::min(known->second, first);
  }
  return needed;
}

std::vector<PreparedField> EntryFiles::grow(double seconds) {
  if (!files_) return {};
  if (!files_->may_grow()) return add_further(further_files());
  try {
    files_->grow(seconds, needed());
  } catch (const Error& error) {
    at_place(fmt::format("{}  input.{}.files: {}", entry_.files_location_text, entry_.name,
                         fmt::join(files_->paths(), ", ")),
             error);
  }
  return finish(open_all());
}

// Files of a list with neither globs nor dates are all awaited before the first record is read.
bool EntryFiles::awaits_files() const {
  return entry_.wait_for > 0.0 && std::ranges::any_of(entry_.files, [](const std::string& name) {
           return is_glob(name) || has_dates(name);
         });
}

std::vector<std::string> EntryFiles::further_files() const {
  if (!awaits_files()) return {};
  const std::vector<std::string>& known = files_->paths();
  std::vector<std::string> further;
  for (std::string& path : find_files(entry_.files, context_.directory, env::system_files()))
    if (std::ranges::find(known, path) == known.end()) further.push_back(std::move(path));
  return further;
}

std::vector<PreparedField> EntryFiles::add_further(const std::vector<std::string>& paths) {
  if (paths.empty()) return {};
  const std::size_t known = files_->paths().size();
  std::vector<std::unique_ptr<FieldRecipe>> recipes;
  for (const auto& recipe : recipes_) recipes.push_back(recipe->copy());
  files_->add(paths);
  try {
    for (std::size_t file = known; file < files_->paths().size(); ++file) open(file, recipes);
    return finish(std::move(recipes));
  } catch (...) {
    files_->keep_first(known);
    throw;
  }
}

std::vector<PreparedField> EntryFiles::finish(std::vector<std::unique_ptr<FieldRecipe>> recipes) {
  std::vector<PreparedField> prepared;
  for (const auto& recipe : recipes) {
    try {
      prepared.push_back(recipe->finish());
    } catch (const Error& error) {
      const FieldRequest& request = recipe->request();
      at_place(fmt::format("{}: variable {} of {}", place_of(request), request.variable,
                           fmt::join(entry_.files, ", ")),
               error);
    }
    prepared.back().entry = entry_.name;
    prepared.back().on_trouble = entry_.on_trouble;
    prepared.back().files = files_->paths();
    const TimeSelector::Options& time = recipe->request().time;
    if (files_->may_grow() && time.cycle.kind != CycleKind::none)
      throw Error(ErrorCode::configuration,
                  fmt::format("{}: the records of its source come one after the other; expected no `cycle`",
                              place_of(recipe->request())));
    prepared.back().may_grow = (files_->may_grow() || awaits_files()) && !recipe->time_dim().empty() &&
                               time.rule != TimeRule::none && time.cycle.kind == CycleKind::none;
  }
  start_reading(recipes);
  recipes_ = std::move(recipes);  // after all that may throw: the earlier ones still read their records
  return prepared;
}

// Fields that come from the same variable read it together.
void EntryFiles::start_reading(const std::vector<std::unique_ptr<FieldRecipe>>& recipes) {
  std::vector<RecipesByFile> by_field;
  for (const auto& recipe : recipes) by_field.push_back(recipe->recipes());
  std::vector<std::shared_ptr<RecordPages>> pages = share_reads(by_field, *context_.chunks);
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    recipes[i]->set_recipes(std::move(by_field[i]));
    recipes[i]->start_reading(*files_, std::move(pages[i]), *context_.chunks);
  }
}

RecordValues EntryFiles::read(const PreparedField& field, std::int64_t record) {
  const auto recipe = std::ranges::find(recipes_, field.field, [](const auto& one) { return one->field(); });
  TAILRACE_ASSERT(recipe != recipes_.end(), "a field that prepare() returned");
  const Record& at = field.timeline.records()[base::index(record)];
  last_read_[field.field] = at.index;
  try {
    return (*recipe)->read(record, field.travels_as);
  } catch (const Error& error) {
    at_place(fmt::format("{}: {}: variable {}, record {} (counted from 0)", place_of(field.request),
                         field.files[base::index(at.file)], field.request.variable, at.index),
             error);
  }
}

}  // namespace tailrace::input
