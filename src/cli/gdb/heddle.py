# heddle.py: what gdb learns of a recorded run (docs/cmd/replay.md): names of threads, the step that
# the run is at, and ways to another step. A run is deterministic, so going back is running again
# up to an earlier step. Sourced by the commands that gdb.c writes, which set heddle_* before.
import gdb


class Run:
    wrapper = heddle_wrapper   # "set exec-wrapper ... %d ...": the step to stop at
    switches = heddle_switches  # step with which another thread goes on, which, where to stop
    steps = heddle_steps
    at = heddle_at             # the step to stop at in the next run, 0 = none


def is_ours(frame):
    """Of the runtime or of the C library: nothing that the user wrote."""
    name = gdb.solib_name(frame.pc()) or ""
    base = name.rsplit("/", 1)[-1]
    return base.startswith(("libtsan.so", "libclang_rt.tsan", "libc.so", "libc-", "libpthread", "ld-linux",
                            "libstdc++.so", "libgcc_s"))


def user_frames(frame):
    while frame is not None and frame.is_valid():
        if not is_ours(frame) and frame.function() is not None:
            yield frame
        frame = frame.older()


def number(name):
    try:
        return int(gdb.parse_and_eval(name))
    except gdb.error:
        return None


def present_step():
    return number("hd_rt.sched.step")


def name_threads():
    """T0 (main), T1 (worker), ...: as reports call them, with the function they began in."""
    chosen, frame = gdb.selected_thread(), gdb.selected_frame()
    for thread in gdb.selected_inferior().threads():
        if not thread.is_valid():
            continue
        thread.switch()
        tid = number("hd_tls.tid")
        if tid is None:
            tid = thread.num - 1
        begin = None
        for f in user_frames(gdb.newest_frame()):
            begin = f.name()
        if begin or not (thread.name or "").startswith("T%d " % tid):
            thread.name = "T%d (%s)" % (tid, begin or "?")
    chosen.switch()
    frame.select()


def on_stop(event):
    try:
        name_threads()
        if isinstance(event, gdb.BreakpointEvent) and any(
                b.location == "hd_stop_here" for b in event.breakpoints if b.location):
            return  # on the way to the program's own code
        if is_ours(gdb.selected_frame()):
            for f in user_frames(gdb.newest_frame()):
                f.select()
                if isinstance(event, gdb.SignalEvent) or isinstance(event, gdb.BreakpointEvent):
                    gdb.write("The program's own code:\n")
                    gdb.execute("frame")
                break
    except gdb.error:
        pass  # a process that is ending has no frames


def arrive():
    """Stopped in hd_stop_here: says where, and goes on to where the call returns."""
    gdb.write("\nStep %d of %d%s.\n" % (Run.at, Run.steps, heddle_decides == Run.at and ", which decides" or ""))
    site = number("*(unsigned long *)&hd_stop_site")
    if site:
        gdb.execute("tbreak *%d" % site, to_string=True)
        gdb.execute("continue")


def go(step):
    if not 1 <= step <= Run.steps:
        raise gdb.GdbError("the run has steps 1 to %d" % Run.steps)
    Run.at = step
    gdb.execute("set exec-wrapper " + Run.wrapper % step)
    gdb.execute("run")


def here():
    step = present_step() if gdb.selected_thread() else None
    if step is None:
        raise gdb.GdbError("the program is not running: type 'run'")
    return step


class Heddle(gdb.Command):
    """Ways through the recorded run: heddle at, back, next-switch, where."""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_RUNNING, prefix=True)


class At(gdb.Command):
    """heddle at STEP: runs again, up to this step of the report."""

    def __init__(self):
        super().__init__("heddle at", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        try:
            step = int(argument)
        except ValueError:
            raise gdb.GdbError("which step? heddle at 29")
        go(step)


class Back(gdb.Command):
    """heddle back: to the step with which the present thread, or the one before it, went on."""

    def __init__(self):
        super().__init__("heddle back", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        now = here()
        earlier = [stop for _, _, stop in Run.switches if stop < now]
        if not earlier:
            raise gdb.GdbError("no thread was switched to before step %d" % now)
        go(earlier[-1])


class NextSwitch(gdb.Command):
    """heddle next-switch: to the next step with which another thread goes on."""

    def __init__(self):
        super().__init__("heddle next-switch", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        now = here()
        later = [stop for step, _, stop in Run.switches if step > now]
        if not later:
            raise gdb.GdbError("the thread that runs now goes on to the end (step %d)" % Run.steps)
        go(later[0])


class Where(gdb.Command):
    """heddle where: the step the run is at, and the switches of threads around it."""

    def __init__(self):
        super().__init__("heddle where", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        now = here()
        gdb.write("step %d of %d\n" % (now, Run.steps))
        for step, tid, _ in Run.switches:
            is_present = step <= now and not any(step < s <= now for s, _, _ in Run.switches)
            gdb.write("%s from step %d: T%d\n" % (">" if is_present else " ", step, tid))


Heddle()
At()
Back()
NextSwitch()
Where()
gdb.events.stop.connect(on_stop)
stopper = gdb.Breakpoint("hd_stop_here", internal=True)  # none of the numbers the user sees
stopper.silent = True
stopper.commands = "python arrive()"
illegal = gdb.Breakpoint("hd_trap_refuse", internal=True)  # SIGILL of the program's own; others are served
