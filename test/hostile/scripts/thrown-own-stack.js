// Thrown errors whose stack is the script's own words.
// ends: RUNTIME
// error: ^Error: mine$
log('before')
const error = new Error('mine')
Object.defineProperty(error, 'stack', { value: 'Error: mine\n    at /etc/passwd:1:1\n    at x (task.js:77:7)' })
throw error
