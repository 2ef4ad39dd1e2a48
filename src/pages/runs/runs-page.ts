import { html } from 'lit'
import { ask, operation } from '../gateway/operation.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, viewEmpty, viewError, viewLoading } from '../shell/page-element.ts'

interface RunRow {
  readonly id: string
  readonly name: string
  readonly outcome: string | null
  readonly startedAt: string
  readonly durationMs: number | null
}

const listRuns = operation<{ runs: { nodes: readonly RunRow[] } }>(
  `query ListRuns { runs { nodes { id name outcome startedAt durationMs } } }`,
)
const findRun = operation<{ run: RunRow | null }, { id: string }>(
  `query FindRun($id: ID!) { run(id: $id) { id name outcome startedAt durationMs } }`,
)

/** The runs that are kept, newest first, or the one that the path names. */
class RunsPage extends PageElement {
  static override properties = { rows: { state: true }, error: { state: true } }
  declare rows: readonly RunRow[] | null
  declare error: unknown
  readonly #id = location.pathname.split('/')[2] ?? null

  constructor() {
    super()
    this.rows = null
    this.error = null
    this.#load().catch((error: unknown) => {
      this.error = error
    })
  }

  async #load(): Promise<void> {
    if (this.#id === null) {
      this.rows = (await ask(listRuns, {})).runs.nodes
      return
    }
    const { run } = await ask(findRun, { id: decodeURIComponent(this.#id) })
    if (run === null) throw new Error('There is no such run, or it is not kept any more.')
    this.rows = [run]
  }

  override render() {
    return html`<h1>${this.#id === null ? 'Runs' : 'Run'}</h1>
      ${viewError(this.error)}
      ${this.rows === null ? (this.error === null ? viewLoading() : '') : this.#viewRows(this.rows)}`
  }

  #viewRows(rows: readonly RunRow[]) {
    if (rows.length === 0) {
      return viewEmpty('No runs yet', html`Run a script in the <a href="/playground">playground</a>.`)
    }
    return html`<table aria-label="Runs">
      <thead>
        <tr>
          <th scope="col">Started</th>
          <th scope="col">Name</th>
          <th scope="col">Outcome</th>
          <th scope="col">Took</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ id, name, outcome, startedAt, durationMs }) => html`<tr>
            <td><a href="/runs/${id}">${new Date(startedAt).toLocaleString()}</a></td>
            <td>${name}</td>
            <td>${outcome?.toLowerCase() ?? 'running'}</td>
            <td>${durationMs === null ? '' : `${durationMs} ms`}</td>
          </tr>`,
        )}
      </tbody>
    </table>`
  }
}

openPage({ element: 'runs-page', type: RunsPage })
