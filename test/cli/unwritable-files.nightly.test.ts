import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import type { CommandOutput } from '../server/processes/spawn-command.ts'
import { canRunWithoutOverride, makeWorkplace, type Workplace, withoutOverride } from './spawn-rostrum.ts'

const testOfModes = test.skipIf(!canRunWithoutOverride())

let server: SharedServer
let place: Workplace
beforeEach(async () => {
  server = await shareServer()
  place = await makeWorkplace(
    { ROSTRUM_URL: server.baseUrl, ROSTRUM_TOKEN: server.adminToken },
    withoutOverride,
  )
})
afterEach(() => {
  for (const name of ['.', 'functions', 'functions/_']) if (existsSync(at(name))) chmodSync(at(name), 0o755)
  place.remove()
})

const at = (name: string): string => join(place.path, name)
const forbidWrites = (name: string): void => chmodSync(at(name), statSync(at(name)).isFile() ? 0o444 : 0o555)
const save = (name: string, sourceCode: string) =>
  server.graphql('mutation ($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    input: { name, sourceCode },
  })
const listNames = async () => (await server.graphql('{ functions { nodes { name } } }')).body.data
const refused = (said: string): CommandOutput => ({ code: 64, stdout: '', stderr: `${said}\n` })

testOfModes(
  'push into a folder whose lock cannot be written saves nothing, and the next push saves all',
  async () => {
    await place.write('functions/_/a.js', 'exit(1)')
    forbidWrites('.')
    const { code, stderr } = await place.run(['push', '--yes'])
    expect({ code, stderr }).toEqual({
      code: 64,
      stderr: `Cannot write \`${at('rostrum.lock')}\`: this user may not write there. Nothing was pushed.\n`,
    })
    expect(await listNames()).toEqual({ functions: { nodes: [] } })
    expect((await place.run(['push', '--dry-run'])).code).toBe(0)
    chmodSync(place.path, 0o755)
    expect((await place.run(['push', '--yes'])).code).toBe(0)
    expect(readdirSync(place.path).filter(name => name.startsWith('rostrum.lock'))).toEqual(['rostrum.lock'])
    await place.write('functions/_/a.js', 'exit(2)')
    expect((await place.run(['push', '--yes'])).code).toBe(0)
  },
)

testOfModes('push of what is live already names a lock that cannot be written', async () => {
  await place.write('functions/_/a.js', 'exit(1)')
  await save('a', 'exit(1)')
  forbidWrites('.')
  const { code, stderr } = await place.run(['push'])
  expect(code).toBe(64)
  expect(stderr.split('\n').at(-2)).toBe(
    `Cannot write \`${at('rostrum.lock')}\`: this user may not write there.`,
  )
})

testOfModes('pull names a lock, a file or a folder that it cannot write', async () => {
  await save('a', 'exit(1)')
  const noLock = `Cannot write \`${at('rostrum.lock')}\`: this user may not write there.`
  await place.write('functions/_/b.js', 'exit(1)')
  forbidWrites('.')
  expect(await place.run(['pull'])).toEqual(refused(noLock))
  expect(existsSync(at('functions/_/a.js'))).toBe(false)
  expect(await place.run(['pull', '--dir', 'new/er'])).toEqual(
    refused(`Cannot make the folder \`${at('new')}\`: this user may not write there.`),
  )
  chmodSync(place.path, 0o755)
  mkdirSync(at('functions/_/a.js'))
  expect(await place.run(['pull'])).toEqual(
    refused(`Cannot write \`${at('functions/_/a.js')}\`: it is a folder.`),
  )
  await place.write('occupied/functions', '')
  expect(await place.run(['pull', '--dir', 'occupied'])).toEqual(
    refused(`Cannot make the folder \`${at('occupied/functions')}\`: there is a file in its place.`),
  )
})

testOfModes(
  'pull names a file that it cannot delete or read, and succeeds if there is nothing to write',
  async () => {
    await save('a', 'exit(1)')
    await save('b', 'exit(1)')
    expect((await place.run(['pull', '--dir', 'new/er'])).stdout).toBe('functions/_/a.js\nfunctions/_/b.js\n')
    await place.run(['pull'])
    forbidWrites('functions/_')
    forbidWrites('.')
    expect((await place.run(['pull'])).code).toBe(0)
    chmodSync(place.path, 0o755)
    await server.rest('DELETE', '/platform/functions/b')
    expect(await place.run(['pull'])).toEqual(
      refused(`Cannot delete \`${at('functions/_/b.js')}\`: this user may not write there.`),
    )
    chmodSync(at('functions/_/a.js'), 0)
    for (const command of ['pull', 'push'])
      expect(await place.run([command])).toEqual(
        refused(`Cannot read \`${at('functions/_/a.js')}\`: this user may not read it.`),
      )
  },
)

test.skipIf(!existsSync('/proc/self'))(
  'a folder that cannot be made in /proc ends pull and login',
  async () => {
    await save('a', 'exit(1)')
    const said = 'Cannot make the folder `/proc/nope`: nothing can be created there.'
    expect(await place.run(['pull', '--dir', '/proc/nope/deeper'])).toEqual(refused(said))
    const homeless = await makeWorkplace({ HOME: '/proc/nope' })
    const token = `${server.adminToken}\n`
    expect(await homeless.run(['login', '--url', server.baseUrl], token)).toEqual(refused(said))
    homeless.remove()
  },
)

testOfModes('login names a file or folder that it cannot make, write or read', async () => {
  const login = () => place.run(['login', '--url', server.baseUrl], `${server.adminToken}\n`)
  forbidWrites('.')
  expect(await login()).toEqual(
    refused(`Cannot make the folder \`${at('.config')}\`: this user may not write there.`),
  )
  chmodSync(place.path, 0o755)
  await place.write('.config', '')
  expect(await login()).toEqual(
    refused(`Cannot make the folder \`${at('.config')}\`: there is a file in its place.`),
  )
  const kept = at('other/rostrum/credentials.json')
  const other = await makeWorkplace({ XDG_CONFIG_HOME: at('other') }, withoutOverride)
  mkdirSync(kept, { recursive: true })
  const token = `${server.adminToken}\n`
  expect(await other.run(['login', '--url', server.baseUrl], token)).toEqual(
    refused(`Cannot read \`${kept}\`: it is a folder.`),
  )
  other.remove()
})

testOfModes('backup names a store that it may not read', async () => {
  await place.write('store.db', 'of another user')
  chmodSync(at('store.db'), 0)
  const other = await makeWorkplace({ DATABASE_URL: `sqlite:${at('store.db')}` }, withoutOverride)
  const said = `The database \`${at('store.db')}\` cannot be read: \`${at('store.db')}\`: permission denied.`
  expect(await other.run(['backup', 'b.db'])).toEqual(refused(said))
  other.remove()
})

testOfModes.each(['spec', 'tap', 'junit'])(
  'test --update names a case that it cannot write, as %s',
  async reporter => {
    await place.write('functions/a.js', 'exit(1)')
    const text = '{"script":"../functions/a.js"}'
    await place.write('cases/a.json', text)
    forbidWrites('cases/a.json')
    const { code, stderr } = await place.run(['test', '--update', '--reporter', reporter])
    expect({ code, stderr }).toEqual({
      code: 64,
      stderr: `Cannot write \`${at('cases/a.json')}\`: this user may not write there.\n`,
    })
    expect(await place.read('cases/a.json')).toBe(text)
  },
)

testOfModes(
  'pull that fails half way keeps in the lock what it wrote, and the next one is no conflict',
  async () => {
    for (const name of ['a', 'b']) await save(name, 'exit(1)')
    expect((await place.run(['pull'])).code).toBe(0)
    for (const name of ['a', 'b']) await save(name, 'exit(2)')
    forbidWrites('functions/_/b.js')
    const failed = await place.run(['pull'])
    expect({ code: failed.code, stdout: failed.stdout }).toEqual({ code: 64, stdout: 'functions/_/a.js\n' })
    await save('a', 'exit(3)')
    chmodSync(at('functions/_/b.js'), 0o644)
    expect(await place.run(['pull'])).toMatchObject({ code: 0, stderr: '' })
    expect(await place.read('functions/_/a.js')).toBe('exit(3)')
  },
)

testOfModes('backup of a store in a folder where nothing can be written says what to do', async () => {
  mkdirSync(at('snapshot'))
  const store = at('snapshot/store.db')
  await (await openStore({ url: `sqlite:${store}` })).close()
  await place.write('snapshot/other.db', 'no database'.repeat(100))
  chmodSync(store, 0o444)
  forbidWrites('snapshot')
  const backUp = async (path: string): Promise<CommandOutput> => {
    const other = await makeWorkplace({ DATABASE_URL: `sqlite:${path}` }, withoutOverride)
    onTestFinished(other.remove)
    return other.run(['backup', 'copy.db'])
  }
  expect(await backUp(store)).toEqual(
    refused(
      `The database \`${store}\` cannot be copied: nothing can be written in its folder \`${at('snapshot')}\`, and ` +
        'SQLite makes a log there. Copy the store and its `-wal` to a folder where you can, and name that copy in ' +
        'DATABASE_URL.',
    ),
  )
  expect(await backUp(at('snapshot/other.db'))).toEqual(
    refused(`The database \`${at('snapshot/other.db')}\` cannot be copied: it is not a SQLite database.`),
  )
  chmodSync(at('snapshot'), 0o755)
})
