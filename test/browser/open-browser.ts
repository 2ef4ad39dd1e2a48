import { readFileSync, statfsSync } from 'node:fs'
import { createRequire } from 'node:module'
import chromium from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContextOptions,
  type Locator,
  type Page,
  chromium as playwright,
  type Request,
} from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Starts a real Chromium. */
export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    ignoreDefaultArgs: hasSharedMemory() ? ['--disable-dev-shm-usage'] : [],
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      // The tabs reach this machine alone. A route for each request would do that too, without the browser's cache.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
}

// Containers often have little shared memory, so Playwright makes Chromium share files on the disk instead. To create
// and remove these takes a fifth of the system time of these tests.
function hasSharedMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize >= 2 ** 30
  } catch {
    return false
  }
}

/** A tab that takes note of everything that a page must not do. */
export interface WatchedTab {
  readonly page: Page
  /** Requests to other hosts, files that are not there, violations of the policy and uncaught errors. */
  readonly faults: string[]
}

export interface TabOptions extends BrowserContextOptions {
  /**
   * False makes the playground wait for its types, as it does on a slow network. To load TypeScript and to check
   * with it takes most of the processor time of that page, so it is for tests whose subject the types are not.
   */
  readonly hasTypes?: boolean
}

/** Opens a tab in a context of its own. */
export async function openTab(
  browser: Browser,
  baseUrl: string,
  { hasTypes = true, ...options }: TabOptions = {},
): Promise<WatchedTab> {
  const context = await browser.newContext({ baseURL: baseUrl, ...options })
  if (!hasTypes) await context.addInitScript(silenceWorkers)
  const faults: string[] = []
  await context.exposeFunction('noteViolation', (text: string) => void faults.push(`violation: ${text}`))
  await context.addInitScript(() => {
    const note = (globalThis as unknown as { noteViolation: (text: string) => void }).noteViolation
    globalThis.addEventListener('securitypolicyviolation' as never, (event: never) => {
      const { violatedDirective, blockedURI, sample } = event as Record<string, string>
      note(`${violatedDirective} ${blockedURI} ${sample}`)
    })
  })
  context.on('request', request => {
    if (/^(http|ws)s?:/.test(request.url()) && !request.url().startsWith(baseUrl))
      faults.push(`other host: ${request.url()}`)
  })
  context.on('response', answer => {
    if (answer.status() === 404) faults.push(`not there: ${answer.url()}`)
  })
  const page = await context.newPage()
  page.on('pageerror', error => void faults.push(`uncaught: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(`console: ${message.text()}`)
  })
  return { page, faults }
}

/** Runs in the page. Its workers start nothing and never answer. */
function silenceWorkers(): void {
  Object.assign(globalThis, {
    Worker: class {
      postMessage() {}
      terminate() {}
    },
  })
}

/**
 * Signs in as a person does who follows a link to `path`. That page leads to the login, which comes back to it. After
 * the login itself, the playground opens.
 */
export async function signIn(page: Page, token: string, path = '/login'): Promise<void> {
  await page.goto(path, { waitUntil: 'commit' })
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

/**
 * Opens a page in a tab that is signed in, as the login leaves it. To load the login and the page that leads to it
 * would take a third of a tab's processor time.
 */
export async function enter(page: Page, token: string, path = '/playground'): Promise<void> {
  const answer = await page.context().request.post('/graphql', {
    headers: { authorization: `Bearer ${token}` },
    data: { query: '{ viewer { accountCode userId email scopes } }' },
  })
  const { viewer } = (await answer.json()).data
  // A small answer of the same origin, whose storage the pages read.
  await page.goto('/health', { waitUntil: 'commit' })
  await page.evaluate(
    text => sessionStorage.setItem('rostrum.session', text),
    JSON.stringify({ token, ...viewer, signOutMark: 'mark' }),
  )
  await page.goto(path, { waitUntil: 'commit' })
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

/** Makes the gateway refuse what the page sends from now on, as it does once a token has expired. */
export async function expireToken(page: Page): Promise<void> {
  await page.evaluate(() => {
    const session = JSON.parse(sessionStorage.getItem('rostrum.session') ?? '{}')
    sessionStorage.setItem('rostrum.session', JSON.stringify({ ...session, token: 'gone' }))
  })
}

/** Signs in from the alert of a page whose token was refused, and comes back to that page. */
export async function signInAgain(page: Page, token: string): Promise<void> {
  const { pathname } = new URL(page.url())
  await page.getByRole('alert').getByRole('button', { name: 'Sign in again' }).click()
  await page.waitForURL('**/login')
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${pathname}*`)
}

/** Follows a link to another page, and stays when the browser asks. Returns the kind of its question. */
export async function stay(page: Page): Promise<string> {
  const asked = Promise.withResolvers<string>()
  page.once('dialog', async dialog => {
    await dialog.dismiss()
    asked.resolve(dialog.type())
  })
  await page.getByRole('link', { name: 'Runs' }).click()
  return asked.promise
}

/** Makes the page load every file again, so that their sizes can be counted. */
export async function turnOffCache(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
}

/** True if a person sees all of the element without scrolling. */
export function isInView(element: Locator): Promise<boolean> {
  return element.evaluate(node => {
    const { top, bottom } = node.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
  }[]
}

// Each scheme and each width once: what depends on both at the same time is nothing.
const views = [
  { colorScheme: 'light', width: 1_280 },
  { colorScheme: 'dark', width: 390 },
] as const

/** Returns what axe-core finds on the page, light and dark, wide and narrow, and whether it scrolls sideways. */
export async function findBarriers(page: Page): Promise<string[]> {
  const found: string[] = []
  const before = page.viewportSize()
  await page.evaluate(axe)
  for (const { colorScheme, width } of views) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 844 })
    // A page that follows the scheme by a listener has done so after the next frame.
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as AxeResult
    const where = `${colorScheme} ${width}`
    for (const { id, nodes } of violations)
      found.push(...nodes.map(node => `${where}: ${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`))
    for (const narrow of [width, 640]) {
      await page.setViewportSize({ width: narrow, height: 844 })
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
        found.push(`${narrow}: scrolls sideways`)
    }
  }
  if (before !== null) await page.setViewportSize(before)
  return found
}

/** Resolves to the bytes of an answer on the wire, its head included, once it has come whole. */
export async function bytesOnTheWire(request: Request): Promise<number> {
  const { responseBodySize, responseHeadersSize } = await request.sizes()
  return responseBodySize + responseHeadersSize
}
