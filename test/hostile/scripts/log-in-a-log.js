// Log data that logs as it is written, without end.
// ends: exit TIMEOUT MEMORY
log('before')
let depth = 0
const again = {
  get x() {
    depth++
    log(again)
    return 1
  },
}
log(again)
exit(1)
