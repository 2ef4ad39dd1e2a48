import { expect, test } from 'vitest'
import { sendRequest } from '../../server/clients/send-request.ts'
import { startServer } from '../../server/gateways/start-server.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

test('a run that died with its gateway is lost after the next start', async () => {
  const folder = makeTempFolder()
  const settings = { DATABASE_URL: `sqlite:${folder.path}/rostrum.db`, ROSTRUM_TASK_CPU_MS: '60000' }
  const first = await startServer(settings)
  const { adminToken: token } = first
  const document = '{ runs { edges { node { name state outcome durationMs input } } } }'
  const listed = async (baseUrl: string) => {
    const url = `${baseUrl}/graphql`
    const answer = await sendRequest<{ data: { runs: { edges: { node: unknown }[] } } }>({
      url,
      method: 'POST',
      token,
      body: { query: document },
    })
    return answer.body.data.runs.edges.map(({ node }) => node)
  }
  const cut = first.execute({ name: 'endless', sourceCode: 'for (;;);' }).catch(() => null)
  const running = { name: 'endless', state: 'RUNNING', outcome: null, durationMs: null, input: {} }
  await expect.poll(() => listed(first.baseUrl)).toEqual([running])
  await first.kill()
  await cut
  const second = await startServer(settings)
  await expect.poll(() => listed(second.baseUrl)).toEqual([{ ...running, state: 'LOST' }])
  await second.stop()
  folder.remove()
})
