import { spawn, spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach } from 'vitest'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import { endWithParent } from '../server/processes/end-with-parent.ts'
import { runInProcess } from '../server/processes/run-in-process.ts'
import type { CommandOutput } from '../server/processes/spawn-command.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A command that goes on. */
export interface Going {
  readonly pid: number
  stdout(): string
  stderr(): string
  interrupt(): void
  closeStdout(): void
  readonly ended: Promise<CommandOutput>
}

/** A folder in which somebody types commands. */
export interface Workplace {
  readonly path: string
  /** The folder for temporary files of its commands alone. */
  readonly temporary: string
  write(file: string, text: string | Uint8Array): Promise<void>
  read(file: string): Promise<string>
  start(args: readonly string[], stdin?: string): Going
  run(args: readonly string[], stdin?: string): Promise<CommandOutput>
  /**
   * Runs a command in the process of the test, one at a time, because to start a process takes far more processor time.
   * It has no stdin. Use `run` where the process is part of the claim, and for all that starts a gateway.
   */
  runHere(args: readonly string[]): Promise<CommandOutput>
  remove(): void
}

// The rights of root to read and write what the mode of a file forbids.
const overrides = '-dac_override,-dac_read_search'

/** Starts a command without the rights of root on files, so that modes hold for tests of root too. */
export const withoutOverride: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', `--inh-caps=${overrides}`, `--bounding-set=${overrides}`, '--'] : []

/** False for a root who cannot give up these rights here. */
export function canRunWithoutOverride(): boolean {
  const [command, ...words] = [...withoutOverride, process.execPath, '--version']
  return spawnSync(command ?? '', words).status === 0
}

/** Gives each test of a file an account of its own, and a workplace with these settings that is signed in to it. */
export function useSignedIn(settings: Readonly<Record<string, string>> = {}): {
  readonly server: SharedServer
  readonly place: Workplace
} {
  const [server, place] = [{} as SharedServer, {} as Workplace]
  beforeEach(async () => {
    Object.assign(server, await shareServer())
    const { baseUrl, adminToken } = server
    Object.assign(
      place,
      await makeWorkplace({ ...settings, ROSTRUM_URL: baseUrl, ROSTRUM_TOKEN: adminToken }),
    )
  })
  afterEach(() => place.remove())
  return { server, place }
}

/**
 * Makes an empty folder, in which `rostrum` runs with these settings alone and a configuration of its own. `through` is
 * a command that starts it.
 */
export async function makeWorkplace(
  settings: Readonly<Record<string, string>> = {},
  through: readonly string[] = [],
): Promise<Workplace> {
  const folder = makeTempFolder()
  const temporary = makeTempFolder()
  const environment = { INIT_CWD: folder.path, HOME: folder.path, TMPDIR: temporary.path, ...settings }
  const start = (args: readonly string[], stdin = ''): Going => {
    const [command = '', ...words] = [...through, process.execPath, 'src/start.mjs', 'cli', ...args]
    const child = spawn(command, words, {
      cwd: root,
      env: { PATH: process.env.PATH, ...environment },
    })
    endWithParent(child)
    child.stdin.on('error', () => {}).end(stdin)
    const written = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      written.stderr += text
    })
    const ended = new Promise<CommandOutput>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', code => resolve({ code, ...written }))
    })
    return {
      pid: child.pid ?? 0,
      stdout: () => written.stdout,
      stderr: () => written.stderr,
      interrupt: () => void child.kill('SIGINT'),
      closeStdout: () => void child.stdout.destroy(),
      ended,
    }
  }
  return {
    path: folder.path,
    temporary: temporary.path,
    async write(file, text) {
      const path = join(folder.path, file)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    },
    read: file => readFile(join(folder.path, file), 'utf8'),
    start,
    run: (args, stdin) => start(args, stdin).ended,
    runHere: args => runInProcess('cli', args, environment),
    remove() {
      folder.remove()
      temporary.remove()
    },
  }
}
