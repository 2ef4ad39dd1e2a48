import { expect } from 'vitest'

/** Resolves once the gateway says by itself that it is ready. */
export async function untilReady(baseUrl: string): Promise<void> {
  const readiness = () =>
    fetch(`${baseUrl}/ready`).then(
      ({ status }) => status,
      () => 'gone',
    )
  await expect.poll(readiness, { timeout: 20_000, interval: 50 }).toBe(200)
}
