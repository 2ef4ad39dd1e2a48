// Joining an array each of whose elements joins it again.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
const round = [{ toString: () => round.map(String).join() }, { toString: () => [...round].join() }]
for (;;) {
  try {
    String(round)
  } catch {}
}
