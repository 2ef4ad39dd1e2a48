import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SandboxSetup } from './protocol.ts'
import { sandboxModules } from './sandbox-modules.ts'

const bootFile = fileURLToPath(new URL('../sandbox/boot.js', import.meta.url))
// What V8 reserves without using it.
const reservedMb = 4 * 1024

export interface SandboxCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** What the child reads first: its modules. */
  readonly firstLine: string
}

/**
 * How to start a sandbox process: V8 without compilers (unless `jit`), Node's permission model open for exactly the files it
 * reads and for no network, an environment without a secret, and where the system offers it a cap on address space and
 * death with the parent.
 */
export function sandboxCommand(setup: SandboxSetup, jit: boolean): SandboxCommand {
  const node = [
    process.execPath,
    // Isolates with another snapshot than Node's own share its read-only heap and crash.
    '--no-node-snapshot',
    ...(jit ? [] : ['--jitless']),
    '--permission',
    '--allow-addons',
    ...readableFiles().map(path => `--allow-fs-read=${path}`),
    '--disable-warning=SecurityWarning',
    bootFile,
    JSON.stringify(setup),
  ]
  const [file, ...args] = [...dieWithParent(), ...limitAddressSpace(setup.memoryMb), ...node]
  const env = { PATH: process.env.PATH ?? '', TZ: 'UTC', LANG: 'en_US.UTF-8' }
  return { file: file as string, args, env, firstLine: sandboxModules() }
}

function readableFiles(): string[] {
  const require = createRequire(import.meta.url)
  const isolatedVm = dirname(require.resolve('isolated-vm/package.json'))
  const loader = dirname(require.resolve('node-gyp-build', { paths: [isolatedVm] }))
  const root = fileURLToPath(new URL('../../package.json', import.meta.url))
  // The loader looks for musl there.
  return [bootFile, `${isolatedVm}/*`, `${loader}/*`, root, '/etc/alpine-release']
}

function dieWithParent(): string[] {
  const setpriv = findOnPath('setpriv')
  return setpriv === null ? [] : [setpriv, '--no-new-privs', '--pdeathsig', 'KILL', '--']
}

function limitAddressSpace(memoryMb: number): string[] {
  if (process.platform !== 'linux') return []
  const sh = findOnPath('sh')
  const kilobytes = (reservedMb + 4 * memoryMb) * 1024
  return sh === null ? [] : [sh, '-c', `ulimit -v ${kilobytes}; ulimit -c 0; exec "$0" "$@"`]
}

function findOnPath(name: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder.
    }
  }
  return null
}
