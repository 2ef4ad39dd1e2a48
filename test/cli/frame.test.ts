import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { CommandCall } from '../../src/cli/frame/command.ts'
import { createTerminal } from '../../src/cli/frame/terminal.ts'
import { executeScript } from '../../src/cli/gateway/execute-script.ts'
import { createGatewayClient, type GatewayClient, unreachable } from '../../src/cli/gateway/gateway-client.ts'
import { onInterrupt } from '../../src/cli/run-cli.ts'
import { followRuns } from '../../src/cli/runs/follow-runs.ts'
import { showControls, showControlsOfJson } from '../../src/show-controls.ts'
import { findDescendants, findSurvivors } from '../server/processes/child-processes.ts'
import type { CommandOutput } from '../server/processes/spawn-command.ts'
import { makeWorkplace, type Workplace } from './spawn-rostrum.ts'

let place: Workplace
beforeAll(async () => {
  place = await makeWorkplace()
})
afterAll(() => place.remove())

const names = ['run', 'test', 'pull', 'push', 'logs', 'types', 'schema', 'login', 'logout', 'backup']
// What `--help` of each command printed, for both tests that read it.
const askForHelp = async () => {
  const printed = new Map<string, CommandOutput>()
  for (const name of names) printed.set(name, await place.runHere([name, '--help']))
  return printed
}
let help: ReturnType<typeof askForHelp> | undefined
const helpOf = async (name: string) => {
  help ??= askForHelp()
  return (await help).get(name) ?? expect.unreachable()
}

test('help names every command, on stdout, and each command has its own', async () => {
  for (const flag of ['--help', '-h']) {
    const { code, stdout, stderr } = await place.runHere([flag])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of names) expect(stdout).toContain(`\n  ${name} `)
  }
  for (const name of names) {
    const { code, stdout, stderr } = await helpOf(name)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^Usage: rostrum ${name} .`))
  }
})

test('the descriptions of the options of a command begin in one column, and its usage names each option', async () => {
  for (const name of names) {
    const { stdout } = await helpOf(name)
    const [usage = '', ...lines] = stdout.split('\n')
    const options = lines
      .map(line => /^ {2}(--[a-z-]+).*? {2,}(?=\S)/.exec(line))
      .filter(match => match !== null)
    const columns = new Set(options.map(([text]) => text.length))
    expect({ name, columns: [...columns] }).toEqual({ name, columns: [...columns].slice(0, 1) })
    for (const [, option = ''] of options) expect(usage).toContain(option)
  }
})

test('the version is that of the package alone', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string }
  expect(await place.run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test.each([
  { args: [], said: /^Usage: rostrum/ },
  { args: ['rnu', 'f.js'], said: /no command `rnu`. Did you mean `run`/ },
  { args: ['constructor'], said: /no command `constructor`/ },
  { args: ['--colour'], said: /no option `--colour`\. See/ },
  { args: ['--verison'], said: /no option `--verison`\. Did you mean `--version`/ },
  { args: ['run', 'f.js', '--inptu', 'x'], said: /no option `--inptu`. Did you mean `--input`/ },
  { args: ['run', 'f.js', '-x'], said: /no option `-x`/ },
  { args: ['run', 'f.js', '--constructor'], said: /no option `--constructor`/ },
  { args: ['run', 'f.js', '--input'], said: /`--input` needs a value/ },
  { args: ['run', 'f.js', '--input', '--json'], said: /`--input` needs a value/ },
  { args: ['run', 'f.js', '--json=yes'], said: /`--json` takes no value/ },
  { args: ['logs', '--limit', '1', '--limit=2'], said: /`--limit` is given twice/ },
  { args: ['run'], said: /needs an argument/ },
  { args: ['run', 'a.js', 'b.js'], said: /at most 1 argument, and got 2/ },
  { args: ['types', 'all'], said: /takes no argument, and got `all`/ },
  { args: ['run', 'missing.js'], said: /`missing.js`: there is no such file/ },
  { args: ['run', ''], said: /^The name of a file or folder is empty\. Name one\.\n$/ },
  { args: ['run', '.'], said: /`.`: it is a folder/ },
  { args: ['push', '--yes', '--dir', ''], said: /name of a file or folder is empty/ },
  { args: ['run', '-', '--input', '-'], said: /Only one file can be `-`/ },
  { args: ['run', 'f.js', '--url', 'x', '--remote'], said: /not both/ },
  { args: ['logs', '--url', 'localhost:1'], said: /`localhost:1` is no URL/ },
  { args: ['logs', '--url', 'http://localhost/?'], said: /is no URL/ },
  { args: ['logs', '--url', 'http://localhost/#'], said: /is no URL/ },
  { args: ['logs', '--url', 'http://a:b@localhost'], said: /has no user or password/ },
  { args: ['logs', '--limit', '-1'], said: /needs a value/ },
  { args: ['logs', '--limit=1e9'], said: /whole number from 0 to 1000/ },
  { args: ['logs', '--outcome', 'ok'], said: /must be one of exit, fail, error/ },
  { args: ['test'], said: /no `cases`/ },
  { args: ['test', '--reporter', 'dots'], said: /no reporter `dots`/ },
  { args: ['backup', 'no/where/b.db'], said: /folder of `no\/where\/b.db` does not exist/ },
])('wrong use is refused with 64 and nothing on stdout: $args', async ({ args, said }) => {
  const { code, stdout, stderr } = await place.runHere(args)
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(said)
  if (args.length > 0) expect(stderr.trimEnd()).not.toContain('\n')
})

test('a gateway that cannot be reached is 69, with one line that names it', async () => {
  const { code, stdout, stderr } = await place.runHere(['logs', '--url', 'http://127.0.0.1:9'])
  expect({ code, stdout }).toEqual({ code: 69, stdout: '' })
  expect(stderr).toMatch(/^Cannot reach the gateway at http:\/\/127\.0\.0\.1:9: .+\n$/)
})

test.each([
  ['http://127.0.0.1:4190', /: clients of the web refuse this port; /],
  ['http://gateway.test', /: nothing listens at 127\.0\.0\.1:9, which HTTP_PROXY or HTTPS_PROXY names\. /],
])('why %s cannot be reached is said in words of its own', async (url, said) => {
  const behindProxy = await makeWorkplace({ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' })
  onTestFinished(behindProxy.remove)
  const { code, stdout, stderr } = await behindProxy.run(['logs', '--url', url])
  expect({ code, stdout }).toEqual({ code: 69, stdout: '' })
  expect(stderr).toMatch(said)
})

test('what OpenSSL says is said without the place in its sources', () => {
  const cause = {
    code: 'ERR_SSL_TLSV1_ALERT',
    message: '40F3:error:0A0:rec_layer.c:918:\n',
    reason: 'tlsv1 alert',
  }
  const { message } = unreachable('https://gateway.test', Object.assign(new TypeError(''), { cause }))
  expect(message).toContain('gateway.test: tlsv1 alert. Start it')
})

test('a proxy that refuses to connect is 69, with one line that says what it answered', async () => {
  const proxy = createServer().on('connect', (_request, socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'))
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const HTTPS_PROXY = `http://ann:hidden@127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const behindProxy = await makeWorkplace({ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY })
  const { code, stdout, stderr } = await behindProxy.run(['logs', '--url', 'https://gateway.test'])
  behindProxy.remove()
  proxy.close()
  expect({ code, stdout }).toEqual({ code: 69, stdout: '' })
  expect(stderr).toMatch(/^Cannot reach the gateway at https:\/\/gateway\.test: .*407.*\n$/)
  expect(stderr).not.toContain('hidden')
})

test.each([
  { name: 'a web page', status: 200, body: '<html></html>', said: 'is no Rostrum gateway. Check' },
  { name: 'null', status: 200, body: 'null', said: 'is no Rostrum gateway. Check' },
  { name: 'no data', status: 200, body: '{"data":null,"errors":{}}', said: 'is no Rostrum gateway. Check' },
  {
    name: 'not found',
    status: 404,
    body: '{"detail":["?"],"code":404}',
    said: 'gateway: it answered 404. Check',
  },
  {
    name: 'a refusal of its path',
    status: 404,
    type: 'application/problem+json; charset=utf-8',
    body: '{"detail":"There is nothing at this path.","code":"NOT_FOUND"}',
    said: 'gateway: it answered 404. Check',
  },
  {
    name: 'a stream without a body',
    status: 204,
    type: 'text/event-stream',
    body: '',
    said: 'is no Rostrum gateway. Check',
  },
  { name: 'an error of a proxy', status: 502, body: '<html></html>', said: 'answered 502. Try again later.' },
])(
  'a server that answers with $name is 69, with one line',
  async ({ status, type = 'text/plain', body, said }) => {
    const server = createServer((_request, response) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await place.write('a.js', 'exit(1)')
    for (const args of [['logs'], ['pull'], ['run', 'a.js']]) {
      const { code, stdout, stderr } = await place.runHere([...args, '--url', url])
      expect({ code, stdout }).toEqual({ code: 69, stdout: '' })
      expect(stderr).toMatch(/^[^\n]+\n$/)
      expect(stderr).toContain(url)
      expect(stderr).toContain(said)
    }
    const secure = await place.runHere(['logs', '--url', url.replace('http:', 'https:')])
    expect(secure).toMatchObject({ code: 69, stderr: expect.stringContaining('without TLS') })
    server.close()
  },
)

test.each([
  [
    'every path of another URL',
    (path = '') => `https://host.test/base${path}`,
    'redirects to https://host.test/base. N',
  ],
  [
    'a page to sign in',
    () => 'https://host.test/login?next=%2F',
    'no Rostrum gateway: it answered 301. Check',
  ],
  ['nothing', () => 'http://', 'no Rostrum gateway: it answered 301. Check'],
])('a server that redirects to %s is 69, with one line', async (_, locate, said) => {
  const server = createServer((request, response) =>
    response.writeHead(301, { location: locate(request.url) }).end(),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createGatewayClient({ url, token: 'secret' }, new AbortController().signal)
  await expect(client.ask('{ viewer { userId } }')).rejects.toMatchObject({
    exitCode: 69,
    message: expect.stringContaining(said),
  })
  server.close()
})

test('a connection that breaks within an answer is 69, and not said to be of another server', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
    response.write('{"data":', () => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createGatewayClient({ url, token: null }, new AbortController().signal)
  await expect(client.ask('{ viewer { userId } }')).rejects.toMatchObject({
    exitCode: 69,
    message: expect.stringMatching(`^Cannot reach the gateway at ${url}: `),
  })
  server.close()
})

test('a connection that breaks within a run is 69, and says where to look for the run', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: log\ndata: {"at":"","level":"info","data":[]}\n\n', () => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createGatewayClient({ url, token: null }, new AbortController().signal)
  const script = { name: 'a', sourceCode: 'exit(1)', input: '{}', options: '{}', caseTypeCode: null }
  await expect(executeScript(client, script, () => {})).rejects.toMatchObject({
    exitCode: 69,
    message: `The connection to ${url} broke before the run ended. Run \`rostrum logs\` to see whether it did.`,
  })
  server.close()
})

/** A gateway that begins streams and then falls silent, without the end of the connection. */
function silentGateway(): GatewayClient {
  const url = 'http://gateway.test'
  const headers = { 'content-type': 'text/event-stream' }
  const begin = () =>
    new Response(new ReadableStream({ start: body => body.enqueue(Buffer.from(':\n\n')) }), { headers })
  const runs = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }
  return { url, get: async () => begin(), post: async () => begin(), ask: async () => ({ runs }) as never }
}

test('a gateway that falls silent within a run is 69, and not said to have ended it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const script = { name: 'a', sourceCode: 'exit(1)', input: '{}', options: '{}', caseTypeCode: null }
  const run = executeScript(silentGateway(), script, () => {}).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(await run).toMatchObject({
    exitCode: 69,
    message: expect.stringContaining('broke before the run ended'),
  })
})

test('a run is shown to its end by a process that was stopped for long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const body = writable.getWriter()
  const headers = { 'content-type': 'text/event-stream' }
  const gateway = { ...silentGateway(), post: async () => new Response(readable, { headers }) }
  const script = { name: 'a', sourceCode: 'exit(1)', input: '{}', options: '{}', caseTypeCode: null }
  const run = executeScript(gateway, script, () => {}).catch((error: unknown) => error)
  await body.write(Buffer.from(':\n\n'))
  // A timer that is late fires once, and then what arrived is read.
  await vi.advanceTimersToNextTimerAsync()
  await body.write(
    Buffer.from(`event: end\ndata: ${JSON.stringify({ task_execution: { outcome: 'exit' } })}\n\n`),
  )
  await body.close()
  expect(await run).toMatchObject({ outcome: 'exit' })
})

test('logs --follow begins a new stream if the gateway falls silent', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const said: string[] = []
  const ending = new AbortController()
  const terminal = { say: (line: string) => void said.push(line) }
  const call = { signal: ending.signal, terminal, endWithReader() {} } as unknown as CommandCall
  const gateway = silentGateway()
  const post = vi.spyOn(gateway, 'post')
  void followRuns(call, gateway, { filter: {}, limit: 1, show() {} }).catch(() => {})
  await vi.advanceTimersByTimeAsync(100_000)
  expect(said).toEqual(['The stream of http://gateway.test ended; trying again.'])
  await expect.poll(() => post.mock.calls.length).toBe(2)
  ending.abort()
})

test('logs --follow says why its stream is refused while it tries again', async () => {
  const message = '100 streams of this account are open at this gateway, the maximum.'
  const error = { message: `${message} Try again in 1 s.`, extensions: { code: 'OVERLOADED' } }
  const refusal = JSON.stringify({ errors: [error] })
  const runs = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }
  const server = createServer(({ headers }, response) => {
    if (headers.accept !== 'text/event-stream') return response.end(JSON.stringify({ data: { runs } }))
    response.writeHead(429, { 'content-type': 'text/event-stream' })
    return response.end(`:\n\nevent: next\ndata: ${refusal}\n\nevent: complete\ndata:\n\n`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const going = place.start(['logs', '--follow', '--url', url])
  await expect.poll(going.stderr).toContain(`${message} Trying again.\n`)
  going.interrupt()
  expect((await going.ended).code).toBe(130)
  server.close()
})

test.each([
  { status: 500, body: '{"errors":[{"message":"Broken.","extensions":null}]}', code: 69, said: 'Broken.' },
  { status: 200, body: '{"errors":[{"message":"Broken.","extensions":null}]}', code: 64, said: 'Broken.' },
  { status: 413, body: '<html></html>', code: 64, said: 'answered 413.' },
])('an answer of $status without a code is $code: $said', async ({ status, body, code, said }) => {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { stderr, ...rest } = await place.runHere(['logs', '--url', url])
  expect({ ...rest, stderr }).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(said) })
  server.close()
})

test('types and schema are those of the gateway, and need no network', async () => {
  expect((await place.run(['types'])).stdout).toBe(await readFile('src/sandbox/rostrum.d.ts', 'utf8'))
  expect((await place.run(['schema'])).stdout).toBe(await readFile('schema.graphql', 'utf8'))
})

test('npm starts the command in place of a shell, which a signal would end without the command', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  for (const name of ['start', 'rostrum', 'token', 'copy']) expect(scripts[name]).toMatch(/^exec node /)
})

test('a command whose terminal is closed cleans up as after Ctrl-C', async () => {
  const patient = await makeWorkplace({ ROSTRUM_TASK_CPU_MS: '60000', ROSTRUM_TASK_TIMEOUT_MS: '60000' })
  onTestFinished(patient.remove)
  await patient.write('a.js', "log('begun'); for (;;);")
  const running = patient.start(['run', 'a.js'])
  await expect.poll(running.stderr).toContain('begun')
  const children = findDescendants(running.pid)
  expect(children).not.toEqual([])
  process.kill(running.pid, 'SIGHUP')
  expect((await running.ended).code).toBe(130)
  expect(await findSurvivors(children)).toEqual([])
})

test('half a second after a signal, the next one of any kind ends the process', () => {
  vi.useFakeTimers()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const count = () => signals.map(signal => process.listenerCount(signal))
  const before = count()
  const end = vi.fn()
  onInterrupt(end)
  process.listeners('SIGINT').at(-1)?.('SIGINT')
  vi.advanceTimersByTime(400)
  process.listeners('SIGTERM').at(-1)?.('SIGTERM')
  expect(end).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(100)
  expect(count()).toEqual(before)
  vi.useRealTimers()
})

test('a reader that closes the pipe ends a command quietly', async () => {
  const printing = place.start(['schema'])
  printing.closeStdout()
  expect(await printing.ended).toMatchObject({ code: 0, stderr: '' })
})

test('an error is one line without control characters, even if it quotes a file', async () => {
  await place.write('bad.json', '{\n "a": \u001b[31m\n x}')
  await place.write('a.js', 'exit(1)')
  const { code, stderr } = await place.runHere(['run', 'a.js', '--input', 'bad.json'])
  expect(code).toBe(64)
  expect(stderr).toMatch(/^[^\p{Cc}]+\n$/u)
})

test('a pipe gets no colours, even with FORCE_COLOR', async () => {
  const forced = await makeWorkplace({ FORCE_COLOR: '1' })
  const { code, stderr } = await forced.run(['run', 'missing.js'])
  expect(code).toBe(64)
  expect(stderr).toMatch(/^[^\p{Cc}]+\n$/u)
  forced.remove()
})

test.for([
  ['', '\u001b[31mx\u001b[39m'],
  ['1', 'x'],
] as const)('a terminal with NO_COLOR=%s gets %j, whatever FORCE_COLOR says', ([noColor, expected]) => {
  vi.stubEnv('FORCE_COLOR', '1')
  vi.spyOn(process, 'stderr', 'get').mockReturnValue(
    Object.assign(new PassThrough(), { isTTY: true }) as never,
  )
  expect(createTerminal({ NO_COLOR: noColor }).style('red', 'x', 'stderr')).toBe(expected)
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

test('Ctrl-C at a question ends its line', async () => {
  const setRawMode = () => {}
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode })
  const stderr = Object.assign(new PassThrough(), { isTTY: true })
  let written = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    written += text
  })
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never)
  vi.spyOn(process, 'stderr', 'get').mockReturnValue(stderr as never)
  const answer = createTerminal({}).ask('Push? [y/N] ', '')
  stdin.write('\u0003')
  await expect(answer).rejects.toMatchObject({ exitCode: 130, message: '' })
  vi.restoreAllMocks()
  expect(written).toMatch(/Push\? \[y\/N\] [^\n]*\n$/)
})

test('a ROSTRUM_TOKEN that cannot be sent is refused with 77 and not shown', async () => {
  for (const token of ['rst_sec\nret', 'rst_sec…ret']) {
    const signedIn = await makeWorkplace({ ROSTRUM_TOKEN: token, ROSTRUM_URL: 'http://127.0.0.1:9' })
    const { code, stdout, stderr } = await signedIn.runHere(['logs'])
    expect({ code, stdout }).toEqual({ code: 77, stdout: '' })
    expect(stderr).toMatch(/^ROSTRUM_TOKEN is no token/)
    expect(stderr).not.toMatch(/sec|ret\b/)
    expect((await signedIn.runHere(['logout'])).code).toBe(0)
    signedIn.remove()
  }
})

test('marks of the writing direction are shown as escapes', () => {
  expect(showControls('a\u202eb\u2066c\u2069')).toBe('a\\u202eb\\u2066c\\u2069')
  const marks = '\u061c\u200e\u200f'
  expect([showControls(marks), showControlsOfJson(marks)]).toEqual(Array(2).fill('\\u061c\\u200e\\u200f'))
})

test('a result that cannot be written is an error', async () => {
  const full = await open('/dev/full', 'w')
  const child = spawn(process.execPath, ['src/start.mjs', 'cli', 'types'], {
    stdio: ['ignore', full.fd, 'pipe'],
  })
  const [said, [code]] = await Promise.all([text(Readable.from(child.stderr ?? [])), once(child, 'close')])
  await full.close()
  expect(code).toBe(70)
  expect(said).toMatch(/^Cannot write the output: ENOSPC.*\n$/)
})

test('a folder on stdin is an error', async () => {
  const folder = await open('src', 'r')
  const child = spawn(process.execPath, ['src/start.mjs', 'cli', 'run', '-'], {
    stdio: [folder.fd, 'ignore', 'pipe'],
  })
  const [said, [code]] = await Promise.all([text(Readable.from(child.stderr ?? [])), once(child, 'close')])
  await folder.close()
  expect([code, said]).toEqual([64, 'Cannot read `-`: it is a folder.\n'])
})

test('a slow reader of a pipe gets the whole result', () => {
  // The document is more than a pipe holds.
  const { stdout, status } = spawnSync(
    'sh',
    ['-c', `"${process.execPath}" src/start.mjs cli openapi | (sleep 0.7; cat)`],
    { encoding: 'utf8' },
  )
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toHaveProperty('openapi')
})
