// Whether two ranks of a component declare the same: one number where they do, and what differs where they do
// not.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::handshake {

// Enough to tell two declarations apart that ought to be equal.
std::uint64_t digest_of(const model::Declarations& declarations);

// A name and a digest for each thing declared, so that a difference can be named. Asked for only where there
// is one: they are as long as the declarations themselves.
using DeclaredThings = std::vector<std::pair<std::string, std::uint64_t>>;
DeclaredThings things_in(const model::Declarations& declarations);

// `mine`: of the first rank. Throws Error(usage) that names the first thing that another rank declares
// differently.
void check_same(int rank, const DeclaredThings& mine, const DeclaredThings& theirs);

}  // namespace tailrace::handshake
