import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startWithFiles } from '../../server/gateways/start-server.ts'

async function open(port: number, head: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  if (head !== '') {
    socket.write(head)
    await once(socket, 'data')
  }
  return socket.resume()
}

const get = 'GET /platform/cases/1 HTTP/1.1\r\nHost: x\r\n'

// Many systems let a process open 1,024 files.
test.each([
  { of: 'without a credential', hasCredential: false, most: 192 },
  { of: 'of one account', hasCredential: true, most: 768 },
])(
  'more connections $of than the process may open files shut nobody out',
  async ({ hasCredential, most }) => {
    const server = await startWithFiles(1_024, { ROSTRUM_SANDBOXES: '2' })
    onTestFinished(async () => void (await server.stop()))
    expect(server.stdout()).toContain('"maxFiles":1024,"connections":768')
    const port = Number(new URL(server.baseUrl).port)
    const head = hasCredential ? `${get}Authorization: Bearer ${server.adminToken}\r\n\r\n` : ''
    const held: Socket[] = []
    for (let count = 0; count < 1_100; count++) held.push(await open(port, head))
    for (let times = 0; times < 20; times++) {
      const answer = await server.rest('POST', '/graphql', {
        body: { query: '{ viewer { accountCode } }' },
        headers: { connection: 'close' },
      })
      expect(answer.status).toBe(200)
    }
    const isOpen = (socket: Socket) => !socket.closed
    // The requests in between may have taken places.
    await expect.poll(() => held.filter(isOpen).length).toBeLessThanOrEqual(most)
    expect(held.filter(isOpen).length).toBeGreaterThan(most - 30)
  },
)
