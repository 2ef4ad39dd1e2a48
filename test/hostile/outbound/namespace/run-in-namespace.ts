import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { endWithParent } from '../../../server/processes/end-with-parent.ts'
import type { Report } from './namespace-reports.ts'

const driver = fileURLToPath(new URL('./namespace-driver.ts', import.meta.url))
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const limitMs = 180_000

/**
 * How this machine lets a process have a network of its own: the arguments of `unshare`, or null where it does not, or
 * where there is no `ip` to set that network up.
 */
export function findNamespaces(): readonly string[] | null {
  const ways = [
    ['--mount', '--net'],
    ['--map-root-user', '--mount', '--net'],
  ]
  return ways.find(way => canRun(way)) ?? null
}

function canRun(way: readonly string[]): boolean {
  const setUp =
    'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo'
  const files =
    'for file in resolv.conf nsswitch.conf hosts; do mount --bind /etc/hosts /etc/$file || exit 1; done'
  try {
    execFileSync('unshare', [...way, 'sh', '-c', `${setUp} && ${files}`], { stdio: 'ignore', timeout: 5_000 })
    return true
  } catch {
    return false
  }
}

/** What the driver reported, from within namespaces of its own. */
export function runInNamespace(way: readonly string[]): Promise<readonly Report[]> {
  return new Promise((resolve, reject) => {
    const child = spawn('unshare', [...way, process.execPath, driver], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
    })
    endWithParent(child)
    let written = ''
    let complaints = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text
    })
    child.once('error', reject)
    child.once('close', code => {
      if (code !== 0) return reject(new Error(`The driver ended with ${code}: ${complaints}`))
      resolve(
        written
          .trim()
          .split('\n')
          .map(line => JSON.parse(line) as Report),
      )
    })
  })
}
