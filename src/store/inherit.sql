-- inherit.sql: what was tested in an earlier build and holds in a later one (version.c).
--
-- Before it: v_args (old, new) with one row: builds of the program; v_build: files that have changed, of
-- the program and its libraries; v_function (build, start, size, to_build, target): functions of these
-- whose code is the same in the new ones, and where it is there.
-- After it: v_kept (old element, and where its sites are now), v_left: elements that were left.
--
-- An element is kept if each of its sites lies in such a function, or in a file that is the same; unless
-- one is a use of a lock that a changed function uses as well: what the lock protects against
-- may be something else now. Contexts (hapset) are call addresses of the old build.

CREATE TEMP TABLE v_site (old INTEGER PRIMARY KEY, build INTEGER NOT NULL, offset INTEGER NOT NULL);
INSERT INTO v_site SELECT s.id, f.to_build, s.offset - f.start + f.target
    FROM v_build b JOIN main.site s ON s.build = b.build JOIN v_function f
    ON f.build = s.build AND
    f.start = (SELECT max(start) FROM v_function WHERE build = s.build AND start <= s.offset)
    WHERE s.offset < f.start + f.size;

CREATE TEMP TABLE v_lock_site AS SELECT DISTINCT s.id, s.object FROM main.element e
    JOIN main.name n ON n.id = e.metric JOIN main.site s ON s.id IN (e.s0, e.s1)
    WHERE e.build = (SELECT old FROM v_args) AND n.text = 'syncpair' AND s.object <> '';
CREATE TEMP TABLE v_barred (id INTEGER PRIMARY KEY);
INSERT INTO v_barred SELECT id FROM v_lock_site WHERE object IN (
    SELECT l.object FROM v_lock_site l JOIN main.site s ON s.id = l.id
    WHERE s.build IN (SELECT build FROM v_build) AND l.id NOT IN (SELECT old FROM v_site));

-- Where each site that may be kept is now; itself if its file is the same.
CREATE TEMP TABLE v_now (old INTEGER PRIMARY KEY, new INTEGER);
INSERT INTO v_now SELECT s.id, CASE WHEN s.build IN (SELECT build FROM v_build) THEN NULL ELSE s.id END
    FROM main.site s WHERE s.id = 0 OR s.id NOT IN (SELECT id FROM v_barred) AND
    (s.build NOT IN (SELECT build FROM v_build) OR s.id IN (SELECT old FROM v_site));
UPDATE v_now SET new = 0 WHERE old = 0;

CREATE TEMP TABLE v_kept (old INTEGER PRIMARY KEY);
INSERT INTO v_kept SELECT e.id FROM main.element e JOIN main.name n ON n.id = e.metric
    WHERE e.build = (SELECT old FROM v_args) AND n.text <> 'hapset' AND
    e.s0 IN (SELECT old FROM v_now) AND e.s1 IN (SELECT old FROM v_now) AND
    e.s2 IN (SELECT old FROM v_now) AND e.s3 IN (SELECT old FROM v_now);
CREATE TEMP TABLE v_left AS SELECT e.id AS old FROM main.element e
    JOIN main.name m ON m.id = e.metric WHERE e.build = (SELECT old FROM v_args) AND
    m.text <> 'hapset' AND e.id NOT IN (SELECT old FROM v_kept);
