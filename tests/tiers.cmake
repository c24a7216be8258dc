# Which tests are in which tier: every test is quick unless it stands here.
#
#   quick   ./test --quick, all together under a minute on two cores
#   full    ./test as well
#   long    ./test --long only, in the part of its subject
#
# Under a sanitizer ./test has the quick ones and scadyg_sanitized, but under the one for threads not scadyg_no_threads;
# ./test --long has all.
#
# What a test takes: ctest --test-dir build, and the seconds it prints.
set(scadyg_full
    cli/test_against cli/test_alternatives cli/test_plan_memory cli/test_report cli/test_study cli/test_study_hostile
    cli/test_train cli/test_tune
    consumer/ways
    data/datasets data/learn
    events/test_import_memory
    same/golden
    robust/faults_tasks robust/forged_studies robust/kill robust/resume robust/simulate)
set(scadyg_long
    cli/test_study_resume)
set(scadyg_sanitized robust/faults_tasks robust/simulate)
set(scadyg_no_threads robust/test_changing) # which is all on one thread

function(scadyg_tier test tier)
  set_property(GLOBAL APPEND PROPERTY scadyg_tests ${test})
  set(${tier} quick PARENT_SCOPE)
  foreach(other full long)
    if(test IN_LIST scadyg_${other})
      set(${tier} ${other} PARENT_SCOPE)
    endif()
  endforeach()
  if(test MATCHES "_deep$")
    set(${tier} long PARENT_SCOPE)
  endif()
endfunction()

# A test that was renamed must not become quick by it.
function(scadyg_tiers_unused)
  get_property(tests GLOBAL PROPERTY scadyg_tests)
  foreach(test ${scadyg_full} ${scadyg_long} ${scadyg_sanitized} ${scadyg_no_threads})
    if(NOT test IN_LIST tests)
      message(STATUS "tests/tiers.cmake names ${test}, which is not there")
    endif()
  endforeach()
endfunction()
