// A global object whose prototype answers everything, and never.
// ends: exit
// result: "still"
log('before')
const endless = () => {
  for (;;);
}
Object.setPrototypeOf(globalThis, new Proxy({}, { has: endless, get: endless, set: endless }))
exit('still')
