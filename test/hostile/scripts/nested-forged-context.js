// A nested run that asks for another account's rights, token and transaction.
// ends: exit
// result: ["refused","refused"]
log('before')
const forged = { current_user: { account_code: 'beta' }, authorization: 'Bearer x', account: 'beta', depth: -5, parentRun: null }
const task = { name: 'n', sourceCode: 'exit(Platform.accountCode)', inputDocument: {}, options: forged, metadata: { account_nickname: 'beta' } }
const tries = [Platform.tasks.execute(task), Platform.tasks.execute({ ...task, sourceCode: `await Platform.tasks.execute(${JSON.stringify(task)})` })]
exit(await Promise.all(tries.map(attempt => attempt.then(run => run.payload, () => 'refused'))))
