-- merge.sql: main := main united with other, inside one transaction (merge.c).
--
-- Each statement joins rows by the keys that mean the same on every machine and
-- settles a difference by an operation that is commutative, associative and
-- idempotent (minimum, maximum, bitwise or, the greater row): so merging twice
-- changes nothing and the order of merging does not matter. Tables m_* lead
-- from their ids to ours. Rows of `other` that refer to nothing find no partner
-- in the joins and are left out. "WHERE true" parts the SELECT from ON CONFLICT.

CREATE TEMP TABLE m_name (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL);
CREATE TEMP TABLE m_program (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL);
CREATE TEMP TABLE m_build (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL);
CREATE TEMP TABLE m_input (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL);
CREATE TEMP TABLE m_site (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL);
CREATE TEMP TABLE m_campaign (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL);
CREATE TEMP TABLE m_element (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL);
CREATE TEMP TABLE m_finding (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL);
CREATE TEMP TABLE m_race (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL);

INSERT INTO main.name (text) SELECT text FROM other.name WHERE true ON CONFLICT DO NOTHING;
INSERT INTO m_name SELECT o.id, n.id FROM other.name o JOIN main.name n USING (text);

INSERT INTO main.program (path) SELECT path FROM other.program WHERE true ON CONFLICT DO NOTHING;
INSERT INTO m_program SELECT o.id, p.id FROM other.program o JOIN main.program p USING (path);

INSERT INTO main.build (hash, path) SELECT hash, path FROM other.build WHERE true
    ON CONFLICT DO UPDATE SET path = max(path, excluded.path);
INSERT INTO m_build SELECT o.id, b.id FROM other.build o JOIN main.build b USING (hash);

INSERT INTO main.version (program, build, first_at, revision)
    SELECT p.ours, b.ours, v.first_at, v.revision FROM other.version v
    JOIN m_program p ON p.theirs = v.program JOIN m_build b ON b.theirs = v.build WHERE true
    ON CONFLICT DO UPDATE SET first_at = min(first_at, excluded.first_at),
        revision = max(revision, excluded.revision);

INSERT INTO main.function (build, start, name, size, hash)
    SELECT b.ours, f.start, f.name, f.size, f.hash FROM other.function f
    JOIN m_build b ON b.theirs = f.build WHERE true ON CONFLICT DO NOTHING;

INSERT INTO main.piece (build, start, number, hash, text, backs)
    SELECT b.ours, p.start, p.number, p.hash, p.text, p.backs FROM other.piece p
    JOIN m_build b ON b.theirs = p.build WHERE true ON CONFLICT DO NOTHING;

INSERT INTO main.input (hash, args) SELECT hash, args FROM other.input WHERE true
    ON CONFLICT DO UPDATE SET args = max(args, excluded.args);
INSERT INTO m_input SELECT o.id, i.id FROM other.input o JOIN main.input i USING (hash);

-- What is said about a site is taken as a whole; known beats unknown ('').
INSERT INTO main.site (build, offset, text, function, file, line, ordinal, source, object)
    SELECT b.ours, o.offset, o.text, o.function, o.file, o.line, o.ordinal, o.source, o.object
    FROM other.site o JOIN m_build b ON b.theirs = o.build WHERE true
    ON CONFLICT DO UPDATE SET text = excluded.text, function = excluded.function,
        file = excluded.file, line = excluded.line, ordinal = excluded.ordinal,
        source = excluded.source, object = excluded.object
    WHERE (excluded.text, excluded.function, excluded.file, excluded.line, excluded.ordinal,
           excluded.source, excluded.object) > (site.text, site.function, site.file, site.line,
           site.ordinal, site.source, site.object);
INSERT INTO m_site SELECT o.id, s.id FROM other.site o JOIN m_build b ON b.theirs = o.build
    JOIN main.site s ON s.build = b.ours AND s.offset = o.offset;
INSERT INTO m_site VALUES (0, 0);

-- One campaign in both stores: one is a copy of the other, perhaps of an
-- earlier state.
INSERT INTO main.campaign (uid, program, build, input, strategy, seed, started_at, runs, seconds,
                           is_ended)
    SELECT o.uid, p.ours, b.ours, i.ours, n.ours, o.seed, o.started_at, o.runs, o.seconds,
           o.is_ended
    FROM other.campaign o JOIN m_program p ON p.theirs = o.program
    JOIN m_build b ON b.theirs = o.build JOIN m_input i ON i.theirs = o.input
    JOIN m_name n ON n.theirs = o.strategy WHERE true
    ON CONFLICT DO UPDATE SET runs = max(runs, excluded.runs),
        seconds = max(seconds, excluded.seconds), is_ended = max(is_ended, excluded.is_ended);
INSERT INTO m_campaign SELECT o.id, c.id FROM other.campaign o JOIN main.campaign c USING (uid);

INSERT INTO main.run
    SELECT c.ours, o.number, o.seed, s.ours, v.ours, o.steps, o.points, o.seconds
    FROM other.run o JOIN m_campaign c ON c.theirs = o.campaign
    JOIN m_name s ON s.theirs = o.strategy JOIN m_name v ON v.theirs = o.verdict WHERE true
    ON CONFLICT DO NOTHING;

INSERT INTO main.arm SELECT c.ours, n.ours, o.runs, o.cost, o.news
    FROM other.arm o JOIN m_campaign c ON c.theirs = o.campaign
    JOIN m_name n ON n.theirs = o.name WHERE true
    ON CONFLICT DO NOTHING;

INSERT INTO main.uncontrolled SELECT c.ours, o.what
    FROM other.uncontrolled o JOIN m_campaign c ON c.theirs = o.campaign WHERE true
    ON CONFLICT DO NOTHING;

INSERT INTO main.curve SELECT c.ours, n.ours, o.run, o.seconds, o.covered
    FROM other.curve o JOIN m_campaign c ON c.theirs = o.campaign
    JOIN m_name n ON n.theirs = o.metric WHERE true
    ON CONFLICT DO NOTHING;

INSERT INTO main.element (build, metric, sub, s0, s1, s2, s3, extra)
    SELECT b.ours, n.ours, o.sub, s0.ours, s1.ours, s2.ours, s3.ours, o.extra
    FROM other.element o JOIN m_build b ON b.theirs = o.build JOIN m_name n ON n.theirs = o.metric
    JOIN m_site s0 ON s0.theirs = o.s0 JOIN m_site s1 ON s1.theirs = o.s1
    JOIN m_site s2 ON s2.theirs = o.s2 JOIN m_site s3 ON s3.theirs = o.s3 WHERE true
    ON CONFLICT DO NOTHING;
INSERT INTO m_element SELECT o.id, e.id
    FROM other.element o JOIN m_build b ON b.theirs = o.build JOIN m_name n ON n.theirs = o.metric
    JOIN m_site s0 ON s0.theirs = o.s0 JOIN m_site s1 ON s1.theirs = o.s1
    JOIN m_site s2 ON s2.theirs = o.s2 JOIN m_site s3 ON s3.theirs = o.s3
    JOIN main.element e ON e.build = b.ours AND e.metric = n.ours AND e.sub = o.sub
        AND e.s0 = s0.ours AND e.s1 = s1.ours AND e.s2 = s2.ours AND e.s3 = s3.ours
        AND e.extra = o.extra;

-- The earlier sighting is the first; campaigns begun in the same millisecond
-- are ordered by uid.
INSERT INTO main.seen
    SELECT e.ours, i.ours, o.runs, c.ours, o.run
    FROM other.seen o JOIN m_element e ON e.theirs = o.element JOIN m_input i ON i.theirs = o.input
    JOIN m_campaign c ON c.theirs = o.campaign WHERE true
    ON CONFLICT DO UPDATE SET runs = max(runs, excluded.runs),
        (campaign, run) = (SELECT c.id, CASE WHEN c.id = excluded.campaign AND
                                                  c.id = seen.campaign
                                             THEN min(excluded.run, seen.run)
                                             WHEN c.id = excluded.campaign THEN excluded.run
                                             ELSE seen.run END
                           FROM main.campaign c WHERE c.id IN (excluded.campaign, seen.campaign)
                           ORDER BY c.started_at, c.uid LIMIT 1);

INSERT INTO main.candidate
    SELECT e.ours, o.state, o.outside FROM other.candidate o JOIN m_element e ON e.theirs = o.element
    WHERE true
    ON CONFLICT DO UPDATE SET state = max(state, excluded.state),
        outside = max(outside, excluded.outside);
UPDATE main.candidate SET state = 3
    WHERE state < 3 AND element IN (SELECT element FROM main.seen);

INSERT INTO main.attempt
    SELECT e.ours, i.ours, o.times FROM other.attempt o
    JOIN m_element e ON e.theirs = o.element JOIN m_input i ON i.theirs = o.input
    JOIN main.candidate c ON c.element = e.ours WHERE true
    ON CONFLICT DO UPDATE SET times = max(times, excluded.times);

INSERT INTO main.learned
    SELECT b.ours, s.ours, o.flags FROM other.learned o JOIN m_build b ON b.theirs = o.build
    JOIN m_site s ON s.theirs = o.site WHERE true
    ON CONFLICT DO UPDATE SET flags = flags | excluded.flags;

INSERT INTO main.finding (build, key, kind, title, dir)
    SELECT b.ours, o.key, o.kind, o.title, o.dir FROM other.finding o
    JOIN m_build b ON b.theirs = o.build WHERE true
    ON CONFLICT DO UPDATE SET kind = max(kind, excluded.kind), title = max(title, excluded.title),
        dir = max(dir, excluded.dir);
INSERT INTO m_finding SELECT o.id, f.id FROM other.finding o JOIN m_build b ON b.theirs = o.build
    JOIN main.finding f ON f.build = b.ours AND f.key = o.key;

INSERT INTO main.sighting
    SELECT f.ours, c.ours, o.run, o.times FROM other.sighting o
    JOIN m_finding f ON f.theirs = o.finding JOIN m_campaign c ON c.theirs = o.campaign WHERE true
    ON CONFLICT DO UPDATE SET run = min(run, excluded.run), times = max(times, excluded.times);

-- Of two searches for the same the one that has come further goes on.
INSERT INTO main.search (build, input, method, param, mode, layout, runs, sum, state)
    SELECT b.ours, i.ours, n.ours, o.param, o.mode, o.layout, o.runs, o.sum, o.state
    FROM other.search o JOIN m_build b ON b.theirs = o.build JOIN m_input i ON i.theirs = o.input
    JOIN m_name n ON n.theirs = o.method WHERE true
    ON CONFLICT DO UPDATE SET layout = excluded.layout, runs = excluded.runs, sum = excluded.sum,
        state = excluded.state
    WHERE (excluded.runs, excluded.layout, excluded.sum, excluded.state) >
          (search.runs, search.layout, search.sum, search.state);

INSERT INTO main.predecessor SELECT b.ours, o.layout, o.pair FROM other.predecessor o
    JOIN m_build b ON b.theirs = o.build WHERE true ON CONFLICT DO NOTHING;

INSERT INTO main.race (build, kind, s0, s1, s2, s3, variable)
    SELECT b.ours, o.kind, s0.ours, s1.ours, s2.ours, s3.ours, o.variable
    FROM other.race o JOIN m_build b ON b.theirs = o.build
    JOIN m_site s0 ON s0.theirs = o.s0 JOIN m_site s1 ON s1.theirs = o.s1
    JOIN m_site s2 ON s2.theirs = o.s2 JOIN m_site s3 ON s3.theirs = o.s3 WHERE true
    ON CONFLICT DO NOTHING;
INSERT INTO m_race SELECT o.id, r.id FROM other.race o JOIN m_build b ON b.theirs = o.build
    JOIN m_site s0 ON s0.theirs = o.s0 JOIN m_site s1 ON s1.theirs = o.s1
    JOIN m_site s2 ON s2.theirs = o.s2 JOIN m_site s3 ON s3.theirs = o.s3
    JOIN main.race r ON r.build = b.ours AND r.kind = o.kind AND r.s0 = s0.ours AND
        r.s1 = s1.ours AND r.s2 = s2.ours AND r.s3 = s3.ours AND r.variable = o.variable;
INSERT INTO main.race_try
    SELECT r.ours, i.ours, o.doubt, o.as_named, o.turned, o.class, o.result, o.finding
    FROM other.race_try o JOIN m_race r ON r.theirs = o.race JOIN m_input i ON i.theirs = o.input
    WHERE true ON CONFLICT DO UPDATE SET doubt = min(doubt, excluded.doubt),
        as_named = max(as_named, excluded.as_named), turned = max(turned, excluded.turned);
-- What came of it goes together; brought about beats not.
INSERT INTO main.race_try
    SELECT r.ours, i.ours, o.doubt, o.as_named, o.turned, o.class, o.result, o.finding
    FROM other.race_try o JOIN m_race r ON r.theirs = o.race JOIN m_input i ON i.theirs = o.input
    WHERE true ON CONFLICT DO UPDATE SET class = excluded.class, result = excluded.result,
        finding = excluded.finding
    WHERE (excluded.class, excluded.finding, excluded.result) > (class, finding, result);

-- Of two cheap runs of the same, in either order the same one.
INSERT INTO main.profile SELECT b.ours, o.setting, o.state, o.differs, o.threads, o.events, o.seconds,
        o.pairs, o.sites FROM other.profile o JOIN m_build b ON b.theirs = o.build WHERE true
    ON CONFLICT DO UPDATE SET state = excluded.state, differs = excluded.differs,
        threads = excluded.threads, events = excluded.events, seconds = excluded.seconds,
        pairs = excluded.pairs, sites = excluded.sites
    WHERE (excluded.pairs, excluded.sites, excluded.state, excluded.differs, excluded.threads,
           excluded.events, excluded.seconds) > (pairs, sites, state, differs, threads, events, seconds);

DROP TABLE m_name;
DROP TABLE m_program;
DROP TABLE m_build;
DROP TABLE m_input;
DROP TABLE m_site;
DROP TABLE m_campaign;
DROP TABLE m_element;
DROP TABLE m_finding;
DROP TABLE m_race;
