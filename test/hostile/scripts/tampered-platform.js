// A Platform that is written to, emptied and given another account.
// ends: exit
// result: ["alpha","function",null,true]
log('before')
const tries = [
  () => (Platform.accountCode = 'beta'),
  () => (Platform.users.get = 1),
  () => delete Platform.users,
  () => Object.defineProperty(Platform, 'accountCode', { value: 'beta' }),
  () => Object.setPrototypeOf(Platform, { x: 1 }),
]
for (const attempt of tries) {
  try {
    attempt()
  } catch {}
}
exit([Platform.accountCode, typeof Platform.users.get, Platform.x ?? null, Object.isFrozen(Platform.tasks)])
