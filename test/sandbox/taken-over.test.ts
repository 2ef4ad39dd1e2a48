import { createSocket, type Socket } from 'node:dgram'
import { readFileSync, writeFileSync } from 'node:fs'
import { builtinModules, createRequire } from 'node:module'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import {
  type Attempt,
  confined,
  lockedOnly,
  reaching,
  reading,
  starting,
  tampering,
  writing,
} from './attempts.ts'
import {
  attackBehindFlags,
  attackBehindKernel,
  attackFromInside,
  type Facts,
  guard,
  unexpected,
} from './taken-over.ts'

const secret = 'the-secret-of-another-account'
const needed = new Set(['crypto', 'fs', 'string_decoder', 'timers/promises'])
const folder = makeTempFolder()
const touched: string[] = []
let servers: Server[]
let datagrams: Socket
let facts: Facts

beforeAll(async () => {
  process.env.ROSTRUM_ADMIN_TOKEN = secret
  const database = join(folder.path, 'rostrum.db')
  writeFileSync(database, secret)
  const socket = join(folder.path, 'socket')
  const listener = (name: string, where: number | string) =>
    new Promise<Server>(resolve => {
      const server = createServer(() => touched.push(name)).listen(where, () => resolve(server))
    })
  servers = [await listener('port', 0), await listener('path', socket)]
  datagrams = createSocket('udp4', () => touched.push('datagram'))
  await new Promise<void>(resolve => datagrams.bind(0, '127.0.0.1', resolve))
  const require = createRequire(import.meta.url)
  const address = servers[0]?.address()
  facts = {
    database,
    socket,
    folder: folder.path,
    pid: process.pid,
    package: fileURLToPath(new URL('../../package.json', import.meta.url)),
    source: fileURLToPath(new URL('../../src/main.ts', import.meta.url)),
    up: `${dirname(require.resolve('isolated-vm/package.json'))}/../../..${database}`,
    addon: require.resolve('isolated-vm/package.json').replace('package.json', 'build/none.node'),
    target: join(folder.path, 'target'),
    port: typeof address === 'object' && address !== null ? address.port : 0,
    datagrams: datagrams.address().port,
  }
})
afterAll(() => {
  delete process.env.ROSTRUM_ADMIN_TOKEN
  for (const server of servers) server.close()
  datagrams.close()
  folder.remove()
})

describe.each([
  ['reads', reading],
  ['writes', writing],
  ['reaches', reaching],
  ['starts', starting],
])('an attacker in a sandbox process %s nothing', (_, attempts) => {
  test('from inside it', async () => {
    expect(unexpected(await attackFromInside(attempts, facts), attempts)).toEqual([])
  })

  test('with only the flags of the process as protection', async () => {
    expect(unexpected(await attackBehindFlags(attempts, facts), attempts)).toEqual([])
  })
})

describe('an attacker in a sandbox process', () => {
  test('sends no signal, loads nothing and changes nothing of the process', async () => {
    expect(unexpected(await attackFromInside(lockedOnly, facts), lockedOnly)).toEqual([])
  })
  test('gets only the Node modules that a sandbox needs', async () => {
    const all = builtinModules.filter(name => !needed.has(name.replace('node:', '')))
    const attempts = all.map((name): Attempt => [name, `return Object.keys(await get("${name}"))`])
    const prefixed = all.map(
      (name): Attempt => [
        `node:${name}`,
        `return Object.keys(await get("node:${name.replace('node:', '')}"))`,
      ],
    )
    const every = [...attempts, ...prefixed]
    expect(all.length).toBeGreaterThan(40)
    expect(unexpected(await attackFromInside(every, facts), every)).toEqual([])
  })

  test('gains nothing by changing the language', async () => {
    expect(unexpected(await attackFromInside(tampering, facts), tampering)).toEqual([])
  })

  test('finds no secret and three names in its environment', async () => {
    const found = await attackFromInside(
      [
        ['environment', 'return Object.keys(process.env).toSorted()'],
        [
          'everything',
          'return JSON.stringify([process.env, process.argv, process.execArgv, process.title, process.cwd()])',
        ],
      ],
      facts,
    )
    expect(found.get('environment')?.[1]).toBe('["LANG","PATH","TZ"]')
    expect(found.get('everything')?.[1]).not.toContain(secret)
  })
})

const confines = guard.some(word => word.endsWith('unshare'))

const title = 'the kernel alone keeps it from the network, from files and from its gateway'
test.skipIf(!confines)(`${title} (if \`unshare\` is permitted)`, async () => {
  expect(unexpected(await attackBehindKernel(confined, facts), confined)).toEqual([])
})

test('after all attempts nothing was reached and nothing has changed', () => {
  expect(touched).toEqual([])
  expect(readFileSync(String(facts.database), 'utf8')).toBe(secret)
})
