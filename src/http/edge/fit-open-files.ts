import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { type ConnectionLimits, usualLimits } from './connection-places.ts'

// Files of the gateway itself: its store, its log, connections that it opens, and pages that are being sent.
const ownFiles = 160
const filesOfSandbox = 4
// A gateway with fewer serves nobody, and one that may open so few files cannot start its sandboxes.
const leastConnections = 8

/**
 * Returns limits for which the process may open enough files, and logs it if they are less than usual. Past the limit
 * of the process, the system refuses the new connections of all clients, even if one client holds all others.
 */
export function fitOpenFiles(
  log: Logger,
  maxSandboxes: number,
  maxFiles: number | null = readMaxFiles(),
): ConnectionLimits {
  if (maxFiles === null) return usualLimits
  const reserve = Math.max(ownFiles + filesOfSandbox * maxSandboxes, maxFiles / 4)
  const connections = Math.max(leastConnections, Math.floor(maxFiles - reserve))
  if (connections >= usualLimits.connections) return usualLimits
  log.warn(
    { maxFiles, connections },
    `this process may open few files, so it takes fewer connections than ${usualLimits.connections}`,
  )
  const withoutCredential = Math.min(usualLimits.withoutCredential, Math.floor(connections / 4))
  return { ...usualLimits, connections, withoutCredential }
}

// Null without a limit, and where the system has no such file. Node raised the soft limit to the hard one at its start.
function readMaxFiles(): number | null {
  try {
    const [, max] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return max === undefined ? null : Number(max)
  } catch {
    return null
  }
}
