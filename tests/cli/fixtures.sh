# Trains, once for all tests, the models that several of them use: models.sh takes them from $SCADYG_FIXTURES.
. "$(dirname "$0")/lib.sh"
rm -rf "${SCADYG_FIXTURES:?where the models go}"
. "$(dirname "$0")/models.sh"

mkdir -p "$SCADYG_FIXTURES"
link_model "$SCADYG_FIXTURES/link"
link_model "$SCADYG_FIXTURES/link${paper[*]}" "${paper[@]}"
affinity_model "$SCADYG_FIXTURES/affinity"
done_testing
