import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeWorkplace, useSignedIn } from '../spawn-rostrum.ts'

const { server, place } = useSignedIn()
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0

const save = (sourceCode: string) =>
  server.graphql('mutation ($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    input: { name: 'f', sourceCode },
  })

test('pull keeps the mode of a file', async () => {
  await save('exit(1)')
  await place.runHere(['pull'])
  const file = join(place.path, 'functions/_/f.js')
  chmodSync(file, 0o666)
  await save('exit(2)')
  expect((await place.runHere(['pull'])).code).toBe(0)
  expect(statSync(file).mode & 0o777).toBe(0o666)
})

test.skipIf(!hasPrlimit)(
  'a pull that has no room for a source leaves the old file whole, and no part of a new one',
  async () => {
    const settings = { ROSTRUM_URL: server.baseUrl, ROSTRUM_TOKEN: server.adminToken }
    const full = await makeWorkplace(settings, ['prlimit', '--fsize=4096:unlimited'])
    onTestFinished(full.remove)
    await save('exit(1)')
    expect((await full.runHere(['pull'])).code).toBe(0)
    await save(`// ${'x'.repeat(9_000)}`)
    expect(await full.run(['pull'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('functions/_/f.js'),
    })
    expect(await full.read('functions/_/f.js')).toBe('exit(1)')
    expect((await full.run(['pull', '--dir', 'new'])).code).toBe(64)
    expect(readdirSync(join(full.path, 'new/functions/_'))).toEqual([])
  },
)
