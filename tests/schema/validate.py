#!/usr/bin/env python3
"""validate.py SCHEMA FILE...: says where a JSON file breaks a JSON Schema; status 1 if one does."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
validator = jsonschema.Draft7Validator(schema)
bad = False
for name in sys.argv[2:]:
    for error in validator.iter_errors(json.load(open(name, encoding="utf-8"))):
        bad = True
        print(f"{name}: {'/'.join(map(str, error.path))}: {error.message[:300]}")
sys.exit(bad)
