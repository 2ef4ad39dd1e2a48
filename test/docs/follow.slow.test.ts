import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newestCursor } from '../clients/newest-cursor.ts'
import { addMembership } from '../server/clients/memberships.ts'
import { startServer, type TestServer } from '../server/gateways/start-server.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { readPage, readSteps } from './pages.ts'
import { startShell } from './shell.ts'

type Page = { teamMembershipEvents: { nodes: { cursor: string }[] } }

test('follow.js prints each change once, over a gateway that dies and comes back', async () => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const script = readSteps(readPage('docs/events.md')).find(step => step.kind === 'save')
  writeFileSync(join(folder.path, 'follow.js'), script?.text ?? '')
  const DATABASE_URL = `sqlite:${join(folder.path, 'rostrum.db')}`

  const first = await startServer({ DATABASE_URL })
  const { PORT = '' } = first.settings
  await addMembership(first)
  const before = await newestCursor(first)
  await addMembership(first)
  await addMembership(first)
  const restart = async () => {
    await first.kill()
    const second = await startServer({ DATABASE_URL, PORT })
    onTestFinished(async () => void (await second.stop()))
    await addMembership(second)
    return second
  }

  const shell = startShell({
    cwd: folder.path,
    env: { PATH: process.env.PATH, TOKEN: first.adminToken },
  })
  onTestFinished(() => shell.end())
  let second: Promise<TestServer> | undefined
  const output = await shell.runUntil(`node follow.js ${first.baseUrl} ${before}`, printed => {
    const lines = printed.split('\n').length - 1
    if (lines === 2) second ??= restart()
    return lines > 2
  })
  const printed = output.trim().split('\n')
  const query = 'query ($before: String) { teamMembershipEvents(after: $before) { nodes { cursor } } }'
  const { body } = await ((await second) ?? first).graphql<Page>(query, { before })
  expect(printed.map(line => JSON.parse(line).data.teamMembershipChanged.cursor)).toEqual(
    body.data?.teamMembershipEvents.nodes.map(({ cursor }) => cursor),
  )
  expect(printed).toHaveLength(3)
})
