// A buffer that doubles as it is handed on.
// ends: MEMORY TIMEOUT
log('before')
let buffer = new ArrayBuffer(1e6)
for (;;) buffer = buffer.transfer(buffer.byteLength * 2)
