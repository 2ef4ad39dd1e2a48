import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import { openBrowser } from './open-browser.ts'

interface Browsing {
  readonly server: SharedServer
  readonly browser: Browser
}

/** Starts a browser for the tests of a file, which closes it at its end. Await it at the top of the file. */
export async function startBrowsing(): Promise<Browsing> {
  const server = await shareServer()
  const browser = await openBrowser()
  afterAll(() => browser.close())
  return { server, browser }
}
