// A failure message that doubles as it is written.
// ends: MEMORY TIMEOUT RUNTIME LIMIT
log('before')
fail({
  toString() {
    let text = '€'
    for (;;) {
      text += text
      if (text.charCodeAt(1) === 0) return text
    }
  },
})
