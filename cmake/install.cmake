# What `cmake --install` puts where: the tool, both libraries, the headers, ways to find them (pkg-config and CMake),
# man pages, completion for bash, the licence. The components are those of the Debian packages.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/scadyg)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence)

# An export set each, so that a user of the shared library needs none of the packages the static one is made with.
foreach(kind IN LISTS kinds)
  install(TARGETS scadyg_${kind} EXPORT scadyg_${kind}_targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(EXPORT scadyg_${kind}_targets NAMESPACE scadyg:: FILE scadyg-${kind}.cmake DESTINATION ${package_dir}
          COMPONENT development)
endforeach()
configure_package_config_file(cmake/scadyg-config.cmake.in ${PROJECT_BINARY_DIR}/scadyg-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/scadyg-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/scadyg-config.cmake ${PROJECT_BINARY_DIR}/scadyg-config-version.cmake
        cmake/scadyg-needs.cmake DESTINATION ${package_dir} COMPONENT development)

# pkg-config: the paths are relative to the file, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_private "-pthread -lm")
if(scadyg_have_blas)
  # By its name, not as a required package: that would bring what only a static OpenBLAS needs, Fortran's library.
  get_filename_component(directory "${scadyg_blas_library}" DIRECTORY)
  get_filename_component(name "${scadyg_blas_library}" NAME_WE)
  string(REGEX REPLACE "^lib" "" name "${name}")
  set(pc_private "-L${directory} -l${name} ${pc_private}")
endif()
configure_file(cmake/scadyg.pc.in ${PROJECT_BINARY_DIR}/scadyg.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/scadyg.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(TARGET scadyg)
  install(TARGETS scadyg DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

  # The tool writes its own man pages and completion, from the tables that its help is made from.
  set(help_dir ${PROJECT_BINARY_DIR}/help)
  file(MAKE_DIRECTORY ${help_dir})
  set(made_help "")
  function(make_help output)
    add_custom_command(OUTPUT ${help_dir}/${output} COMMAND scadyg help ${ARGN} > ${help_dir}/${output}
                       DEPENDS scadyg VERBATIM)
    list(APPEND made_help ${help_dir}/${output})
    set(made_help ${made_help} PARENT_SCOPE)
  endfunction()
  make_help(scadyg.1 --man)
  set(list ${PROJECT_SOURCE_DIR}/tools/cli/commands.c)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} commands REGEX "&cli_[a-z]+,")
  string(REGEX MATCHALL "&cli_[a-z]+" commands "${commands}")
  foreach(command IN LISTS commands)
    string(REPLACE "&cli_" "" command ${command})
    make_help(scadyg-${command}.1 --man ${command})
  endforeach()
  install(FILES ${made_help} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  make_help(scadyg --completion)
  install(FILES ${help_dir}/scadyg DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  add_custom_target(scadyg_help ALL DEPENDS ${made_help})
endif()
