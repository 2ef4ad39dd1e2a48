import { expect, test } from 'vitest'
import { createAuthenticator } from '../../src/credentials/authenticator.ts'
import type { Run } from '../../src/domain/scripts/run.ts'
import type { Store } from '../../src/domain/store.ts'
import { invalidToken } from '../../src/errors.ts'
import { callerOf } from '../scripts/run/start-tasks.ts'

function authenticate(checkLease: () => void) {
  const run = { caller: callerOf('a'), checkLease } as unknown as Run
  const { authenticate } = createAuthenticator({
    store: {} as Store,
    tokenUses: { note: () => undefined, close: async () => undefined },
    findRun: () => run,
    ...{ jwtSecret: null, jwksUrl: null },
  })
  return authenticate('Bearer rrun_x', null)
}

test('the token of a queued run works only as long as its lease', async () => {
  expect(await authenticate(() => undefined)).toMatchObject({ caller: { accountCode: 'a' } })
  const ended = invalidToken('The queued run has ended at this gateway.')
  const refuse = () => {
    throw ended
  }
  await expect(authenticate(refuse)).rejects.toBe(ended)
})
