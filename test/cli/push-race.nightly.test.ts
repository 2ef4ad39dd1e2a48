import { once } from 'node:events'
import { mkdirSync, rmdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import { makeWorkplace, type Workplace } from './spawn-rostrum.ts'

let server: SharedServer
let proxy: Server
let place: Workplace
/** What happens right before the gateway gets the save of a function. False refuses the save with 503. */
let beforeSave: (name: string) => Promise<boolean>
beforeEach(async () => {
  server = await shareServer()
  beforeSave = async () => true
  proxy = createServer(async (request, response) => {
    const body = await text(request)
    const [, name] = /"input":\{"name":"(\w+)"/.exec(body) ?? []
    if (name !== undefined && !(await beforeSave(name))) return void response.writeHead(503).end()
    const { method = '', url = '' } = request
    const { authorization = '', accept = '' } = request.headers
    const headers = { authorization, accept, 'content-type': 'application/json' }
    const sent = method === 'POST' ? { method, headers, body } : { method, headers }
    const answer = await fetch(`${server.baseUrl}${url}`, sent)
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text())
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const { port } = proxy.address() as AddressInfo
  place = await makeWorkplace({
    ROSTRUM_URL: `http://127.0.0.1:${port}`,
    ROSTRUM_TOKEN: server.adminToken,
  })
  for (const name of ['a', 'b', 'c']) await place.write(`functions/_/${name}.js`, `exit('${name}')`)
})
afterEach(() => {
  proxy.close()
  place.remove()
})

const save = (name: string, sourceCode: string) =>
  server.graphql('mutation ($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    input: { name, sourceCode },
  })
const lock = async () => JSON.parse(await place.read('rostrum.lock')) as { functions: Record<string, string> }

test('a save of somebody else between two saves of a push is a conflict that names what was pushed', async () => {
  beforeSave = async name => {
    if (name === 'b') await save('b', "exit('theirs')")
    return true
  }
  const { code, stderr } = await place.run(['push', '--yes'])
  expect(code).toBe(3)
  expect(stderr).toContain('The live version of _/b changed')
  expect(stderr).toContain('Pushed: _/a. Not pushed: _/b, _/c.')
  expect(Object.keys((await lock()).functions)).toEqual(['_/a'])
  const { body } = await server.graphql('{ functions { nodes { name live { sourceCode } } } }')
  expect(body.data).toEqual({
    functions: {
      nodes: [
        { name: 'a', live: { sourceCode: "exit('a')" } },
        { name: 'b', live: { sourceCode: "exit('theirs')" } },
      ],
    },
  })
})

test('a save of the same source between two saves is no conflict', async () => {
  beforeSave = async name => {
    await save(name, `exit('${name}')`)
    return true
  }
  const { code, stderr } = await place.run(['push', '--yes'])
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: '_/a is live already\n_/b is live already\n_/c is live already\n',
  })
  expect(Object.keys((await lock()).functions)).toEqual(['_/a', '_/b', '_/c'])
})

test('two pushes of different functions in one folder leave the hashes of both in the lock', async () => {
  const codes: (number | null)[] = []
  beforeSave = async name => {
    if (name === 'a') codes.push((await place.run(['push', 'b', '--yes'])).code)
    return true
  }
  codes.push((await place.run(['push', 'a', '--yes'])).code)
  expect(codes).toEqual([0, 0])
  expect(Object.keys((await lock()).functions)).toEqual(['_/a', '_/b'])
})

test('a gateway that stops answering in the middle of a push is 69, and the next push saves the others', async () => {
  beforeSave = async name => name !== 'b'
  const { code, stderr } = await place.run(['push', '--yes'])
  expect(code).toBe(69)
  expect(stderr).toContain('Pushed: _/a. Run `rostrum push` again for _/b, _/c.')
  beforeSave = async () => true
  const again = await place.run(['push', '--yes'])
  expect({ code: again.code, stderr: again.stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^pushed _\/b \w+\npushed _\/c \w+\n$/),
  })
})

test('a function that is removed between two saves of a push is said to be removed', async () => {
  await place.run(['push', '--yes'])
  for (const name of ['a', 'b', 'c']) await place.write(`functions/_/${name}.js`, `exit('${name}${name}')`)
  beforeSave = async name => {
    if (name === 'b') await server.rest('DELETE', '/platform/functions/b')
    return true
  }
  const { code, stderr } = await place.run(['push', '--yes'])
  expect(code).toBe(3)
  expect(stderr).toContain(
    '_/b was removed since the last `rostrum pull`. Pushed: _/a. Not pushed: _/b, _/c.',
  )
})

test('an error after many saves names no more than ten functions', async () => {
  for (let n = 10; n < 40; n++) await place.write(`functions/_/f${n}.js`, 'exit(1)')
  beforeSave = async name => name !== 'f25'
  const { code, stderr } = await place.run(['push', '--yes'])
  expect(code).toBe(69)
  const named = 'Pushed: _/a, _/b, _/c, _/f10, _/f11, _/f12, _/f13, _/f14, _/f15, _/f16 and 8 more.'
  expect(stderr).toContain(named)
  expect(stderr).toMatch(/again for _\/f25, .*_\/f34 and 5 more\.\n$/)
})

test('a lock that can no longer be used after the saves is one line, and the next push writes it', async () => {
  const lockFile = join(place.path, 'rostrum.lock')
  beforeSave = async name => {
    if (name === 'c') mkdirSync(lockFile)
    return true
  }
  const { code, stderr } = await place.run(['push', '--yes'])
  expect(code).toBe(64)
  expect(stderr.trimEnd().split('\n').slice(3)).toEqual([
    `Cannot read \`${lockFile}\`: it is a folder. Pushed: _/a, _/b, _/c. When the file can be written, run the same ` +
      '`rostrum push` again before you change these functions: it saves nothing twice, and writes the file.',
  ])
  rmdirSync(lockFile)
  beforeSave = async name => Promise.reject(new Error(`${name} is saved twice`))
  expect(await place.run(['push', '--yes'])).toMatchObject({ code: 0 })
  expect(Object.keys((await lock()).functions)).toEqual(['_/a', '_/b', '_/c'])
})

test('a lock that cannot be written after the saves is one line that names it and what was pushed', async () => {
  beforeSave = async name => {
    if (name === 'b') rmSync(place.path, { recursive: true })
    return true
  }
  const { code, stderr } = await place.run(['push', '--yes', 'a', 'b'])
  expect(code).toBe(64)
  const [, , said] = stderr.split('\n')
  expect(said).toContain(
    `Cannot write \`${join(place.path, 'rostrum.lock')}\`: nothing can be created there.`,
  )
  expect(said).toContain('Pushed: _/a, _/b.')
})

test('a save that is refused and a lock that cannot be written are both in the one line', async () => {
  beforeSave = async name => {
    if (name === 'b') rmSync(place.path, { recursive: true })
    return name !== 'b'
  }
  const { code, stderr } = await place.run(['push', '--yes'])
  expect(code).toBe(69)
  expect(stderr).toMatch(/^pushed _\/a \w+\n.*Pushed: _\/a\. .*Cannot write `.*rostrum\.lock`.*\n$/)
})

test('Ctrl-C during a save lets it end, sends no other, and leaves what was saved in the lock', async () => {
  const going = place.start(['push', '--yes'])
  beforeSave = async name => {
    if (name !== 'b') return true
    // npm sends on the signal that the terminal sends to both.
    for (let signals = 0; signals < 2; signals++) {
      going.interrupt()
      await sleep(50)
    }
    return true
  }
  const { code, stderr } = await going.ended
  expect(code).toBe(130)
  expect(stderr).toMatch(/^pushed _\/a \w+\npushed _\/b \w+\n$/)
  expect(Object.keys((await lock()).functions)).toEqual(['_/a', '_/b'])
  const { body } = await server.graphql('{ functions { nodes { name } } }')
  expect(body.data).toEqual({ functions: { nodes: [{ name: 'a' }, { name: 'b' }] } })
})
