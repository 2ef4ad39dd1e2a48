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
  await untilRouted(page)
  return { count: () => count, release: released.resolve }
}

/** Loses the answer to the first request whose body has this text. The gateway does what it asks for. */
export async function loseFirstAnswer(page: Page, text: string): Promise<void> {
  let isLost = false
  await page.route('**/graphql', async route => {
    if (isLost || !route.request().postData()?.includes(text)) return route.fallback()
    isLost = true
    await route.fetch()
    await route.abort()
  })
  await untilRouted(page)
}

// On a busy machine, the page learns a moment after `route` that its requests are taken over.
async function untilRouted(page: Page): Promise<void> {
  if (page.url() === 'about:blank') return
  let isRouted = false
  await page.route('**/health?routed', async route => {
    isRouted = true
    await route.fulfill({ status: 204 })
  })
  while (!isRouted)
    await page.evaluate(() =>
      fetch('/health?routed')
        .catch(() => null)
        .then(() => undefined),
    )
}
