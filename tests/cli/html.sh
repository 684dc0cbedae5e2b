#!/usr/bin/env bash
# report.html of a finding and heddle report --html: whole, harmless, small, and shown by a
# real browser. Pictures of the pages are left in $HD_SHOTS if that names a folder.
. "$(dirname "$0")/lib.bash"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "no chromium: apt-get install chromium"; exit 1; }

# page WIDTH FILE [CHROMIUM ARGS...]: what the browser made of it is in ./dom, what it said in ./said.
page() {
    local width=$1 file=$2
    shift 2
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$PWD/profile" --enable-logging=stderr --window-size="$width,1000" \
        --dump-dom "$@" "file://$PWD/$file" >dom 2>said
}
# shoot NAME FILE: pictures of a page, wide and narrow, by day and by night.
shoot() {
    [ -n "${HD_SHOTS-}" ] && mkdir -p "$HD_SHOTS" || return 0
    for width in 1280 390; do
        page $width "$2" --screenshot="$HD_SHOTS/$1-$width.png"
        page $width "$2" --blink-settings=preferredColorScheme=0 --screenshot="$HD_SHOTS/$1-$width-dark.png"
    done
}
quiet() { ! grep -E 'CONSOLE|Refused to|net::ERR' said; }
data_of() { sed -n 's/.*<script type="application\/json" id="data">\(.*\)<\/script>.*/\1/p' "$1"; }
# probe FILE: the same page with a script that notes where the deciding steps ended up.
probe() {
    cat "$1" - >probe.html <<'END'
<script>{
const box = document.getElementById("scroll").getBoundingClientRect();
const isSeen = (r) => r.top >= box.top && r.bottom <= box.bottom + 1 && r.left >= 0 && r.right <= innerWidth + 1;
const keys = [...document.querySelectorAll(".row.key")].map((e) => e.getBoundingClientRect());
document.body.dataset.seen = keys.filter(isSeen).length;
document.body.dataset.wide = document.documentElement.scrollWidth > innerWidth;
document.body.dataset.paths = document.querySelectorAll("#arrows path.pair").length;
}</script>
END
}

cp "$ROOT/tests/target/buggy/deadlock_two.c" "$ROOT/tests/target/correct/bounded_buffer.c" .
build deadlock_two
build bounded_buffer
racy_c
heddle test --seed 1 --runs 300 -- ./racy
expect 66 "a finding"
cp .heddle/findings/latest/report.html a.html
data_of a.html >data.json
check "the data are JSON" jq -e '.rows | length > 5' data.json
check "every row refers to strings and places that exist" jq -e \
    '. as $d | all(.rows[]; (.does // 0) < ($d.strings | length) and (.at // 0) < ($d.places | length))' data.json
check "every arrow goes from an earlier row to a later one" jq -e \
    '[.arrows | range(0; length; 3) as $i | .[$i] < .[$i + 1]] | all' data.json
page 1280 a.html
check "no error in the browser" quiet
check "the sentence is there" grep -q '<h1 id="sentence">The assertion <code>counter == 6</code>' dom
check "both orders are there" grep -q 'Fails, 20 of 20 runs.*Passes, 20 of 20 runs' dom
check "the value is shown" grep -Eq '<code>counter</code></td><td[^>]*><code>[0-9]' dom
check "the source is shown" grep -q 'class="now".*counter++' dom
for width in 1280 390; do
    probe a.html
    page $width probe.html
    check "$width wide: the deciding steps can be seen" grep -Eq 'data-seen="[2-9]' dom
    check "$width wide: with the arrow between them" grep -q 'data-paths="1"' dom
    check "$width wide: nothing sticks out" grep -q 'data-wide="false"' dom
done
shoot finding a.html

# Names and texts that look like markup.
cat >'<script>x<.c' <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int counter, wanted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *arg)
{
    for (int i = 0; i < 700; i++) {
        pthread_mutex_lock(&lock);
        wanted++;
        pthread_mutex_unlock(&lock);
        counter++; /* </script><img src=http://example.invalid/> */
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    printf("</script><img src=x onerror=alert(1)>\033[31m\377\n");
    assert(counter == wanted && "</script><script>document.title = 'owned'</script>");
    return 0;
}
END
gcc -g -fsanitize=thread '<script>x<.c' -o markup || exit 1
heddle test --seed 1 --runs 300 --strategy random --no-minimize -- ./markup # it changes threads often: many rows
expect 66 "a long run with odd names"
cp .heddle/findings/latest/report.html b.html
check "no text of the program is markup" test "$(grep -c '<img\|<script' b.html)" = 2
check "ten thousand steps are under 2 MB" test "$(stat -c %s b.html)" -lt 2000000
data_of b.html >data.json
check "thousands of rows" jq -e '.rows | length > 2000' data.json
page 1280 b.html
check "no error in the browser" quiet
check "the title is ours" grep -q '<title>The assertion' dom
check "the assertion is text" grep -q '&lt;/script&gt;&lt;script&gt;document.title' dom

# All of it.
heddle test --seed 1 --runs 300 -- ./deadlock_two
heddle test --seed 1 --runs 300 -- ./bounded_buffer
gcc -g bounded_buffer.c -o plain || exit 1
heddle test --seed 1 --runs 10 -- ./plain "$(printf '</script><img src=x>\n\377')"
heddle report
expect 0 "a list" "^assertion-.*blocked-[0-9a-f]+ +Deadlock.*3 findings"
heddle report --html pages
expect 0 "pages" "open pages/index.html"
check "a page for each finding" test "$(ls pages | wc -l)" = 4
page 1280 pages/index.html
check "no error in the browser" quiet
check "findings are linked" test "$(grep -o '<a href="[a-z]*-[0-9a-f]*.html"' dom | sort -u | wc -l)" = 3
check "a curve is drawn" grep -q '<polyline' dom
check "where it grew last is marked" grep -q '<circle' dom
check "saturation is said" grep -Eq 'iroot [0-9]+ \(saturated: nothing new in the last|nothing new in the last' dom
tr "\n" " " <dom >line
check "a row for each test, with its result" test "$(grep -o '<div id="tests">.*<div id="uncontrolled">' line | grep -o '<tr' | wc -l)" = 6
check "... finding or none" grep -Eq '<div id="tests">.*bounded_buffer.*nothing found.*<a href="blocked-[0-9a-f]+.html"' line
check "what was not controlled is told" grep -q '<div id="uncontrolled">.*memory accesses: the program is not built with -fsanitize=thread.*/plain</code>' dom
check "candidates by state" grep -Eq 'class="share" role="img" aria-label="[0-9]+ tested, [0-9]+ tried and not reached, [0-9]+ left"' dom
check "arguments are text" test "$(grep -c '<img' dom)" = 0
cat pages/index.html - >probe.html <<'END'
<script>document.body.dataset.wide = document.documentElement.scrollWidth > innerWidth;</script>
END
for width in 1280 390; do
    page $width probe.html
    check "overview, $width wide: nothing sticks out" grep -q 'data-wide="false"' dom
done
shoot overview pages/index.html
heddle report --html pages
expect 0 "pages are written anew"
echo mine >pages/index.html
heddle report --html pages
expect 99 "a file of the user's" "was not written by Heddle"
check "it is as it was" grep -qx mine pages/index.html
ln -s "$PWD/a.html" link && mkdir other && ln -s "$PWD/racy.c" other/index.html
heddle report --html other
expect 99 "not through a symbolic link" "was not written by Heddle"
heddle report --html /proc/none/x
expect 99 "a folder that cannot be made" "cannot make /proc/none/x"
heddle report --dir empty
expect 99 "nothing is remembered" "empty"
heddle report what
expect 64 "no argument"
finish
