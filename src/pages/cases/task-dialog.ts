import { html } from 'lit'
import { fillForm, forgetForm, keepForm } from '../gateway/kept-form.ts'
import { PageElement, showError, viewError } from '../shell/page-element.ts'
import { parseObject } from './parse-object.ts'

/** What a person asks a task to run with. */
export interface AskedTask {
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Asks for the parameters of a task. */
class TaskDialog extends PageElement {
  static override properties = { name: { state: true }, error: { state: true } }
  declare name: string
  declare error: unknown

  constructor() {
    super()
    this.name = ''
    this.error = null
  }

  /** Asks again with what was typed for the same task, if it did not run. */
  ask(name: string): void {
    if (name !== this.name) {
      this.name = name
      this.#form.reset()
      fillForm(this.#formName, this.#form)
    }
    this.error = null
    this.querySelector('dialog')?.showModal()
  }

  /** Forgets what was typed. */
  forget(): void {
    this.#form.reset()
    forgetForm(this.#formName)
  }

  get #form(): HTMLFormElement {
    return this.querySelector('form') as HTMLFormElement
  }

  get #formName(): string {
    return `task.${location.pathname}.${this.name}`
  }

  override render() {
    return html`<dialog aria-labelledby="task-title">
      <h2 id="task-title">Run ${this.name}</h2>
      <form @submit=${this.#submit} @input=${(event: Event) => keepForm(this.#formName, event)}>
        <label for="task-params">Params</label>
        <textarea
          id="task-params"
          name="params"
          class="json"
          rows="6"
          spellcheck="false"
          aria-describedby="params-note"
        >{}</textarea>
        <p id="params-note" class="quiet">A JSON object. The script reads it as <code>options.params</code>.</p>
        ${viewError(this.error)}
        <div class="actions">
          <button type="button" @click=${this.#cancel}>Cancel</button>
          <button class="main">Run</button>
        </div>
      </form>
    </dialog>`
  }

  // Escape keeps what was typed.
  #cancel = (): void => {
    this.forget()
    this.querySelector('dialog')?.close()
  }

  #submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement)
    try {
      const params = parseObject(String(given.get('params') ?? ''), 'Params')
      this.querySelector('dialog')?.close()
      this.dispatchEvent(new CustomEvent<AskedTask>('run-task', { detail: { name: this.name, params } }))
    } catch (error) {
      void showError(this, error)
    }
  }
}

customElements.define('task-dialog', TaskDialog)

export type { TaskDialog }
