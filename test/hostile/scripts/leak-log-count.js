// A log and a count of calls that are used up: the next account's are whole.
// ends: exit
// next: for (let i = 0; i < 100; i++) await graphql('{ __typename }'); log('mine'); exit(await graphql('{ __typename }').catch(e => e.message.includes('100')))
// nextResult: true
log('before')
for (let i = 0; i < 1_100; i++) log(i)
for (let i = 0; i < 110; i++) await graphql('{ __typename }').catch(() => {})
exit(1)
