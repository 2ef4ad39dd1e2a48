import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { type ConnectionLimits, usualLimits } from './connection-places.ts'

// For sandboxes, the store, connections that the gateway opens and the files of pages.
const leastReserve = 128

/**
 * Returns limits for which the process may open enough files, and logs it if they are less than usual. Past the limit
 * of the process, the system refuses the new connections of all clients, even if one client holds all others.
 */
export function fitOpenFiles(log: Logger, maxFiles = readMaxFiles()): ConnectionLimits {
  const reserve = Math.max(leastReserve, maxFiles / 4)
  const connections = Math.max(8, Math.floor(maxFiles - reserve))
  if (connections >= usualLimits.connections) return usualLimits
  log.warn(
    { maxFiles, connections },
    `this process may open few files, so it takes fewer connections than ${usualLimits.connections}`,
  )
  const withoutCredential = Math.min(usualLimits.withoutCredential, Math.floor(connections / 4))
  return { ...usualLimits, connections, withoutCredential }
}

// Node has raised the soft limit to the hard one at its start.
function readMaxFiles(): number {
  try {
    const [, max] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return max === undefined ? Number.POSITIVE_INFINITY : Number(max)
  } catch {
    // Only Linux has the file.
    return Number.POSITIVE_INFINITY
  }
}
