// A prototype of all functions that throws at each touch.
// ends: exit
// result: "still"
// logs: [["before"],["again"]]
log('before')
Object.setPrototypeOf(
  Function.prototype,
  new Proxy(
    {},
    {
      get() {
        throw new Error('touched')
      },
    },
  ),
)
log('again')
exit('still')
