import { execFile, spawnSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { reportFailure } from '../../src/commands/report-failure.ts'
import { RostrumError } from '../../src/errors.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
// The machine's own commands: npm puts those of this project first.
const path = (process.env.PATH ?? '').split(delimiter).filter(folder => !folder.includes('node_modules'))
const otherNode = path
  .map(folder => join(folder, 'node'))
  .find(file => existsSync(file) && realpathSync(file) !== realpathSync(process.execPath))
const folder = makeTempFolder()

beforeAll(() => {
  cpSync(join(root, 'src'), join(folder.path, 'src'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder.path, 'package.json'))
})
afterEach(() => rmSync(join(folder.path, 'node_modules'), { recursive: true, force: true }))
afterAll(() => folder.remove())

function run(command: string, args: readonly string[]) {
  const env = { PATH: path.join(delimiter), HOME: process.env.HOME }
  return new Promise(resolve => {
    const child = execFile(command, args, { cwd: folder.path, env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })
}

// What `npm ci --ignore-scripts` leaves: all packages, and a link to the Node that a script would have installed.
function installWithoutScripts(): void {
  mkdirSync(join(folder.path, 'node_modules/fastify'), { recursive: true })
  mkdirSync(join(folder.path, 'node_modules/.bin'))
  symlinkSync('../node/bin/node', join(folder.path, 'node_modules/.bin/node'))
}

const npmStart = () => run('npm', ['start', '--silent'])
const notInstalled = 'The packages of Rostrum are not installed. Run `npm ci && npm start`.\n'
const otherVersion =
  /^Rostrum runs on Node\.js 26\S+ with type stripping, and this is v\S+\. Run `npm ci --ignore-scripts=false .*\n$/

test.skipIf(otherNode === undefined)(
  '`npm start` before `npm ci` is one line that says to run it',
  async () => {
    expect(await npmStart()).toEqual({ code: 1, stdout: '', stderr: notInstalled })
  },
)

test.skipIf(otherNode === undefined)(
  '`npm start` after an `npm ci` without scripts is one line',
  async () => {
    installWithoutScripts()
    expect(await npmStart()).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(otherVersion) })
  },
)

test('the right Node without packages is one line as well', async () => {
  const answer = await run(process.execPath, ['src/start.mjs'])
  expect(answer).toEqual({ code: 1, stdout: '', stderr: notInstalled })
})

test('a Node that strips no types is one line as well', async () => {
  installWithoutScripts()
  const answer = await run(process.execPath, ['--no-strip-types', 'src/start.mjs'])
  const stderr = expect.stringMatching(/^Rostrum runs on .* remove `--no-strip-types` from NODE_OPTIONS\.\n$/)
  expect(answer).toEqual({ code: 1, stdout: '', stderr })
})

test.each([['serve'], ['token', '--account', 'a'], ['cli', 'backup', 'copy.db']])(
  'a removed folder is one line and 64: %s',
  async (...args) => {
    const other = makeTempFolder()
    const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    const start = [process.execPath, join(root, 'src/start.mjs'), ...args]
    const env = { PATH: process.env.PATH, DATABASE_URL: `sqlite:${join(folder.path, 'unmade.db')}` }
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', other.path, ...start], {
      env,
      encoding: 'utf8',
    })
    expect({ status, stdout }).toEqual({ status: 64, stdout: '' })
    expect(stderr).toBe(
      'The folder that this runs in was removed. Change to one that exists, and start again.\n',
    )
    expect(existsSync(join(folder.path, 'unmade.db'))).toBe(false)
  },
)

test('every npm script that runs Rostrum begins with these checks', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const commands: string[] = Object.values(scripts)
  expect(commands.filter(command => command.includes('src/main.ts'))).toEqual([])
  expect(commands.filter(command => command.includes('src/start.mjs'))).toHaveLength(5)
})

test('a start that the store fails is one line, and another fault has its stack', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  reportFailure(
    new RostrumError('UNAVAILABLE', 'The database kept nothing of this change: the disk is full.'),
  )
  reportFailure(new TypeError('no such member'))
  const [failed, faulty] = write.mock.calls.map(([text]) => String(text))
  expect(failed).toBe('The database kept nothing of this change: the disk is full.\n')
  expect(faulty).toMatch(/no such member\n {4}at /)
})

test('a start that may not load SQLite says so in one sentence', () => {
  const { status, stderr } = spawnSync(process.execPath, ['--no-addons', 'src/start.mjs'], {
    env: { PATH: process.env.PATH, DATABASE_URL: `sqlite:${join(folder.path, 'rostrum.db')}` },
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  expect(stderr).toMatch(/ cannot be locked: .* loading addons is disabled\.\n$/)
})

describe.skipIf(!existsSync('/dev/full'))('a command whose result cannot be written', () => {
  test.each([
    [['--help'], ''],
    [['schema'], ''],
    [['copy', '--help'], ' If a copy was made, it is complete.'],
    [['token', '--help'], ' If a token was made, it is the last one of `--list`. Revoke it.'],
  ])('%j says so in one line, and ends with 1', (args, advice) => {
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const { status, stderr } = spawnSync(process.execPath, ['src/start.mjs', ...args], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toBe(`Cannot write the output: ENOSPC: no space left on device, write.${advice}\n`)
  })

  test('a reader that is gone is no failure', () => {
    const command = `"${process.execPath}" src/start.mjs schema | head -1; echo "\${PIPESTATUS[0]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' })
    expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(/^.*\n0\n$/), stderr: '' })
  })
})
