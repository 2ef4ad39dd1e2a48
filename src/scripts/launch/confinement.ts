import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

// Address space in MiB that V8 reserves without using it.
const reservedMb = 4 * 1024
const probeMs = 2_000

export interface Confinement {
  readonly memoryMb: number
  /** Files that the confined process must be able to read. */
  readonly files: readonly string[]
}

/**
 * Returns the command prefix that makes the kernel confine a process, as far as this system allows: no network, no
 * access to other processes' memory, no new privileges, death with its parent, a limit on address space, no core dumps
 * and no file writes. It is a second layer below Node's permission model.
 */
export function confine(confinement: Confinement): string[] {
  if (process.platform !== 'linux') return []
  const sh = findOnPath('sh')
  return [
    ...(sh === null ? [] : findStrongestPrefix(sh, confinement.files)),
    ...limitResources(sh, confinement),
  ]
}

// Finds the strongest variant that works. Containers and distributions forbid some measures, and some versions of
// `setpriv` lack options.
function findStrongestPrefix(sh: string, files: readonly string[]): string[] {
  const unshare = findOnPath('unshare')
  const setpriv = findOnPath('setpriv')
  const apart = unshare === null ? null : [unshare, '--user', '--net', '--']
  const dying = setpriv === null ? null : [setpriv, '--no-new-privs', '--pdeathsig', 'KILL', '--']
  const plain = dying ?? []
  const prefixes = apart === null ? [plain] : [[...apart, ...plain], plain]
  return prefixes.find(prefix => works([...prefix, sh], files)) ?? []
}

function works([file = '', ...args]: string[], files: readonly string[]): boolean {
  const canReadAll = 'for file in "$@"; do test -r "$file" || exit 1; done'
  const { status } = spawnSync(file, [...args, '-c', canReadAll, 'sh', ...files], {
    // Uses an empty environment, because the gateway's contains secrets.
    env: {},
    stdio: 'ignore',
    timeout: probeMs,
  })
  return status === 0
}

function limitResources(sh: string | null, { memoryMb }: Confinement): string[] {
  if (sh === null) return []
  const kilobytes = (reservedMb + 4 * memoryMb) * 1024
  const limits = `cd /; unset PWD OLDPWD; ulimit -v ${kilobytes}; ulimit -c 0; ulimit -f 0`
  return [sh, '-c', `${limits}; exec "$0" "$@"`]
}

function findOnPath(name: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // This folder does not contain the command.
    }
  }
  return null
}
