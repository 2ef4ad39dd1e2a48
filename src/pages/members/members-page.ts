import { html, nothing } from 'lit'
import { isCode } from '../gateway/gateway-error.ts'
import { fillForm, forgetForm, keepForm } from '../gateway/kept-form.ts'
import { ask } from '../gateway/operation.ts'
import { allows } from '../gateway/session.ts'
import {
  focusOpenedRow,
  handleItemKeys,
  handleListKeys,
  itemKeys,
  listKeys,
  loadMoreRows,
} from '../shell/list-keys.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, setTitle, tryAction, viewError, viewMore } from '../shell/page-element.ts'
import { UndoController, undoKeys } from '../shell/undo.ts'
import { viewNotLoaded } from '../shell/view-not-loaded.ts'
import { type FoundEvents, findEarlier, findEvents, findLater } from './event-search.ts'
import { add, ChangedMeanwhile, type Done, move, remove } from './member-actions.ts'
import { type Membership, type MembershipPage, membersOfTeam, teamsOfUser } from './member-documents.ts'
import { viewEvents } from './view-events.ts'
import {
  emptyMove,
  fillMoves,
  type Side,
  viewMemberships,
  viewNothingChosen,
  viewTitle,
} from './view-memberships.ts'

const pageSize = 100
const maxPageSize = 1_000

/** The members of a team or the teams of a user, as the query of the address says, and what happened to them. */
class MembersPage extends PageElement {
  static override properties = {
    page: { state: true },
    label: { state: true },
    events: { state: true },
    error: { state: true },
  }
  declare page: MembershipPage | null
  /** Name of the team or the user; empty without one. */
  declare label: string
  declare events: FoundEvents | null
  declare error: unknown
  readonly #side: Side
  readonly #id: string | null
  readonly #undo = new UndoController(this)
  #isOpened = false
  /** What is being done: the id of a membership, or another word for it. A second press does not ask for it again. */
  readonly #underWay = new Set<string>()
  /** Grows with each load of the rows: only the last one is shown. */
  #generation = 0

  constructor() {
    super()
    this.page = null
    this.label = ''
    this.events = null
    this.error = null
    const query = new URLSearchParams(location.search)
    this.#side = query.has('team') || !query.has('user') ? 'team' : 'user'
    this.#id = query.get(this.#side) || null
    handleListKeys()
    if (this.#id !== null) handleItemKeys('/members')
    tryAction(this, () => this.#load())
  }

  override firstUpdated(): void {
    const form = this.querySelector<HTMLFormElement>('form[role="search"]')
    if (form !== null) fillForm(this.#searchName, form)
  }

  override updated(): void {
    setTitle(`${this.querySelector('h1')?.textContent?.trim()}`)
    if (this.#isOpened || this.page === null) return
    this.#isOpened = true
    const form = this.querySelector<HTMLFormElement>('form.add')
    if (form !== null) fillForm(this.#formName, form)
    fillMoves(this)
    tryAction(this, () => focusOpenedRow(count => this.#loadNext(count)))
  }

  override render() {
    return html`<h1>${viewTitle(this.#side, this.#id, this.label)}</h1>
      ${this.#viewSearch()} ${viewError(this.error)} ${this.#undo.view()}
      ${this.#id === null ? viewNothingChosen() : this.#viewChosen()}`
  }

  #viewSearch() {
    const given = (name: Side) => (this.#side === name ? (this.#id ?? '') : '')
    const field = (name: Side, title: string) => html`<label>
      ${title}
      <input name=${name} type="search" inputmode="numeric" autocomplete="off" .value=${given(name)} />
    </label>`
    const keep = (event: Event) => keepForm(this.#searchName, event)
    return html`<form class="inline" role="search" @submit=${this.#search} @input=${keep}>
      ${field('team', 'Team')} ${field('user', 'User')}
      <button>Show</button>
    </form>`
  }

  #viewChosen() {
    if (this.page === null) return viewNotLoaded(this.error)
    const canChange = allows('memberships:write')
    return html`${canChange ? this.#viewAdd() : nothing}
      ${viewMemberships(this.page.nodes, {
        side: this.#side,
        canChange,
        onMove: (membership, teamId) => this.#move(membership, teamId),
        onRemove: membership => this.#do(membership.id, () => remove(membership)),
      })}
      ${viewMore(this.page.pageInfo.hasNextPage, this.#loadMore)}
      <h2 id="events">Events</h2>
      ${this.#viewEvents()}`
  }

  #viewEvents() {
    if (this.events === null) return nothing
    return viewEvents({ found: this.events, side: this.#side, onFindEarlier: this.#findEarlier })
  }

  get #searchName(): string {
    return `search.${this.#side}.${this.#id}`
  }

  get #formName(): string {
    return `add.${this.#side}.${this.#id}`
  }

  #viewAdd() {
    const keep = (event: Event) => keepForm(this.#formName, event)
    const name = this.#side === 'team' ? 'Add user' : 'Add team'
    return html`<form class="inline add" @submit=${this.#add} @input=${keep}>
      <label>${name} <input name="added" inputmode="numeric" autocomplete="off" required /></label>
      <button class="main">Add</button>
    </form>`
  }

  // The policy of the page lets no form leave by itself.
  #search = (event: SubmitEvent): void => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement)
    const textOf = (name: Side) => String(given.get(name) ?? '').trim()
    const sides: readonly Side[] = this.#side === 'team' ? ['team', 'user'] : ['user', 'team']
    const changed = sides.find(
      side => textOf(side) !== '' && (side !== this.#side || textOf(side) !== this.#id),
    )
    const side = changed ?? sides.find(side => textOf(side) !== '')
    if (side === undefined) return
    forgetForm(this.#searchName)
    location.assign(`/members?${side}=${encodeURIComponent(textOf(side))}`)
  }

  #add = (event: SubmitEvent): void => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const field = form.elements.namedItem('added')
    if (!(field instanceof HTMLInputElement) || this.#id === null) return
    const { value } = field
    const [own, other] = [this.#id, value.trim()]
    const focused = document.activeElement
    const pair = this.#side === 'team' ? { userId: other, teamId: own } : { userId: own, teamId: other }
    this.#do(`add ${other}`, async () => {
      const done = await add(pair)
      // The person may have gone on meanwhile.
      if (field.value === value) {
        field.value = ''
        forgetForm(this.#formName)
      }
      if (document.activeElement === focused) field.focus()
      return done
    })
  }

  #move(membership: Membership, teamId: string): void {
    this.#do(membership.id, async () => {
      if (teamId === membership.teamId)
        throw new Error(`User ${membership.userId} is in team ${teamId} already. Type another team.`)
      const done = await move(membership, { userId: membership.userId, teamId })
      emptyMove(this, membership.id, teamId)
      return done
    })
  }

  /** Does something, says so, and offers to undo it. The list shows how it is then, even after an error. */
  #do(what: string, action: () => Promise<Done>, offerAgain = () => {}): void {
    if (this.#underWay.has(what)) return
    this.#underWay.add(what)
    const place = this.page?.nodes.findIndex(({ id }) => id === what) ?? -1
    const isUndo = document.activeElement?.closest('.notice') != null
    this.#undo.begin()
    tryAction(this, async () => {
      let failed: unknown = null
      try {
        const { text, undo } = await action()
        this.#undo.offer({ text, undo: again => this.#do(`undo ${text}`, undo, again) })
      } catch (error) {
        failed = error
        throw error
      } finally {
        this.#undo.end()
        await this.#load().catch((error: unknown) => {
          this.error = error
        })
        const now = this.error === null ? 'Now you see how it is.' : 'Reload the page to see how it is.'
        if (failed instanceof ChangedMeanwhile) failed.message += ` ${now}`
        // A press while the list was on its way would have done nothing.
        this.#underWay.delete(what)
        if (isCode(failed, 'UNREACHABLE')) offerAgain()
        if (place >= 0 || isUndo) await this.#takeFocus(place)
      }
    })
  }

  /** Focuses the row at a place, or “Undo” without one, if what was pressed took the focus with it. */
  async #takeFocus(place: number): Promise<void> {
    await this.updateComplete
    if (document.activeElement !== document.body) return
    const rows = this.querySelectorAll<HTMLElement>('.memberships a[data-row]')
    const undo = this.querySelector<HTMLElement>('.notice button')
    const next = place < 0 ? undo : rows[Math.min(place, rows.length - 1)]
    const target = next ?? this.querySelector<HTMLElement>('input[name="added"]')
    target?.focus()
  }

  async #load(): Promise<void> {
    if (this.#id === null) return
    const generation = ++this.#generation
    const wanted = { side: this.#side, id: this.#id }
    const find = (last: FoundEvents | null) => (last === null ? findEvents(wanted) : findLater(wanted, last))
    const [page] = await Promise.all([this.#readRows(), this.#changeEvents(find)])
    if (generation === this.#generation) this.page = page
  }

  /** Changes the events. If another change came first, this one is made to what that has left. */
  async #changeEvents(change: (before: FoundEvents | null) => Promise<FoundEvents>): Promise<void> {
    const before = this.events
    const after = await change(before)
    if (this.events !== before) return this.#changeEvents(change)
    this.events = after
  }

  #loadMore = (event: Event): void => tryAction(this, () => loadMoreRows(event, () => this.#loadNext()))

  async #loadNext(count = pageSize): Promise<boolean> {
    const { page: shown } = this
    if (shown === null || !shown.pageInfo.hasNextPage) return false
    const { nodes, pageInfo } = await this.#readPage(Math.max(pageSize, count), shown.pageInfo.endCursor)
    if (this.page !== shown) return false
    this.page = { nodes: [...shown.nodes, ...nodes], pageInfo }
    await this.updateComplete
    fillMoves(this)
    return true
  }

  /** Reads as many rows as are shown, and one that may be new. */
  async #readRows(): Promise<MembershipPage> {
    const wanted = Math.max(pageSize, (this.page?.nodes.length ?? 0) + 1)
    let page = await this.#readPage(wanted, null)
    while (page.nodes.length < wanted && page.pageInfo.hasNextPage) {
      const { nodes, pageInfo } = await this.#readPage(wanted - page.nodes.length, page.pageInfo.endCursor)
      page = { nodes: [...page.nodes, ...nodes], pageInfo }
    }
    return page
  }

  // A press while earlier changes are on their way asks for those too, and they come once.
  #findEarlier = (event: Event): void => {
    const wanted = { side: this.#side, id: this.#id ?? '' }
    const earliest = this.events?.earliest ?? null
    const find = async (before: FoundEvents | null): Promise<FoundEvents> => {
      if (before === null) return findEvents(wanted)
      return before.earliest === earliest ? findEarlier(wanted, before) : before
    }
    tryAction(this, () => loadMoreRows(event, () => this.#changeEvents(find), '.events li'))
  }

  // A team or a user that nothing is known of has no members yet.
  async #readPage(wanted: number, after: string | null): Promise<MembershipPage> {
    const [id, first] = [this.#id ?? '', Math.min(wanted, maxPageSize)]
    const none = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }
    if (this.#side === 'team') {
      const { team } = await ask(membersOfTeam, { id, first, after })
      this.label = team?.name ?? ''
      return team?.memberships ?? none
    }
    const { user } = await ask(teamsOfUser, { id, first, after })
    this.label = user?.displayName ?? user?.email ?? ''
    return user?.memberships ?? none
  }
}

openPage({
  element: 'members-page',
  type: MembersPage,
  keys: [...listKeys, ...itemKeys, ...undoKeys],
})
