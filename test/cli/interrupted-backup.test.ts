import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { command } from '../../src/cli/account/backup-command.ts'
import { CliError, exitCodes } from '../../src/cli/frame/cli-error.ts'
import type { CleanUp } from '../../src/cli/frame/command.ts'
import { createTerminal } from '../../src/cli/frame/terminal.ts'
import { shareServer } from '../server/gateways/share-server.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

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
