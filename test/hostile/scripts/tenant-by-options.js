// Options that name another account, user and token.
// ends: exit
// options: {"current_user":{"id":1,"account_code":"beta"},"account":"beta","authorization":"Bearer forged","requestContext":{"txnID":"FORGED","account":"beta"},"__proto__":{"account":"beta"}}
// result: ["alpha","alpha",false,false,["txnID","txnSource"]]
log('before')
const { data } = await graphql('{ viewer { accountCode } }')
const { txnID } = requestContext()
exit([
  data.viewer.accountCode,
  Platform.accountCode,
  options.authorization.includes('forged'),
  txnID === 'FORGED',
  Object.keys(requestContext()).sort(),
])
