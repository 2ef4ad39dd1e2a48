// A reviver that never comes back.
// ends: TIMEOUT
log('before')
JSON.parse('[1]', () => {
  for (;;);
})
