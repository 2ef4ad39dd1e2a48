import { once } from 'node:events'
import { readdirSync, truncateSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import { makeWorkplace, type Workplace } from './spawn-rostrum.ts'

let server: SharedServer
let place: Workplace
let settings: Readonly<Record<string, string>>
beforeAll(async () => {
  server = await shareServer()
  // The token of the gateway is of no use to a local run, and must not change it.
  settings = {
    ROSTRUM_URL: server.baseUrl,
    ROSTRUM_TOKEN: server.adminToken,
    ROSTRUM_TASK_CPU_MS: '300',
  }
  place = await makeWorkplace(settings)
})
afterAll(() => place.remove())

// Before the tests that run something on the gateway.
test.each(['', 'example.com'])(
  'a local run has a store of its own, asks no proxy, and leaves nothing, with NO_PROXY=%j',
  async names => {
    let asked = 0
    const proxy = createServer((_request, response) => {
      asked++
      response.writeHead(502).end()
    })
    onTestFinished(() => void proxy.close())
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const behindProxy = await makeWorkplace({
      ...settings,
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY,
      NO_PROXY: names,
    })
    onTestFinished(() => behindProxy.remove())
    await behindProxy.write(
      'f.js',
      `const { data } = await graphql('query ($id: ID!) { viewer { accountCode } user(id: $id) { email } }', payload)
      await graphql('mutation { saveTeam(input: { id: 3, name: "Red" }) { id } }')
      exit({ ...payload, account: data.viewer.accountCode, email: data.user?.email ?? null })`,
    )
    expect(await behindProxy.run(['run', 'f.js', '--input', '-'], '{"id":"7"}')).toEqual({
      code: 0,
      stdout: '{"id":"7","account":"demo","email":null}\n',
      stderr: '',
    })
    expect(asked).toBe(0)
    expect(readdirSync(behindProxy.temporary)).toEqual([])
    expect((await server.graphql('{ runs { nodes { name } } }')).body).toMatchObject({
      data: { runs: { nodes: [] } },
    })
  },
)

test('a local run has the limits of the settings', async () => {
  await place.write('f.js', 'while (true) {}')
  const endless = await place.run(['run', 'f.js'])
  expect(endless).toMatchObject({ code: 2, stdout: '' })
  expect(endless.stderr).toMatch(/^f\.js\S* TIMEOUT /)
})

const run = async (script: string, ...args: string[]) => {
  await place.write('f.js', script)
  return place.runHere(['run', 'f.js', ...args])
}
// A local run starts a gateway. What a run prints is the same.
const runOnGateway = (script: string, ...args: string[]) => run(script, '--remote', ...args)

test('exit prints its value as one line of JSON, and log entries are lines on stderr', async () => {
  await place.write('in.json', '{"impact": 3}')
  await place.write('opt.json', '{"params": {"a": 1}}')
  const given = ['--input', 'in.json', '--options', 'opt.json']
  const { code, stdout, stderr } = await runOnGateway(
    "log('total', payload.impact); console.warn({ a: [1] }); exit({ ...payload, a: options.params.a })",
    ...given,
  )
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: '{"impact":3,"a":1}\n',
    stderr: 'info  total 3\nwarn  {"a":[1]}\n',
  })
})

test('fail is 1 with its message word for word, an error 2 with its place', async () => {
  expect(await runOnGateway("fail('no “way”\\n  at all')")).toEqual({
    code: 1,
    stdout: '',
    stderr: 'no “way”\n  at all\n',
  })
  expect(await runOnGateway('log(1)\n  throw new Error("x")')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'info  1\nf.js:2:9 RUNTIME Error: x\n',
  })
  expect(await runOnGateway('exit(')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^f\.js:1:\d+ SYNTAX /),
  })
})

test('an escape sequence of a script reaches no pipe', async () => {
  const { stdout, stderr } = await runOnGateway("log('\\u001b[31mred\\nline', '\\u009b'); fail('\\u001b[2J')")
  expect(stdout + stderr).toBe('info  \\u001b[31mred\\nline \\u009b\n\\u001b[2J\n')
})

test('with --json the answer is one document, whatever the outcome', async () => {
  const { code, stdout, stderr } = await runOnGateway(
    "log('a'); fail('\\u009b2Jb\\u202e')",
    '--json',
    '--name',
    'n',
  )
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toContain('"\\u009b2Jb\\u202e"')
  expect(JSON.parse(stdout)).toMatchObject({
    name: 'n',
    outcome: 'fail',
    message: '\u009b2Jb\u202e',
    payload: null,
    logs: [{ level: 'info', data: ['a'] }],
  })
})

test('a file may come from stdin', async () => {
  const printed = { code: 0, stdout: '{}\n', stderr: '' }
  expect(await place.run(['run', '-', '--remote'], 'exit(payload)')).toEqual(printed)
  await place.write('f.js', 'exit(payload)')
  const fromFile = await place.run(['run', 'f.js', '--remote', '--input', '-'], '[1]')
  expect(fromFile).toMatchObject({ stdout: '[1]\n' })
})

test('Ctrl-C ends a command that reads stdin', async () => {
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(new PassThrough() as never)
  onTestFinished(() => void vi.restoreAllMocks())
  const before = process.listenerCount('SIGINT')
  const ended = place.runHere(['run', '-', '--remote'])
  await expect.poll(() => process.listenerCount('SIGINT')).toBeGreaterThan(before)
  process.listeners('SIGINT').at(-1)?.('SIGINT')
  expect((await ended).code).toBe(130)
})

test('a document that is no JSON, and a script that is not UTF-8, are said before anything runs', async () => {
  await place.write('bad.json', '{"a"')
  expect(await run('exit(1)', '--input', 'bad.json')).toMatchObject({
    code: 64,
    stderr: expect.stringMatching(/^`bad\.json` is not JSON: .+\n$/),
  })
  expect(await run('exit(1)', '--input', '{"a": 1}')).toMatchObject({
    code: 64,
    stderr: '`--input` takes the name of a file, not JSON itself. Send the JSON on stdin, with `-`.\n',
  })
  await place.write('latin.js', new Uint8Array([0x65, 0xe9, 0x28]))
  expect(await place.runHere(['run', 'latin.js'])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('UTF-8'),
  })
})

test('a script that is far too large is refused with one line', async () => {
  for (const [bytes, line] of [
    [100_000_000, 'The script and its documents are too large to be sent. Give smaller ones.\n'],
    [268_435_456, 'The script and its documents are too large to be sent. Give smaller ones.\n'],
    [268_435_457, '`dump.js` has more than 268435456 bytes, and no gateway takes as many.\n'],
  ] as const) {
    await place.write('dump.js', '')
    truncateSync(join(place.path, 'dump.js'), bytes)
    expect(await place.run(['run', 'dump.js', '--remote'])).toEqual({ code: 64, stdout: '', stderr: line })
  }
})

test('a file without an end is read no further than the most that a gateway takes', async () => {
  const stderr = '`/dev/zero` has more than 268435456 bytes, and no gateway takes as many.\n'
  expect(await place.run(['run', '/dev/zero'])).toEqual({ code: 64, stdout: '', stderr })
})

test('with --remote or --url a run is one of the gateway', async () => {
  const script = "exit((await graphql('{ viewer { accountCode } }')).data.viewer.accountCode)"
  const printed = { code: 0, stdout: `${JSON.stringify(server.account)}\n` }
  expect(await run(script, '--remote')).toMatchObject(printed)
  expect(await run(script, '--url', `${server.baseUrl}/`)).toMatchObject(printed)
})

test('Ctrl-C ends a run with 130, and a saved file runs again with --watch, on an empty store', async () => {
  const add = 'mutation { addTeamMembership(input: { userId: 7, teamId: 3 }) { id } }'
  const addAndExit = `const { data } = await graphql('${add}'); exit(data.addTeamMembership.id)`
  await place.write('w.js', `log("one"); ${addAndExit}`)
  const going = place.start(['run', 'w.js', '--watch'])
  await expect.poll(going.stderr).toContain('Waiting for a change')
  await place.write('w.js', `log("two"); ${addAndExit}`)
  await expect.poll(going.stdout).toBe('"1"\n"1"\n')
  await place.write('w.js', 'exit(')
  await expect.poll(going.stderr).toContain('w.js:1:')
  going.interrupt()
  expect((await going.ended).code).toBe(130)
})
