import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { addMembership } from '../server/clients/memberships.ts'
import { startServer } from '../server/gateways/start-server.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { readPage, readSteps, root } from './pages.ts'
import { startShell } from './shell.ts'

function readPaste(start: string): string {
  const steps = readSteps(readPage('docs/operate.md'))
  const found = steps.find(step => step.kind === 'paste' && step.text.startsWith(start))
  if (found === undefined) throw new Error(`docs/operate.md has no lines that start with \`${start}\`.`)
  return found.text
}

test('the backup of the page has the last write of a gateway that was killed, and is restored as it says', async () => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  for (const name of ['node_modules', 'package.json', 'src', 'drizzle'])
    symlinkSync(join(root, name), join(folder.path, name))
  const shell = startShell({ cwd: folder.path, env: { PATH: process.env.PATH } })
  onTestFinished(() => shell.end())
  const DATABASE_URL = `sqlite:${join(folder.path, 'data/rostrum.db')}`

  const killed = await startServer({ DATABASE_URL })
  const { id } = await addMembership(killed, { user_id: 7, team_id: 3 })
  await killed.kill()
  expect(existsSync(join(folder.path, 'data/rostrum.db-wal'))).toBe(true)
  expect(await shell.run(readPaste('npm run --silent rostrum -- backup'))).toMatchObject({
    status: 0,
    stdout: 'backup.db\n',
  })

  // What is lost with the disk, and what a store that was made meanwhile leaves there.
  rmSync(join(folder.path, 'data/rostrum.db'))
  const replaced = await startServer({ DATABASE_URL })
  await addMembership(replaced, { user_id: 8, team_id: 3 })
  await replaced.kill()
  expect(await shell.run(readPaste('rm -f data/rostrum.db'))).toMatchObject({ status: 0, stderr: '' })

  const restored = await startServer({ DATABASE_URL })
  onTestFinished(() => void restored.stop())
  const { body } = await restored.graphql('{ teamMembershipEvents { nodes { after { userId } } } }')
  expect(body.data).toEqual({ teamMembershipEvents: { nodes: [{ after: { userId: '7' } }] } })
  expect(id).toBe(1)
})
