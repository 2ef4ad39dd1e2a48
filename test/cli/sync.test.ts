import { once } from 'node:events'
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useSignedIn } from './spawn-rostrum.ts'

// Less than the boot of a sandbox takes: `push` compiles whatever time a run may take.
const { server, place } = useSignedIn({ ROSTRUM_TASK_TIMEOUT_MS: '10' })

const file = 'functions/incident/priority.js'
const path = '/platform/functions/priority?case_type_code=incident'
async function saveLive(source: string): Promise<void> {
  const answer = await fetch(`${server.baseUrl}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${server.adminToken}`, 'content-type': 'text/javascript' },
    body: source,
  })
  expect(answer.ok).toBe(true)
}
async function readLive(): Promise<string> {
  const headers = { authorization: `Bearer ${server.adminToken}`, accept: 'text/javascript' }
  return (await fetch(`${server.baseUrl}${path}`, { headers })).text()
}
const lock = async () => JSON.parse(await place.read('rostrum.lock')) as { functions: Record<string, string> }

test('pull writes each source byte for byte, touches nothing without a change, and deletes what is gone', async () => {
  const source = '\ufeffexit("é\\u0000")\r\n// no end'
  await saveLive(source)
  expect(await place.run(['pull'])).toMatchObject({ code: 0, stdout: `${file}\n`, stderr: '' })
  expect(await place.read(file)).toBe(source)
  expect(await lock()).toMatchObject({ url: server.baseUrl, account: server.account })
  const times = () => [file, 'rostrum.lock'].map(name => statSync(join(place.path, name)).mtimeMs)
  const before = times()
  expect(await place.runHere(['pull'])).toMatchObject({ code: 0, stdout: '' })
  expect(times()).toEqual(before)
  await place.write('functions/incident/mine.js', 'exit(1)')
  await server.rest('DELETE', path)
  expect((await place.runHere(['pull'])).code).toBe(0)
  expect(existsSync(join(place.path, file))).toBe(false)
  expect(await place.read('functions/incident/mine.js')).toBe('exit(1)')
})

test('a file and a function that both changed are a conflict for pull and push, and nothing is written', async () => {
  await saveLive('exit(1)')
  await place.runHere(['pull'])
  const locked = await place.read('rostrum.lock')
  await saveLive('exit(2)')
  await place.write(file, 'exit(3)')
  await place.write('functions/_/other.js', 'exit(4)')
  const pulled = await place.runHere(['pull'])
  expect({ code: pulled.code, stdout: pulled.stdout }).toEqual({ code: 3, stdout: '' })
  expect(pulled.stderr).toContain(file)
  const pushed = await place.runHere(['push', '--yes'])
  expect(pushed.code).toBe(3)
  expect(pushed.stderr).toContain('incident/priority')
  expect(await place.read(file)).toBe('exit(3)')
  expect(await place.read('rostrum.lock')).toBe(locked)
  expect(await readLive()).toBe('exit(2)')
  expect((await server.graphql('{ functions { nodes { name } } }')).body).toMatchObject({
    data: { functions: { nodes: [{ name: 'priority' }] } },
  })
  expect((await place.runHere(['pull', '--force'])).code).toBe(0)
  expect(await place.read(file)).toBe('exit(2)')
})

test('push shows a unified diff, asks nothing in a pipe, and saves with --yes', async () => {
  await saveLive('exit(1)\n')
  await place.runHere(['pull'])
  await place.write(file, 'exit(2)\n')
  await place.write('functions/_/other.js', 'exit(4)\n')
  const shown = `--- /dev/null
+++ b/functions/_/other.js
@@ -0,0 +1,1 @@
+exit(4)
--- a/${file}
+++ b/${file}
@@ -1,1 +1,1 @@
-exit(1)
+exit(2)
`
  expect(await place.runHere(['push', '--dry-run'])).toMatchObject({ code: 0, stdout: shown })
  const unanswered = await place.run(['push'])
  expect({ code: unanswered.code, stdout: unanswered.stdout }).toEqual({ code: 64, stdout: shown })
  expect(unanswered.stderr).toContain('--yes')
  expect(await readLive()).toBe('exit(1)\n')
  expect(await place.run(['push', 'incident/priority', '--yes', '--comment', 'why'])).toMatchObject({
    code: 0,
  })
  expect(await readLive()).toBe('exit(2)\n')
  expect(Object.keys((await lock()).functions)).toEqual(['incident/priority'])
  expect((await place.runHere(['push', '--yes'])).code).toBe(0)
  expect(Object.keys((await lock()).functions)).toEqual(['_/other', 'incident/priority'])
  const again = await place.run(['push'])
  expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: '' })
  const { body } = await server.graphql(
    '{ function(name: "priority", caseTypeCode: "incident", exact: true) { live { comment } } }',
  )
  expect(body.data).toEqual({ function: { live: { comment: 'why' } } })
})

test('a file that does not compile, or has no good path or bytes, keeps everything from being pushed', async () => {
  await place.write('functions/_/good.js', 'exit(1)')
  await place.write(file, 'exit(1) )')
  const broken = await place.runHere(['push', '--yes'])
  expect({ code: broken.code, stdout: broken.stdout }).toEqual({ code: 2, stdout: '' })
  expect(broken.stderr).toMatch(new RegExp(`^${file}:1:\\d+ SYNTAX .+\\n$`))
  await place.write(file, '')
  expect(await place.runHere(['push', '--yes'])).toMatchObject({
    code: 64,
    stderr: `${file}: The file is empty. Nothing was pushed.\n`,
  })
  await place.write(file, ' '.repeat(262_145))
  expect(await place.runHere(['push', '--yes'])).toMatchObject({
    code: 64,
    stderr: `${file}: The source has 262145 bytes; at most 262144 are allowed. Nothing was pushed.\n`,
  })
  await place.write(file, 'exit("\0")')
  expect(await place.runHere(['push', '--yes'])).toMatchObject({
    code: 64,
    stderr: expect.stringMatching(/^functions\/incident\/priority\.js: The source must not contain NUL/),
  })
  await place.write(file, new Uint8Array([0xe9]))
  expect(await place.runHere(['push', '--yes'])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('UTF-8'),
  })
  await place.write(file, 'exit(1)')
  await place.write('functions/in cident/x.js', 'exit(1)')
  expect(await place.runHere(['push', '--yes'])).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('in cident'),
  })
  expect((await server.graphql('{ functions { nodes { name } } }')).body).toMatchObject({
    data: { functions: { nodes: [] } },
  })
})

test('a file that is gone leaves its function, and push says so', async () => {
  await saveLive('exit(1)')
  await place.runHere(['pull'])
  await place.write('functions/_/x.js', 'exit(1)')
  rmSync(join(place.path, file))
  const { code, stderr } = await place.runHere(['push', '--yes'])
  expect(code).toBe(0)
  expect(stderr).toContain(`${file} is gone`)
  expect(await readLive()).toBe('exit(1)')
})

test('push says that every file is as its live version only if it is', async () => {
  await saveLive('exit(1)')
  await place.runHere(['pull'])
  expect((await place.runHere(['push', '--yes'])).stderr).toBe('Every file is as its live version.\n')
  await saveLive('exit(2)')
  const { code, stderr } = await place.runHere(['push', '--yes'])
  expect(code).toBe(0)
  expect(stderr).toMatch(/a newer version is live.*\nThere is nothing to push\.\n$/)
})

test('push --watch saves each change, and tries it on a case', async () => {
  await saveLive('exit({ n: 1 })')
  await server.graphql(`mutation { saveHook(input: {
    caseTypeCode: "incident", event: PRE_SAVE, functionId: "1", scopes: [], enabled: true }) { id } }`)
  const { body } = await server.graphql<{ saveCase: { case: { id: string } } }>(
    'mutation { saveCase(input: { caseTypeCode: "incident", data: {} }) { case { id } } }',
  )
  await place.runHere(['pull'])
  const going = place.start(['push', '--watch', '--yes', '--try', body.data?.saveCase.case.id ?? ''])
  await expect.poll(going.stderr).toContain('Waiting for a change')
  await place.write(file, 'log("tried"); exit({ n: 2 })')
  await expect.poll(going.stdout).toContain('patch [')
  expect(going.stdout()).toContain('info  tried')
  expect(await readLive()).toBe('log("tried"); exit({ n: 2 })')
  going.interrupt()
  expect((await going.ended).code).toBe(130)
})

test('push refuses a `--try` that is no id of a case before it pushes', async () => {
  await saveLive('exit(1)')
  await place.runHere(['pull'])
  await place.write(file, 'exit(2)')
  for (const [id = '', ...more] of [['incident/1'], ['incident/1', '--watch'], ['9007199254740992']]) {
    const { code, stdout, stderr } = await place.runHere(['push', '--yes', '--try', id, ...more])
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toBe(`\`--try\` must be the id of a case, such as 41; it is \`${id}\`.\n`)
  }
  expect(await readLive()).toBe('exit(1)')
})

test('pull leaves other files alone, whatever they are named and hold', async () => {
  await saveLive('exit(1)')
  await place.write('functions/eslint.config.js', 'x')
  await place.write('functions/incident/deeper/x.js', new Uint8Array([0xff]))
  await symlink('nowhere', join(place.path, 'functions/incident/dangling.js'))
  expect(await place.runHere(['pull'])).toMatchObject({ code: 0, stdout: `${file}\n`, stderr: '' })
  await place.write(file, new Uint8Array([0xff]))
  expect(await place.runHere(['pull'])).toMatchObject({ code: 3, stdout: '' })
  expect(await place.runHere(['pull', '--force'])).toMatchObject({ code: 0 })
  expect(await place.read(file)).toBe('exit(1)')
})

test('push --watch without a folder of functions is refused with 64', async () => {
  const { code, stderr } = await place.runHere(['push', '--watch', '--yes'])
  expect(code).toBe(64)
  expect(stderr).toContain('rostrum pull')
})

test('pull refuses names that would leave the folder', async () => {
  const functions = {
    nodes: [{ name: '../../evil', caseTypeCode: null, live: { hash: 'x' } }],
    pageInfo: { hasNextPage: false, endCursor: null },
  }
  const hostile = createServer((_request, response) =>
    response.end(JSON.stringify({ data: { viewer: { accountCode: 'a' }, functions } })),
  )
  await once(hostile.listen(0, '127.0.0.1'), 'listening')
  const { port } = hostile.address() as AddressInfo
  const { code, stdout } = await place.runHere(['pull', '--url', `http://127.0.0.1:${port}`])
  hostile.close()
  expect({ code, stdout }).toEqual({ code: 69, stdout: '' })
})

test('a lock of another gateway is refused by push and pull, and pull --force replaces it', async () => {
  await saveLive('exit(1)')
  await place.runHere(['pull'])
  const locked = await place.read('rostrum.lock')
  await place.write(file, 'exit(2)')
  const other = server.baseUrl.replace('127.0.0.1', 'localhost')
  for (const args of [['push', '--yes'], ['pull']]) {
    const { code, stdout, stderr } = await place.runHere([...args, '--url', other])
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain(`at ${server.baseUrl}, and you ask for`)
  }
  expect(await readLive()).toBe('exit(1)')
  expect(await place.read('rostrum.lock')).toBe(locked)
  await place.write('functions/_/only-here.js', 'exit(3)')
  await place.write('rostrum.lock', locked.replace('http://', 'http://\\u001b[2J'))
  const forced = await place.runHere(['pull', '--force', '--url', other])
  expect(forced.code).toBe(0)
  expect(forced.stderr).toMatch(
    /The folder was of the account `.*` at http:\/\/\\u001b\[2J127.*\. It is of `/,
  )
  expect(forced.stderr).toContain('kept functions/_/only-here.js: it has no function there')
  expect(forced.stderr).not.toContain('Everything is as it was pulled.')
  expect(await lock()).toMatchObject({ url: other })
})

test('push --watch tries again by itself when the gateway does not answer', async () => {
  await place.write('functions/_/x.js', 'exit(1)')
  let asked = 0
  const busy = createServer((_request, response) => {
    asked++
    response.writeHead(503).end('{}')
  })
  await once(busy.listen(0, '127.0.0.1'), 'listening')
  const { port } = busy.address() as AddressInfo
  const going = place.start(['push', '--watch', '--yes', '--url', `http://127.0.0.1:${port}`])
  await expect.poll(going.stderr).toContain('Trying again in 2 s')
  expect(asked).toBeGreaterThan(1)
  going.interrupt()
  expect((await going.ended).code).toBe(130)
  busy.close()
})

test('push --watch sees a folder that replaced the one it watched', async () => {
  await place.write(file, 'exit(1)')
  const going = place.start(['push', '--watch', '--yes'])
  await expect.poll(going.stderr).toContain('Waiting for a change')
  renameSync(join(place.path, 'functions'), join(place.path, 'old'))
  await expect.poll(going.stderr).toMatch(/Waiting for a change[\s\S]*Waiting for a change/)
  await place.write(file, 'exit(2)')
  await expect.poll(readLive).toBe('exit(2)')
  await place.write(file, 'exit(3)')
  await expect.poll(readLive).toBe('exit(3)')
  going.interrupt()
  await going.ended
})
