import { onTestFinished, vi } from 'vitest'

/** Stops the clock for a test: on a busy machine changes that come together may be parted for the time they take. */
export function stopClock(): void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => clock.mockRestore())
}
