# commit.awk: the source of one commit: -v v=NUMBER. See the headers of the histories.
/^@[0-9]+[+-]/ {
    n = substr($0, 2) + 0
    is_from = substr($0, length(n "") + 2, 1) == "+"
    if ((v >= n) == is_from) print substr($0, length(n "") + 4)
    next
}
{ print }
