import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { command } from '../../src/cli/account/backup-command.ts'
import { CliError, exitCodes } from '../../src/cli/frame/cli-error.ts'
import type { CleanUp } from '../../src/cli/frame/command.ts'
import { createTerminal } from '../../src/cli/frame/terminal.ts'
import { shareServer } from '../server/gateways/share-server.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { makeWorkplace } from './spawn-rostrum.ts'

test('a backup that is interrupted during the copy leaves no file', async () => {
  const { settings } = await shareServer()
  const folder = makeTempFolder()
  onTestFinished(folder.remove)
  const cleanUps: CleanUp[] = []
  const ending = new AbortController()
  const backup = command.run({
    args: ['b.db'],
    text: () => undefined,
    isSet: () => false,
    resolve: path => join(folder.path, path),
    environment: settings,
    terminal: createTerminal({}),
    signal: ending.signal,
    endWithReader: () => {},
    atEnd(cleanUp) {
      cleanUps.push(cleanUp)
      return async () => {}
    },
  })
  // The copy has been made by now. A Ctrl-C that comes while SQLite copies arrives in a later turn of the event loop.
  setImmediate(() => ending.abort(new CliError(exitCodes.interrupted, '')))
  await expect(backup).rejects.toMatchObject({ exitCode: 130 })
  for (const cleanUp of cleanUps) await cleanUp()
  expect(readdirSync(folder.path)).toEqual([])
})

test('a backup for which the disk has no room leaves no file', async () => {
  const folder = makeTempFolder()
  onTestFinished(folder.remove)
  const store = new SqliteDatabase(`${folder.path}/store.db`)
  // More than SQLite keeps in memory, so that it has written a part when the disk fails.
  store.exec(`create table rostrum_migrations (bytes);
    insert into rostrum_migrations select zeroblob(1000000) from json_each('[${Array(40).fill(1)}]')`)
  store.close()
  // The kernel refuses larger files, as a full disk does.
  const limited = ['bash', '-c', 'ulimit -f 4096; exec "$0" "$@"']
  const place = await makeWorkplace({ DATABASE_URL: `sqlite:${folder.path}/store.db` }, limited)
  onTestFinished(() => place.remove())
  const { code, stdout, stderr } = await place.run(['backup', 'b.db'])
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toContain('the disk ')
  expect(readdirSync(place.path).filter(name => name.startsWith('b.db'))).toEqual([])
})

test('the help says to remove the log of the store before the copy takes its place, as the docs do', () => {
  expect(command.help).toMatch(/remove the store's `-wal` file.*put the\s+copy in its place/s)
})
