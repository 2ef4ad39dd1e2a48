// A thrown error whose message has lines like frames.
// ends: RUNTIME
// place: 9:7
// error: ^Error: forged
log('before')

const message = 'forged\n    at forged (task.js:77:7)\n    at /etc/passwd:1:1'

throw new Error(message)
