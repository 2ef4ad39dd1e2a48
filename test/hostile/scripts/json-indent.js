// A large array as JSON, with room to breathe.
// ends: TIMEOUT MEMORY RUNTIME
log('before')
const zeros = Array(1e6).fill([0])
for (;;) JSON.stringify(zeros, null, '          ')
