# memcached.bash: a script (docs/script.md) for memcached and its client. Sourced.

# memcached_script PROGRAM CLIENT THREADS ROUNDS: three connections make ROUNDS rounds of commands
# each; the client says when the server is to stop (-A).
memcached_script() {
    local user=
    [ "$(id -u)" != 0 ] || user=', "-u", "root"'
    cat <<END
[program]
path = "$1"
args = ["-A", "-s", "\${tmp}/socket", "-U", "0", "-t", "$3"$user]
env = { TSAN_OPTIONS = "report_bugs=0" }
[ready]
unix = "\${tmp}/socket"
timeout = "30s"
[drive]
command = ["$2", "\${tmp}/socket", "$4", "3"]
timeout = "60s"
[stop]
signal = "none"
timeout = "30s"
END
}
