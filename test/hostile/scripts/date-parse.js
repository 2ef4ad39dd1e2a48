// Dates of huge texts.
// ends: TIMEOUT MEMORY
log('before')
const text = `${' '.repeat(5e6)}1 Jan (${'('.repeat(5e6)}`
for (;;) Date.parse(text)
