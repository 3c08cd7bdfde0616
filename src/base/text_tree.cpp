#include "base/text_tree.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tailrace::base {
namespace {

void draw(const std::vector<TextTree>& trees, const std::string& indent, std::string& tree) {
  for (const TextTree& one : trees) {
    const bool last = &one == &trees.back();
    tree += fmt::format("{}{}{}\n", indent, last ? "└─ " : "├─ ", one.text);
    draw(one.below, indent + (last ? "   " : "│  "), tree);
  }
}

}  // namespace

std::string drawn(const std::vector<TextTree>& trees) {
  std::string tree;
  draw(trees, "", tree);
  return tree;
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::pair<double, const char*>, 5> units{
      {{0x1p50, "PiB"}, {0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}}};
  for (const auto& [size, unit] : units)
    if (bytes >= size) return fmt::format("{:.4g} {}", bytes / size, unit);
  return fmt::format("{:.4g} B", bytes);
}

}  // namespace tailrace::base
