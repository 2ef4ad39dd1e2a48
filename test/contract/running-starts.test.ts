import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { findFreePort } from '../server/free-port.ts'
import { addMembership } from '../server/memberships.ts'
import { runCommand } from '../server/spawn-command.ts'
import { startServer } from '../server/start-server.ts'
import { makeTempFolder } from '../server/temp-folder.ts'

const folder = makeTempFolder()
afterAll(() => folder.remove())

async function refusedStart(databaseUrl: string, port?: string) {
  const settings = { DATABASE_URL: databaseUrl, PORT: port ?? String(await findFreePort()) }
  const { code, stderr } = await runCommand([], settings)
  expect(code).toBeGreaterThan(0)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  return stderr
}

describe('starting where something runs already', () => {
  test('a second start on the same file is one line, and the first goes on', async () => {
    const server = await startServer()
    const row = await addMembership(server)
    const line = await refusedStart(server.settings.DATABASE_URL ?? '')
    expect(line).toContain('rostrum.db')
    expect((await server.rest('GET', `/platform/team_memberships/${row.id}`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })

  test('a busy port is one line that names it, and leaves no process', async () => {
    const server = await startServer()
    const port = server.settings.PORT ?? ''
    const line = await refusedStart(`sqlite:${join(folder.path, 'other.db')}`, port)
    expect(line).toContain(port)
    expect(line).toMatch(/PORT/)
    expect((await server.rest('GET', '/health')).status).toBe(200)
    await server.stop()
  })
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

describe('a database file that', () => {
  test.each(damaged)('%s is refused with one line, not a byte changed', async (name, make) => {
    const home = join(folder.path, name.replaceAll(' ', '-'))
    mkdirSync(home)
    const path = join(home, 'rostrum.db')
    make(path)
    const before = readFileSync(path)
    const line = await refusedStart(`sqlite:${path}`)
    expect(line).toContain(path)
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(home).filter(file => /-(wal|journal)$/.test(file))).toEqual([])
  })

  test('is a folder is refused with one line', async () => {
    expect(await refusedStart(`sqlite:${folder.path}`)).toContain(folder.path)
  })

  test('lies where nothing can be written is refused with one line', async () => {
    expect(await refusedStart('sqlite:/proc/rostrum.db')).toContain('/proc/rostrum.db')
  })
})

test('a missing folder is made', async () => {
  const server = await startServer({ DATABASE_URL: `sqlite:${join(folder.path, 'a', 'b', 'rostrum.db')}` })
  expect((await server.rest('GET', '/ready')).status).toBe(200)
  await server.stop()
})
