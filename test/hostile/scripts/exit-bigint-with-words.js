// BigInts that say how they read, and one that does not.
// ends: RESULT
// error: BigInt, at `\$\.b\[1\]`
log('before')
BigInt.prototype.toJSON = () => 'never asked of the last one'
const given = { a: 1n, b: [2n, 3n] }
delete BigInt.prototype.toJSON
exit({ a: 1, b: [2, given.b[1]] })
