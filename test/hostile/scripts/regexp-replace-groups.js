// A replacement that repeats what it found.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
let text = 'xy'
for (;;) text = text.replace(/(?<all>.+)/su, '$<all>$<all>$1$&$`')
