// A rope of many texts, made flat.
// ends: MEMORY TIMEOUT RUNTIME
log('before')
const kept = []
for (;;) {
  let rope = '€'
  while (rope.length < 2 ** 24) rope += rope
  kept.push(rope, rope.at(2 ** 23), `${rope}x`.toLowerCase())
}
