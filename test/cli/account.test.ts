import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import SqliteDatabase from 'better-sqlite3'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { placeFile } from '../../src/cli/account/backup-command.ts'
import { readToken } from '../../src/cli/account/read-token.ts'
import { backupStore } from '../../src/store/copy/backup-sqlite.ts'
import { openStore } from '../../src/store/open-store.ts'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import { makeWorkplace, type Workplace } from './spawn-rostrum.ts'

let server: SharedServer
let place: Workplace
beforeAll(async () => {
  server = await shareServer()
  place = await makeWorkplace({ DATABASE_URL: server.settings.DATABASE_URL })
})
afterAll(() => place.remove())

const kept = '.config/rostrum/credentials.json'
const execute = (name: string, sourceCode: string) => server.execute({ name, sourceCode })
/** Resolves when a run of this name is listed. */
const written = (name: string) =>
  expect
    .poll(async () => (await server.graphql('{ runs { nodes { name } } }')).body)
    .toMatchObject({ data: { runs: { nodes: expect.arrayContaining([{ name }]) } } })

test('login keeps a good token for its URL alone, where nobody else can read it, and shows it nowhere', async () => {
  const login = () => place.run(['login', '--url', `${server.baseUrl}/`], `${server.adminToken}\n`)
  const { code, stdout, stderr } = await login()
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(`^Signed in to ${server.baseUrl}: account ${server.account}, .*admin`),
    ),
  })
  expect(stdout + stderr).not.toContain(server.adminToken)
  const modes = ['.config/rostrum', kept].map(name => statSync(join(place.path, name)).mode & 0o777)
  expect(modes).toEqual([0o700, 0o600])
  const bad = await place.run(['login', '--url', server.baseUrl], 'rst_no\n')
  expect({ code: bad.code, stdout: bad.stdout }).toEqual({ code: 77, stdout: '' })
  expect(await place.read(kept)).toContain(server.adminToken)
  expect((await place.runHere(['logs'])).code).toBe(0)
  const given = await makeWorkplace({ ROSTRUM_URL: server.baseUrl, ROSTRUM_TOKEN: 'rst_no' })
  expect((await given.runHere(['logs'])).stderr).toContain('Set another ROSTRUM_TOKEN')
  given.remove()
  renameSync(join(place.path, kept), join(place.path, 'tokens.json'))
  symlinkSync('../../tokens.json', join(place.path, kept))
  await login()
  rmSync(join(place.path, 'tokens.json'))
  await login()
  expect(lstatSync(join(place.path, kept)).isSymbolicLink()).toBe(true)
  const other = server.baseUrl.replace('127.0.0.1', 'localhost')
  expect(await place.runHere(['logs', '--url', other])).toMatchObject({
    code: 77,
    stderr: expect.stringContaining('rostrum login'),
  })
  expect((await place.runHere(['logout', '--url', server.baseUrl])).code).toBe(0)
  expect(await place.read(kept)).not.toContain(server.adminToken)
  expect((await place.runHere(['logs', '--url', server.baseUrl])).code).toBe(77)
  await login()
})

test('what login kept is not read where the gateway and the token are given', async () => {
  const given = await makeWorkplace({ ROSTRUM_URL: server.baseUrl, ROSTRUM_TOKEN: server.adminToken })
  onTestFinished(given.remove)
  await given.write(kept, 'broken')
  expect(await given.runHere(['logs'])).toMatchObject({ code: 0, stderr: '' })
  expect(await given.runHere(['logs', '--url', `${server.baseUrl}/`])).toMatchObject({ code: 0, stderr: '' })
  const withoutUrl = await makeWorkplace({ HOME: given.path, ROSTRUM_TOKEN: server.adminToken })
  onTestFinished(withoutUrl.remove)
  const stderr = expect.stringContaining('is not what `rostrum login` writes')
  expect(await withoutUrl.runHere(['logs'])).toMatchObject({ code: 64, stderr })
})

test('logs prints kept runs, the oldest first, with their entries, and takes a function and an outcome', async () => {
  await server.graphql(
    'mutation { saveFunction(input: { name: "f", caseTypeCode: "t", sourceCode: "exit(1)" }) { id } }',
  )
  const body = { inputDocument: '{}', metadata: { case_type_code: 't' } }
  await server.rest('POST', '/api/1/function/f/execute', { body })
  await execute('one', "log('a', 1); exit(1)")
  await execute('two', "fail('no')")
  await execute('three', 'exit(\n')
  await written('three')
  const { stdout } = await place.run(['logs'])
  const lines = stdout.split('\n')
  expect(lines.findIndex(line => line.includes('  one  '))).toBeLessThan(
    lines.findIndex(line => line.includes('  two  ')),
  )
  expect(stdout).toMatch(/ {2}one {2}exit .*\n {4}info {2}a 1\n/)
  expect(stdout).toMatch(/ {2}two {2}fail .* no\n/)
  expect(stdout).toMatch(/ {2}three {2}error .* SYNTAX .*\(line \d\)\n/)
  const json = await place.runHere(['logs', '--json', '--outcome', 'fail', '--limit', '1'])
  expect(JSON.parse(json.stdout)).toEqual({
    ...{
      id: expect.any(String),
      name: 'two',
      function: null,
      trigger: 'endpoint',
      outcome: 'fail',
      message: 'no',
    },
    ...{
      error: null,
      logs: [],
      started_at: expect.any(String),
      duration_ms: expect.any(Number),
      case_id: null,
    },
    request_context: { txnID: expect.any(String), txnSource: expect.any(String) },
  })
  expect(await place.runHere(['logs', '--function', 't/none'])).toMatchObject({ code: 64 })
  expect(await place.runHere(['logs', '--function', 'a/t/f'])).toMatchObject({ code: 64, stdout: '' })
  // Runs that still run do not count.
  const running = [execute('busy', 'for (;;);'), execute('busy', 'for (;;);')]
  const query = '{ runs(filter: { state: RUNNING }) { nodes { id } } }'
  const listed = { data: { runs: { nodes: [{}, {}] } } }
  await expect.poll(async () => (await server.graphql(query)).body).toMatchObject(listed)
  const last = await place.runHere(['logs', '--json', '--limit', '1'])
  await Promise.all(running)
  expect(JSON.parse(last.stdout).name).toBe('three')
  const ofFunction = await place.runHere(['logs', '--function', 't/f', '--json'])
  expect(
    ofFunction.stdout
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line).function),
  ).toEqual(['t/f'])
})

test('logs --follow goes on with runs as they end, each once, until Ctrl-C', async () => {
  const going = place.start(['logs', '--follow', '--json', '--limit', '0'])
  await expect
    .poll(async () => {
      await execute('followed', 'exit(1)')
      return going.stdout()
    })
    .toContain('followed')
  going.interrupt()
  const { code, stdout, stderr } = await going.ended
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' })
  const ids = stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line).id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('logs --follow shows what ended while the gateway was away, and nothing that is older', async () => {
  for (const name of ['older', 'oldest']) await execute(name, 'exit(1)')
  await written('oldest')
  const between = await relay(server.baseUrl)
  const away = await makeWorkplace({ ROSTRUM_URL: between.url, ROSTRUM_TOKEN: server.adminToken })
  const going = away.start(['logs', '--follow', '--limit', '0'])
  await expect.poll(() => between.connections()).toBeGreaterThan(0)
  await expect
    .poll(async () => {
      await execute('before', 'exit(1)')
      return going.stdout()
    })
    .toContain('before')
  between.pause()
  await execute('missed', 'exit(1)')
  await expect.poll(() => going.stderr()).toContain('trying again')
  between.resume()
  await expect.poll(() => going.stdout(), { timeout: 5_000 }).toContain('missed')
  going.interrupt()
  const { stdout } = await going.ended
  expect(stdout).not.toContain('old')
  expect(stdout.match(/missed/g)).toHaveLength(1)
  between.close()
  away.remove()
})

/** Passes connections on to a gateway, and refuses and breaks them while it is paused. */
async function relay(target: string) {
  const sockets = new Set<Socket>()
  let isPaused = false
  const { hostname, port } = new URL(target)
  const between = createServer(socket => {
    if (isPaused) return void socket.destroy()
    const onward = connect(Number(port), hostname)
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).pipe(to)
    }
  })
  await once(between.listen(0, '127.0.0.1'), 'listening')
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  return {
    url: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
    connections: () => sockets.size,
    pause() {
      isPaused = true
      breakAll()
    },
    resume() {
      isPaused = false
    },
    close() {
      breakAll()
      between.close()
    },
  }
}

test('backup copies a store that a gateway serves, for its owner alone, and a gateway can open the copy', async () => {
  const { code, stdout, stderr } = await place.run(['backup', 'b.db'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'b.db\n' })
  expect(stderr).toContain('secrets-key')
  expect(statSync(join(place.path, 'b.db')).mode & 0o777).toBe(0o600)
  const copy = await openStore({ url: `sqlite:${join(place.path, 'b.db')}` })
  const [found] = await copy.functions.listAfter(server.account, 0, 10)
  await copy.close()
  expect(found).toMatchObject({ name: 'f', caseTypeCode: 't' })
  expect(await place.runHere(['backup', 'b.db'])).toMatchObject({ code: 64, stdout: '' })
})

test('backup of a database without tables of Rostrum is refused, and makes no file', async () => {
  const path = join(place.path, 'empty.db')
  const client = new SqliteDatabase(path)
  // As after the log of a store was removed that a gateway has open.
  client.exec('pragma user_version = 1')
  client.close()
  const other = await makeWorkplace({ DATABASE_URL: `sqlite:${path}` })
  onTestFinished(() => other.remove())
  const { code, stdout, stderr } = await other.runHere(['backup', 'b.db'])
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toContain(`There is no store in the file \`${path}\``)
  expect(existsSync(join(other.path, 'b.db'))).toBe(false)
})

test.skipIf(!existsSync('/dev/full'))('backup onto a full disk names the copy', async () => {
  const path = (server.settings.DATABASE_URL ?? '').slice('sqlite:'.length)
  await expect(backupStore(path, '/dev/full')).rejects.toThrow('copied to `/dev/full`: the disk is full.')
})

test('backup to a name that is too long is refused with one line', async () => {
  const { code, stdout, stderr } = await place.runHere(['backup', 'x'.repeat(250)])
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(/^The database .* cannot be copied to .*: the path is too long\.\n$/)
})

test('backup of PostgreSQL is refused with the command that does it', async () => {
  const other = await makeWorkplace({ DATABASE_URL: 'postgres://localhost/x' })
  const { code, stderr } = await other.runHere(['backup', 'b.db'])
  await other.remove()
  expect(code).toBe(64)
  expect(stderr).toContain('pg_dump')
})

test('backup of a store whose URL is wrong says what it must be, as the gateway does', async () => {
  const other = await makeWorkplace({ DATABASE_URL: 'data/rostrum.db' })
  onTestFinished(() => other.remove())
  const { code, stderr } = await other.runHere(['backup', 'b.db'])
  expect(code).toBe(64)
  expect(stderr).toContain('The setting DATABASE_URL must be `sqlite:<path>` or `postgres://…`')
})

test('a backup is placed where there are no hard links, and replaces no file there', () => {
  const [from, to] = [join(place.path, 'part'), join(place.path, 'placed')]
  writeFileSync(from, 'copy', { mode: 0o600 })
  const link = () => {
    throw Object.assign(new Error('no links'), { code: 'ENOTSUP' })
  }
  placeFile(from, to, link)
  expect(readFileSync(to, 'utf8')).toBe('copy')
  expect(statSync(to).mode & 0o777).toBe(0o600)
  expect(() => placeFile(from, to, link)).toThrow(/EEXIST/)
})

test('login hides what is typed before it asks', async () => {
  const steps: unknown[] = []
  const setRawMode = (isRaw: boolean) => void steps.push(isRaw)
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode })
  const stderr = Object.assign(new PassThrough(), { isTTY: true })
  stderr.setEncoding('utf8').on('data', (text: string) => void steps.push(text))
  const getters = [
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never),
    vi.spyOn(process, 'stderr', 'get').mockReturnValue(stderr as never),
  ]
  const token = readToken('Token: ')
  stdin.write('rst_a\r')
  expect(await token).toBe('rst_a')
  for (const getter of getters) getter.mockRestore()
  expect(steps).toEqual([true, 'Token: ', false, '\n'])
})

test('login reads no token from a terminal where it cannot ask, because the terminal would show it', async () => {
  // The path of Node may contain a space.
  const command = `"${process.execPath}" src/start.mjs cli login --url ${server.baseUrl} 2>/dev/null; echo code $?`
  const given = 'printf \'rst_secret\\n\' | timeout 100 script -qec "$COMMAND" /dev/null'
  const env = { PATH: process.env.PATH, HOME: place.path, COMMAND: command }
  const { stdout } = await promisify(execFile)('sh', ['-c', given], { env })
  expect(stdout).toContain('code 64')
})
