import { html } from 'lit'
import { ask, operation } from '../gateway/operation.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, viewEmpty, viewError } from '../shell/page-element.ts'

interface Membership {
  readonly id: string
  readonly userId: string
  readonly teamId: string
}

interface Memberships {
  readonly memberships: { readonly nodes: readonly Membership[] } | null
}

const membersOfTeam = operation<{ team: Memberships | null }, { id: string }>(
  `query MembersOfTeam($id: ID!) { team(id: $id) { memberships { nodes { id userId teamId } } } }`,
)
const teamsOfUser = operation<{ user: Memberships | null }, { id: string }>(
  `query TeamsOfUser($id: ID!) { user(id: $id) { memberships { nodes { id userId teamId } } } }`,
)

/** The members of a team, or the teams of a user, as the query of the address says. */
class MembersPage extends PageElement {
  static override properties = { rows: { state: true }, error: { state: true } }
  declare rows: readonly Membership[] | null
  declare error: unknown
  readonly #team = new URLSearchParams(location.search).get('team')
  readonly #user = new URLSearchParams(location.search).get('user')

  constructor() {
    super()
    this.rows = null
    this.error = null
    this.#load().catch((error: unknown) => {
      this.error = error
    })
  }

  async #load(): Promise<void> {
    const found =
      this.#team !== null
        ? (await ask(membersOfTeam, { id: this.#team })).team
        : this.#user !== null && (await ask(teamsOfUser, { id: this.#user })).user
    if (found === null)
      throw new Error(this.#team === null ? 'There is no such user.' : 'There is no such team.')
    if (found !== false) this.rows = found.memberships?.nodes ?? []
  }

  override render() {
    const title =
      this.#team !== null ? `Team ${this.#team}` : this.#user !== null ? `User ${this.#user}` : 'Members'
    return html`<h1>${title}</h1>
      <form class="inline" action="/members" @submit=${this.#search}>
        <label>Team <input name="team" type="search" inputmode="numeric" /></label>
        <label>User <input name="user" type="search" inputmode="numeric" /></label>
        <button>Show</button>
      </form>
      ${viewError(this.error)} ${this.rows === null ? '' : this.#viewRows(this.rows)}`
  }

  // The policy of the page lets no form leave by itself.
  #search = (event: SubmitEvent): void => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement)
    const [name, id] = [...given].find(([, value]) => value !== '') ?? []
    if (name !== undefined) location.assign(`/members?${name}=${encodeURIComponent(String(id))}`)
  }

  #viewRows(rows: readonly Membership[]) {
    if (rows.length === 0) return viewEmpty('No members', 'Add the first one over GraphQL or REST.')
    return html`<ul class="rows" aria-label="Members">
      ${rows.map(({ userId, teamId }) =>
        this.#team !== null
          ? html`<li><a href="/members?user=${userId}">User ${userId}</a></li>`
          : html`<li><a href="/members?team=${teamId}">Team ${teamId}</a></li>`,
      )}
    </ul>`
  }
}

openPage({ element: 'members-page', type: MembersPage })
