// The run's own token, sent to this gateway by a call with a url: the gateway is not on the list.
// ends: exit
// result: ["rejected","rejected"]
log('before')
const { port } = options.params
const urls = [`http://127.0.0.1:${port}/graphql`, `http://localhost:${port}/graphql`]
exit(await Promise.all(urls.map(url => graphql('{ viewer { accountCode } }', {}, url).then(() => 'reached', () => 'rejected'))))
