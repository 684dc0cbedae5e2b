#!/usr/bin/env python3
"""run.py PAGE.md...: does what a page says happen? The blocks of a page are followed in order, in an
empty folder of its own, with `heddle` (of $HEDDLE) in PATH. Every block has a kind:

    ```console     lines that begin with "$ " are run; what follows must be printed
    ```sh          its commands are run one by one; each must end with 0, or with 66: a finding
    ```usage       how a command is called: it is there, and has all options named here
    ```text        what is printed, or a drawing: no command is in it
    ```c, toml ... a file; JSON, TOML and YAML must be read by their readers

A comment right before a block says more about it:

    <!-- file=queue.c -->      the block becomes this file
    <!-- status=98 -->         its commands end with this status
    <!-- tries=20 -->          what it shows is printed by one of so many tries: a racy program by itself
    <!-- in=tests/x.sh -->     its commands are run by that test, which reads them from the page

and <!-- run ... --> holds commands that prepare what a reader has. A block without a kind is an error:
nothing is left out silently.

Printed text is compared line by line, without blanks at the ends. Any number stands for any other
number, eight hex digits for others, "..." for the rest of a line, alone for any number of lines.
Prints one line per check, and how many blocks of which kind there were; status 1 if one fails."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = {"c", "cpp", "cmake", "meson", "python", "yaml", "json", "toml", "groovy"}
COMMAND = re.compile(r"(\$ |(sudo |[A-Z_]+=\S+ )*(heddle|gcc|g\+\+|clang|make|cmake|ctest|git|jq|source) )")
# What comes every five seconds, on a slow machine.
PROGRESS = re.compile(r"heddle: (making it smaller|looking for the order|[0-9]+( of [0-9]+)? runs, [0-9]+ s)")
BLOCK = re.compile(r"^<!-- run\n(?P<hidden>.*?)^-->$|"
                   r"(?:^<!-- (?P<note>[a-z]+=[^\n]*) -->\n)?^```(?P<kind>[^\n]*)\n(?P<text>.*?)^```\s*$", re.M | re.S)


def blocks(page):
    """(kind, notes, text, line); the kind of hidden commands is "run"."""
    for m in BLOCK.finditer(page):
        line = page.count("\n", 0, m.start()) + 1
        if m.group("hidden") is not None:
            yield "run", {}, m.group("hidden"), line
        else:
            notes = dict(w.split("=", 1) for w in (m.group("note") or "").split())
            yield m.group("kind").strip(), notes, m.group("text"), line


def pattern(line):
    out = re.escape(line.rstrip())
    out = re.sub(r"(?<=\\-)[0-9a-f]{8}", "[0-9a-f]{8}", out)
    out = re.sub(r"(?<![a-zA-Z\[{])[0-9][0-9,]*(?:\\\.[0-9]+)?(?![a-zA-Z\]}])", r"[0-9][0-9,.]*", out)
    out = out.replace(r"\.\.\.", ".*")
    return re.sub(r"(\\ )+", r" +", out)


def matches(want, got):
    """Both lists of lines."""
    if not want:
        return not got
    if want[0].strip() == "...":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and re.fullmatch(pattern(want[0]), got[0].rstrip()) and matches(want[1:], got[1:])


def commands(text):
    """Lines, with those that go on joined to the next one; until quotes are closed."""
    held = ""
    for l in text.splitlines():
        held += l + "\n"
        if not l.endswith("\\") and subprocess.run(["bash", "-n", "-c", held], stderr=subprocess.DEVNULL).returncode == 0:
            if held.strip() and not held.startswith("#"):
                yield held.rstrip("\n")
            held = ""
    if held.strip():
        yield held


class Page:
    counts = collections.Counter()

    def __init__(self, path):
        self.path, self.name, self.bad = path, os.path.relpath(path, ROOT), 0
        self.folder = tempfile.mkdtemp(prefix="heddle-docs-")
        self.env = dict(os.environ, PATH=os.path.dirname(os.path.abspath(os.environ["HEDDLE"])) + ":" +
                        os.environ["PATH"], HEDDLE_OPTIONS="", HEDDLE_SOURCE=ROOT, COLUMNS="80",
                        CPATH=os.path.join(ROOT, "include")) # where an installed one is found

    def check(self, is_good, line, what, log=""):
        self.bad += not is_good
        print("%s - %s:%d: %s" % ("ok" if is_good else "not ok", self.name, line, what), flush=True)
        if not is_good:
            print("".join("# " + l + "\n" for l in log.splitlines()[-40:]), end="")

    def shell(self, command):
        p = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.env, timeout=300,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return p.returncode, p.stdout.decode("utf-8", "replace")

    def console(self, text, line, tries):
        steps = []
        for l in text.splitlines():
            if l.startswith("$ "):
                steps.append([l[2:], []])
            elif steps and steps[-1][0].endswith("\\") and l.startswith("> "):
                steps[-1][0] += "\n" + l[2:]
            elif steps:
                steps[-1][1].append(l)
        for command, want in steps:
            while want and not want[-1].strip():
                want.pop()
            for _ in range(tries):
                _, got = self.shell(command)
                lines = [l for l in got.rstrip("\n").split("\n") if not PROGRESS.match(l)] if got.strip() else []
                is_good = bool(matches(want, lines))
                if is_good:
                    break
            self.check(is_good, line, command.split("\n")[0], "wanted:\n%s\ngot:\n%s" % ("\n".join(want), got))

    def sh(self, text, line, notes):
        if "in" in notes: # that test takes the commands out of this very page
            test = os.path.join(ROOT, notes["in"])
            is_there = os.path.exists(test) and self.name in open(test, encoding="utf-8").read()
            self.check(is_there, line, "run by " + notes["in"], "%s does not read %s" % (notes["in"], self.name))
            return
        good = [int(notes["status"])] if "status" in notes else [0, 66]
        for command in commands(text):
            code, out = self.shell(command)
            self.check(code in good, line, command.split("\n")[0], "status %d\n%s" % (code, out))

    def usage(self, text, line):
        for l in text.splitlines():
            words = l.split()
            code, help_text = self.shell("heddle help " + ("" if words[1] == "COMMAND" else words[1]))
            options = re.findall(r"--[a-z][a-z-]*", l.split(" -- ")[0])
            missing = [o for o in options if not re.search(re.escape(o) + r"\b", help_text)]
            self.check(code == 0 and words[0] == "heddle" and not missing, line, l,
                       "not in its help: " + " ".join(missing))

    def file(self, kind, text, line, notes):
        if "file" in notes:
            path = os.path.join(self.folder, notes["file"])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "w", encoding="utf-8").write(text)
        error = ""
        try:
            if kind == "json":
                json.loads(text)
            elif kind == "toml":
                tomllib.loads(text)
            elif kind == "yaml":
                import yaml
                yaml.safe_load(text)
        except Exception as e: # whatever the reader has against it
            error = str(e)
        self.check(not error, line, "%s%s" % (kind, " as " + notes["file"] if "file" in notes else ""), error)

    def block(self, kind, notes, text, line):
        Page.counts["in another test" if "in" in notes else kind] += 1
        if kind == "run":
            code, out = self.shell("set -e\n" + text)
            self.check(code == 0, line, "preparation", out)
        elif kind == "console":
            self.console(text, line, int(notes.get("tries", 1)))
        elif kind == "sh":
            self.sh(text, line, notes)
        elif kind == "usage":
            self.usage(text, line)
        elif kind == "text":
            found = [l for l in text.splitlines() if COMMAND.match(l)]
            self.check(not found, line, "text", "commands that nobody runs: " + "\n".join(found))
        elif kind in FILES:
            self.file(kind, text, line, notes)
        else:
            self.check(False, line, "a block of kind '%s'" % kind, "known: run console sh usage text " + " ".join(FILES))

    def run(self):
        page = open(self.path, encoding="utf-8").read()
        found = list(blocks(page))
        fences = len(re.findall(r"^```", page, re.M))
        shown = [b for b in found if b[0] != "run"]
        if fences != 2 * len(shown):
            self.check(False, 1, "blocks that are not understood", "%d lines with ```, %d blocks" % (fences, len(shown)))
        for kind, notes, text, line in found:
            self.block(kind, notes, text, line)
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.bad


if __name__ == "__main__":
    failed = sum([Page(p).run() for p in sys.argv[1:]])
    print("blocks: " + ", ".join("%d %s" % (n, k) for k, n in sorted(Page.counts.items())))
    sys.exit(failed > 0)
