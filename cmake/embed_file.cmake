# Writes a C++ source that holds a file's bytes behind a function of namespace vsmax:
#   cmake -DINPUT=FILE -DOUTPUT=SOURCE -DHEADER=DECLARES_IT -DFUNCTION=NAME -P embed_file.cmake
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REPEAT "0x..," 20 line)
string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "// Made from ${INPUT} by the build.
#include \"${HEADER}\"

namespace vsmax {

static const std::uint8_t kBytes[] = {
${bytes}};

std::span<const std::uint8_t> ${FUNCTION}() { return kBytes; }

}  // namespace vsmax
")
