// An exit in a getter of what another exit carries: the one that is complete first wins, and the rest never runs.
// ends: exit
// result: "inner"
// logs: [["before"]]
log('before')
exit({
  get a() {
    try {
      exit('inner')
    } finally {
      log('finally')
    }
    return log('returned')
  },
})
log('after')
