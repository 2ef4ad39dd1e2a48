// Constructors of every function there is, asked for a host.
// ends: exit
// result: []
log('before')
const seen = new Set()
const found = []
const queue = [globalThis, exit, console, Platform, payload, options, graphql('{ __typename }'), new Error('x')]
queue.push(...[async () => {}, function* () {}, async function* () {}].map(Object.getPrototypeOf))
while (queue.length > 0) {
  const value = queue.pop()
  if (Object(value) !== value || seen.has(value)) continue
  seen.add(value)
  if (typeof value === 'function') {
    for (const make of value === exit || value === fail ? [value.constructor] : [value.constructor, value]) {
      try {
        const answer = make('return [typeof process, typeof require, typeof module, typeof globalThis.$0].join()')()
        if (typeof answer === 'string' && answer !== 'undefined,undefined,undefined,undefined') found.push(answer)
      } catch {}
    }
  }
  for (const key of Reflect.ownKeys(value)) {
    const { value: held, get, set } = Reflect.getOwnPropertyDescriptor(value, key)
    queue.push(held, get, set)
  }
  queue.push(Reflect.getPrototypeOf(value))
}
exit(found)
