import { html, nothing, type TemplateResult } from 'lit'
import { isCode } from '../gateway/gateway-error.ts'
import { ask, forgetUnanswered } from '../gateway/operation.ts'
import { allows } from '../gateway/session.ts'
import { PageElement, tryAction, viewError } from '../shell/page-element.ts'
import { viewNotLoaded } from '../shell/view-not-loaded.ts'
import type { TriggerDialog, TriggerSaved } from './trigger-dialog.ts'
import {
  type Hook,
  listHooks,
  listTasks,
  listWebhooks,
  removeHook,
  removeTask,
  removeWebhook,
  saveHook,
  saveTask,
  saveWebhook,
  type Task,
  type TriggerKind,
  type Webhook,
} from './trigger-documents.ts'
import { type Kind, viewLoaded, viewWebhook, wordOf } from './view-triggers.ts'

const loads = {
  hook: async (functionId: string) => (await ask(listHooks, { functionId })).hooks,
  task: async (functionId: string) => (await ask(listTasks, { functionId })).caseTasks,
  webhook: async (functionId: string) =>
    (await ask(listWebhooks, {})).webhooks.filter(webhook => webhook.function.id === functionId),
} as const
const saves = { hook: saveHook, task: saveTask, webhook: saveWebhook } as const
const removals = { hook: removeHook, task: removeTask, webhook: removeWebhook } as const

const kinds = ['hook', 'task', 'webhook'] as const

// Who writes a script for a case has no other place to learn what it gets and gives back.
const ofCases = html`Its <code>payload</code> is the data of the case.`

/** What could be loaded of each kind; null while it loads, an error if it could not be. */
interface Triggers {
  readonly hook: readonly Hook[] | Error | null
  readonly task: readonly Task[] | Error | null
  readonly webhook: readonly Webhook[] | Error | null
}

interface Item {
  readonly kind: TriggerKind
  readonly id: string
  readonly enabled: boolean
  readonly scopes: readonly string[]
  readonly title: string
}

/** What runs a function: hooks, tasks and webhooks, with adding, switching off and removing. */
class FunctionTriggers extends PageElement {
  static override properties = {
    functionId: { attribute: false },
    functionName: { attribute: false },
    caseTypeCode: { attribute: false },
    triggers: { state: true },
    removing: { state: true },
    notice: { state: true },
    error: { state: true },
  }
  declare functionId: string
  declare functionName: string
  declare caseTypeCode: string | null
  declare triggers: Triggers
  /** What is about to be removed, while the page asks. */
  declare removing: Item | null
  declare notice: string
  declare error: unknown
  /** Grows with each load of a kind: only the last one is shown. */
  readonly #generations = { hook: 0, task: 0, webhook: 0 }
  /** What is being removed: its kind and its id. */
  readonly #underWay = new Set<string>()

  constructor() {
    super()
    this.functionId = ''
    this.functionName = ''
    this.caseTypeCode = null
    this.triggers = { hook: null, task: null, webhook: null }
    this.removing = null
    this.notice = ''
    this.error = null
  }

  override firstUpdated(): void {
    for (const kind of kinds) void this.#load(kind)
  }

  override render() {
    const { hook, task, webhook } = this.triggers
    const errors = [hook, task, webhook].filter(loaded => loaded instanceof Error)
    // Lists that fail together mostly fail for one reason, which is said once.
    const reasons = new Map(errors.map(error => [error.message, error]))
    return html`<section class="triggers" aria-labelledby="triggers-title">
      <h2 id="triggers-title">What runs it</h2>
      <div role="status" class="quiet">${this.notice}</div>
      ${viewError(this.error)} ${[...reasons.values()].map(error => viewError(error, viewNotLoaded(error)))}
      ${this.#viewKind({
        kind: 'hook',
        title: 'Hooks',
        advice: html`A hook runs it whenever a case is saved or deleted. ${ofCases} Before a save, what it gives to
          <code>exit</code> is stored, and <code>fail</code> refuses the save.`,
        loaded: hook,
        viewItem: ({ event, caseTypeCode, ...hook }) =>
          this.#viewItem({ kind: 'hook', ...hook, title: `${wordOf(event)} of ${caseTypeCode}` }),
      })}
      ${this.#viewKind({
        kind: 'task',
        title: 'Tasks',
        advice: html`A task runs it when a person asks for it on a case. ${ofCases} What it gives to
          <code>exit</code> is stored.`,
        loaded: task,
        viewItem: ({ name, caseTypeCode, ...task }) =>
          this.#viewItem({ kind: 'task', ...task, title: `${name} on ${caseTypeCode}` }),
      })}
      ${this.#viewKind({
        kind: 'webhook',
        title: 'Webhooks',
        advice: html`A webhook runs it when another service sends a signed request.`,
        loaded: webhook,
        viewItem: webhook => this.#viewItem({ kind: 'webhook', ...webhook, title: webhook.name }, webhook),
      })}
      <trigger-dialog
        .functionId=${this.functionId}
        .functionName=${this.functionName}
        .caseTypeCode=${this.caseTypeCode}
        @trigger-saved=${this.#noteSaved}
      ></trigger-dialog>
      <dialog class="ask" aria-labelledby="remove-title">
        <h2 id="remove-title">Remove this ${this.removing?.kind}?</h2>
        <p>
          ${this.removing?.title} does not run ${this.functionName} any more. Its runs stay listed.
          ${this.removing?.kind === 'task' ? nothing : 'Those that are queued still run.'}
        </p>
        <form method="dialog" class="actions">
          <button value="cancel">Cancel</button>
          <button type="button" class="main" @click=${this.#remove}>Remove</button>
        </form>
      </dialog>
    </section>`
  }

  #viewKind<Trigger>(shown: Kind<Trigger>) {
    const { kind, title } = shown
    const add = html`<button type="button" class="add-${kind}" @click=${() => this.#add(kind)}>Add ${kind}</button>`
    return html`<div class="kind">
      <div class="title-row"><h3>${title}</h3>${allows('functions:write') ? add : nothing}</div>
      ${viewLoaded(shown)}
    </div>`
  }

  #viewItem(item: Item, webhook: Webhook | null = null): TemplateResult {
    const { enabled, scopes, title } = item
    const rotate = html`<button type="button" @click=${() => this.#add('webhook', webhook)}>New secret</button>`
    const actions = html`<div class="actions">
      ${webhook === null ? nothing : rotate}
      <button type="button" @click=${() => this.#switch(item)}>${enabled ? 'Switch off' : 'Switch on'}</button>
      <button type="button" class="bad" @click=${() => this.#ask(item)}>Remove</button>
    </div>`
    return html`<li>
      <div>
        <b>${title}</b> ${enabled ? nothing : html`<span class="note">off</span>`}
        <div class="quiet">${scopes.length === 0 ? 'No scopes' : scopes.join(', ')}</div>
      </div>
      ${allows('functions:write') ? actions : nothing} ${webhook === null ? nothing : viewWebhook(webhook)}
    </li>`
  }

  #add(kind: TriggerKind, rotated: Webhook | null = null): void {
    const doing = 'Opening…'
    this.#try(doing, async () => {
      await loadDialog()
      const dialog = this.querySelector<TriggerDialog>('trigger-dialog')
      await dialog?.updateComplete
      await dialog?.ask(kind, rotated)
      if (this.notice === doing) this.notice = ''
    })
  }

  #noteSaved = ({ detail: { kind, notice } }: CustomEvent<TriggerSaved>): void => {
    this.#try('', async () => {
      await this.#load(kind)
      this.notice = notice
    })
  }

  #switch({ kind, id, enabled, title }: Item): void {
    const state = enabled ? 'off' : 'on'
    this.#try(`Switching ${state}…`, async () => {
      await this.#change(kind, () =>
        ask(saves[kind] as typeof saveHook, { input: { id, enabled: !enabled } }),
      )
      this.notice = `${title} is ${state}.`
    })
  }

  #ask(item: Item): void {
    this.removing = item
    this.querySelector<HTMLDialogElement>('dialog.ask')?.showModal()
  }

  #remove = (): void => {
    const { removing } = this
    this.querySelector<HTMLDialogElement>('dialog.ask')?.close()
    if (removing === null) return
    const { kind, id, title } = removing
    // A second removal would not find it, and say so beside the notice of the first one.
    const what = `${kind} ${id}`
    if (this.#underWay.has(what)) return
    this.#underWay.add(what)
    this.#try('Removing…', async () => {
      await this.#change(kind, () => ask(removals[kind], { id })).finally(() => this.#underWay.delete(what))
      forgetUnanswered()
      this.notice = `${title} was removed.`
    })
  }

  /** Changes a trigger. The list shows what there is then, also if somebody else has removed the trigger meanwhile. */
  async #change(kind: TriggerKind, change: () => Promise<unknown>): Promise<void> {
    try {
      await change()
    } catch (error) {
      if (isCode(error, 'NOT_FOUND')) await this.#reload(kind)
      throw error
    }
    await this.#reload(kind)
  }

  async #reload(kind: TriggerKind): Promise<void> {
    await this.#load(kind)
    await this.updateComplete
    // The row that had the focus may be gone.
    if (document.activeElement === document.body) this.querySelector<HTMLElement>(`.add-${kind}`)?.focus()
  }

  // After an error, a notice of another action stays.
  #try(doing: string, action: () => Promise<void>): void {
    this.notice = doing
    tryAction(this, () =>
      action().catch(error => {
        if (this.notice === doing) this.notice = ''
        throw error
      }),
    )
  }

  // A kind that cannot be loaded hides no other.
  async #load(kind: TriggerKind): Promise<void> {
    const generation = ++this.#generations[kind]
    const loaded = await loads[kind](this.functionId).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    )
    if (generation === this.#generations[kind]) this.triggers = { ...this.triggers, [kind]: loaded }
  }
}

// Few people who open the page add a trigger, and it has to stay small.
async function loadDialog(): Promise<void> {
  await import('./trigger-dialog.ts').catch(() => {
    throw new Error('A part of this page did not load. Check your connection, then load the page again.')
  })
}

customElements.define('function-triggers', FunctionTriggers)
