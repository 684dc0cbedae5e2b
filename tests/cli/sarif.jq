# sarif.jq: the part of the SARIF 2.1.0 schema (OASIS, sarif-schema-2.1.0.json) that Heddle's
# output uses: which properties an object may have, which it must, and of what type. Prints
# one line per violation, nothing if there is none.
#   jq -r -f sarif.jq FILE
def fail($at; $why): "\($at): \($why)";
def object($at; $allowed; $required):
    if type != "object" then fail($at; "is no object")
    else (keys - $allowed | .[] | fail($at; "has no property \(.)")),
         ($required - keys | .[] | fail($at; "lacks \(.)")) end;
def text($at): if type != "string" then fail($at; "is no string") else empty end;
def whole($at; $least): if type != "number" or . != floor or . < $least
    then fail($at; "is no integer of at least \($least)") else empty end;
def one_of($at; $words): . as $w | if $words | index($w) then empty else fail($at; "is \($w)") end;
def each($at; f): if type != "array" then fail($at; "is no array") else .[] | f end;
def opt($key; f): if has($key) then .[$key] | f else empty end;
def message($at): object($at; ["text", "markdown", "id", "arguments", "properties"]; ["text"]),
    opt("text"; text("\($at).text"));
def region($at): object($at; ["startLine", "startColumn", "endLine", "endColumn", "charOffset",
        "charLength", "byteOffset", "byteLength", "snippet", "message", "sourceLanguage",
        "properties"]; []),
    (("startLine", "startColumn", "endLine", "endColumn") as $k | opt($k; whole("\($at).\($k)"; 1)));
def location($at): object($at; ["id", "physicalLocation", "logicalLocations", "message",
        "annotations", "relationships", "properties"]; []),
    opt("message"; message("\($at).message")),
    opt("logicalLocations"; each("\($at).logicalLocations";
        object($at; ["name", "index", "fullyQualifiedName", "decoratedName", "parentIndex", "kind",
                     "properties"]; []), opt("fullyQualifiedName"; text($at)))),
    opt("physicalLocation";
        object($at; ["address", "artifactLocation", "region", "contextRegion", "properties"]; []),
        (if has("artifactLocation") or has("address") then empty
         else fail($at; "a physicalLocation needs artifactLocation or address") end),
        opt("artifactLocation"; object($at; ["uri", "uriBaseId", "index", "description",
            "properties"]; []), opt("uri"; text($at),
            (if test("[ <>\"{}|\\\\^`]") then fail($at; "uri is no URI reference: \(.)") else empty end))),
        opt("region"; region("\($at).region")));
def thread_flow($at): object($at; ["id", "message", "initialState", "immutableState", "locations",
        "properties"]; ["locations"]),
    opt("id"; text("\($at).id")),
    (if (.locations | length) == 0 then fail($at; "has no locations") else empty end),
    (.locations | each("\($at).locations";
        object($at; ["index", "location", "stack", "kinds", "taxa", "module", "state",
            "nestingLevel", "executionOrder", "executionTimeUtc", "importance", "webRequest",
            "webResponse", "properties"]; []),
        opt("executionOrder"; whole("\($at).executionOrder"; -1)),
        opt("importance"; one_of($at; ["important", "essential", "unimportant"])),
        opt("location"; location("\($at).location"))));
def result($at): object($at; ["ruleId", "ruleIndex", "rule", "kind", "level", "message",
        "analysisTarget", "locations", "guid", "correlationGuid", "occurrenceCount",
        "partialFingerprints", "fingerprints", "stacks", "codeFlows", "graphs", "graphTraversals",
        "relatedLocations", "suppressions", "baselineState", "rank", "attachments",
        "hostedViewerUri", "workItemUris", "provenance", "fixes", "taxa", "webRequest",
        "webResponse", "properties"]; ["message"]),
    (.message | message("\($at).message")),
    opt("level"; one_of("\($at).level"; ["none", "note", "warning", "error"])),
    opt("ruleIndex"; whole("\($at).ruleIndex"; -1)),
    opt("locations"; each("\($at).locations"; location("\($at).locations"))),
    opt("partialFingerprints"; to_entries[] | .value | text("\($at).partialFingerprints")),
    opt("stacks"; each("\($at).stacks"; object($at; ["message", "frames", "properties"]; ["frames"]),
        opt("message"; message($at)),
        (.frames | each($at; object($at; ["location", "module", "threadId", "parameters",
            "properties"]; []), opt("location"; location($at)))))),
    opt("codeFlows"; each("\($at).codeFlows"; object($at; ["message", "threadFlows", "properties"];
        ["threadFlows"]), (.threadFlows | each($at; thread_flow("\($at).threadFlows")))));
object("log"; ["$schema", "version", "runs", "inlineExternalProperties", "properties"]; ["version", "runs"]),
(.version | one_of("version"; ["2.1.0"])),
(.runs | each("runs"; object("run"; ["tool", "invocations", "conversion", "language",
        "versionControlProvenance", "originalUriBaseIds", "artifacts", "logicalLocations", "graphs",
        "results", "automationDetails", "runAggregates", "baselineGuid", "redactionTokens",
        "defaultEncoding", "defaultSourceLanguage", "newlineSequences", "columnKind",
        "externalPropertyFileReferences", "threadFlowLocations", "taxonomies", "addresses",
        "translations", "policies", "webRequests", "webResponses", "specialLocations",
        "properties"]; ["tool"]),
    (.tool | object("tool"; ["driver", "extensions", "properties"]; ["driver"]),
        (.driver | opt("name"; text("driver.name")), opt("version"; text("driver.version")),
            (if has("name") then empty else fail("driver"; "lacks name") end),
            opt("rules"; each("rules"; object("rule"; ["id", "deprecatedIds", "guid",
                "deprecatedGuids", "name", "deprecatedNames", "shortDescription", "fullDescription",
                "messageStrings", "defaultConfiguration", "helpUri", "help", "relationships",
                "properties"]; ["id"]), opt("shortDescription"; message("rule")))))),
    (.tool.driver.rules // [] | if length == (map(.id) | unique | length) then empty
        else fail("rules"; "two have the same id") end),
    opt("invocations"; each("invocations"; if has("executionSuccessful") then empty
        else fail("invocation"; "lacks executionSuccessful") end)),
    (. as $run | opt("results"; each("results"; result("result"), (. as $r |
        if $r.ruleIndex == null or $run.tool.driver.rules[$r.ruleIndex].id == $r.ruleId then empty
        else fail("result"; "ruleIndex and ruleId disagree") end))))))
