// A species that gives back an array of the past, and one of the wrong kind.
// ends: exit
// result: "survived"
log('before')
class Odd extends Array {
  static get [Symbol.species]() {
    return function () {
      return new Proxy(new Uint8Array(4), { defineProperty: () => true, set: () => true })
    }
  }
}
const odd = Odd.from({ length: 100 }, (_, i) => i)
odd.map(x => x)
odd.filter(() => true)
odd.splice(1, 50)
odd.slice(2)
odd.concat([1, [2]])
odd.flat()
exit('survived')
