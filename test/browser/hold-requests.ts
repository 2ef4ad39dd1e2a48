import type { Page } from 'playwright-core'

/** Requests of a page that wait. */
export interface HeldRequests {
  /** Returns how many requests came. */
  readonly count: () => number
  /** Sends them on, and every later one at once. */
  readonly release: () => void
}

/** Keeps back the requests of a page to these addresses whose body has this text, as a slow network does. */
export async function holdRequests(page: Page, addresses: string, text = ''): Promise<HeldRequests> {
  const released = Promise.withResolvers<void>()
  let count = 0
  await page.route(addresses, async route => {
    if ((route.request().postData() ?? '').includes(text)) {
      count++
      await released.promise
    }
    await route.fallback()
  })
  return { count: () => count, release: released.resolve }
}
