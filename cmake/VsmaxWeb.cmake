# Settings for compiling the core for the browser with emscripten (web/).
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
set(VSMAX_BUILD_APPS OFF)
set(VSMAX_WITH_HIGHWAY OFF)  # there is only one instruction set
add_compile_options(-msimd128 -fwasm-exceptions)
add_link_options(-fwasm-exceptions)

# A header-only library, reached through a link because the other headers in its folder belong to the
# build machine.
find_path(NLOHMANN_JSON nlohmann/json.hpp PATHS /usr/include /usr/local/include
          NO_CMAKE_FIND_ROOT_PATH REQUIRED)
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
file(CREATE_LINK ${NLOHMANN_JSON}/nlohmann ${headers}/nlohmann SYMBOLIC)
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
target_include_directories(nlohmann_json::nlohmann_json INTERFACE ${headers})

# models/FILE.safetensors in half precision; sets `variable` to its path.
find_program(PYTHON3 python3 REQUIRED)
function(vsmax_half_weights variable file)
  set(input ${PROJECT_SOURCE_DIR}/models/${file}.safetensors)
  set(output ${PROJECT_BINARY_DIR}/half/${file}.safetensors)
  set(script ${PROJECT_SOURCE_DIR}/tools/half_weights.py)
  add_custom_command(OUTPUT ${output} COMMAND ${PYTHON3} ${script} ${input} ${output}
                     DEPENDS ${input} ${script} VERBATIM)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()
