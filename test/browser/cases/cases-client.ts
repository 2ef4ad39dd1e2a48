import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'
import { enter, openBrowser, openTab, type WatchedTab } from '../open-browser.ts'

interface StoredCase {
  readonly id: number
  readonly version: number
  readonly data: unknown
}

export const dataOf = (page: Page) => page.getByRole('textbox', { name: 'Data' })

/** A browser, and a gateway with an account for the cases of one file. */
export class CasesClient {
  readonly server: SharedServer
  readonly #browser: Browser

  constructor(server: SharedServer, browser: Browser) {
    this.server = server
    this.#browser = browser
  }

  static async start(): Promise<CasesClient> {
    return new CasesClient(await shareServer(), await openBrowser())
  }

  stop(): Promise<void> {
    return this.#browser.close()
  }

  async open(path: string, token = this.server.adminToken): Promise<WatchedTab> {
    const tab = await openTab(this.#browser, this.server.baseUrl)
    await enter(tab.page, token, path)
    await tab.page.getByRole('heading', { level: 1 }).waitFor()
    return tab
  }

  async close({ page, faults }: WatchedTab): Promise<void> {
    expect(faults).toEqual([])
    await page.context().close()
  }

  async send(query: string, input: object): Promise<void> {
    const { body } = await this.server.graphql(query, { input })
    expect(body.errors).toBeUndefined()
  }

  saveFunction(name: string, caseTypeCode: string, sourceCode: string): Promise<void> {
    return this.send('mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
      ...{ name, caseTypeCode, sourceCode },
    })
  }

  /** Makes a task that runs this script. */
  async saveTask(name: string, caseTypeCode: string, sourceCode: string): Promise<void> {
    const functionName = name.toLowerCase()
    await this.saveFunction(functionName, caseTypeCode, sourceCode)
    await this.send('mutation($input: SaveCaseTaskInput!) { saveCaseTask(input: $input) { id } }', {
      ...{ caseTypeCode, name, functionName },
    })
  }

  async createCase(type: string, data: object): Promise<number> {
    const { body } = await this.server.rest<{ case: StoredCase }>('POST', '/platform/cases', {
      body: { case: { case_type_code: type, data } },
    })
    return body.case.id
  }

  async changeCase(id: number, data: object): Promise<void> {
    await this.server.rest('PUT', `/platform/cases/${id}`, { body: { case: { data } } })
  }

  async readCase(id: number): Promise<StoredCase> {
    return (await this.server.rest<{ case: StoredCase }>('GET', `/platform/cases/${id}`)).body.case
  }
}
