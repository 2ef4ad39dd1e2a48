// Results of every odd kind that JSON has a word for.
// ends: exit
// result: ["1970-01-01T00:00:00.000Z",null,1,"s",true,{},0,null,null,[null,null,1],{"own":1},{"__proto__":1},{}]
log('before')
const bare = Object.assign(Object.create(null), { own: 1 })
exit([
  new Date(0),
  new Date(Number.NaN),
  Object(1),
  Object('s'),
  Object(true),
  /x/dgv,
  -0,
  Number.POSITIVE_INFINITY,
  undefined,
  [, , 1],
  bare,
  { ['__proto__']: 1 },
  Object(Symbol('s')),
])
