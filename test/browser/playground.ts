import type { Browser, Page } from 'playwright-core'
import type { GatewayClient } from '../server/clients/gateway-client.ts'
import { enter, openTab, type WatchedTab } from './open-browser.ts'

/** Opens the playground in a new browser context, as the administrator of the account. It has no types. */
export async function openPlayground(browser: Browser, server: GatewayClient): Promise<WatchedTab> {
  return openIn(await openTab(browser, server.baseUrl, { hasTypes: false }), server)
}

/** The same, with the types. */
export async function openTypedPlayground(browser: Browser, server: GatewayClient): Promise<WatchedTab> {
  return openIn(await openTab(browser, server.baseUrl), server)
}

async function openIn(tab: WatchedTab, server: GatewayClient): Promise<WatchedTab> {
  await enter(tab.page, server.adminToken)
  await field(tab.page, 'Script').waitFor()
  return tab
}

/** An editor by its name. */
export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

/** The text of an editor, without what it draws beside it. */
export const textOf = async (page: Page, name: string): Promise<string> =>
  (await field(page, name).locator('.cm-line').allInnerTexts()).map(line => line.replace('\n', '')).join('\n')

/** Replaces the text of an editor, as a person does. */
export async function write(page: Page, name: string, text: string): Promise<void> {
  await field(page, name).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}
