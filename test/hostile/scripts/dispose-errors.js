// A chain of a thousand suppressed errors.
// ends: RUNTIME
// error: SuppressedError|Error
log('before')
const stack = new DisposableStack()
for (let i = 0; i < 1000; i++) {
  stack.defer(() => {
    throw new Error(`e${i}`)
  })
}
stack.dispose()
