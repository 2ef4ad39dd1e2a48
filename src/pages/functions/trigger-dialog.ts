import { html, nothing } from 'lit'
import { ask } from '../gateway/operation.ts'
import '../shell/copy-button.ts'
import { PageElement, viewError } from '../shell/page-element.ts'
import { allows } from '../shell/session.ts'
import { saveHook, saveTask, saveWebhook, type TriggerKind } from './trigger-documents.ts'

const scopes = [
  'memberships:read',
  'memberships:write',
  'cases:read',
  'cases:write',
  'functions:read',
  'functions:write',
  'runs:read',
  'tasks:execute',
]

const events = [
  { value: 'PRE_SAVE', text: 'Before each save' },
  { value: 'POST_SAVE', text: 'After each save' },
  { value: 'PRE_DELETE', text: 'Before each delete' },
  { value: 'POST_DELETE', text: 'After each delete' },
]
const verifications = [
  { value: 'STANDARD', text: 'Standard Webhooks' },
  { value: 'GITHUB', text: 'GitHub' },
  { value: 'SECRET', text: 'The secret itself, in a header' },
]
const modes = [
  { value: 'SYNC', text: 'With the result of the run' },
  { value: 'QUEUED', text: 'At once; the run comes later' },
]

/** Asks for a new hook, task or webhook of a function, and shows a new secret once. */
class TriggerDialog extends PageElement {
  static override properties = {
    functionId: { attribute: false },
    functionName: { attribute: false },
    caseTypeCode: { attribute: false },
    kind: { state: true },
    verification: { state: true },
    secret: { state: true },
    error: { state: true },
    isBusy: { state: true },
  }
  declare functionId: string
  declare functionName: string
  declare caseTypeCode: string | null
  declare kind: TriggerKind
  declare verification: string
  /** The new secret, until the dialog is closed. */
  declare secret: string | null
  declare error: unknown
  declare isBusy: boolean

  constructor() {
    super()
    this.functionId = ''
    this.functionName = ''
    this.caseTypeCode = null
    this.kind = 'hook'
    this.verification = 'STANDARD'
    this.secret = null
    this.error = null
    this.isBusy = false
  }

  ask(kind: TriggerKind): void {
    this.kind = kind
    this.verification = 'STANDARD'
    this.secret = null
    this.error = null
    this.querySelector('form')?.reset()
    this.#dialog.showModal()
  }

  get #dialog(): HTMLDialogElement {
    return this.querySelector('dialog') as HTMLDialogElement
  }

  override render() {
    return html`<dialog aria-labelledby="trigger-title" @close=${this.#forget}>
      <h2 id="trigger-title">${this.secret === null ? `Add ${this.kind}` : 'Secret'}</h2>
      ${this.secret === null ? this.#viewForm() : this.#viewSecret(this.secret)}
    </dialog>`
  }

  #viewForm() {
    return html`<form @submit=${this.#submit}>
      ${this.kind === 'webhook' ? this.#viewWebhook() : this.#viewOfCases()}
      <fieldset>
        <legend>Scopes</legend>
        <p class="quiet">What the script’s own calls may do. Without a call it needs none.</p>
        ${scopes
          .filter(allows)
          .map(
            scope =>
              html`<label class="tick"><input type="checkbox" name="scopes" value=${scope} /> ${scope}</label>`,
          )}
      </fieldset>
      ${viewError(this.error)}
      <div class="actions">
        <button type="button" @click=${() => this.#dialog.close()}>Cancel</button>
        <button class="main" ?disabled=${this.isBusy}>Add</button>
      </div>
    </form>`
  }

  #viewOfCases() {
    const name = html`<label for="task-name">Name</label>
      <input id="task-name" name="name" required maxlength="64" autocomplete="off" spellcheck="false" />`
    return html`${this.kind === 'task' ? name : viewSelect('event', 'Event', events)}
      <label for="trigger-type">Case type</label>
      <input
        id="trigger-type"
        name="caseTypeCode"
        required
        maxlength="64"
        autocomplete="off"
        spellcheck="false"
        value=${this.caseTypeCode ?? ''}
      />`
  }

  #viewWebhook() {
    const choose = ({ target }: Event): void => {
      if (target instanceof HTMLSelectElement) this.verification = target.value
    }
    const header = html`<label for="webhook-header">Header</label>
      <input id="webhook-header" name="header" required autocomplete="off" placeholder="X-Gitlab-Token" />`
    return html`<label for="webhook-name">Name</label>
      <input id="webhook-name" name="name" required maxlength="64" autocomplete="off" spellcheck="false" />
      ${viewSelect('verification', 'Signature', verifications, choose)}
      ${this.verification === 'SECRET' ? header : nothing} ${viewSelect('mode', 'Answer', modes)}
      <label for="webhook-secret">Secret of the sender</label>
      <input id="webhook-secret" name="secret" class="secret" autocomplete="off" aria-describedby="secret-note" />
      <p id="secret-note" class="quiet">Leave it empty, and Rostrum makes one.</p>`
  }

  #viewSecret(secret: string) {
    return html`<p>Give this secret to the sender. It is shown this once.</p>
      <label for="new-secret">New secret</label>
      <input id="new-secret" readonly .value=${secret} />
      <div class="actions">
        <copy-button .text=${secret} what="secret"></copy-button>
        <button type="button" class="main" @click=${() => this.#dialog.close()}>Done</button>
      </div>`
  }

  // The page keeps no secret.
  #forget = (): void => {
    this.secret = null
  }

  #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const given = new FormData(form)
    const texts = [...given].flatMap(([name, value]) =>
      name === 'scopes' || String(value).trim() === '' ? [] : [[name, String(value).trim()]],
    )
    const input = {
      ...Object.fromEntries(texts),
      scopes: given.getAll('scopes').map(String),
      functionId: this.functionId,
    }
    this.error = null
    this.isBusy = true
    try {
      await this.#save(input)
      form.reset()
      this.dispatchEvent(new CustomEvent('trigger-saved', { detail: this.kind }))
      if (this.secret === null) this.#dialog.close()
    } catch (error) {
      this.error = error
    } finally {
      this.isBusy = false
    }
  }

  async #save(input: object): Promise<void> {
    if (this.kind === 'webhook') this.secret = (await ask(saveWebhook, { input })).saveWebhook.secret
    else if (this.kind === 'hook') await ask(saveHook, { input })
    else await ask(saveTask, { input })
  }
}

function viewSelect(
  name: string,
  title: string,
  options: readonly { readonly value: string; readonly text: string }[],
  onChange: (event: Event) => void = () => {},
) {
  return html`<label for="trigger-${name}">${title}</label>
    <select id="trigger-${name}" name=${name} @change=${onChange}>
      ${options.map(({ value, text }) => html`<option value=${value}>${text}</option>`)}
    </select>`
}

customElements.define('trigger-dialog', TriggerDialog)

export type { TriggerDialog }
