import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { sandboxCommand } from '../../../src/scripts/launch/sandbox-command.ts'
import { startTasks, type TestTasks } from '../run/start-tasks.ts'

const setup = { limits: readConfig({}).runLimits, isolation: 'run' } as const

describe('the command that starts a sandbox', () => {
  const { args, env, file } = sandboxCommand(setup, false)
  const all = [file, ...args]

  test('has the flags that a safe isolate needs', () => {
    for (const flag of ['--no-node-snapshot', '--jitless', '--permission', '--allow-addons']) {
      expect(all).toContain(flag)
    }
  })

  test('allows only the reading of named files: no network, process, worker or writing', () => {
    expect(all.filter(arg => /^--allow-(?!addons|fs-read=)/.test(arg))).toEqual([])
    const readable = all.filter(arg => arg.startsWith('--allow-fs-read='))
    expect(readable.length).toBeGreaterThan(0)
    for (const flag of readable) expect(flag).toMatch(/(boot\.mjs|alpine-release|\/\*)$/)
  })

  test('gives an environment of three names without a secret', () => {
    expect(Object.keys(env).toSorted()).toEqual(['LANG', 'PATH', 'TZ'])
  })

  test('leaves the compilers on if the operator asks for them', () => {
    expect(sandboxCommand(setup, true).args).not.toContain('--jitless')
    expect(sandboxCommand(setup, true).args).toContain('--no-node-snapshot')
  })
})

describe.skipIf(process.platform !== 'linux')('a sandbox as the kernel sees it', () => {
  let tasks: TestTasks
  let pid: number

  beforeAll(async () => {
    process.env.ROSTRUM_ADMIN_TOKEN = 'a-secret-of-the-gateway'
    process.env.NODE_OPTIONS = '--no-warnings'
    tasks = await startTasks()
    await tasks.run('exit(1)')
    pid = tasks.runner.pids()[0] ?? 0
  })
  afterAll(async () => {
    delete process.env.ROSTRUM_ADMIN_TOKEN
    delete process.env.NODE_OPTIONS
    await tasks.runner.close()
  })

  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8')

  test('has nothing of the gateway in its environment', () => {
    const names = read('environ')
      .split('\0')
      .filter(Boolean)
      .map(entry => entry.split('=')[0])
    expect(
      names.filter(name => !['PATH', 'TZ', 'LANG', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name ?? '')),
    ).toEqual([])
  })

  test('has no file of the gateway open, and no socket', () => {
    // The fourth descriptor is the pipe for held lines. It has no name any more.
    expect(statSync(`/proc/${pid}/fd/3`).isFIFO()).toBe(true)
    const open = readdirSync(`/proc/${pid}/fd`)
      .filter(fd => fd !== '3')
      .map(fd => readlinkSync(`/proc/${pid}/fd/${fd}`))
    const inherited = open.filter(
      target => !/^(pipe:|socket:|anon_inode:|\/dev\/null$|\/proc\/)/.test(target),
    )
    expect(inherited).toEqual([])
    // Only standard input, output and error.
    expect(open.filter(target => target.startsWith('socket:')).length).toBeLessThanOrEqual(3)
  })

  test('has a limit on address space and writes no core dump', () => {
    const limits = read('limits')
    expect(Number(/^Max address space\s+(\d+)\s/m.exec(limits)?.[1])).toBeLessThan(6 * 2 ** 30)
    expect(limits).toMatch(/^Max core file size\s+0\s/m)
  })

  test('is killed first when memory runs out', () => {
    expect(Number(read('oom_score_adj'))).toBeGreaterThanOrEqual(900)
  })
})
