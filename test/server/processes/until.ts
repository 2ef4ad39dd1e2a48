import { vi } from 'vitest'

/** Resolves once `isSo` answers yes. The time limit only ends a wait for what never comes. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(isSo, { timeout: 60_000, interval: 10 })
}
