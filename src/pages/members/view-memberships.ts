import { html, nothing } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { fillForm, forgetForm, keepForm } from '../gateway/kept-form.ts'
import { viewEmpty } from '../shell/page-element.ts'
import { viewText } from '../shell/view-text.ts'
import type { Membership } from './member-documents.ts'

/** Which side of the memberships the page shows. */
export type Side = 'team' | 'user'

interface Actions {
  readonly side: Side
  /** False without the scope to change memberships. */
  readonly canChange: boolean
  readonly onMove: (membership: Membership, teamId: string) => void
  readonly onRemove: (membership: Membership) => void
}

/** Shows the members of a team, or the teams of a user, each with what can be done with it. */
export function viewMemberships(rows: readonly Membership[], actions: Actions) {
  const { side, canChange } = actions
  if (rows.length === 0) {
    const advice = canChange ? 'Add the first one above.' : 'Nobody was added yet.'
    return viewEmpty(side === 'team' ? 'This team has no members' : 'This user is in no team', advice)
  }
  return html`<ul class="rows memberships" aria-label=${side === 'team' ? 'Members' : 'Teams'}>
    ${repeat(
      rows,
      ({ id }) => id,
      row => viewRow(row, actions),
    )}
  </ul>`
}

/** Shows what to do while neither a team nor a user is chosen. */
export function viewNothingChosen() {
  return viewEmpty(
    'Choose a team or a user',
    'Type the number of a team to see who is in it, or that of a user to see the user’s teams.',
  )
}

/** The name under which the form that moves a membership is kept. */
const moveFormOf = (membershipId: string) => `move.${membershipId}`

/** Fills the forms that move memberships with what this person typed and did not send. */
export function fillMoves(page: HTMLElement): void {
  for (const form of page.querySelectorAll<HTMLFormElement>('form.controls')) fillForm(form.name, form)
}

/** Empties the field of a membership that was moved to a team, unless another one was typed there meanwhile. */
export function emptyMove(page: HTMLElement, membershipId: string, teamId: string): void {
  const field = page.querySelector<HTMLInputElement>(`#move-${membershipId}`)
  if (field !== null && field.value.trim() !== teamId) return
  if (field !== null) field.value = ''
  forgetForm(moveFormOf(membershipId))
}

function viewRow(membership: Membership, { side, canChange, onMove, onRemove }: Actions) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('moveTo')
    if (field instanceof HTMLInputElement) onMove(membership, field.value.trim())
  }
  const name = moveFormOf(membership.id)
  const keep = (event: Event) => keepForm(name, event)
  const fieldId = `move-${membership.id}`
  const controls = html`<form class="controls" name=${name} @submit=${submit} @input=${keep}>
    <label for=${fieldId}>Move to</label>
    <input id=${fieldId} name="moveTo" inputmode="numeric" autocomplete="off" placeholder="team" required />
    <button>Move</button>
    <button type="button" class="bad" @click=${() => onRemove(membership)}>Remove</button>
  </form>`
  const whose = side === 'team' ? viewUser(membership) : viewTeam(membership)
  return html`<li>${whose} ${canChange ? controls : nothing}</li>`
}

function viewUser({ userId, user }: Membership) {
  const details = [user?.displayName, user?.email].filter(text => text != null)
  const shown = details.map((text, index) => html`${index === 0 ? '' : ', '}<bdi>${viewText(text)}</bdi>`)
  const link = html`<a data-row href="/members?user=${userId}">User ${userId}</a>`
  return html`<span class="whose">${link} ${shown}</span>`
}

function viewTeam({ teamId, team }: Membership) {
  const link = html`<a data-row href="/members?team=${teamId}">Team ${teamId}</a>`
  return html`<span class="whose">${link} <bdi>${viewText(team?.name ?? '')}</bdi></span>`
}

/** Shows whose memberships they are. `label` is the name of the team or the user; '' without one. */
export function viewTitle(side: Side, id: string | null, label: string) {
  if (id === null) return 'Members'
  const title = `${side === 'team' ? 'Team' : 'User'} ${id}`
  return label === '' ? title : html`${title} · <bdi>${viewText(label)}</bdi>`
}
