// Work of every kind that is still pending: nothing of it happens in the next account's run.
// ends: exit
// next: await graphql('{ __typename }'); await null; log('mine'); exit(await graphql('{ viewer { accountCode } }'))
// nextResult: {"data":{"viewer":{"accountCode":"beta"}}}
log('before')
const again = () => Promise.resolve().then(again)
for (let i = 0; i < 50; i++) graphql('{ __typename }').then(() => exit('LEAK'), again)
Promise.reject(new Error('LEAK'))
graphql('{ x }', {}, options.params.hanging).finally(() => fail('LEAK'))
again()
exit(1)
