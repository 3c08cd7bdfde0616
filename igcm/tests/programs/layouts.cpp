// Prints the maps of layouts.hpp, for a test to look at: a line with the name, the sizes and the numbers of
// each array.
//   layouts ROOT LEVEL nicam REGION_LEVEL
//   layouts ROOT LEVEL dynamico COLUMNS ROWS     patches of at most so many own cells
#include "layouts.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace igcm::grid;

namespace {

template <class Array>
void print(const char* name, const Array& numbers) {
  std::printf("%s", name);
  for (const auto number : numbers) std::printf(" %d", static_cast<int>(number));
  std::printf("\n");
}

void print_nicam(const Numbering& numbering, int region_level) {
  for (int region = 0; region < 10 << (2 * region_level); ++region) {
    const NicamRegion map = nicam_region(numbering, region_level, region);
    print("region", std::array{map.n1, int{map.singular}});
    print("vertex", map.vertex);
    print("triangle_i", map.triangle_i);
    print("triangle_j", map.triangle_j);
    print("arc_i", map.arc_i);
    print("arc_ij", map.arc_ij);
    print("arc_j", map.arc_j);
    print("sign_i", map.sign_i);
    print("sign_ij", map.sign_ij);
    print("sign_j", map.sign_j);
  }
  print("north", nicam_pole(numbering, true));
  print("south", nicam_pole(numbering, false));
}

void print_dynamico(const Numbering& numbering, int columns, int rows) {
  const int side = numbering.diamonds().side();
  for (int diamond = 0; diamond < 10; ++diamond)
    for (int j = 0; j < side; j += rows)
      for (int i = 0; i < side; i += columns) {
        const DynamicoPatch map =
            dynamico_patch(numbering, {diamond, i, std::min(i + columns, side), j, std::min(j + rows, side)});
        print("patch", std::array{map.iim, map.jjm});
        print("cell", map.cell);
        print("edge", map.edge);
        print("sign", map.sign);
        print("vertex", map.vertex);
      }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) return 2;
  const Numbering numbering(std::atoi(arguments[1]) << std::atoi(arguments[2]));
  if (std::string(arguments[3]) == "nicam")
    print_nicam(numbering, std::atoi(arguments[4]));
  else if (count == 6)
    print_dynamico(numbering, std::atoi(arguments[4]), std::atoi(arguments[5]));
}
