import type { Browser } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import { enter, openBrowser, openTab, type TabOptions, type WatchedTab } from './open-browser.ts'

interface OpenOptions extends TabOptions {
  readonly token?: string
}

interface Browsing {
  readonly server: SharedServer
  readonly browser: Browser
  /** Opens a page in a tab of its own that is signed in, by default as the admin. */
  open(path: string, options?: OpenOptions): Promise<WatchedTab>
}

/** Starts a browser for the tests of a file, which closes it at its end. Await it at the top of the file. */
export async function startBrowsing(): Promise<Browsing> {
  const server = await shareServer()
  const browser = await openBrowser()
  afterAll(() => browser.close())
  return {
    server,
    browser,
    async open(path, { token = server.adminToken, ...options } = {}) {
      const tab = await openTab(browser, server.baseUrl, options)
      await enter(tab.page, token, path)
      await tab.page.getByRole('heading', { level: 1 }).waitFor()
      return tab
    },
  }
}

/** Closes a tab in which nothing happened that a page must not do. */
export async function close({ page, faults }: WatchedTab): Promise<void> {
  expect(faults).toEqual([])
  await page.context().close()
}
