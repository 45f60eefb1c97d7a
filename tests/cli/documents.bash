# Documents in JSON against docs/schema. Sourced.

# Python with its package jsonschema; empty: there is none.
schema_python=
for candidate in python3 /usr/bin/python3; do # the second one has Debian's packages
    [ -n "$schema_python" ] || ! "$candidate" -c 'import jsonschema' 2>/dev/null || schema_python=$candidate
done

# documents_fit FILE...: prints the documents in the files that do not fit docs/schema, and why. Without
# jsonschema it prints nothing; tests/cli/schema.sh reports SKIP then.
documents_fit() {
    [ -z "$schema_python" ] || PYTHONDONTWRITEBYTECODE=1 "$schema_python" \
        "$srcdir/tests/cli/documents.py" "$srcdir/docs/schema" "$@" 2>&1
}
