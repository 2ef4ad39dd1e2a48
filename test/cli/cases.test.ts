import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { replaceExpect } from '../../src/cli/cases/replace-expect.ts'
import { startUpstream } from '../server/gateways/start-upstream.ts'
import { findDescendants } from '../server/processes/child-processes.ts'
import type { CommandOutput } from '../server/processes/spawn-command.ts'
import { makeWorkplace, type Workplace } from './spawn-rostrum.ts'

let place: Workplace
let update: CommandOutput
// The report of `cases` after this update. All cases there hold.
let report: CommandOutput
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
  await writeGoodCases()
  await writeOutdatedCases()
  update = await place.run(['test', 'cases/new', '--update'])
  report = await place.run(['test'])
})
afterAll(() => place.remove())

const script = '../functions/incident/priority.js'
const write = (file: string, content: object) => place.write(file, JSON.stringify(content))

async function writeGoodCases() {
  const answer = { data: { user: { email: 'a@b.test' } } }
  const graphql = [
    { field: 'user', variables: { id: '8' }, answer: { data: { user: null } } },
    { field: 'user', variables: { id: '7' }, answer },
  ]
  const url = 'https://other.test/graphql'
  const expected = { outcome: 'exit', payload: { email: 'a@b.test', url, ask: '7' } }
  await write('cases/asks.json', { script, input: { ask: '7', url }, graphql, expect: expected })
  await write('cases/fails.json', { script, expect: { outcome: 'fail', message: 'no impact' } })
  await write('cases/deep/er.json', {
    name: 'errs',
    ...{ script: `../${script}`, input: { impact: 10 } },
    expect: { outcome: 'error', code: 'RUNTIME', message: 'Error: too much' },
  })
  await place.write('cases/zero.js', 'exit({ n: -0 })')
  await place.write('cases/zero.json', '{"script":"zero.js","expect":{"outcome":"exit","payload":{"n":-0}}}')
  await write('cases/any.json', { script, input: { impact: 3 }, expect: { outcome: 'exit' } })
  await place.write('cases/numbers.js', 'exit([payload.a, options.a].map(n => String(1 / n)))')
  const documents = '"input":{"a":-0.0},"options":{"a":1e400}'
  const numbers = '{"outcome":"exit","payload":["-Infinity","0"]}'
  await place.write('cases/numbers.json', `{"script":"numbers.js",${documents},"expect":${numbers}}`)
  await place.write('cases/mark.js', 'exit(payload)')
  const text = '{"script":"mark.js","input":null,"expect":{"outcome":"exit","payload":null}}'
  await place.write('cases/mark.json', `\ufeff${text}`)
  await symlink('nowhere', join(place.path, 'cases/dangling.json'))
  for (const name of ['cases/s1', 'cases/s2']) await symlink('.', join(place.path, name))
}

const holding = `{"script":"../${script}","expect":{"outcome":"fail"}}`
async function writeOutdatedCases() {
  await place.write('cases/new/holds.json', holding)
  const input = '{"n":1.0,"10":0,"2":0,"impact":1}'
  await place.write('cases/new/case.json', `{"script":"../${script}","input":${input},"name":"first"}`)
  const other = { outcome: 'error', message: 'too little' }
  await write('cases/new/message.json', { script: `../${script}`, input: { impact: 10 }, expect: other })
}

test('cases hold without regard to the order of keys, and what they leave out is not compared', () => {
  const { code, stdout, stderr } = report
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const name of ['cases/any', 'cases/asks', 'cases/fails', 'cases/zero', 'errs'])
    expect(stdout).toContain(`✔ ${name} (`)
})

test('a script gets the numbers of its input and options as they are written, as `run` sends them', () => {
  expect(report.stdout).toContain('✔ cases/numbers (')
})

test('a case may begin with a byte order mark and have null as its input', () => {
  expect(report.stdout).toContain('✔ cases/mark (')
})

test('links to their own folder and to nothing do not keep test, and each case runs once', () => {
  expect(report.stdout).toMatch(/tests 10\n.*pass 10\n/)
})

test('a script must be UTF-8', async () => {
  await place.write('latin/a.js', new Uint8Array([0x2f, 0x2f, 0xe9]))
  await write('latin/a.json', { script: 'a.js', expect: { outcome: 'exit' } })
  const refused = await place.runHere(['test', 'latin'])
  expect(refused).toMatchObject({ code: 64, stdout: '' })
  expect(refused.stderr).toContain('not UTF-8')
})

test('a miss shows what was expected and what came, and a call without an entry is named', async () => {
  await write('bad/low.json', {
    script,
    input: { impact: 1 },
    expect: { outcome: 'exit', payload: { priority: 'x' } },
  })
  const expected = { outcome: 'exit', message: '' }
  await write('bad/call.json', { script, input: { ask: '7' }, graphql: [], expect: expected })
  const entry = { field: 'user', variables: { id: '8' }, answer: { data: { user: null } } }
  await write('bad/entry.json', { script, input: { ask: '7' }, graphql: [entry], expect: expected })
  await write('bad/none.json', { script, input: { impact: 1 } })
  await write('bad/other.json', { name: 'other', script, expect: { outcome: 'exit' } })
  const { code, stdout } = await place.run(['test', 'bad', '--filter', 'bad/'])
  expect(code).toBe(1)
  expect(stdout).toContain('expected: {"priority":"x"}')
  expect(stdout).toContain('actual:   {"priority":"low"}')
  expect(stdout).toContain('`expect` is missing')
  expect(stdout).toContain('`user` is not answered: the case has no entry for it')
  expect(stdout).toMatch(/actual: {3}"error"\n +because: {2}RUNTIME at line \d+, column \d+: Error: /)
  expect(stdout).toContain('`user` is not answered: none of its entries has the variables {"id":"7"}')
  // The place is as it is seen from the folder of the command.
  expect(stdout).toContain('\ntest at bad/low.json:1:1\n')
  // Without the case that the filter leaves out.
  expect(stdout).toContain('tests 4\n')
})

test('a report has no control characters, no place in the command line, and is valid XML as JUnit', async () => {
  const message = '\u0007 \u001b[31m \u009b ]]> <a&b> \uffff'
  await place.write('odd/fails.js', `fail(${JSON.stringify(message)})`)
  await write('odd/a.json', { name: message, script: 'fails.js', expect: { outcome: 'fail', message: 'x' } })
  await write('odd/b.json', { script, expect: { outcome: 'exit' } })
  const [tap, junit] = await Promise.all(
    ['tap', 'junit'].map(name => place.run(['test', 'cases/deep', 'odd', '--reporter', name])),
  )
  for (const { code, stdout = '' } of [{ ...tap }, { ...junit }]) {
    expect(code).toBe(1)
    expect(stdout).not.toMatch(/[^\P{Cc}\n\t]/u)
    expect(stdout).not.toContain('report-cases')
    expect(stdout).toContain('\\u0007 \\u001b[31m \\u009b ]]')
  }
  expect(tap?.stdout).toMatch(/^TAP version 13[\s\S]*\nok 1 - errs\n[\s\S]*1\.\.3\n# tests 3\n/)
  expect(junit?.stdout).toMatch(/^<\?xml[\s\S]*<testcase name="odd\/b"[\s\S]*<failure /)
  expect(junit?.stdout).not.toMatch(/]]>|\uffff|&(?!\w+;|#\d+;)/)
  expect(junit?.stdout).toContain('name="\\u0007 \\u001b[31m \\u009b ]]&gt; &lt;a&amp;b> \\uffff"')
})

test('--update writes what came into the cases that miss it, and touches no other', async () => {
  expect(update.code).toBe(0)
  expect(JSON.parse(await place.read('cases/new/message.json')).expect).toEqual({
    outcome: 'error',
    code: 'RUNTIME',
    message: 'Error: too much',
  })
  expect(await place.read('cases/new/holds.json')).toBe(holding)
  expect(await place.read('cases/new/case.json')).toBe(`{
  "script": "../${script}",
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
  for (const name of ['first', 'cases/new/holds', 'cases/new/message'])
    expect(report.stdout).toContain(`✔ ${name} (`)
})

test('--update overwrites no case that was saved while its script ran', async () => {
  const edited = JSON.stringify({ script: 'ask.js', input: { by: 'hand' } })
  const upstream = await startUpstream(async (_request, response) => {
    await asking.write('a.json', edited)
    response.end('{"data":{}}')
  })
  onTestFinished(() => upstream.close())
  const asking = await makeWorkplace({ ROSTRUM_GRAPHQL_HOSTS: upstream.host })
  onTestFinished(asking.remove)
  await asking.write('ask.js', `exit(await graphql('{ a }', {}, '${upstream.url}'))`)
  await asking.write('a.json', '{"script":"ask.js"}')
  const { code, stderr } = await asking.run(['test', 'a.json', '--update'])
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining('`rostrum test --update` again'),
  })
  expect(await asking.read('a.json')).toBe(edited)
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

test('each case without answers of its own has an empty store, and the stores before are closed', async () => {
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
  const going = place.start(['test', 'store', '--watch'])
  await expect.poll(going.stderr).toContain('Waiting for a change')
  // An error of a case would be before it.
  expect(going.stderr()).toBe('Waiting for a change; Ctrl-C ends.\n')
  await expect.poll(going.stdout).toContain('pass 2')
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
  const { code, stdout, stderr } = await place.runHere(['test', 'x'])
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(said)
})

test('a case that the gateway refuses fails by its name, and the next one runs', async () => {
  await place.write('refused/long.js', `exit(1) //${'x'.repeat(300_000)}`)
  await place.write('refused/short.js', 'exit(1)')
  await place.write('refused/a.json', '{"script":"long.js","expect":{"outcome":"exit"}}')
  await place.write('refused/b.json', '{"script":"short.js","expect":{"outcome":"exit"}}')
  const { code, stdout, stderr } = await place.run(['test', 'refused', '--reporter', 'junit'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toMatch(
    /<testcase name="refused\/a".*The script has 300010 bytes.*<testcase name="refused\/b"/s,
  )
  expect(stdout).toMatch(/<\/testsuites>\s*$/)
  const alone = await place.run(['run', 'refused/long.js'])
  expect(alone).toMatchObject({ code: 64, stderr: expect.stringContaining('The script has 300010 bytes') })
})

test('test --update --watch updates a case whose result differs in each run once, and then it fails', async () => {
  await place.write('moving/now.js', 'exit(Math.random())')
  await place.write('moving/now.json', '{"script":"now.js"}')
  const going = place.start(['test', 'moving', '--update', '--watch'])
  await expect.poll(going.stdout).toContain('fail 1')
  expect(going.stdout().match(/updated /g)).toHaveLength(1)
  going.interrupt()
  await going.ended
})

test('test --watch runs again when a new case is saved, and when its script is', async () => {
  await write('watched/a.json', { script, expect: { outcome: 'fail' } })
  const going = place.start(['test', 'watched', '--watch'])
  await expect.poll(going.stderr).toContain('Waiting for a change')
  await place.write('late.js', "fail('first')")
  await write('watched/deep/b.json', {
    script: '../../late.js',
    expect: { outcome: 'fail', message: 'second' },
  })
  await expect.poll(going.stdout).toContain('watched/deep/b')
  await expect.poll(going.stdout).toContain('actual:   "first"')
  await place.write('late.js', "fail('third')")
  await expect.poll(going.stdout).toContain('actual:   "third"')
  going.interrupt()
  expect((await going.ended).code).toBe(130)
})
