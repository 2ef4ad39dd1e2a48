import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { platformMethods } from '../../operations/rows.ts'
import type { SandboxSetup } from '../protocol.ts'
import { confine } from './confinement.ts'
import { sandboxModules } from './sandbox-modules.ts'

const bootFile = fileURLToPath(new URL('../../sandbox/boot.mjs', import.meta.url))

export interface SandboxCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** What the child reads first: its modules. */
  readonly firstLine: string
}

/**
 * How to start a sandbox process: V8 without compilers (unless `jit`), Node's permission model open for exactly the files it
 * reads at its start and for no network, an environment without a secret, and the kernel's own guard where there is one.
 */
export function sandboxCommand(settings: Omit<SandboxSetup, 'platform'>, jit: boolean): SandboxCommand {
  const setup: SandboxSetup = { ...settings, platform: platformMethods }
  const node = [
    process.execPath,
    // Isolates with another snapshot than Node's own share its read-only heap and crash.
    '--no-node-snapshot',
    ...(jit ? [] : ['--jitless']),
    // The permission model knows nothing of the files that SQLite opens.
    '--no-experimental-sqlite',
    '--no-experimental-webstorage',
    '--no-experimental-websocket',
    // It must not open a port for a debugger, whoever asks for it.
    '--disable-sigusr1',
    '--permission',
    '--allow-addons',
    ...readableFiles().map(path => `--allow-fs-read=${path}`),
    '--disable-warning=SecurityWarning',
    bootFile,
    JSON.stringify(setup),
  ]
  const files = [process.execPath, bootFile, createRequire(import.meta.url).resolve('isolated-vm')]
  const [file, ...args] = [...confine({ memoryMb: setup.limits.memoryMb, files }), ...node]
  const env = { PATH: process.env.PATH ?? '', TZ: 'UTC', LANG: 'en_US.UTF-8' }
  return { file: file as string, args, env, firstLine: sandboxModules() }
}

function readableFiles(): string[] {
  const require = createRequire(import.meta.url)
  const isolatedVm = dirname(require.resolve('isolated-vm/package.json'))
  const loader = dirname(require.resolve('node-gyp-build', { paths: [isolatedVm] }))
  // The loader looks for musl there.
  return [bootFile, `${isolatedVm}/*`, `${loader}/*`, '/etc/alpine-release']
}
