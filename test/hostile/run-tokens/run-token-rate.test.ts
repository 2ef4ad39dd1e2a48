import { expect, onTestFinished, test } from 'vitest'
import { startHeldStage } from '../running-scripts/held-runs.ts'

test('a request with the token of a run counts to the credential that started the run', async () => {
  const stage = await startHeldStage({ ROSTRUM_RATE_LIMIT: '4/600' })
  onTestFinished(() => stage.stop())
  const { server, holder } = stage
  const credential = await server.token({ account: 'demo', scopes: ['admin'] })
  const { token, release, answer } = await holder.hold(server, { credential })
  const view = (by: string) => server.rest('GET', '/platform/users/7', { token: by })
  const answers = [await view(token), await view(credential), await view(token), await view(token)]
  expect(answers.map(({ status, headers }) => [status, headers.get('ratelimit')])).toEqual([
    [404, expect.stringContaining('r=2;')],
    [404, expect.stringContaining('r=1;')],
    [404, expect.stringContaining('r=0;')],
    [429, expect.stringContaining('r=0;')],
  ])
  release()
  await answer
})
