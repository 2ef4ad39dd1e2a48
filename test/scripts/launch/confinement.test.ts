import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { confine } from '../../../src/scripts/launch/confinement.ts'
import { makeTempFolder, type TempFolder } from '../../server/processes/temp-folder.ts'
import { startTasks } from '../run/start-tasks.ts'

const path = process.env.PATH ?? ''
const folders: TempFolder[] = []

afterEach(() => {
  process.env.PATH = path
  for (const folder of folders.splice(0)) folder.remove()
})

// A PATH with only a shell and the given tools, as on small systems.
function searchOnly(tools: Record<string, string>): string {
  const folder = makeTempFolder()
  folders.push(folder)
  symlinkSync('/bin/sh', join(folder.path, 'sh'))
  for (const [name, text] of Object.entries(tools)) {
    writeFileSync(join(folder.path, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder.path, name), 0o755)
  }
  process.env.PATH = folder.path
  return folder.path
}

const none = { memoryMb: 64, files: [] }
const wordsOf = (files: readonly string[] = []) =>
  confine({ ...none, files }).map(word => word.split('/').at(-1))

describe.skipIf(process.platform !== 'linux')('the confinement of a sandbox', () => {
  test('uses tools that were tried', () => {
    const passOn = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'
    searchOnly({ setpriv: passOn, unshare: passOn })
    expect(wordsOf().filter(word => /^(setpriv|unshare|sh)$/.test(word ?? ''))).toEqual([
      'unshare',
      'setpriv',
      'sh',
    ])
  })

  test.each([
    ['unshare that is forbidden', { unshare: 'exit 1' }],
    ['setpriv that knows less', { setpriv: 'echo "unrecognized option: pdeathsig" >&2; exit 1' }],
    ['any tool', {}],
  ])('works without %s', async (_, tools) => {
    searchOnly(tools)
    const guard = wordsOf()
    expect(guard.filter(word => /^(setpriv|unshare)$/.test(word ?? ''))).toEqual([])
    expect(guard[0]).toBe('sh')
    const { run, runner } = await startTasks()
    expect((await run('exit(1)')).payload).toBe(1)
    await runner.close()
  })

  test('is not used if the sandbox could not read its own files', () => {
    searchOnly({ unshare: 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"' })
    expect(wordsOf(['/bin/sh'])[0]).toBe('unshare')
    expect(wordsOf(['/bin/sh', '/nowhere'])[0]).toBe('sh')
  })
})
