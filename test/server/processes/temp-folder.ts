import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TempFolder {
  readonly path: string
  remove(): void
}

/** A fresh folder for one test's files; the caller removes it. */
export function makeTempFolder(): TempFolder {
  const path = mkdtempSync(join(tmpdir(), 'rostrum-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
