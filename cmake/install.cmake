# what `cmake --install` puts where: headers, the libraries, the tool, and how pkg-config and cmake find them
include(CMakePackageConfigHelpers)

install(DIRECTORY include/verve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS verve_shared verve_static EXPORT verveTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(VERVE_STUDIO)
  install(TARGETS verve_studio EXPORT verveTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(TARGET verve_studio_shared)
    install(TARGETS verve_studio_shared EXPORT verveTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/verve FILES_MATCHING PATTERN "*.json"
    PATTERN "*.obj")
endif()
if(VERVE_TOOL)
  install(TARGETS verve_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # the man page and the completion of shells come from the tool's own tables
  foreach(page "--man;verve.1;${CMAKE_INSTALL_MANDIR}/man1" "--completion=bash;verve;${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
      "--completion=zsh;_verve;${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
      "--completion=fish;verve.fish;${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
    list(GET page 0 word)
    list(GET page 1 name)
    list(GET page 2 folder)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/manual/${name}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/manual
      COMMAND verve_tool help ${word} > ${PROJECT_BINARY_DIR}/manual/${name}
      DEPENDS verve_tool VERBATIM)
    list(APPEND manual_files ${PROJECT_BINARY_DIR}/manual/${name})
    install(FILES ${PROJECT_BINARY_DIR}/manual/${name} DESTINATION ${folder})
  endforeach()
  add_custom_target(verve_manual ALL DEPENDS ${manual_files})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# pkg-config: paths relative to the .pc file, so that the tree may be moved and staged
set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(VERVE_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up "/prefix/${pc_folder}" "/prefix")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(VERVE_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(kind LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
    set(VERVE_PC_${kind} ${CMAKE_INSTALL_${kind}})
  else()
    set(VERVE_PC_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
  endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/verve.pc.in ${PROJECT_BINARY_DIR}/cmake/verve.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/verve.pc DESTINATION ${pc_folder})
if(VERVE_STUDIO)
  set(VERVE_PC_PNG "")
  if(VERVE_HAS_PNG)
    set(VERVE_PC_PNG libpng)
  endif()
  configure_file(${CMAKE_CURRENT_LIST_DIR}/verve-studio.pc.in ${PROJECT_BINARY_DIR}/cmake/verve-studio.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/verve-studio.pc DESTINATION ${pc_folder})
endif()

# find_package(verve): targets verve::verve (shared) and verve::static; verve::studio and verve::studio_static, which
# COMPONENTS studio asks for. While the version is 0.x, a minor may break
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/verve)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/verveConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/verveConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/verveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/verveConfig.cmake ${PROJECT_BINARY_DIR}/cmake/verveConfigVersion.cmake
  DESTINATION ${package_folder})
install(EXPORT verveTargets NAMESPACE verve:: DESTINATION ${package_folder})
