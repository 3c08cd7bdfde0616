// Comparison of the declarations of two ranks by digests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::handshake {

// A 64-bit hash: it detects accidental differences, not deliberate ones.
std::uint64_t digest_of(const model::Declarations& declarations);

// The name and a digest of each declaration, with which an error can name the difference. Used only if the
// digests of two ranks differ, since this list is as long as the declarations themselves.
using DeclaredThings = std::vector<std::pair<std::string, std::uint64_t>>;
DeclaredThings things_in(const model::Declarations& declarations);

// `mine`: those of the first rank. Throws Error(usage) that names the first difference.
void check_same(int rank, const DeclaredThings& mine, const DeclaredThings& theirs);

}  // namespace tailrace::handshake
