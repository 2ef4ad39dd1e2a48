// Runs inside a run, fifty at once, where there is one sandbox: each is refused, none waits for its parent.
// ends: exit
// result: {"refused":50}
log('before')
const task = { name: 'nested', sourceCode: 'exit(1)', inputDocument: {} }
const fates = await Promise.all(Array.from({ length: 50 }, () => Platform.tasks.execute(task).then(() => 'ran', () => 'refused')))
exit(Object.fromEntries(Object.entries(Object.groupBy(fates, fate => fate)).map(([fate, all]) => [fate, all.length])))
