// An answer whose promise is resolved with the script's own `then` in the way.
// ends: exit
// result: "forged"
// logs: [["before"],["then of","object"]]
log('before')
Object.prototype.then = function (resolve) {
  delete Object.prototype.then
  log('then of', typeof this.data)
  resolve('forged')
}
exit(await graphql('{ __typename }'))
