# For pip: what is missing in one sentence, with the names of the packages, instead of the first of
# several that find_package would stop at.
set(missing)
foreach(pair PNG=libpng-dev JPEG=libjpeg62-turbo-dev nlohmann_json=nlohmann-json3-dev CLI11=libcli11-dev
             fmt=libfmt-dev)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 package)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    list(APPEND missing ${package})
  endif()
endforeach()
if(missing)
  string(REPLACE ";" " " missing "${missing}")
  message(FATAL_ERROR "vsmax cannot be built: libraries are missing: apt install ${missing}.")
endif()
