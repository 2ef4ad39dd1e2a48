import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { startServer } from '../../server/gateways/start-server.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

interface LogLine {
  readonly msg: string
  readonly requestId?: string
}

test('a fault of the store is logged once for each request, at every entry point', async () => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const server = await startServer({ DATABASE_URL: `sqlite:${folder.path}/store.db`, ROSTRUM_SANDBOXES: '1' })
  onTestFinished(async () => void (await server.stop()))
  // The process may write no file past this, so that no change finds room.
  await promisify(execFile)('prlimit', ['--pid', String(server.pid), '--fsize=4096:unlimited'])

  const rest = await server.rest<ProblemBody>('POST', '/platform/team_memberships', {
    body: { team_membership: { user_id: 7, team_id: 3 } },
  })
  const graphql = await server.graphql(
    'mutation { addTeamMembership(input: { userId: 7, teamId: 3 }) { id } }',
  )
  const script = await server.execute({
    sourceCode:
      'exit(await Platform.teamMemberships.add({ user_id: 7, team_id: 3 }).catch(error => error.code))',
  })
  expect([rest.body.code, graphql.body.errors?.[0]?.extensions.code]).toEqual(['UNAVAILABLE', 'UNAVAILABLE'])
  expect(script.body.task_execution.payload).toBe('UNAVAILABLE')

  const answers = [rest, graphql, script]
  const requestIds = answers.map(({ headers }) => headers.get('x-request-id'))
  await expect
    .poll(() => requestIds.every(id => server.stdout().includes(`"requestId":"${id}","account"`)))
    .toBe(true)
  const lines = server
    .stdout()
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as LogLine)
  const faults = lines.filter(({ msg }) => msg === 'the store failed' || msg === 'unexpected error')
  expect(faults.map(({ requestId }) => requestId)).toEqual(requestIds)
})
