import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { spawnCommand } from '../server/processes/spawn-command.ts'
import { root } from './rules/source-files.ts'

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly integrity?: string; readonly resolved?: string }>
  >
}

const readJson = <T>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as T
const manifest = readJson<Manifest>(`${root}package.json`)
const lock = readJson<Lock>(`${root}package-lock.json`)

// From the file that the gateway would load, wherever that lies.
const installed = (name: string) =>
  readJson<Manifest>(createRequire(`${root}src/sandbox/realm-isolate.ts`).resolve(`${name}/package.json`))
    .version

/** Whether a version is that of the floor, or a later one of the same major; ranges are none. */
function isAtLeast(version: string, floor: string): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number)
  const [major = 0, minor = 0, patch = 0] = floor.split('.').map(Number)
  if (parts === undefined) return false
  const [hasMajor = 0, hasMinor = 0, hasPatch = 0] = parts
  if (hasMajor !== major) return false
  return hasMinor > minor || (hasMinor === minor && hasPatch >= patch)
}

// isolated-vm: GHSA-864f-rcv7-6rh4 let a script corrupt the memory of its host up to 7.0.0. Another major is another
// measurement. Node: the point release that everything here was measured on; its V8 is the wall.
const floors = { 'isolated-vm': '7.0.1', node: '26.10.0' } as const

test('a floor takes itself and what comes after it in its major, and no range', () => {
  const taken = ['7.0.1', '7.0.2', '7.1.0'].map(version => isAtLeast(version, '7.0.1'))
  expect(taken).toEqual([true, true, true])
  const refused = ['7.0.0', '6.2.0', '8.0.0', '^7.0.1', '>=7.0.1', '7.0.1-beta', ''].map(version =>
    isAtLeast(version, '7.0.1'),
  )
  expect(refused).toEqual(refused.map(() => false))
})

test.each(Object.entries(floors))('%s is pinned, locked and installed at %s or later', (name, floor) => {
  const versions = {
    pinned: manifest.dependencies[name] ?? '',
    locked: lock.packages[`node_modules/${name}`]?.version ?? '',
    installed: installed(name),
  }
  expect(versions).toEqual({
    pinned: versions.installed,
    locked: versions.installed,
    installed: versions.installed,
  })
  expect(isAtLeast(versions.installed, floor)).toBe(true)
})

test('isolated-vm is there once, so that no older one can be loaded in its place', () => {
  const places = Object.keys(lock.packages).filter(path => path.endsWith('node_modules/isolated-vm'))
  expect(places).toEqual(['node_modules/isolated-vm'])
})

test('the Node that runs the tests, and starts the gateway in them, is the pinned one', async () => {
  expect(process.versions.node).toBe(manifest.dependencies.node)
  const command = spawnCommand(['help'], {})
  expect(await command.ended).toBe(0)
  expect(command.process.spawnfile).toBe(process.execPath)
})

test('every package is locked by its content, and by no registry', () => {
  const packages = Object.entries(lock.packages).filter(([path]) => path.startsWith('node_modules/'))
  expect(packages.length).toBeGreaterThan(100)
  expect(packages.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([])
  expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
})

test('no package is patched or replaced outside the lock file', () => {
  const { overrides, ...rest } = readJson<Record<string, unknown>>(`${root}package.json`)
  expect(overrides).toBe(undefined)
  expect(Object.keys(rest).filter(name => /resolutions|pnpm|patched/i.test(name))).toEqual([])
})

// `@typescript/typescript6` puts its own `tsc` into `.bin`, so the script names the file.
test('types are checked by TypeScript 7, and the browser gets TypeScript 6', () => {
  const { scripts } = readJson<{ readonly scripts: Readonly<Record<string, string>> }>(`${root}package.json`)
  const check = 'node node_modules/typescript/bin/tsc'
  expect(scripts.types).toBe(`${check} --singleThreaded && ${check} -p src/pages`)
  const version = (name: string) => readJson<Manifest>(`${root}node_modules/${name}/package.json`).version
  expect(version('typescript')).toMatch(/^7\./)
  expect(version('@typescript/old')).toMatch(/^6\./)
})
