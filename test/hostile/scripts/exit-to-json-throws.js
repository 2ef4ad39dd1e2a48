// A result that throws as it is written, and a second try.
// ends: RESULT
// error: no JSON for you
// logs: [["before"]]
log('before')
try {
  exit({
    toJSON() {
      throw new Error('no JSON for you')
    },
  })
} catch {
  log('caught')
} finally {
  exit('second')
}
