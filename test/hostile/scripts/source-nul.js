// NULs, half characters and a byte order mark in source.
// ends: exit
// logs: []
// result: ["\u0000","\ud800","\ufeff"]
// source: '\ufeffexit(["\u0000", "\ud800", "\ufeff"])'
