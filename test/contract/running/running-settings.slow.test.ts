import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { StartError } from '../../../src/errors.ts'
import { findFreePort } from '../../server/processes/free-port.ts'
import { runCommand } from '../../server/processes/spawn-command.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { createOldDatabase, isMigrated } from '../../store/migrations/old-database.ts'

const folder = makeTempFolder()
const store = { DATABASE_URL: `sqlite:${join(folder.path, 'rostrum.db')}` }
afterAll(() => folder.remove())

/** Starts the gateway where it must not start; gives the one line it leaves. */
async function refusedStart(settings: Record<string, string>) {
  const { code, stdout, stderr } = await runCommand([], {
    PORT: String(await findFreePort()),
    ...store,
    ...settings,
  })
  return { code, stdout, stderr }
}

/** What the gateway prints if it does not start with these settings. */
function lineOf(settings: Record<string, string>): string {
  try {
    readConfig(settings)
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
  throw new Error('The gateway would start with these settings.')
}

const badValues: [string, string][] = [
  ['PORT', 'eighty'],
  ['PORT', '70000'],
  ['PORT', '-1'],
  ['DATABASE_URL', 'mysql://localhost/x'],
  ['DATABASE_URL', 'rostrum.db'],
  ['LOG_LEVEL', 'loud'],
  ['ROSTRUM_ADMIN_TOKEN', 'fifteen-letters'],
  ['ROSTRUM_ADMIN_TOKEN', 'with spaces in it, long enough'],
  ['ROSTRUM_JWT_SECRET', 'short'],
  ['ROSTRUM_JWKS_URL', 'not a url'],
  ['ROSTRUM_JWKS_URL', 'file:///etc/passwd'],
  ['ROSTRUM_SANDBOXES', '0'],
  ['ROSTRUM_SANDBOXES', 'two'],
  ['ROSTRUM_ISOLATION', 'none'],
  ['ROSTRUM_JIT', 'maybe'],
  ['ROSTRUM_TASK_TIMEOUT_MS', '0'],
  ['ROSTRUM_TASK_TIMEOUT_MS', '10s'],
  ['ROSTRUM_TASK_CPU_MS', '1.5'],
  ['ROSTRUM_TASK_MEMORY_MB', '1e3'],
  ['ROSTRUM_TASK_RESULT_BYTES', '3'],
  ['ROSTRUM_QUEUE_RUNS', '0'],
  ['ROSTRUM_QUEUE_ACCOUNT_RUNS', '0'],
  ['ROSTRUM_RETRY_MS', '1, 2, 3, 4, 5, 6, 7'],
  ['ROSTRUM_GRAPHQL_HOSTS', 'https://example.com/graphql'],
  ['HOST', '[::1]'],
]

test.each(badValues)('%s=%s stops the start with one line that names it', (name, value) => {
  const line = lineOf({ ...store, [name]: value })
  expect(line.split('\n')).toHaveLength(1)
  expect(line).toContain(name)
  if (/TOKEN|SECRET/.test(name)) expect(line).not.toContain(value)
})

test('a value that is refused for its form, though its parts are right, says which form is right', () => {
  for (const times of ['1, 2, 3, 4, 5, 6, 7', '1000000000,2,3,4,5,6,7'])
    expect(lineOf({ ROSTRUM_RETRY_MS: times })).toContain(
      'from 0 to 999999999, separated by commas without spaces',
    )
  expect(lineOf({ ROSTRUM_GRAPHQL_HOSTS: '::1' })).toContain('such as `[::1]:8080`')
  expect(lineOf({ ROSTRUM_ADMIN_TOKEN: 'ä'.repeat(20) })).toContain('16 to 512 visible ASCII characters')
})

test('a value that ends with the line end of a file is shown with it, in one line', () => {
  expect(lineOf({ ...store, HOST: '::1\r' })).toBe(
    'The setting HOST must be an address without spaces; it is `::1\\u000d`.',
  )
  expect(lineOf({ ...store, PORT: '4000\n' })).toMatch(/^The setting PORT .*; it is `4000\\n`\.$/)
  expect(lineOf({ DATABASE_URL: 'postgres://a/b\r' })).toMatch(
    /^The setting DATABASE_URL .*, without a line end\.$/,
  )
})

test('the port of the metrics is another one than PORT, whether PORT is set or not', async () => {
  for (const PORT of ['', '4000']) {
    const { code, stderr } = await refusedStart({ PORT, ROSTRUM_METRICS_PORT: '4000' })
    expect(code).toBeGreaterThan(0)
    expect(stderr).toBe('The setting ROSTRUM_METRICS_PORT must be another port than PORT; both are `4000`.\n')
  }
})

test('a port of the metrics that is in use stops the start with one line that says what to do', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const { code, stderr } = await refusedStart({ ROSTRUM_METRICS_PORT: String(port) })
  expect(code).toBeGreaterThan(0)
  expect(stderr).toBe(
    `Cannot serve metrics on HOST=127.0.0.1 ROSTRUM_METRICS_PORT=${port}: the port is in use; ` +
      'stop the process that uses it, or set another ROSTRUM_METRICS_PORT.\n',
  )
})

test.for([
  ['PORT', 'listen'],
  ['ROSTRUM_METRICS_PORT', 'serve metrics'],
] as const)(
  'a gateway whose %s is in use does not migrate what an older one may serve',
  async ([name, what]) => {
    const url = await createOldDatabase()
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const { code, stderr } = await refusedStart({ DATABASE_URL: url, [name]: String(port) })
    expect(code).toBeGreaterThan(0)
    expect(stderr).toBe(
      `Cannot ${what} on HOST=127.0.0.1 ${name}=${port}: the port is in use; ` +
        `stop the process that uses it, or set another ${name}.\n`,
    )
    expect(await isMigrated(url)).toBe(false)
  },
)

// Such a command serves nothing, and may run where PORT is not set.
test('a command that does not serve takes any port of the metrics', async () => {
  const { code } = await runCommand(['token', '--account', 'ports'], {
    ...store,
    ROSTRUM_METRICS_PORT: '4000',
  })
  expect(code).toBe(0)
})

// Every refusal of the settings ends the command in the same way.
test.each([
  ['PORT', 'eighty'],
  ['ROSTRUM_JWT_SECRET', 'short'],
])('the line about %s=%s is all that the command prints, to standard error', async (name, value) => {
  const { code, stdout, stderr } = await refusedStart({ [name]: value })
  expect(code).toBeGreaterThan(0)
  expect(stderr).toBe(`${lineOf({ ...store, [name]: value })}\n`)
  expect(stdout).toBe('')
})

test('HOST that this machine does not have stops the start with one line that names it', async () => {
  const { code, stderr } = await refusedStart({ HOST: '203.0.113.7' })
  expect(code).toBeGreaterThan(0)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toContain('HOST')
})

test('a PostgreSQL that is not there stops the start with one line, without its password', async () => {
  const port = await findFreePort()
  const { code, stderr } = await refusedStart({
    DATABASE_URL: `postgres://ann:very-secret@127.0.0.1:${port}/rostrum`,
  })
  expect(code).toBeGreaterThan(0)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toContain('DATABASE_URL')
  expect(stderr).not.toContain('very-secret')
})

test.each([
  [['--prot', '4001'], /^Unknown option '--prot'.* Run `npm start -- --help` for the flags\.\n$/],
  [['serve', 'now'], /^Unexpected argument 'now'.*\n$/],
  [['schema', '--output=x'], /^Unknown option '--output'.*\n$/],
])('%j is refused in one line, and nothing starts', async (args, line) => {
  const { code, stdout, stderr } = await runCommand(args, store)
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(line)
})

test.each([[['--help']], [['serve', '-h']], [['schema', '--help']]])('%j prints the usage', async args => {
  const { code, stdout, stderr } = await runCommand(args, store)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^Usage: npm start/)
})

test('an unknown command is one line and no start', async () => {
  const { code, stdout, stderr } = await runCommand(['sevre'], store)
  expect(code).toBe(64)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toContain('sevre')
  expect(stdout).toBe('')
})
