import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream } from '../../server/gateways/start-upstream.ts'

test('a run that sends nothing for 15 s sends a comment, and goes on', { timeout: 60_000 }, async () => {
  const upstream = await startUpstream((_, response) =>
    setTimeout(() => sendJson(response, { data: 1 }), 16_000),
  )
  const server = await startServer({ ROSTRUM_TASK_TIMEOUT_MS: '30000', ROSTRUM_GRAPHQL_HOSTS: upstream.host })
  onTestFinished(async () => {
    await Promise.all([server.stop(), upstream.close()])
  })
  const sourceCode = `exit(await graphql('{ a }', {}, '${upstream.url}/'))`
  const response = await fetch(`${server.baseUrl}/api/1/endpoint/execute`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.adminToken}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ name: 'slow', sourceCode, inputDocument: '{}', options: '{}' }),
  })
  const blocks = (await response.text()).split('\n\n').filter(block => block !== '')
  expect(blocks.map(block => block.split('\n')[0])).toEqual([
    ':',
    'event: call',
    ':',
    'event: call',
    'event: end',
  ])
})
