import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { sandboxCommand } from '../../src/tasks/launch/sandbox-command.ts'
import { startTasks, type TestTasks } from './start-tasks.ts'

const setup = { limits: readConfig({}).runLimits, isolation: 'run' } as const

describe('the command that starts a sandbox', () => {
  const { args, env, file } = sandboxCommand(setup, false)
  const all = [file, ...args]

  test('has the flags without which an isolate is not safe', () => {
    for (const flag of ['--no-node-snapshot', '--jitless', '--permission', '--allow-addons']) {
      expect(all).toContain(flag)
    }
  })

  test('allows no network, no process, no worker, no writing, and reading of named files alone', () => {
    expect(all.filter(arg => /^--allow-(?!addons|fs-read=)/.test(arg))).toEqual([])
    const readable = all.filter(arg => arg.startsWith('--allow-fs-read='))
    expect(readable.length).toBeGreaterThan(0)
    for (const flag of readable) expect(flag).toMatch(/(boot\.mjs|alpine-release|\/\*)$/)
  })

  test('gives an environment of three names, none of them a secret', () => {
    expect(Object.keys(env).toSorted()).toEqual(['LANG', 'PATH', 'TZ'])
  })

  test('leaves the compilers on where the operator asks', () => {
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
    const open = readdirSync(`/proc/${pid}/fd`).map(fd => readlinkSync(`/proc/${pid}/fd/${fd}`))
    const inherited = open.filter(
      target => !/^(pipe:|socket:|anon_inode:|\/dev\/null$|\/proc\/)/.test(target),
    )
    expect(inherited).toEqual([])
    // Standard input, output and error alone.
    expect(open.filter(target => target.startsWith('socket:')).length).toBeLessThanOrEqual(3)
  })

  test('may take few gigabytes of addresses and leave no core', () => {
    const limits = read('limits')
    expect(Number(/^Max address space\s+(\d+)\s/m.exec(limits)?.[1])).toBeLessThan(6 * 2 ** 30)
    expect(limits).toMatch(/^Max core file size\s+0\s/m)
  })

  test('is the first to go when memory is short', () => {
    expect(Number(read('oom_score_adj'))).toBeGreaterThanOrEqual(900)
  })
})
