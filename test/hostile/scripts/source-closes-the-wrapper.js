// Source that closes what might be around it, and opens it again.
// ends: SYNTAX
// logs: []
// source: '}); exit("out"); (async function () {'
