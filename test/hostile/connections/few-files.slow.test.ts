import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createGatewayClient } from '../../server/clients/gateway-client.ts'
import { endWithParent } from '../../server/processes/end-with-parent.ts'
import { findFreePort } from '../../server/processes/free-port.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const adminToken = 'admin-token-of-the-tests'

// A gateway that may open 1,024 files, as on many systems.
async function start() {
  const folder = makeTempFolder()
  const port = await findFreePort()
  const databaseUrl = `sqlite:${folder.path}/rostrum.db`
  const child = spawn('sh', ['-c', 'ulimit -n 1024 && exec "$0" src/start.mjs', process.execPath], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      ROSTRUM_ADMIN_TOKEN: adminToken,
      ROSTRUM_SANDBOXES: '2',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  endWithParent(child)
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await once(child, 'close')
    folder.remove()
  })
  let log = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const client = createGatewayClient({ baseUrl: `http://127.0.0.1:${port}`, adminToken, databaseUrl })
  const isReady = () =>
    fetch(`${client.baseUrl}/ready`).then(
      ({ status }) => status === 200,
      () => false,
    )
  await expect.poll(isReady, { timeout: 30_000 }).toBe(true)
  return { port, client, log: () => log }
}

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

test.each([
  ['without a credential', '', 192],
  [
    'of one account',
    `GET /platform/cases/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`,
    768,
  ],
])('more connections %s than the process may open files shut nobody out', async (_of, head, most) => {
  const { port, client, log } = await start()
  expect(log()).toContain('"maxFiles":1024,"connections":768')
  const held: Socket[] = []
  for (let count = 0; count < 1_100; count++) held.push(await open(port, head))
  for (let times = 0; times < 20; times++) {
    const answer = await client.rest('POST', '/graphql', {
      body: { query: '{ viewer { accountCode } }' },
      headers: { connection: 'close' },
    })
    expect(answer.status).toBe(200)
  }
  const isOpen = (socket: Socket) => !socket.closed
  // The requests in between may have taken places.
  await expect.poll(() => held.filter(isOpen).length).toBeLessThanOrEqual(most)
  expect(held.filter(isOpen).length).toBeGreaterThan(most - 30)
})
