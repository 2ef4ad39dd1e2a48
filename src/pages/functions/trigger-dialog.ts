import { html, nothing } from 'lit'
import { fillForm, forgetForm, keepForm, readForm } from '../gateway/kept-form.ts'
import { askOnce, forgetSecret } from '../gateway/operation.ts'
import { allows } from '../gateway/session.ts'
import { PageElement, showError, viewError } from '../shell/page-element.ts'
import {
  rotateSecret,
  saveHook,
  saveTask,
  saveWebhook,
  type TriggerKind,
  type Webhook,
} from './trigger-documents.ts'
import { viewRotation, viewSecret, viewSecretField } from './view-secret.ts'
import { wordOf } from './view-triggers.ts'

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

const events = ['PRE_SAVE', 'POST_SAVE', 'PRE_DELETE', 'POST_DELETE'].map(value => ({
  value,
  text: wordOf(value),
}))
const verifications = [
  { value: 'STANDARD', text: 'Standard Webhooks' },
  { value: 'GITHUB', text: 'GitHub' },
  { value: 'SECRET', text: 'The secret itself, in a header' },
]
const modes = [
  { value: 'QUEUED', text: 'At once; the run comes later' },
  { value: 'SYNC', text: 'With the result of the run' },
]

type NamedWebhook = Pick<Webhook, 'id' | 'name'>

/** What was done, for the list of triggers. */
export interface TriggerSaved {
  readonly kind: TriggerKind
  readonly notice: string
}

/** Asks for a new hook, task or webhook of a function, or for a new secret, and shows a new secret once. */
class TriggerDialog extends PageElement {
  static override properties = {
    functionId: { attribute: false },
    functionName: { attribute: false },
    caseTypeCode: { attribute: false },
    kind: { state: true },
    rotated: { state: true },
    verification: { state: true },
    secret: { state: true },
    error: { state: true },
    isBusy: { state: true },
  }
  declare functionId: string
  declare functionName: string
  declare caseTypeCode: string | null
  declare kind: TriggerKind
  /** The webhook that gets a new secret; null while a trigger is added. */
  declare rotated: NamedWebhook | null
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
    this.rotated = null
    this.verification = 'STANDARD'
    this.secret = null
    this.error = null
    this.isBusy = false
  }

  // The focus may be outside the dialog's elements, so the page listens.
  override connectedCallback(): void {
    super.connectedCallback()
    document.addEventListener('keydown', this.#refuseEscape, true)
    addEventListener('beforeunload', this.#refuseClose)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('keydown', this.#refuseEscape, true)
    removeEventListener('beforeunload', this.#refuseClose)
  }

  /** Asks again with what was typed for the same kind, or the same webhook, and not saved. */
  async ask(kind: TriggerKind, rotated: NamedWebhook | null = null): Promise<void> {
    this.kind = kind
    this.rotated = rotated
    const kept = new Map(readForm(this.#formName))
    this.verification = kept.get('verification') ?? 'STANDARD'
    this.secret = null
    this.error = null
    await this.updateComplete
    const form = this.querySelector('form')
    form?.reset()
    if (form !== null) fillForm(this.#formName, form)
    this.#dialog.showModal()
  }

  get #formName(): string {
    return this.rotated === null ? `trigger.${this.functionId}.${this.kind}` : `secret.${this.rotated.id}`
  }

  get #dialog(): HTMLDialogElement {
    return this.querySelector('dialog') as HTMLDialogElement
  }

  override render() {
    const { secret, rotated } = this
    const question = rotated === null ? `Add ${this.kind}` : `New secret of ${rotated.name}?`
    return html`<dialog
      aria-labelledby="trigger-title"
      @cancel=${this.#refuseClose}
      @close=${this.#forget}
    >
      <h2 id="trigger-title">${secret === null ? question : 'Secret'}</h2>
      ${secret === null ? this.#viewForm() : viewSecret(secret, () => this.#dialog.close())}
    </dialog>`
  }

  #viewForm() {
    const { rotated } = this
    return html`<form @submit=${this.#submit} @input=${(event: Event) => keepForm(this.#formName, event)}>
      ${rotated === null ? this.#viewNew() : viewRotation(rotated.name)} ${viewError(this.error)}
      <div class="actions">
        <button type="button" aria-disabled=${this.isBusy} @click=${this.#cancel}>Cancel</button>
        <button class="main" aria-disabled=${this.isBusy}>${rotated === null ? 'Add' : 'New secret'}</button>
      </div>
    </form>`
  }

  #viewNew() {
    return html`${this.kind === 'webhook' ? this.#viewWebhook() : this.#viewOfCases()}
      <fieldset>
        <legend>Scopes</legend>
        <p class="quiet">What the script’s own calls may do. Without a call it needs none.</p>
        ${scopes
          .filter(allows)
          .map(
            scope =>
              html`<label class="tick"><input type="checkbox" name="scopes" value=${scope} /> ${scope}</label>`,
          )}
      </fieldset>`
  }

  #viewOfCases() {
    const name = html`<label for="task-name">Name</label>
      <input id="task-name" name="name" required autocomplete="off" spellcheck="false" />`
    return html`${this.kind === 'task' ? name : viewSelect('event', 'Event', events)}
      <label for="trigger-type">Case type</label>
      <input
        id="trigger-type"
        name="caseTypeCode"
        required
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
      <input id="webhook-name" name="name" required autocomplete="off" spellcheck="false" />
      ${viewSelect('verification', 'Signature', verifications, choose)}
      ${this.verification === 'SECRET' ? header : nothing} ${viewSelect('mode', 'Answer', modes)}
      ${viewSecretField()}`
  }

  // Escape keeps what was typed.
  #cancel = (): void => {
    if (this.isBusy) return
    forgetForm(this.#formName)
    this.#dialog.close()
  }

  // A secret that is made or shown would be lost.
  #refuseClose = (event: Event): void => {
    if (this.isBusy || this.secret !== null) event.preventDefault()
  }

  // Without a click in between, a browser closes the dialog at the second Escape, and asks nobody.
  #refuseEscape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !this.#dialog.open || !(this.isBusy || this.secret !== null)) return
    event.preventDefault()
    event.stopPropagation()
  }

  // The page keeps no secret, neither one that was made nor one that was typed.
  #forget = (): void => {
    if (this.#dialog.open) return
    this.secret = null
    const typed = this.querySelector<HTMLInputElement>('#webhook-secret')?.value.trim() ?? ''
    if (typed !== '') forgetSecret(typed)
    this.querySelector('form')?.reset()
  }

  #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (this.isBusy) return
    const given = new FormData(event.currentTarget as HTMLFormElement)
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
      this.secret = await this.#save(given, input)
      this.#noteSaved()
      if (this.secret === null) return this.#dialog.close()
      await this.updateComplete
      this.querySelector<HTMLTextAreaElement>('#new-secret')?.select()
    } catch (error) {
      void showError(this, error)
    } finally {
      this.isBusy = false
    }
  }

  #noteSaved(): void {
    const { kind, rotated } = this
    forgetForm(this.#formName)
    const notice = rotated === null ? `The ${kind} was added.` : `${rotated.name} has a new secret.`
    const detail: TriggerSaved = { kind, notice }
    this.dispatchEvent(new CustomEvent('trigger-saved', { detail }))
  }

  /** Saves, and returns a secret that was made. */
  async #save(given: FormData, input: object): Promise<string | null> {
    const own = String(given.get('secret') ?? '').trim() || null
    if (this.rotated !== null) {
      const overlapHours = Number(given.get('overlapHours'))
      const rotation = { id: this.rotated.id, overlapHours, secret: own }
      const { secret } = (await askOnce(rotateSecret, rotation)).rotateWebhookSecret
      return secret ?? this.#explainLost(own, this.rotated)
    }
    if (this.kind === 'webhook') {
      const { secret, webhook } = (await askOnce(saveWebhook, { input })).saveWebhook
      return secret ?? this.#explainLost(own, webhook)
    }
    if (this.kind === 'hook') await askOnce(saveHook, { input })
    else await askOnce(saveTask, { input })
    return null
  }

  // An answer that the gateway repeats has no secret.
  #explainLost(own: string | null, webhook: NamedWebhook): null {
    if (own !== null) return null
    this.#noteSaved()
    this.rotated = webhook
    throw new Error(`${webhook.name} has a secret, but it was in the answer that was lost. Make another one.`)
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
