// Line separators of Unicode count as lines.
// ends: RUNTIME
// logs: []
// place: 4:7
// source: '//\u2028//\u2029//\r\nthrow new Error("x")'
