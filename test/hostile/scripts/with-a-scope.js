// A scope that catches every name, the script's way out among them: the script alone is the fool.
// ends: NO_OUTCOME
log('before')
with (new Proxy({}, { has: () => true, get: () => () => 'forged' })) {
  exit('never')
}
