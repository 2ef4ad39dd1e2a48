import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { ConnectionLimits } from '../../../src/http/edge/connection-places.ts'
import { Connections } from '../../../src/http/edge/connections.ts'
import { createHttpServer } from '../../../src/http/edge/create-http-server.ts'

const sockets: Socket[] = []
let server: Server
let waiting = 0

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.close()
})

// Takes the account from the URL for that of a good credential, where it names one. A request for `/late` is only
// counted when its client has disconnected.
async function start(limits: ConnectionLimits): Promise<void> {
  const connections = new Connections({ arrivalTimeoutMs: 10_000, limits })
  server = createHttpServer(
    async (request, response) => {
      if (request.url === '/late') {
        waiting++
        await once(request.socket, 'close')
        waiting--
      }
      const accountCode = (request.url ?? '').replace(/^\/(late$)?/, '')
      if (accountCode !== '') connections.trust(request, accountCode)
      connections.countAnswer(request, accountCode !== '')
      response.end('answered')
    },
    { connections, maxHeadBytes: 2 ** 17 },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

async function open(account: string | null, more = ''): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  if (account !== null) {
    socket.write(`GET /${account} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(socket, 'data')
  }
  if (more !== '') socket.write(more)
  socket.resume()
  return socket
}

async function openMany(count: number, account: string | null, more = ''): Promise<Socket[]> {
  const opened: Socket[] = []
  for (let n = 0; n < count; n++) opened.push(await open(account, more))
  return opened
}

const whichAreOpen = (of: readonly Socket[]) => () => of.map(socket => !socket.closed)

test('past the maximum, the oldest connection without a credential is closed, and none with one', async () => {
  await start({ connections: 100, withoutCredential: 3, headBytes: 2 ** 20 })
  const known = await openMany(5, 'alpha')
  const unknown = await openMany(5, null)
  await expect.poll(whichAreOpen(unknown)).toEqual([false, false, true, true, true])
  await expect.poll(whichAreOpen(known)).toEqual(Array(5).fill(true))
})

test('past the total maximum, the oldest connection of the account with the most is closed', async () => {
  await start({ connections: 10, withoutCredential: 5, headBytes: 2 ** 20 })
  const neighbours = await openMany(3, 'beta')
  const hoard = await openMany(9, 'alpha')
  await expect.poll(whichAreOpen(neighbours)).toEqual(Array(3).fill(true))
  await expect.poll(whichAreOpen(hoard)).toEqual([false, false, ...Array(7).fill(true)])
})

test('a connection that asks without a credential again counts among those without', async () => {
  await start({ connections: 100, withoutCredential: 2, headBytes: 2 ** 20 })
  const [socket] = await openMany(1, 'alpha')
  socket?.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const later = await openMany(2, null)
  await expect.poll(whichAreOpen([...(socket ? [socket] : []), ...later])).toEqual([false, true, true])
})

test('a client that disconnects before its answer takes no place, and the maximum still holds', async () => {
  await start({ connections: 100, withoutCredential: 3, headBytes: 2 ** 20 })
  const [left] = await openMany(1, 'alpha', 'GET /late HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => waiting).toBe(1)
  left?.destroy()
  await expect.poll(() => waiting).toBe(0)
  const later = await openMany(5, null)
  await expect.poll(whichAreOpen(later)).toEqual([false, false, true, true, true])
})

test.each([
  ['without a credential', null],
  ['of an account', 'alpha'],
])(
  'heads that do not end are cut past their maximum of bytes, the longest first, %s',
  async (_whose, account) => {
    await start({ connections: 100, withoutCredential: 50, headBytes: 100_000 })
    const short = await openMany(3, account, 'GET / HTTP/1.1\r\nHost: x\r\n')
    const long = await openMany(3, account, `GET / HTTP/1.1\r\nX: ${'x'.repeat(60_000)}`)
    await expect.poll(() => whichAreOpen(long)().filter(isOpen => isOpen)).toHaveLength(1)
    await expect.poll(whichAreOpen(short)).toEqual(Array(3).fill(true))
  },
)
