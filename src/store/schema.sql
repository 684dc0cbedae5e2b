-- schema.sql: the tables of .heddle/store.db, and how older stores become newer.
--
-- The section under "-- version N" turns a store of version N-1 into one of
-- version N; an empty file is version 0. Opening a store for writing runs all
-- sections above its user_version in one transaction (migrate.c). A section
-- that has been released is never edited: a change is a new section.
--
--   program -< version >- build -< site
--                           |----< element -< seen (per input)
--                           |         '---- candidate -< attempt (per input)
--                           |----< learned, predecessor
--                           |----< search (per input)
--                           |----< race -< race_try (per input)
--                           |----< profile
--                           '----< finding -< sighting (per campaign)
--   campaign (program, build, input) -< run, curve, arm, uncontrolled
--
-- Rows of two machines must be able to meet (merge.sql): every table has a key
-- that means the same everywhere, ids are local. Times are unix milliseconds,
-- 64-bit numbers are stored as signed. Unknown texts are ''.

-- version 1

-- Words that occur very often: metrics, strategies, verdicts.
CREATE TABLE name (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE program (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE
) STRICT;

-- One ELF object, program or library, by its build-id.
CREATE TABLE build (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    path TEXT NOT NULL
) STRICT;

-- Builds a program has had.
CREATE TABLE version (
    program INTEGER NOT NULL REFERENCES program,
    build INTEGER NOT NULL REFERENCES build,
    first_at INTEGER NOT NULL,
    PRIMARY KEY (program, build)
) STRICT, WITHOUT ROWID;

-- Arguments and standard input, of any program.
CREATE TABLE input (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    args TEXT NOT NULL
) STRICT;

-- Site 0 is "no site", so that unused columns of element need no NULL.
CREATE TABLE site (
    id INTEGER PRIMARY KEY,
    build INTEGER REFERENCES build CHECK (id = 0 OR build IS NOT NULL),
    offset INTEGER NOT NULL,
    text TEXT NOT NULL,     -- function@file:line#ordinal
    function TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    source TEXT NOT NULL,   -- normalized text of the line and its neighbours
    UNIQUE (build, offset)
) STRICT;
INSERT INTO site VALUES (0, NULL, 0, '', '', '', 0, 0, '');

CREATE TABLE campaign (
    id INTEGER PRIMARY KEY,
    uid BLOB NOT NULL UNIQUE, -- random
    program INTEGER NOT NULL REFERENCES program,
    build INTEGER NOT NULL REFERENCES build,
    input INTEGER NOT NULL REFERENCES input,
    strategy INTEGER NOT NULL REFERENCES name,
    seed INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    runs INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0,
    is_ended INTEGER NOT NULL DEFAULT 0 -- 0 in the end: it was killed
) STRICT;
CREATE INDEX campaign_program ON campaign (program);

-- Written once, never changed.
CREATE TABLE run (
    campaign INTEGER NOT NULL REFERENCES campaign,
    number INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    strategy INTEGER NOT NULL REFERENCES name,
    verdict INTEGER NOT NULL REFERENCES name,
    steps INTEGER NOT NULL,
    points INTEGER NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (campaign, number)
) STRICT, WITHOUT ROWID;

-- Coverage over time; written once, never changed.
CREATE TABLE curve (
    campaign INTEGER NOT NULL REFERENCES campaign,
    metric INTEGER NOT NULL REFERENCES name,
    run INTEGER NOT NULL,
    seconds REAL NOT NULL,
    covered INTEGER NOT NULL,
    PRIMARY KEY (campaign, metric, run)
) STRICT, WITHOUT ROWID;

-- An ordering of sites that can be covered. That it was is in `seen`, that it
-- could be in `candidate`.
CREATE TABLE element (
    id INTEGER PRIMARY KEY,
    build INTEGER NOT NULL REFERENCES build,
    metric INTEGER NOT NULL REFERENCES name,
    sub INTEGER NOT NULL,   -- idiom, pattern
    s0 INTEGER NOT NULL REFERENCES site,
    s1 INTEGER NOT NULL REFERENCES site,
    s2 INTEGER NOT NULL REFERENCES site,
    s3 INTEGER NOT NULL REFERENCES site,
    extra BLOB NOT NULL,    -- the metric's own
    UNIQUE (build, metric, sub, s0, s1, s2, s3, extra)
) STRICT;

CREATE TABLE seen (
    element INTEGER NOT NULL REFERENCES element,
    input INTEGER NOT NULL REFERENCES input,
    runs INTEGER NOT NULL,      -- that showed it
    campaign INTEGER NOT NULL REFERENCES campaign, -- the first one,
    run INTEGER NOT NULL,                          -- and its run
    PRIMARY KEY (element, input)
) STRICT, WITHOUT ROWID;

CREATE TABLE candidate (
    element INTEGER PRIMARY KEY REFERENCES element,
    state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 3) -- predicted, failed, exposed
) STRICT;

-- A row with 0 times: predicted under that input, not yet tried.
CREATE TABLE attempt (
    element INTEGER NOT NULL REFERENCES candidate,
    input INTEGER NOT NULL REFERENCES input,
    times INTEGER NOT NULL,
    PRIMARY KEY (element, input)
) STRICT, WITHOUT ROWID;

-- Sites known to touch memory that threads share, in programs of that build.
CREATE TABLE learned (
    build INTEGER NOT NULL REFERENCES build,
    site INTEGER NOT NULL REFERENCES site,
    flags INTEGER NOT NULL,
    PRIMARY KEY (build, site)
) STRICT, WITHOUT ROWID;

CREATE TABLE finding (
    id INTEGER PRIMARY KEY,
    build INTEGER NOT NULL REFERENCES build,
    key TEXT NOT NULL,      -- "deadlock-3f9a2c"
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    dir TEXT NOT NULL,
    UNIQUE (build, key)
) STRICT;

CREATE TABLE sighting (
    finding INTEGER NOT NULL REFERENCES finding,
    campaign INTEGER NOT NULL REFERENCES campaign,
    run INTEGER NOT NULL,   -- the first of this campaign
    times INTEGER NOT NULL,
    PRIMARY KEY (finding, campaign)
) STRICT, WITHOUT ROWID;

-- version 2

-- Name of the variable or lock the site was first seen to touch.
ALTER TABLE site ADD COLUMN object TEXT NOT NULL DEFAULT '';

-- version 3

-- A search that is not over: the same program, input and method go on from it.
CREATE TABLE search (
    id INTEGER PRIMARY KEY,
    build INTEGER NOT NULL REFERENCES build,
    input INTEGER NOT NULL REFERENCES input,
    method INTEGER NOT NULL REFERENCES name,
    param INTEGER NOT NULL,
    mode INTEGER NOT NULL,    -- what the runs do besides
    layout INTEGER NOT NULL,  -- where the modules lie in memory: sites are addresses
    runs INTEGER NOT NULL,    -- it has done so far
    sum INTEGER NOT NULL,     -- of `state`
    state TEXT NOT NULL,      -- plan/search_memory.c, search/save.c
    UNIQUE (build, input, method, param, mode)
) STRICT;

-- Pairs of statements that a good run had one immediately before the other (hapset.c).
CREATE TABLE predecessor (
    build INTEGER NOT NULL REFERENCES build,
    layout INTEGER NOT NULL,
    pair INTEGER NOT NULL,    -- a hash
    PRIMARY KEY (build, layout, pair)
) STRICT, WITHOUT ROWID;

-- version 4

-- Functions of a program, to see what a later build has changed (version/fingerprint.h).
CREATE TABLE function (
    build INTEGER NOT NULL REFERENCES build,
    start INTEGER NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    hash INTEGER NOT NULL,
    PRIMARY KEY (build, start)
) STRICT, WITHOUT ROWID;

-- version 5

-- The commit that a build was made from, as git names it, if it was tested in a work tree.
ALTER TABLE version ADD COLUMN revision TEXT NOT NULL DEFAULT '';

-- version 6

-- What each kind of run of the default brought (plan/portfolio.h); written once.
CREATE TABLE arm (
    campaign INTEGER NOT NULL REFERENCES campaign,
    name INTEGER NOT NULL REFERENCES name,
    runs INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    news INTEGER NOT NULL,  -- runs that showed something new
    PRIMARY KEY (campaign, name)
) STRICT, WITHOUT ROWID;

-- version 7

-- 1: a run that predicted it had one of its threads wait for the world outside before (predict.h).
ALTER TABLE candidate ADD COLUMN outside INTEGER NOT NULL DEFAULT 0;

-- version 8

-- What the runs of a campaign were not in control of, in words; written once.
CREATE TABLE uncontrolled (
    campaign INTEGER NOT NULL REFERENCES campaign,
    what TEXT NOT NULL,
    PRIMARY KEY (campaign, what)
) STRICT, WITHOUT ROWID;

-- version 9

-- What runs were driven into, to see whether it happens: a race, an access between two others,
-- locks in different orders (campaign/race/tried.h).
CREATE TABLE race (
    id INTEGER PRIMARY KEY,
    build INTEGER NOT NULL REFERENCES build,
    kind INTEGER NOT NULL,
    s0 INTEGER NOT NULL REFERENCES site,
    s1 INTEGER NOT NULL REFERENCES site,
    s2 INTEGER NOT NULL REFERENCES site,
    s3 INTEGER NOT NULL REFERENCES site,
    variable TEXT NOT NULL,    -- its name, '' = none
    UNIQUE (build, kind, s0, s1, s2, s3, variable)
) STRICT;

CREATE TABLE race_try (
    race INTEGER NOT NULL REFERENCES race,
    input INTEGER NOT NULL REFERENCES input,
    doubt INTEGER NOT NULL,    -- how little runs had shown of it: the least it was tried with
    as_named INTEGER NOT NULL, -- runs that asked for the sites in this order,
    turned INTEGER NOT NULL,   -- and in the other
    class INTEGER NOT NULL,    -- 0: not brought about; enum hd_race_class
    result TEXT NOT NULL,      -- of each order, a line each
    finding TEXT NOT NULL,     -- key; '' = it is none
    PRIMARY KEY (race, input)
) STRICT, WITHOUT ROWID;

-- version 10

-- What a cheap run of a suite's input showed (suite/recall.c). Pairs and sites are lists of identities
-- (cover/sites.c: made from build-id and offset, so they mean the same everywhere).
CREATE TABLE profile (
    build INTEGER NOT NULL REFERENCES build,
    setting BLOB NOT NULL,     -- a hash of all that the run depends on
    state INTEGER NOT NULL,    -- enum hd_suite_state
    differs INTEGER NOT NULL,  -- two runs of the same schedule were not the same
    threads INTEGER NOT NULL,
    events INTEGER NOT NULL,
    seconds REAL NOT NULL,
    pairs BLOB NOT NULL,       -- of functions that run at the same time
    sites BLOB NOT NULL,       -- accesses that were executed, each with its function
    PRIMARY KEY (build, setting)
) STRICT, WITHOUT ROWID;

-- version 11

-- Functions that others were inlined into, in pieces (version/piece.c): each of these, and the rest (0).
CREATE TABLE piece (
    build INTEGER NOT NULL REFERENCES build,
    start INTEGER NOT NULL,    -- of the function
    number INTEGER NOT NULL,
    hash INTEGER NOT NULL,
    text INTEGER NOT NULL,     -- hash of its source lines, 0 = not known
    backs BLOB NOT NULL,       -- where its calls return to, from there: 4 bytes each
    PRIMARY KEY (build, start, number)
) STRICT, WITHOUT ROWID;
