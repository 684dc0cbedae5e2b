#!/usr/bin/env bash
# What CI reads: SARIF by its schema, with a place for every result; JUnit by its schema; the
# conversion for GitLab's code quality that docs/ci.md gives.
. "$(dirname "$0")/lib.bash"
export HEDDLE_OPTIONS=
racy_c
correct_c
cat >deadlock.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return pthread_join(t, 0);
}
END
build deadlock
gcc -fsanitize=thread deadlock.c -o nolines && strip nolines
mkdir "a b"
cp racy.c "a b/r%c y.c"
(cd "a b" && gcc -g -fsanitize=thread "r%c y.c" -o racy)

sarif() { "$ROOT/tests/schema/validate.py" "$ROOT/tests/schema/sarif-2.1.0.json" "$1"; }
junit() { xmllint --nonet --noout --schema "$ROOT/tests/schema/junit.xsd" "$1"; }
located='[.runs[].results[].locations[0].physicalLocation] | length > 0 and
    all(.artifactLocation.uri != null and .region.startLine >= 1)'
all() { # all NAME STATUS OPTIONS...: one campaign, both formats
    local name=$1 status=$2
    shift 2
    heddle test --seed 1 --dir "d.$name" --sarif "$name.sarif" --junit "$name.xml" "$@"
    expect "$status" "$name"
    check "$name: SARIF is valid" sarif "$name.sarif"
    check "$name: JUnit is valid" junit "$name.xml"
    [ "$status" != 66 ] || check "$name: every result has a place" jq -e "$located" "$name.sarif"
}
all racy 66 -k --runs 200 -- ./racy
all deadlock 66 -- ./deadlock
all nolines 66 --runs 100 -- ./nolines
all blanks 66 -- "./a b/racy"
all clean 0 --runs 20 -- ./correct
all nothing 98 --runs 20 -- /bin/true
check "the source line" jq -e '.runs[0].results[0].locations[0].physicalLocation |
    .artifactLocation == {uri: "deadlock.c", uriBaseId: "SRCROOT"} and .region.startLine > 1' deadlock.sarif
check "without debug information, the program" jq -e '[.runs[0].results[].locations[0].physicalLocation.artifactLocation.uri |
    endswith("nolines")] | all' nolines.sarif
check "inconclusive is skipped, not passed" grep -q "<skipped" nothing.xml
jq '.runs[0].results[0].nonsense = 1' racy.sarif >bad.sarif
check "a wrong property is noticed" bash -c "! '$ROOT/tests/schema/validate.py' '$ROOT/tests/schema/sarif-2.1.0.json' bad.sarif"
sed 's/ tests="[0-9]*"//' racy.xml >bad.xml
check "a missing attribute is noticed" bash -c "! xmllint --nonet --noout --schema '$ROOT/tests/schema/junit.xsd' bad.xml"
# The filter of docs/ci.md, as it stands there.
sed -n '/^jq .*gitlab/,/^```/p' "$ROOT/docs/ci.md" | sed '$d' >convert.sh
cp racy.sarif heddle.sarif
check "code quality for GitLab" bash convert.sh
check "... is what GitLab wants" jq -e 'length > 0 and all(.description and .check_name and .fingerprint and
    .severity == "critical" and .location.path == "racy.c" and .location.lines.begin > 0)' gl-code-quality.json
finish
