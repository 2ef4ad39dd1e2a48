// A line that names an interpreter.
// ends: SYNTAX
// logs: []
// place: 1:1
// source: '#!/usr/bin/env node\nexit(1)'
