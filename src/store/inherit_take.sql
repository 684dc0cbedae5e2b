-- inherit_take.sql: writes what inherit.sql found into the new build.

-- Names are asked for anew when they are needed: lines may have moved.
INSERT INTO main.site (build, offset, text, function, file, line, ordinal, source, object)
    SELECT v.build, v.offset, '', '', '', 0, 0, '', s.object
    FROM v_site v JOIN main.site s ON s.id = v.old WHERE true ON CONFLICT DO NOTHING;
UPDATE v_now SET new = (SELECT s.id FROM v_site v JOIN main.site s ON s.build = v.build AND
    s.offset = v.offset WHERE v.old = v_now.old) WHERE new IS NULL;

INSERT INTO main.element (build, metric, sub, s0, s1, s2, s3, extra)
    SELECT (SELECT new FROM v_args), e.metric, e.sub, a.new, b.new, c.new, d.new, e.extra
    FROM v_kept k JOIN main.element e ON e.id = k.old JOIN v_now a ON a.old = e.s0
    JOIN v_now b ON b.old = e.s1 JOIN v_now c ON c.old = e.s2 JOIN v_now d ON d.old = e.s3
    WHERE true ON CONFLICT DO NOTHING;
CREATE TEMP TABLE v_element (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
INSERT INTO v_element SELECT e.id, f.id
    FROM v_kept k JOIN main.element e ON e.id = k.old JOIN v_now a ON a.old = e.s0
    JOIN v_now b ON b.old = e.s1 JOIN v_now c ON c.old = e.s2 JOIN v_now d ON d.old = e.s3
    JOIN main.element f ON f.build = (SELECT new FROM v_args) AND f.metric = e.metric AND
    f.sub = e.sub AND f.s0 = a.new AND f.s1 = b.new AND f.s2 = c.new AND f.s3 = d.new AND
    f.extra = e.extra;

INSERT INTO main.seen SELECT v.new, s.input, s.runs, s.campaign, s.run
    FROM v_element v JOIN main.seen s ON s.element = v.old WHERE true ON CONFLICT DO NOTHING;
INSERT INTO main.candidate SELECT v.new, c.state, c.outside
    FROM v_element v JOIN main.candidate c ON c.element = v.old WHERE true ON CONFLICT DO NOTHING;
INSERT INTO main.attempt SELECT v.new, t.input, t.times
    FROM v_element v JOIN main.attempt t ON t.element = v.old WHERE true ON CONFLICT DO NOTHING;
INSERT INTO main.learned SELECT (SELECT new FROM v_args), w.new, l.flags
    FROM main.learned l JOIN v_now w ON w.old = l.site
    WHERE l.build = (SELECT old FROM v_args) AND w.new > 0 ON CONFLICT DO NOTHING;

-- What was driven in vain, or did no harm, and is no finding: a schedule holds in its own build.
INSERT INTO main.race (build, kind, s0, s1, s2, s3, variable)
    SELECT (SELECT new FROM v_args), r.kind, a.new, b.new, c.new, d.new, r.variable
    FROM main.race r JOIN v_now a ON a.old = r.s0 JOIN v_now b ON b.old = r.s1
    JOIN v_now c ON c.old = r.s2 JOIN v_now d ON d.old = r.s3
    WHERE r.build = (SELECT old FROM v_args) ON CONFLICT DO NOTHING;
INSERT INTO main.race_try
    SELECT n.id, t.input, t.doubt, t.as_named, t.turned, t.class, t.result, t.finding
    FROM main.race r JOIN v_now a ON a.old = r.s0 JOIN v_now b ON b.old = r.s1
    JOIN v_now c ON c.old = r.s2 JOIN v_now d ON d.old = r.s3
    JOIN main.race n ON n.build = (SELECT new FROM v_args) AND n.kind = r.kind AND
        n.s0 = a.new AND n.s1 = b.new AND n.s2 = c.new AND n.s3 = d.new AND n.variable = r.variable
    JOIN main.race_try t ON t.race = r.id
    WHERE r.build = (SELECT old FROM v_args) AND t.finding = '' ON CONFLICT DO NOTHING;
