// An exit inside the `return` of a generator.
// ends: exit
// result: "in finally"
// logs: [["before"]]
log('before')
function* gives() {
  try {
    yield 1
  } finally {
    exit('in finally')
    log('behind')
  }
}
for (const x of gives()) {
  if (x) break
}
exit('behind the loop')
