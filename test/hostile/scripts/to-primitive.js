// A value that takes forever to become a number.
// ends: TIMEOUT
log('before')
const slow = {
  [Symbol.toPrimitive]() {
    for (;;);
  },
}
exit('x'.repeat(slow))
