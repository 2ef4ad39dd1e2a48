// Dropping all of an endless iterator.
// ends: TIMEOUT
log('before')
exit(Iterator.from({ next: () => ({ done: false, value: 0 }) }).drop(Infinity).next())
