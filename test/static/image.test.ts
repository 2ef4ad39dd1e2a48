import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endWithParent } from '../server/processes/end-with-parent.ts'
import { findFreePort } from '../server/processes/free-port.ts'
import { isOpenToAll } from '../server/processes/is-open-to-all.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { until } from '../server/processes/until.ts'
import { createEmptyDatabase } from '../store/databases/create-database.ts'
import { copiesFromHere, imageInstructions, instructions, textsOf } from './rules/dockerfile.ts'
import { root } from './rules/source-files.ts'

const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

const onlyText = (name: string) => {
  const texts = textsOf(imageInstructions, name)
  expect(texts).toHaveLength(1)
  return texts[0] ?? ''
}

describe('the image', () => {
  test('has the Node that everything was measured on, and no other base', () => {
    const [base, ...rest] = textsOf(instructions, 'FROM')
    expect(base).toMatch(new RegExp(`^node:${manifest.dependencies.node}-[a-z]+-slim AS base$`))
    expect(rest).toEqual(['base AS build', 'base'])
  })

  test('runs as a user by number that is not root', () => {
    expect(onlyText('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  })

  test('takes its packages by the lock file, without those for tests and without running their scripts', () => {
    expect(textsOf(instructions, 'RUN')).toEqual([
      expect.stringMatching(/^npm ci --omit=dev --ignore-scripts && /),
    ])
  })

  test('is made of paths that there are and that the builder is given', () => {
    const passed = readFileSync(`${root}.dockerignore`, 'utf8')
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
    expect(passed[0]).toBe('*')
    const paths = copiesFromHere(instructions).flatMap(({ sources }) => sources)
    expect(paths.filter(path => !existsSync(root + path))).toEqual([])
    expect([...new Set(paths)].sort()).toEqual(
      passed
        .slice(1)
        .map(line => line.slice(1))
        .sort(),
    )
  })
})

// What the image holds, laid out as the Dockerfile says, where its user may not write.
describe('the gateway of the image', () => {
  const folder = makeTempFolder()
  const app = join(folder.path, 'app')
  let gateway: ChildProcess
  let output = ''
  let environment: Readonly<Record<string, string>>
  const token = 'admin-token-of-the-image'

  const command = (text: string): string[] => JSON.parse(text)
  const isHealthy = () => {
    const [file = '', ...args] = command(onlyText('HEALTHCHECK').replace(/^.* CMD /, ''))
    return spawnSync(file, args, { cwd: app, env: environment }).status === 0
  }

  // The gateway runs as another user, who may not enter the folder of the clone, such as root's home.
  function addPackages(): void {
    const [from, to] = [`${root}node_modules`, join(app, 'node_modules')]
    if (isOpenToAll(from)) return symlinkSync(from, to)
    // The other folders are caches, which other tests change meanwhile.
    const packages = readdirSync(from).filter(name => !name.startsWith('.'))
    const paths = packages.map(name => join(from, name))
    mkdirSync(to)
    if (spawnSync('cp', ['-al', ...paths, to]).status === 0) return
    rmSync(to, { recursive: true })
    mkdirSync(to)
    execFileSync('cp', ['-a', ...paths, to])
  }

  beforeAll(async () => {
    for (const { sources, target } of copiesFromHere(imageInstructions)) {
      for (const source of sources) {
        cpSync(root + source, join(app, target.endsWith('/') ? source : target), { recursive: true })
      }
    }
    execFileSync('chmod', ['-R', 'a+rX,a-w', app])
    addPackages()
    chmodSync(folder.path, 0o755)
    const settings = Object.fromEntries(
      onlyText('ENV')
        .split(' ')
        .map(setting => setting.split('=')),
    )
    environment = {
      ...settings,
      PATH: `${join(app, 'node_modules/node/bin')}:${process.env.PATH}`,
      PORT: String(await findFreePort()),
      DATABASE_URL: await createEmptyDatabase(),
      ROSTRUM_ADMIN_TOKEN: token,
    }
    const [file = '', ...args] = [...command(onlyText('ENTRYPOINT')), ...command(onlyText('CMD'))]
    // Root may write everywhere.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    gateway = spawn(file, args, { cwd: app, env: environment, ...user })
    endWithParent(gateway)
    for (const stream of [gateway.stdout, gateway.stderr]) {
      stream?.setEncoding('utf8').on('data', text => {
        output += text
      })
    }
  })
  afterAll(async () => {
    gateway.kill('SIGKILL')
    execFileSync('chmod', ['-R', 'u+w', app])
    folder.remove()
  })

  test('becomes healthy on a read-only file system, runs a script, and stops cleanly', async () => {
    await until(isHealthy).catch(() => expect.unreachable(output))
    const answer = await fetch(`http://127.0.0.1:${environment.PORT}/api/1/endpoint/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'n', sourceCode: 'exit(1 + 1)', inputDocument: '{}', options: '{}' }),
    })
    expect(await answer.json()).toMatchObject({ task_execution: { outcome: 'exit', payload: 2 } })
    gateway.kill('SIGTERM')
    expect(await once(gateway, 'exit')).toEqual([0, null])
    expect(isHealthy()).toBe(false)
  })
})
