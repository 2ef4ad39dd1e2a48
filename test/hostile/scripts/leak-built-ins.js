// Built-ins that answer for the script: the next account's are whole.
// ends: exit
// next: exit([JSON.stringify({a:1}), new Date(0).toISOString(), [2,1].sort()[0], Math.random() !== Math.random(), new Intl.NumberFormat().resolvedOptions().locale, Intl.DateTimeFormat().resolvedOptions().timeZone, 'x'.repeat(2), await Promise.resolve(5)])
// nextResult: ["{\"a\":1}","1970-01-01T00:00:00.000Z",1,true,"en-US","UTC","xx",5]
log('before')
JSON.stringify = Math.random = String.prototype.repeat = () => 0.5
Date.prototype.toISOString = Array.prototype.sort = () => 'LEAK'
Intl.NumberFormat = Intl.DateTimeFormat = null
Promise.resolve = () => new Promise(() => {})
exit(1)
