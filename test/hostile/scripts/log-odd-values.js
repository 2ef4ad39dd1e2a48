// Log data of every kind that JSON has no word for.
// ends: exit
// logs: [["1n","Symbol(s)","[function]",null,null,[null,"2n"],{"a":"[circular]"},{"deep":"Symbol(t)"}],["[cannot be logged: Error: no]","[cannot be logged: TypeError: Cannot perform 'get' on a proxy that has been revoked]"]]
const round = {}
round.a = round
log(1n, Symbol('s'), () => 1, undefined, Number.NaN, [undefined, 2n], round, { deep: Symbol('t'), none: undefined })
const { proxy, revoke } = Proxy.revocable({}, {})
revoke()
const throws = {
  get x() {
    throw new Error('no')
  },
}
log(throws, proxy)
exit(1)
