import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ObservedServer, startObservedServer } from '../server/gateways/start-server.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

const mouth = fileURLToPath(new URL('./mouth.js', import.meta.url))

/** One thing that a taken-over sandbox does: see mouth.js. In a text, `<run>` is the run's id and `<pid>` its own. */
export type Deed =
  | { text: string; times?: number }
  | { lines: string; sizes: readonly number[] }
  | { bytes: string; times?: number }
  | { error: string; times?: number }
  | { close: number }
  | { exit: number }
  | { wait: number }
  | { answer: true }
  | { stop: true }
  | { block: true }

/** The source of a script that a taken-over sandbox takes for what it shall say. */
export function speech(deeds: readonly Deed[]): string {
  return `//speech ${JSON.stringify(deeds)}`
}

/**
 * A real gateway whose sandboxes are all taken over: the only program that it finds on its path is a `sh` that starts
 * `mouth.js` where a sandbox should be.
 */
export async function startTakenOver(
  settings: Readonly<Record<string, string>> = {},
): Promise<ObservedServer> {
  const folder = makeTempFolder()
  const sh = join(folder.path, 'sh')
  // `sh -c <limits> <command…>` starts a sandbox; anything else is the gateway trying whether `sh` works.
  writeFileSync(
    sh,
    `#!/bin/sh\ncase "$2" in *ulimit*) shift 2; exec "$1" ${JSON.stringify(mouth)} "$@";; esac\n`,
  )
  chmodSync(sh, 0o755)
  const server = await startObservedServer({ PATH: folder.path, ...settings })
  return {
    ...server,
    async stop() {
      folder.remove()
      return server.stop()
    },
  }
}
