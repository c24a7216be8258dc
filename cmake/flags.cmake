# How this project's own files are compiled; nothing of it reaches those who link with the library.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(scadyg_flags INTERFACE)
# The last two are part of what the program computes: the same bytes whatever the compiler.
target_compile_options(scadyg_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wformat=2 -Wmissing-format-attribute
                       -Wstrict-prototypes -Wmissing-prototypes -fno-math-errno -ffp-contract=off)
target_compile_definitions(scadyg_flags INTERFACE _GNU_SOURCE)
if(SCADYG_WERROR)
  target_compile_options(scadyg_flags INTERFACE -Werror)
endif()
if(scadyg_have_blas)
  target_compile_definitions(scadyg_flags INTERFACE SCADYG_HAVE_BLAS)
endif()
set(sanitizer_options "")
if(SCADYG_SANITIZE)
  set(sanitizer_options -fsanitize=${SCADYG_SANITIZE})
  target_compile_options(scadyg_flags INTERFACE ${sanitizer_options} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(scadyg_flags INTERFACE ${sanitizer_options})
endif()
if(SCADYG_FUZZ)
  target_compile_options(scadyg_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
