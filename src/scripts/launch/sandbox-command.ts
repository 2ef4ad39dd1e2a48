import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SandboxSetup } from '../protocol.ts'
import { confine } from './confinement.ts'
import { platformMethods } from './platform-methods.ts'
import { sandboxModules } from './sandbox-modules.ts'

const bootFile = fileURLToPath(new URL('../../sandbox/boot.mjs', import.meta.url))

export interface SandboxCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The first line that the child reads. It contains the sandbox's modules. */
  readonly firstLine: string
  /** True if the kernel does not end the process when the gateway dies. */
  readonly outlivesGateway?: boolean
}

/**
 * Returns the command that starts a sandbox process: V8 without compilers (unless `jit`), Node's permission model with
 * no network and only the files that a start reads, an environment without secrets, and the kernel's confinement if
 * available.
 */
export function sandboxCommand(settings: Omit<SandboxSetup, 'platform'>, jit: boolean): SandboxCommand {
  const setup: SandboxSetup = { ...settings, platform: platformMethods }
  const node = [
    process.execPath,
    // Isolates that have their own snapshot would share Node's read-only heap and crash.
    '--no-node-snapshot',
    ...(jit ? [] : ['--jitless']),
    // More than scripts have, in KiB (`boot.mjs`).
    '--stack-size=2000',
    // Node's permission model does not cover the files that SQLite opens.
    '--no-experimental-sqlite',
    '--no-experimental-webstorage',
    '--no-experimental-websocket',
    // Keeps SIGUSR1 from opening a debugger port.
    '--disable-sigusr1',
    '--permission',
    '--allow-addons',
    ...readableFiles().map(path => `--allow-fs-read=${path}`),
    '--disable-warning=SecurityWarning',
    bootFile,
    JSON.stringify(setup),
  ]
  const files = [process.execPath, bootFile, createRequire(import.meta.url).resolve('isolated-vm')]
  const confinement = confine({ memoryMb: setup.limits.memoryMb, files })
  const [file, ...args] = [...confinement, ...node]
  const env = { PATH: process.env.PATH ?? '', TZ: 'UTC', LANG: 'en_US.UTF-8' }
  const outlivesGateway = !confinement.includes('--pdeathsig')
  return { file: file as string, args, env, firstLine: sandboxModules(), outlivesGateway }
}

function readableFiles(): string[] {
  const require = createRequire(import.meta.url)
  const isolatedVm = dirname(require.resolve('isolated-vm/package.json'))
  const loader = dirname(require.resolve('node-gyp-build', { paths: [isolatedVm] }))
  // The loader reads the last of these files to detect musl.
  return [bootFile, `${isolatedVm}/*`, `${loader}/*`, '/etc/alpine-release']
}
