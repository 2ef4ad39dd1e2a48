// A failure message that has no prototype to say how it reads.
// ends: fail
// message: "{\"odd\":[1],\"even\":[2]}"
log('before')
fail(Object.groupBy([1, 2], x => (x % 2 ? 'odd' : 'even')))
