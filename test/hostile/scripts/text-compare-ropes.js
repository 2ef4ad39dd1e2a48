// Ropes that are made flat to be compared.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
let [left, right] = ['x', 'x']
for (let i = 0; ; i = (i + 1) % 24) {
  if (i === 0) [left, right] = ['x', 'x']
  left += left
  right += right
  if (`${left}a` < `${right}b` && left.charCodeAt(7) === 0) exit('never')
}
