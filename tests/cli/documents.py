"""Compares documents in JSON with the schemas of docs/schema, and prints what does not fit.

usage: documents.py SCHEMAS [--changed] FILE...

A file has any number of documents, one after the other. What each is follows from its members: a program
description, a report in SARIF, else one of output.json. Of a dump's manifest the JSON files that it names are
looked at, too.

--changed prints what fits though it should not: any object with a member more, any member of another type.
"""
import json
import pathlib
import re
import sys

import jsonschema


class Schemas:
    def __init__(self, folder):
        self.program = json.loads((folder / "program.json").read_text())
        self.output = json.loads((folder / "output.json").read_text())
        self.sarif = json.loads((folder / "sarif.json").read_text())
        for schema in (self.program, self.output, self.sarif):
            jsonschema.Draft202012Validator.check_schema(schema)

    def definition(self, name):
        """One of output.json's; its definition alone, so that an error names the member and not all of oneOf."""
        return {"$ref": f"#/$defs/{name}", "$defs": self.output["$defs"]}

    def of(self, document):
        if not isinstance(document, dict):
            return self.output
        if "grid" in document:
            return self.program
        if "$schema" in document:
            return self.sarif
        name = ("error" if document.get("outcome") == "error" else "dump_manifest" if "format" in document
                else "summary" if "pid" in document else "trace_event" if "cycle" in document else document.get("command"))
        return self.definition(name) if name in self.output["$defs"] else self.output


def problem(schema, document):
    """What does not fit, in a line; None: all does."""
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(document))
    return error and f"{'/'.join(map(str, error.absolute_path)) or 'the document'}: {error.message[:300]}"


def documents(text):
    text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or " ", text, flags=re.S)
    decoder, text, at = json.JSONDecoder(), text.strip(), 0
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        yield document
        at = re.compile(r"\s*").match(text, at).end()


def parts_of(manifest, folder):
    for tile in manifest["tiles"]:
        for name, part in tile["parts"].items():
            if part.get("file", "").endswith(".json"):
                yield "dump_buffers" if name == "circular_buffers" else "dump_fields", folder / part["file"]


def check(schemas, path):
    count = 0
    for document in documents(path.read_text()):
        count += 1
        yield problem(schemas.of(document), document)
        if isinstance(document, dict) and document.get("format") == "penrose-dump":
            for name, file in parts_of(document, path.resolve().parent):
                reason = problem(schemas.definition(name), json.loads(file.read_text()))
                yield reason and f"{file.name}: {reason}"
    if count == 0:
        yield "it is empty"


def changes(document, at=()):
    """All documents with one change, and where that is."""
    members = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in list(members):
        for where, change in changes(value, (*at, key)):
            document[key] = change
            yield where, document
        document[key] = value
    if isinstance(document, dict):
        yield at, {**document, "another": 0}
    else:
        yield at, {"another": 0}


def check_changes(schemas, path):
    for document in documents(path.read_text()):
        validator = jsonschema.Draft202012Validator(schemas.of(document))
        for where, change in changes(document):
            if validator.is_valid(change):
                yield f"fits with a change of {'/'.join(map(str, where)) or 'the document'}"


def main(folder, *paths):
    schemas, checked = Schemas(pathlib.Path(folder)), check
    if paths[0] == "--changed":
        checked, paths = check_changes, paths[1:]
    for path in map(pathlib.Path, paths):
        try:
            for reason in filter(None, checked(schemas, path)):
                print(f"{path.name}: {reason}")
        except ValueError as error:
            print(f"{path.name}: no JSON: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
