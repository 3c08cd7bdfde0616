#include "dialects/monc/xml/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "tailrace/error.hpp"

namespace tailrace::dialects::monc {
namespace {

constexpr std::string_view include_word = "#include";
constexpr std::string_view blanks = " \t\r\f\v";
constexpr int folders_above = 4;  // of a first file that was given by a relative path

std::string normal(const std::filesystem::path& path) { return path.lexically_normal().string(); }

std::string_view without_blanks_in_front(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  return line;
}

bool is_dropped(std::string_view line) {
  line = without_blanks_in_front(line);
  return line.starts_with('!') || line.starts_with("//");
}

// Calls `visit(number, line)` for each line of a text, without its end.
template <class Visit>
void each_line(std::string_view text, Visit visit) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    visit(number, line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// True if the current position is inside `<!-- ... -->`.
class CommentState {
 public:
  bool inside() const { return inside_; }
  void pass(std::string_view line) {
    while (!line.empty()) {
      const std::string_view word = inside_ ? "-->" : "<!--";
      const std::size_t found = line.find(word);
      if (found == std::string_view::npos) return;
      inside_ = !inside_;
      // `<!-->` begins and ends a comment.
      line.remove_prefix(found + (inside_ ? 2 : word.size()));
    }
  }

 private:
  bool inside_ = false;
};

class Walk {
 public:
  Walk(config::Reader reader, Problems& problems, Warnings& warnings)
      : reader_(std::move(reader)), problems_(problems), warnings_(warnings) {}

  Sources sources;
  Text text;

  void load(const std::string& name, const std::string& content) {
    trail_.push_back(name);
    done_.insert(name);
    sources.push_back({name, content});
    CommentState comment;
    each_line(content, [&](int number, std::string_view line) {
      if (is_dropped(line)) return;
      const std::size_t include = line.find(include_word);
      comment.pass(line.substr(0, include));
      if (include == std::string_view::npos)
        text.add_line(name, number, line);
      else
        take_include({name, number, static_cast<int>(include) + 1}, line, comment.inside());
    });
    trail_.pop_back();
  }

 private:
  void take_include(const Location& where, std::string_view line, bool in_comment) {
    const std::size_t first = line.find('"');
    const std::size_t last = line.rfind('"');
    if (in_comment) {
      warnings_.add(where, "this #include is in a comment and is left out; MONC reads it nevertheless");
      text.add_line(where.file, where.line, line);
    } else if (first == std::string_view::npos || last <= first + 1) {
      problems_.add(where, "", "expected a file name in double quotes, such as #include \"fields.xml\"");
    } else {
      follow({where.file, where.line, static_cast<int>(first) + 2},
             std::string(line.substr(first + 1, last - first - 1)));
    }
  }

  void follow(const Location& where, const std::string& wanted) {
    const std::vector<std::string> names = candidates(where.file, wanted);
    for (const std::string& name : names) {
      const auto open = std::find(trail_.begin(), trail_.end(), name);
      if (open != trail_.end()) {
        problems_.add(where, "",
                      fmt::format("these files include each other circularly: {} -> {}",
                                  fmt::join(open, trail_.end(), " -> "), name));
        return;
      }
      if (done_.contains(name)) {
        warnings_.add(where,
                      fmt::format("{} is included a second time; the second inclusion is left out", name));
        return;
      }
      if (const auto content = try_read(name)) {
        load(name, *content);
        return;
      }
    }
    problems_.add(where, "",
                  fmt::format("the included file \"{}\" does not exist; searched for {}", wanted,
                              fmt::join(names, ", ")));
  }

  std::optional<std::string> try_read(const std::string& name) const {
    try {
      return reader_(name);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::resource) throw;  // it is there, but cannot be used
      return std::nullopt;
    }
  }

  std::vector<std::string> candidates(const std::string& from, const std::string& wanted) const {
    std::vector<std::string> names;
    const auto add = [&](const std::filesystem::path& folder) {
      const std::string name = normal(folder / wanted);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    add(std::filesystem::path(from).parent_path());
    add("");
    std::filesystem::path folder = std::filesystem::path(trail_.front()).parent_path();
    while (!folder.empty() && folder != folder.parent_path() && folder.filename() != "..") {
      folder = folder.parent_path();
      add(folder);
    }
    for (int i = 0; i < folders_above && folder.is_relative(); ++i) {
      folder = folder / "..";
      add(folder);
    }
    return names;
  }

  config::Reader reader_;
  Problems& problems_;
  Warnings& warnings_;
  std::vector<std::string> trail_;
  std::set<std::string> done_;
};

}  // namespace

void Text::add_line(const std::string& file, int number, std::string_view line) {
  if (files_.empty() || files_.back() != file) files_.push_back(file);
  lines_.push_back({chars_.size(), files_.size() - 1, number});
  chars_ += line;
  chars_ += '\n';
}

Location Text::at(std::size_t offset) const {
  if (lines_.empty()) return {};
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), std::min(offset, chars_.size() - 1),
                                      [](std::size_t place, const Line& line) { return place < line.start; });
  const Line& line = *std::prev(after);
  return {files_[line.file], line.number, static_cast<int>(offset - line.start) + 1};
}

bool looks_like_xml(std::string_view text) {
  std::optional<char> first;
  bool includes = false;
  each_line(text, [&](int, std::string_view line) {
    if (first || is_dropped(line)) return;
    line = without_blanks_in_front(line);
    if (line.starts_with(include_word))
      includes = true;
    else if (!line.empty())
      first = line.front();
  });
  return first ? *first == '<' : includes;
}

Sources read_sources(const std::string& path, const config::Reader& reader) {
  Problems problems;
  Warnings warnings;
  Walk walk(reader, problems, warnings);
  walk.load(normal(path), reader(path));
  problems.throw_if_any();
  return std::move(walk.sources);
}

Text expand(const Sources& sources, Problems& problems, Warnings& warnings) {
  if (sources.empty()) throw Error(ErrorCode::configuration, "the configuration is empty");
  const config::Reader from_sources = [&](const std::string& name) {
    for (const SourceFile& source : sources)
      if (source.name == name) return source.text;
    throw Error(ErrorCode::resource, fmt::format("the included file {} is missing", name));
  };
  Walk walk(from_sources, problems, warnings);
  walk.load(normal(sources.front().name), sources.front().text);
  return std::move(walk.text);
}

}  // namespace tailrace::dialects::monc
