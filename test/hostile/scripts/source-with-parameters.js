// A second body, through a parameter that closes the first.
// ends: exit
// logs: []
// result: "SyntaxError"
// source: 'try { Function("/*", "*/){exit(1)}"); } catch (e) { exit(e.name) }'
