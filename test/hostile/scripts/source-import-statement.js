// An import where there are no modules.
// ends: SYNTAX
// logs: []
// source: 'import fs from "node:fs"\nexit(1)'
