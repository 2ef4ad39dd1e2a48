import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { replaceExpect } from '../../src/cli/cases/replace-expect.ts'
import { findDescendants } from '../server/processes/child-processes.ts'
import { until } from '../server/processes/until.ts'
import { makeWorkplace, type Workplace } from './spawn-rostrum.ts'

let place: Workplace
beforeAll(async () => {
  place = await makeWorkplace()
  await place.write(
    'functions/incident/priority.js',
    `if (payload.ask) {
      const { data } = await graphql('query Q($id: ID!) { user(id: $id) { email } }', { id: payload.ask }, payload.url)
      exit({ ...payload, email: data.user?.email ?? null })
    }
    if (payload.impact === undefined) fail('no impact')
    if (payload.impact > 9) throw new Error('too much')
    exit({ priority: payload.impact > 2 ? 'high' : 'low' })`,
  )
})
afterAll(() => place.remove())

const script = '../functions/incident/priority.js'
const write = (file: string, content: object) => place.write(file, JSON.stringify(content))

test('cases hold without regard to the order of keys, and what they leave out is not compared', async () => {
  const answer = { data: { user: { email: 'a@b.test' } } }
  const graphql = [
    { field: 'user', variables: { id: '8' }, answer: { data: { user: null } } },
    { field: 'user', variables: { id: '7' }, answer },
  ]
  const url = 'https://other.test/graphql'
  const expected = { outcome: 'exit', payload: { email: 'a@b.test', url, ask: '7' } }
  await write('good/asks.json', { script, input: { ask: '7', url }, graphql, expect: expected })
  await write('good/fails.json', { script, expect: { outcome: 'fail', message: 'no impact' } })
  await write('good/deep/er.json', {
    name: 'errs',
    ...{ script: '../../functions/incident/priority.js', input: { impact: 10 } },
    expect: { outcome: 'error', code: 'RUNTIME', message: 'Error: too much' },
  })
  await place.write('good/zero.js', 'exit({ n: -0 })')
  await place.write('good/zero.json', '{"script":"zero.js","expect":{"outcome":"exit","payload":{"n":-0}}}')
  await write('good/any.json', { script, input: { impact: 3 }, expect: { outcome: 'exit' } })
  const { code, stdout, stderr } = await place.run(['test', 'good'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const name of ['good/any', 'good/asks', 'good/fails', 'errs']) expect(stdout).toContain(`✔ ${name} (`)
  expect(stdout).toContain('pass 5')
  const tap = await place.run(['test', 'good', '--filter', 'errs', '--reporter', 'tap'])
  expect(tap.stdout).toMatch(/^TAP version 13[\s\S]*ok 1 - errs[\s\S]*1\.\.1\n# tests 1\n/)
})

test('a miss shows what was expected and what came, and a call without an entry is named', async () => {
  await write('bad/low.json', {
    script,
    input: { impact: 1 },
    expect: { outcome: 'exit', payload: { priority: 'x' } },
  })
  await write('bad/call.json', { script, input: { ask: '7' }, graphql: [], expect: { outcome: 'exit' } })
  await write('bad/none.json', { script, input: { impact: 1 } })
  const { code, stdout } = await place.run(['test', 'bad'])
  expect(code).toBe(1)
  expect(stdout).toContain('expected: {"priority":"x"}')
  expect(stdout).toContain('actual:   {"priority":"low"}')
  expect(stdout).toContain('`expect` is missing')
  const junit = await place.run(['test', 'bad', '--reporter', 'junit', '--filter', 'call'])
  expect(junit.stdout).toMatch(/^<\?xml[\s\S]*<testcase name="bad\/call"[\s\S]*<failure /)
  const json = await place.run(['run', 'functions/incident/priority.js', '--input', '-'], '{"ask":"7"}')
  expect(json.stdout).toBe('{"ask":"7","email":null}\n')
})

test('a report has no control characters, no place in the command line, and is valid XML as JUnit', async () => {
  const message = '\u0007 \u001b[31m \u009b ]]> <a&b> \uffff'
  await place.write('odd/fails.js', `fail(${JSON.stringify(message)})`)
  await write('odd/a.json', { name: message, script: 'fails.js', expect: { outcome: 'fail', message: 'x' } })
  const [tap, junit] = await Promise.all(
    ['tap', 'junit'].map(reporter => place.run(['test', 'odd', '--reporter', reporter])),
  )
  for (const { code, stdout = '' } of [{ ...tap }, { ...junit }]) {
    expect(code).toBe(1)
    expect(stdout).not.toMatch(/[^\P{Cc}\n\t]/u)
    expect(stdout).not.toContain('report-cases')
    expect(stdout).toContain('\\u0007 \\u001b[31m \\u009b ]]')
  }
  expect(junit?.stdout).not.toMatch(/]]>|\uffff|&(?!\w+;|#\d+;)/)
  expect(junit?.stdout).toContain('name="\\u0007 \\u001b[31m \\u009b ]]&gt; &lt;a&amp;b> \\uffff"')
})

test('the report names a failed case as it is seen from the folder of the command', async () => {
  await write('cases/a.json', { script, expect: { outcome: 'error' } })
  expect((await place.run(['test'])).stdout).toContain('\ntest at cases/a.json:1:1\n')
})

test('--update writes what came into the cases that miss it, and touches no other', async () => {
  const holds = `{"script":"${script}","expect":{"outcome":"fail"}}`
  await place.write('new/holds.json', holds)
  const input = '{"n":1.0,"10":0,"2":0,"impact":1}'
  await place.write('new/case.json', `{"script":"${script}","input":${input},"name":"first"}`)
  const other = { outcome: 'error', message: 'too little' }
  await write('new/message.json', { script, input: { impact: 10 }, expect: other })
  const { code } = await place.run(['test', 'new', '--update'])
  expect(code).toBe(0)
  expect(JSON.parse(await place.read('new/message.json')).expect).toEqual({
    outcome: 'error',
    code: 'RUNTIME',
    message: 'Error: too much',
  })
  expect(await place.read('new/holds.json')).toBe(holds)
  expect(await place.read('new/case.json')).toBe(`{
  "script": "${script}",
  "input": {
    "n": 1.0,
    "10": 0,
    "2": 0,
    "impact": 1
  },
  "name": "first",
  "expect": {
    "outcome": "exit",
    "payload": {
      "priority": "low"
    }
  }
}
`)
  expect((await place.run(['test', 'new'])).code).toBe(0)
})

test('--update overwrites no case that was saved while its script ran', async () => {
  await place.write('slow.js', 'for (const end = Date.now() + 2_000; Date.now() < end; );')
  await write('during/a.json', { script, input: { impact: 1 } })
  await write('during/b.json', { script: '../slow.js' })
  const testing = place.start(['test', 'during', '--update', '--reporter', 'tap'])
  await until(() => testing.stdout().includes('ok 1'))
  const edited = JSON.stringify({ script: '../slow.js', input: { by: 'hand' } })
  await place.write('during/b.json', edited)
  const { code, stderr } = await testing.ended
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining('`rostrum test --update` again'),
  })
  expect(await place.read('during/b.json')).toBe(edited)
})

test.each([
  {
    name: 'tabs, CRLF and a value that is there',
    before: '{\r\n\t"10": 1,\r\n\t"expect": { "outcome": "fail" } ,\r\n\t"2": 1.50\r\n}',
    after: '{"10":1,"expect":EXPECT,"2":1.50}',
  },
  {
    name: 'no value',
    before: '{\n\n    "é": [1,  2], "a": {}, "b" : [ ]\n}',
    after: '{"é":[1,2],"a":{},"b":[],"expect":EXPECT}',
  },
  {
    name: 'the name twice and inside',
    before: '{ "expect" : null, "b": { "expect": 1e400 }, "\\u0065xpect" : 7 }',
    after: '{"expect":null,"b":{"expect":1e400},"\\u0065xpect":EXPECT}',
  },
  {
    name: 'signs in texts',
    before: '{"a":"{[,:\\"]}\\\\","b":-0.0}',
    after: '{"a":"{[,:\\"]}\\\\","b":-0.0,"expect":EXPECT}',
  },
])('--update changes no other member of a file with $name', ({ before, after }) => {
  const expected = { outcome: 'exit', payload: { a: '\u2028 é', 2: [] } } as const
  const written = replaceExpect(before, expected)
  expect(withoutSpaces(written)).toBe(after.replace('EXPECT', JSON.stringify(expected)))
  expect(JSON.parse(written)).toEqual({ ...JSON.parse(before), expect: expected })
  expect(replaceExpect(written, expected)).toBe(written)
})

test('--update lays a file out with two spaces and a newline at the end', () => {
  const content = {
    script: 'a.js',
    input: { b: [1, { c: [] }, [[]]], d: {} },
    expect: { outcome: 'fail' },
  } as const
  const written = replaceExpect(JSON.stringify(content), content.expect)
  expect(written).toBe(`${JSON.stringify(content, null, 2)}\n`)
})

test('--update takes a file with a text of many escapes', () => {
  const content = {
    script: 'a.js',
    input: { a: '\n'.repeat(2_000_000) },
    expect: { outcome: 'fail' },
  } as const
  expect(replaceExpect(JSON.stringify(content), content.expect)).toBe(`${JSON.stringify(content, null, 2)}\n`)
})

// The text without the white space between its tokens.
const withoutSpaces = (json: string) => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')

test('a script gets the numbers of its input and options as they are written, as `run` sends them', async () => {
  await place.write('numbers/a.js', 'exit([payload.a, options.a].map(n => String(1 / n)))')
  const documents = '"input":{"a":-0.0},"options":{"a":1e400}'
  const expected = '{"outcome":"exit","payload":["-Infinity","0"]}'
  await place.write('numbers/a.json', `{"script":"a.js",${documents},"expect":${expected}}`)
  expect((await place.run(['test', 'numbers'])).stdout).toContain('pass 1')
})

test('each case without answers of its own has an empty store', async () => {
  await place.write(
    'functions/add.js',
    `const before = await graphql('{ user(id: 7) { id } }')
    await graphql('mutation { saveUser(input: { id: 7, email: "a@b.test" }) { id } }')
    exit(before.data.user)`,
  )
  for (const name of ['a', 'b'])
    await write(`store/${name}.json`, {
      script: '../functions/add.js',
      expect: { outcome: 'exit', payload: null },
    })
  expect((await place.run(['test', 'store'])).stdout).toContain('pass 2')
})

test('the stores of the cases before are closed', async () => {
  await place.write('functions/ask.js', `exit((await graphql('{ viewer { email } }')).data)`)
  for (let number = 0; number < 5; number++)
    await write(`asking/${number}.json`, { script: '../functions/ask.js', expect: { outcome: 'exit' } })
  const going = place.start(['test', 'asking', '--watch'])
  await expect.poll(going.stderr).toContain('Waiting for a change')
  expect(going.stdout()).toContain('pass 5')
  expect(findDescendants(going.pid)).toEqual([])
  going.interrupt()
  await going.ended
})

test.each([
  { name: 'no JSON', content: '{', said: /`x\/c\.json` is not JSON/ },
  { name: 'an unknown member', content: `{"script":"${script}","inputs":{}}`, said: /is no case: .*inputs/ },
  { name: 'no script', content: '{"expect":{"outcome":"exit"}}', said: /is no case: script/ },
  { name: 'a missing script', content: '{"script":"nope.js"}', said: /names the script `nope\.js`/ },
])('a case that is $name is refused with 64 before anything runs', async ({ content, said }) => {
  await place.write('x/c.json', content)
  const { code, stdout, stderr } = await place.run(['test', 'x'])
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(said)
})

test('a case may begin with a byte order mark and have null as its input; a script must be UTF-8', async () => {
  const odd = await makeWorkplace()
  await odd.write('a.js', 'exit(payload)')
  const text = '{"script":"../a.js","input":null,"expect":{"outcome":"exit","payload":null}}'
  await odd.write('cases/a.json', `\ufeff${text}`)
  await symlink('nowhere', join(odd.path, 'cases/dangling.json'))
  expect(await odd.run(['test'])).toMatchObject({ code: 0, stderr: '' })
  await odd.write('a.js', new Uint8Array([0x2f, 0x2f, 0xe9]))
  const refused = await odd.run(['test'])
  expect(refused).toMatchObject({ code: 64, stdout: '' })
  expect(refused.stderr).toContain('not UTF-8')
  odd.remove()
})

test('test --watch runs again when a new case is saved', async () => {
  await write('watched/a.json', { script, expect: { outcome: 'fail' } })
  const going = place.start(['test', 'watched', '--watch'])
  await expect.poll(going.stderr).toContain('Waiting for a change')
  await write('watched/deep/b.json', {
    script: '../../functions/incident/priority.js',
    expect: { outcome: 'fail' },
  })
  await expect.poll(going.stdout).toContain('watched/deep/b')
  going.interrupt()
  expect((await going.ended).code).toBe(130)
})

test('test --watch runs again when the script of a case that was added later is saved', async () => {
  await write('later/a.json', { script, expect: { outcome: 'fail' } })
  const going = place.start(['test', 'later', '--watch'])
  await expect.poll(going.stderr).toContain('Waiting for a change')
  await place.write('late.js', "fail('first')")
  await write('later/b.json', { script: '../late.js', expect: { outcome: 'fail', message: 'second' } })
  await expect.poll(going.stdout).toContain('actual:   "first"')
  await place.write('late.js', "fail('third')")
  await expect.poll(going.stdout).toContain('actual:   "third"')
  going.interrupt()
  await going.ended
})
