// An exit that does not wait for a call that hangs.
// ends: exit
// result: "gone"
log('before')
graphql('{ x }', {}, options.params.hanging)
exit('gone')
