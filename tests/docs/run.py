#!/usr/bin/env python3
"""run.py PAGE.md...: does what a page says happen? The blocks of a page are followed in order, in an
empty folder of its own, with `heddle` (of $HEDDLE) in PATH:

    ```c file=queue.c      the block becomes this file
    ```sh run              its commands are run, all must end with 0
    ```console             lines that begin with "$ " are run; what follows must be printed
    ```console usually     ... by one of 20 tries: a racy program by itself, on a busy machine

Printed text is compared line by line, without blanks at the ends. Any number stands for any other
number, eight hex digits for others, "..." for the rest of a line, alone for any number of lines. Other blocks are only
shown. Prints one line per check; status 1 if one fails."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# What comes every five seconds, on a slow machine.
PROGRESS = re.compile(r"heddle: (making it smaller|looking for the order|[0-9]+( of [0-9]+)? runs, [0-9]+ s)")


def blocks(text):
    for m in re.finditer(r"^```([^\n]*)\n(.*?)^```\s*$", text, re.M | re.S):
        yield m.group(1).strip(), m.group(2), text.count("\n", 0, m.start()) + 1


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


class Page:
    def __init__(self, path):
        self.path, self.name, self.n, self.bad = path, os.path.relpath(path, ROOT), 0, 0
        self.folder = tempfile.mkdtemp(prefix="heddle-docs-")
        self.env = dict(os.environ, PATH=os.path.dirname(os.path.abspath(os.environ["HEDDLE"])) + ":" +
                        os.environ["PATH"], HEDDLE_OPTIONS="", HEDDLE_SOURCE=ROOT, COLUMNS="80")

    def check(self, is_good, line, what, log=""):
        self.n += 1
        self.bad += not is_good
        print("%s - %s:%d: %s" % ("ok" if is_good else "not ok", self.name, line, what))
        if not is_good:
            print("".join("# " + l + "\n" for l in log.splitlines()[-40:]), end="")

    def shell(self, command):
        p = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.env, text=True, timeout=300,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return p.returncode, p.stdout

    def console(self, text, line, tries=1):
        commands = []
        for l in text.splitlines():
            if l.startswith("$ "):
                commands.append([l[2:], []])
            elif commands and commands[-1][0].endswith("\\") and l.startswith("> "):
                commands[-1][0] += "\n" + l[2:]
            elif commands:
                commands[-1][1].append(l)
        for command, want in commands:
            while want and not want[-1].strip():
                want.pop()
            for _ in range(tries):
                _, got = self.shell(command)
                lines = [l for l in got.rstrip("\n").split("\n") if not PROGRESS.match(l)] if got.strip() else []
                is_good = bool(matches(want, lines))
                if is_good:
                    break
            self.check(is_good, line, command.split("\n")[0], "wanted:\n%s\ngot:\n%s" % ("\n".join(want), got))

    def run(self):
        for info, text, line in blocks(open(self.path, encoding="utf-8").read()):
            words = info.split()
            file = [w[5:] for w in words if w.startswith("file=")]
            if file:
                open(os.path.join(self.folder, file[0]), "w", encoding="utf-8").write(text)
            elif words[:1] == ["console"]:
                self.console(text, line, 20 if "usually" in words[1:] else 1)
            elif "run" in words[1:]:
                code, out = self.shell("set -e\n" + text)
                self.check(code == 0, line, text.split("\n")[0], out)
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.bad


bad = sum([Page(p).run() for p in sys.argv[1:]])
sys.exit(bad > 0)
