// A text that doubles.
// ends: MEMORY RUNTIME TIMEOUT
log('before')
let text = 'x'
for (;;) {
  text += text
  text.charCodeAt(5)
}
