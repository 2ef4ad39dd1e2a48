// An exit where no stack is left, tried again at each level on the way back.
// ends: exit
// logs: [["before"]]
log('before')
const dive = depth => {
  try {
    dive(depth + 1)
  } catch {}
  exit({ isDeep: depth > 0 })
  log('behind')
}
dive(0)
