// Makes an icosahedral grid and writes it to a NetCDF file; or reads such a file back and compares it.
#include <sys/resource.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "arrays.hpp"
#include "grid_file.hpp"
#include "new_file.hpp"

using namespace igcm::grid;

namespace {

constexpr const char* usage =
    "make_grid RnBk FILE.nc [OPTION VALUE]...   write the grid; an existing file is not replaced\n"
    "make_grid --check FILE.nc                  read it back and compare it with a grid that is made anew\n"
    "\n"
    "RnBk: the edges of the icosahedron are divided by n, then k times by 2: 20 n^2 4^k triangles\n"
    "  --mesh triangles|hexagons           which mesh the file describes (triangles)\n"
    "  --relax none|spring|centroidal      how the points are evened out (none)\n"
    "  --iterations N                      of the relaxation, at each level (100)\n"
    "  --spring-length BETA                length of the springs at rest, by the mean spacing (0.4)\n"
    "  --centre circumcentre|centroid      of the triangles (circumcentre)\n"
    "  --radius METRES                     of the sphere (6.37122e6)\n"
    "  --contents grid|mesh                all arrays, or the mesh and the areas of its faces (grid)\n"
    "  --threads N                         (all cores)\n";

struct Command {
  GridOptions grid;
  FileOptions file;
  std::string path;
};

template <class Value>
Value choose(const std::string& option, const std::string& text, const std::map<std::string, Value>& known) {
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  std::string names;
  for (const auto& [name, value] : known) names += (names.empty() ? "" : ", ") + name;
  throw std::invalid_argument(option + ": '" + text + "' is unknown (known: " + names + ")");
}

template <class Number>
bool is_number(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

template <class Number>
Number number(const std::string& option, const std::string& text, const char* expected) {
  Number value{};
  if (!is_number(text, value))
    throw std::invalid_argument(option + ": expected " + expected + ", not '" + text + "'");
  return value;
}

void read_name(const std::string& name, PointOptions& points) {
  const std::size_t b = name.find('B');
  if (name.empty() || name[0] != 'R' || b == std::string::npos ||
      !is_number(name.substr(1, b - 1), points.root) || !is_number(name.substr(b + 1), points.bisections))
    throw std::invalid_argument("'" + name +
                                "': expected the name of a grid, RnBk with whole numbers, such as R2B4");
}

void read_option(const std::string& name, const std::string& value, Command& command) {
  PointOptions& points = command.grid.points;
  if (name == "--mesh")
    command.file.mesh =
        choose<Mesh>(name, value, {{"triangles", Mesh::triangles}, {"hexagons", Mesh::hexagons}});
  else if (name == "--relax")
    points.relaxation = choose<Relaxation>(
        name, value,
        {{"none", Relaxation::none}, {"spring", Relaxation::spring}, {"centroidal", Relaxation::centroidal}});
  else if (name == "--iterations")
    points.iterations = number<int>(name, value, "a whole number");
  else if (name == "--spring-length")
    points.spring_length = number<double>(name, value, "a number");
  else if (name == "--centre")
    command.grid.centre =
        choose<Centre>(name, value, {{"circumcentre", Centre::circumcentre}, {"centroid", Centre::centroid}});
  else if (name == "--radius")
    command.grid.radius = number<double>(name, value, "metres");
  else if (name == "--contents")
    command.file.only_mesh = choose<bool>(name, value, {{"grid", false}, {"mesh", true}});
  else if (name == "--threads")
    points.threads = number<unsigned>(name, value, "a whole number of threads");
  else
    throw std::invalid_argument("'" + name +
                                "' is unknown (known: --mesh, --relax, --iterations, --spring-length, "
                                "--centre, --radius, --contents, --threads)");
}

double peak_of_memory() {  // in MiB
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

int write(const Command& command) {
  // Before minutes of computing.
  for (const char* suffix : {"", ".part"}) igcm::expect_new_file(command.path + suffix);
  const Stopwatch watch;
  const Sphere sphere(command.grid);
  const double made = watch.seconds();
  write_grid(sphere, command.path, command.file);
  const long long rhombi = sphere.numbering().rhombi();
  std::printf(
      "%s: %lld cells, %lld edges, %lld vertices; points %.2f s, arrays and file %.2f s, %.0f MiB of "
      "memory\n",
      command.path.c_str(), 2 * rhombi, 3 * rhombi, rhombi + 2, made, watch.seconds() - made,
      peak_of_memory());
  return 0;
}

// The number of arrays that differ in a bit.
int differences(Grid& made, Grid& read) {
  int found = 0;
  for_each_array(made, [&](const char* name, char, auto mine) {
    const auto theirs = array_named<std::remove_pointer_t<decltype(mine.data)>>(read, name);
    const auto bytes = static_cast<std::size_t>(mine.length * mine.width) * sizeof(*mine.data);
    if (mine.length == theirs.length && std::memcmp(mine.data, theirs.data, bytes) == 0) return;
    std::printf("%s differs in the range from vertex %lld\n", name,
                static_cast<long long>(made.first_vertex));
    ++found;
  });
  return found;
}

int check(const std::string& path) {
  GridOptions options = read_options(path);
  options.points.threads = std::thread::hardware_concurrency();
  const Sphere sphere(options);
  const std::int64_t rhombi = sphere.numbering().rhombi(), piece = 131072;
  int found = 0;
  for (std::int64_t first = 0; first < rhombi; first += piece) {
    const std::int64_t last = std::min(first + piece, rhombi);
    Grid made = sphere.range(first, last), read = read_grid(path, first, last);
    found += differences(made, read);
  }
  if (found == 0) std::printf("%s: all arrays are as they are made\n", path.c_str());
  return found == 0 ? 0 : 1;
}

int run(int count, char** arguments) {
  const std::string first = count > 1 ? arguments[1] : "--help";
  if (first == "--help" || first == "-h") return std::fputs(usage, stdout), 0;
  if (first == "--check") {
    if (count != 3)
      throw std::invalid_argument("--check: expected one file, not " + std::to_string(count - 2));
    return check(arguments[2]);
  }
  Command command;
  command.grid.points.threads = std::thread::hardware_concurrency();
  read_name(first, command.grid.points);
  if (count < 3 || *arguments[2] == '\0' || std::strncmp(arguments[2], "--", 2) == 0)
    throw std::invalid_argument("'" + first + "': expected the name of a file behind it");
  command.path = arguments[2];
  for (int at = 3; at < count; at += 2) {
    if (at + 1 == count)
      throw std::invalid_argument(std::string(arguments[at]) + ": expected a value behind it");
    read_option(arguments[at], arguments[at + 1], command);
  }
  return write(command);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& reason) {
    std::fprintf(stderr, "make_grid: %s\n", reason.what());
    std::fflush(nullptr);
    std::_Exit(2);  // after a file that could not be written, HDF5 crashes in what it does at exit
  }
}
