// The callers of the script, through `arguments`, `caller` and the stack.
// ends: exit
// result: ["TypeError",true,true]
log('before')
let callee = 'reached'
try {
  callee = arguments.callee.caller
} catch (error) {
  callee = error.name
}
function sloppy() {
  return sloppy.caller
}
const callers = [[1].map(sloppy)[0], JSON.parse('1', sloppy), Reflect.apply(sloppy, null, [])]
const harmless = caller => caller === null || String(caller) === 'async function () { [native code] }'
exit([callee, callers.every(harmless), this === globalThis])
