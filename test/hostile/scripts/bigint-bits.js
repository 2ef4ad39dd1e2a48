// Bits without end.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
for (let bits = 2 ** 20; ; bits = bits < 2 ** 29 ? bits * 2 : bits) BigInt.asUintN(bits, -1n) | (1n << BigInt(bits))
