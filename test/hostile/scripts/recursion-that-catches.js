// Recursion that catches its own overflow, exponentially.
// ends: TIMEOUT
log('before')
const dive = () => {
  try {
    dive()
  } catch {
    dive()
  }
  dive()
}
for (;;) {
  try {
    dive()
  } catch {}
}
