import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { StartError } from '../../../src/errors.ts'
import { silentLog } from '../../scripts/run/start-tasks.ts'
import { addMembership } from '../../server/clients/memberships.ts'
import { startServer } from '../../server/gateways/start-server.ts'
import { findFreePort } from '../../server/processes/free-port.ts'
import { runCommand } from '../../server/processes/spawn-command.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

const folder = makeTempFolder()
afterAll(() => folder.remove())

/** Starts the gateway where it must not start, and gives the one line it leaves. */
async function refusedStart(databaseUrl: string, port?: string) {
  const settings = { DATABASE_URL: databaseUrl, PORT: port ?? String(await findFreePort()) }
  const { code, stderr } = await runCommand([], settings)
  expect(code).toBeGreaterThan(0)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  return stderr
}

/** What the gateway prints if it cannot open this database. */
async function lineOf(databaseUrl: string): Promise<string> {
  const app = await createApp({ config: readConfig({ DATABASE_URL: databaseUrl }), log: silentLog }).catch(
    (error: unknown) => error,
  )
  if (app instanceof StartError) return app.message
  throw new Error('The gateway would start with this database.', { cause: app })
}

test('a gateway that runs already, in a folder that it made, outlives refused starts beside it', async () => {
  const file = join(folder.path, 'a', 'b', 'rostrum.db')
  const server = await startServer({ DATABASE_URL: `sqlite:${file}` })
  const row = await addMembership(server)
  const sameFile = await refusedStart(server.settings.DATABASE_URL ?? '')
  expect(sameFile).toContain(file)
  const port = server.settings.PORT ?? ''
  const samePort = await refusedStart(`sqlite:${join(folder.path, 'other.db')}`, port)
  expect(samePort).toContain(port)
  expect(samePort).toMatch(/PORT/)
  expect((await server.rest('GET', `/platform/team_memberships/${row.id}`)).status).toBe(200)
  expect(await server.stop()).toBe(0)
})

// Files that must be refused with their bytes unchanged.
const damaged: [string, (path: string) => void][] = [
  ['is random bytes', path => writeFileSync(path, randomBytes(100_000))],
  ['is a text', path => writeFileSync(path, 'hello '.repeat(1000))],
  ['has only a header', path => writeFileSync(path, 'SQLite format 3\0'.padEnd(4096, 'x'))],
  [
    'was cut in the middle',
    path => damage(path, bytes => bytes.subarray(0, Math.floor(bytes.length / 2) - 100)),
  ],
  [
    'has a page overwritten',
    path =>
      damage(path, bytes => {
        for (let at = 4096; at < bytes.length; at += 4096) randomBytes(2000).copy(bytes, at)
        return bytes
      }),
  ],
  ['belongs to another application', path => makeOther(path)],
]

// A real database of some rows, then spoilt.
function damage(path: string, spoil: (bytes: Buffer) => Buffer): void {
  const database = new Database(path)
  database.exec('create table accounts (account_code text primary key, created_at integer)')
  const insert = database.prepare('insert into accounts values (?, ?)')
  database.transaction(() => {
    for (let row = 0; row < 2000; row += 1) insert.run(`account-${row}-${'x'.repeat(40)}`, row)
  })()
  database.close()
  writeFileSync(path, spoil(readFileSync(path)))
}

function makeOther(path: string): void {
  const database = new Database(path)
  database.exec('create table cookies (name text, value text); insert into cookies values (1, 2)')
  database.close()
}

function makeDamaged(name: string, make: (path: string) => void) {
  const home = join(folder.path, name.replaceAll(' ', '-'))
  mkdirSync(home)
  const path = join(home, 'rostrum.db')
  make(path)
  const before = readFileSync(path)
  return {
    path,
    expectUnchanged() {
      expect(readFileSync(path).equals(before)).toBe(true)
      expect(readdirSync(home).filter(file => /-(wal|journal)$/.test(file))).toEqual([])
    },
  }
}

describe('a database file that', () => {
  test.each(damaged)('%s is refused with one line, not a byte changed', async (name, make) => {
    const { path, expectUnchanged } = makeDamaged(name, make)
    const line = await lineOf(`sqlite:${path}`)
    expect(line).toContain(path)
    expect(line).not.toContain('\n')
    expectUnchanged()
  })

  // Every refusal of a database ends the command in the same way.
  test('cannot be opened ends the command with that line alone', async () => {
    const { path, expectUnchanged } = makeDamaged('ends the command', makeOther)
    expect(await refusedStart(`sqlite:${path}`)).toBe(`${await lineOf(`sqlite:${path}`)}\n`)
    expectUnchanged()
  })

  test('is a folder is refused with one line', async () => {
    expect(await lineOf(`sqlite:${folder.path}`)).toMatch(new RegExp(`^.*${folder.path}.*$`))
  })

  test('lies where nothing can be written is refused with one line', async () => {
    expect(await lineOf('sqlite:/proc/rostrum.db')).toMatch(/^.*\/proc\/rostrum\.db.*$/)
  })
})
