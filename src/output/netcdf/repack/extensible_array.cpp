#include "output/netcdf/repack/extensible_array.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "output/netcdf/metadata/checksum.hpp"

namespace tailrace::output::netcdf {
namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};
constexpr std::size_t checksum_size = 4,
                      front_size = 14;  // signature, version, client, address of the header

[[noreturn]] void refuse() { throw Error(ErrorCode::resource, "an index of chunks in the file is damaged"); }

// Reads blocks whose elements are those of one array, and knows the number of the next element.
class Array {
 public:
  Array(const ReadBytes& read, std::uint64_t address, const std::function<void(const ArrayElement&)>& visit)
      : read_(read), visit_(visit) {
    const Bytes header = block(address, "EAHD", 12 + 6 * 8 + 8 + checksum_size);
    filtered_ = number_at(header, 5, 1) == 1;
    element_size_ = static_cast<std::size_t>(number_at(header, 6, 1));
    bits_ = static_cast<unsigned>(number_at(header, 7, 1));
    in_index_ = static_cast<std::size_t>(number_at(header, 8, 1));
    least_ = static_cast<std::size_t>(number_at(header, 9, 1));
    pointers_ = static_cast<std::size_t>(number_at(header, 10, 1));
    page_ = std::size_t{1} << number_at(header, 11, 1);
    index_ = number_at(header, 60, 8);
    const std::size_t element = filtered_ ? 8 + 1 + 4 : 8;
    if (element_size_ < element || bits_ > 64 || least_ == 0 || pointers_ < 2) refuse();
  }

  // The first data blocks are listed in the index block, later ones in super blocks.
  void visit_all() {
    if (index_ == nowhere) return;
    const auto first_bits = static_cast<unsigned>(std::bit_width(least_)) - 1;
    const std::size_t blocks = 1 + bits_ - first_bits;
    const std::size_t direct_blocks = 2 * (static_cast<std::size_t>(std::bit_width(pointers_)) - 1);
    const std::size_t direct = 2 * (pointers_ - 1), further = blocks - direct_blocks;
    const Bytes index = block(
        index_, "EAIB", front_size + in_index_ * element_size_ + (direct + further) * 8 + checksum_size);
    take(std::span(index).subspan(front_size), in_index_);
    std::size_t at = front_size + in_index_ * element_size_;
    for (std::size_t number = 0; number < direct_blocks; ++number)
      for (std::size_t i = 0; i < data_blocks(number); ++i, at += 8)
        visit_data(number_at(index, at, 8), elements(number));
    for (std::size_t number = direct_blocks; number < blocks; ++number, at += 8)
      visit_super(number_at(index, at, 8), number);
  }

 private:
  Bytes block(std::uint64_t address, std::string_view signature, std::size_t size) const {
    Bytes bytes(size);
    read_(address, bytes);
    const std::size_t end = size - checksum_size;
    if (std::memcmp(bytes.data(), signature.data(), signature.size()) != 0 ||
        number_at(bytes, end, checksum_size) != metadata_checksum(std::span(bytes).first(end)))
      refuse();
    return bytes;
  }

  // The number of data blocks of a super block, and of the elements of each of these.
  static std::size_t data_blocks(std::size_t number) { return std::size_t{1} << (number / 2); }
  std::size_t elements(std::size_t number) const { return (std::size_t{1} << ((number + 1) / 2)) * least_; }
  std::size_t offset_size() const { return (bits_ + 7) / 8; }

  void visit_super(std::uint64_t address, std::size_t number) {
    const std::size_t count = data_blocks(number), each = elements(number);
    if (address == nowhere) {
      next_ += count * each;
      return;
    }
    const std::size_t pages = each > page_ ? each / page_ : 0;
    const std::size_t marks = count * ((pages + 7) / 8);  // which pages exist
    const std::size_t list = front_size + offset_size() + marks;
    const Bytes bytes = block(address, "EASB", list + count * 8 + checksum_size);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t at = number_at(bytes, list + 8 * i, 8);
      if (pages == 0 || at == nowhere) {
        visit_data(at, each);
        continue;
      }
      for (std::size_t p = 0; p < pages; ++p) {
        const std::size_t mark = i * pages + p;
        const std::uint64_t eight = number_at(bytes, front_size + offset_size() + mark / 8, 1);
        visit_page(at, p, (eight & (std::uint64_t{0x80} >> (mark % 8))) != 0);
      }
    }
  }

  void visit_data(std::uint64_t address, std::size_t count) {
    if (address == nowhere) {
      next_ += count;
      return;
    }
    const std::size_t front = front_size + offset_size();
    const Bytes bytes = block(address, "EADB", front + count * element_size_ + checksum_size);
    take(std::span(bytes).subspan(front), count);
  }

  // A data block of several pages begins with a front that has a checksum of its own, as each page has.
  void visit_page(std::uint64_t address, std::size_t number, bool exists) {
    if (!exists) {
      next_ += page_;
      return;
    }
    const std::size_t size = page_ * element_size_ + checksum_size;
    const std::uint64_t first = address + front_size + offset_size() + checksum_size;
    take(block(first + number * size, "", size), page_);
  }

  void take(std::span<const std::byte> bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, ++next_) {
      const auto one = bytes.subspan(i * element_size_, element_size_);
      ArrayElement element{.number = next_, .address = number_at(one, 0, 8)};
      if (element.address == nowhere) continue;
      if (filtered_) {
        element.size = number_at(one, 8, element_size_ - 12);
        element.skipped = static_cast<std::uint32_t>(number_at(one, element_size_ - 4, 4));
      }
      visit_(element);
    }
  }

  const ReadBytes& read_;
  const std::function<void(const ArrayElement&)>& visit_;
  bool filtered_ = false;
  std::size_t element_size_ = 0;
  unsigned bits_ = 0;
  std::size_t in_index_ = 0, least_ = 0, pointers_ = 0, page_ = 0;
  std::uint64_t index_ = nowhere;
  std::uint64_t next_ = 0;
};

}  // namespace

void for_each_element(const ReadBytes& read, std::uint64_t address,
                      const std::function<void(const ArrayElement&)>& visit) {
  Array(read, address, visit).visit_all();
}

}  // namespace tailrace::output::netcdf
