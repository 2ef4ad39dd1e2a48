// A comparator that never answers.
// ends: TIMEOUT
log('before')
Array.from({ length: 1e4 }, (_, i) => i).sort(() => {
  for (;;);
})
