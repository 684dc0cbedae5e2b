# servers.bash: scripts (docs/script.md) for memcached and redis with their clients. Sourced.

# memcached_script PROGRAM CLIENT THREADS ROUNDS [CONNECTIONS]: each makes ROUNDS rounds of commands;
# the client says when the server is to stop (-A).
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
command = ["$2", "\${tmp}/socket", "$4", "${5:-3}"]
timeout = "60s"
[stop]
signal = "none"
timeout = "30s"
END
}

# redis_args plain|aof|io: the server's arguments but for its socket and its folder, one a line.
# io: another thread than the main one reads and writes as well while four connections have something to do.
redis_args() {
    printf '%s\n' --port 0 --save '' --set-proc-title no
    case $1 in
    aof) printf '%s\n' --appendonly yes --appendfsync always ;;
    io) printf '%s\n' --io-threads 2 --io-threads-do-reads yes ;;
    esac
}

# redis_script PROGRAM CLIENT plain|aof|io ROUNDS [CONNECTIONS]
redis_script() {
    local args
    args=$(redis_args "$3" | sed 's/.*/"&"/' | paste -sd,)
    cat <<END
[program]
path = "$1"
args = ["--unixsocket", "\${tmp}/socket", "--dir", "\${tmp}", $args]
env = { TSAN_OPTIONS = "report_bugs=0" }
[ready]
unix = "\${tmp}/socket"
timeout = "30s"
[drive]
command = ["$2", "\${tmp}/socket", "$4", "${5:-6}"]
timeout = "60s"
[stop]
signal = "none"
timeout = "30s"
END
}
