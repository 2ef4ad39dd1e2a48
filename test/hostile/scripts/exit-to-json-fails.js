// A result that fails as it is written.
// ends: fail
// message: "from toJSON"
log('before')
exit({ deep: [{ toJSON: () => fail('from toJSON') }] })
