// A reviver that gives its own parent something new to visit.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
JSON.parse('[0,0,0]', function (key, value) {
  if (Array.isArray(this)) this[Number(key) + 1] = { deeper: [0, 0, 0] }
  return value
})
