// Rejections that nobody handles: the next account's run hears nothing of them.
// ends: RUNTIME
// next: await new Promise(resolve => graphql('{ __typename }').then(resolve)); exit('clean')
// nextResult: "clean"
log('before')
for (let i = 0; i < 100; i++) Promise.reject(new Error(`LEAK ${i}`))
throw new Error('the end')
