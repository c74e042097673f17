// SPDX-License-Identifier: Apache-2.0
// Whole files, read and written safely.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vsmax {

// The bytes of a file, or of standard input for "-". Throws Error naming the path and the reason.
std::vector<std::uint8_t> read_file(const std::string& path);

// Writes a temporary file in the same folder, fsyncs it and renames it to `path`, which thus always
// has either the old or the complete new content. On failure the temporary file is removed and
// Error is thrown. "-" is standard output.
void write_file_atomically(const std::string& path, std::span<const std::uint8_t> bytes);
void write_file_atomically(const std::string& path, const std::string& text);

// The same for bytes that lie in several places, one after the other.
void write_parts_atomically(const std::string& path,
                            std::span<const std::span<const std::uint8_t>> parts);

// Creates a folder and its parents if they do not exist.
void make_folder(const std::string& path);

// Call this before long work whose result goes to `path`: throws the Error that writing would
// throw, as far as it can be foreseen. Also throws Error if `path` is one of the inputs, or lies in
// one that is a folder: what is only read must not be replaced. Empty inputs do not count.
void require_writable(const std::string& path, const std::vector<std::string>& inputs = {});

}  // namespace vsmax
