// Joining an array whose every element joins it anew.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
const round = [{ toString: () => round.map(String).join() }, { toString: () => [...round].join() }]
for (;;) {
  try {
    String(round)
  } catch {}
}
