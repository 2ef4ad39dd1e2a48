// An error that is its own cause and its own list of errors.
// ends: RUNTIME
// error: ^AggregateError: round$
log('before')
const error = new AggregateError([], 'round', {})
error.cause = error
error.errors.push(error)
log(error, [error], { error })
throw error
