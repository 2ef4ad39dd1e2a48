import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

// What V8 reserves without using it.
const reservedMb = 4 * 1024
const probeMs = 2_000

export interface Confinement {
  readonly memoryMb: number
  /** What the confined process must be able to read: where it cannot, confining so is no use. */
  readonly files: readonly string[]
}

/**
 * The words before a command that let the kernel itself confine it, as far as this system lets us: no network and no way
 * into the memory of other processes; no new rights; death with its parent; a cap on address space; no core and no
 * growing of files. A bonus to what the process is told to refuse by itself, and in the kernel's hands even where that fails.
 */
export function confine(confinement: Confinement): string[] {
  if (process.platform !== 'linux') return []
  const sh = findOnPath('sh')
  return [...(sh === null ? [] : strongestGuard(sh, confinement.files)), ...limitResources(sh, confinement)]
}

// Containers and distributions forbid one or the other, and there is a `setpriv` that knows less: only trying tells.
function strongestGuard(sh: string, files: readonly string[]): string[] {
  const unshare = findOnPath('unshare')
  const setpriv = findOnPath('setpriv')
  const apart = unshare === null ? null : [unshare, '--user', '--net', '--']
  const dying = setpriv === null ? null : [setpriv, '--no-new-privs', '--pdeathsig', 'KILL', '--']
  const plain = dying ?? []
  const guards = apart === null ? [plain] : [[...apart, ...plain], plain]
  return guards.find(guard => works([...guard, sh], files)) ?? []
}

function works([file = '', ...args]: string[], files: readonly string[]): boolean {
  const canReadAll = 'for file in "$@"; do test -r "$file" || exit 1; done'
  const { status } = spawnSync(file, [...args, '-c', canReadAll, 'sh', ...files], {
    // Not ours, which holds secrets.
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
      // Not in this folder.
    }
  }
  return null
}
