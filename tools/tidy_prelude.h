// SPDX-License-Identifier: Apache-2.0
// Included first when clang-tidy reads files on LibTorch 1.13: libstdc++ 12 makes std::vector
// constexpr in C++20, and clang then instantiates it on c10::IValue before that type is complete.
// Only clang-tidy sees this file.
#include <string>
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 __fill_bits
#include <vector>
#undef __fill_a1
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR constexpr
