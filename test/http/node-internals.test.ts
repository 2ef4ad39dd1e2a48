import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { root } from '../static/rules/source-files.ts'

// Before you change this version: compare `lib/_http_server.js`, `lib/_http_incoming.js`, `lib/net.js` and
// `src/node_http_parser.cc` of both versions with `src/http/node-internals.ts` and its readers, and run
// `npx vitest run test/hostile/connections` with the new one.
const checkedVersion = '26.10.0'

test(`the private names of Node that src/http/edge uses were checked in Node ${checkedVersion}, the pinned one`, () => {
  const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  expect(manifest.dependencies.node).toBe(checkedVersion)
})

test('a socket of an HTTP server has the private names that src/http/edge uses', async () => {
  const server = createServer((request, response) => {
    const { parser, _handle: handle, _paused: isPaused } = request.socket as Socket & Record<string, never>
    response.end(
      JSON.stringify({
        parser: namesOf(parser, ['onIncoming', 'resume', 'getCurrentBuffer']),
        handle: namesOf(handle, ['reading', 'readStart', 'readStop']),
        paused: typeof isPaused,
        request: namesOf(request, ['_dump']),
      }),
    )
  })
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const text = (await client.toArray()).join('')
    expect(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))).toEqual({
      parser: { onIncoming: 'function', resume: 'function', getCurrentBuffer: 'function' },
      handle: { reading: 'boolean', readStart: 'function', readStop: 'function' },
      paused: 'boolean',
      request: { _dump: 'function' },
    })
  } finally {
    server.close()
  }
})

function namesOf(value: object | undefined, names: readonly string[]): Record<string, string> {
  const members = new Map(names.map(name => [name, typeof Reflect.get(value ?? {}, name)]))
  return Object.fromEntries(members)
}
