// All of an endless iterator, kept.
// ends: MEMORY TIMEOUT
log('before')
exit(Iterator.from({ next: () => ({ done: false, value: {} }) }).toArray())
