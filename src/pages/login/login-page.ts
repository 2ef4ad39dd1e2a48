import { html } from 'lit'
import { ask, operation } from '../gateway/operation.ts'
import { finishSignOut, type Session, signIn } from '../gateway/session.ts'
import { openPublicPage } from '../shell/open-page.ts'
import { PageElement, viewError } from '../shell/page-element.ts'

const viewerOfToken = operation<{ viewer: Omit<Session, 'token'> }>(
  `query ViewerOfToken { viewer { accountCode userId email scopes } }`,
)

class LoginPage extends PageElement {
  static override properties = { error: { state: true }, isBusy: { state: true } }
  declare error: unknown
  declare isBusy: boolean

  constructor() {
    super()
    this.error = null
    this.isBusy = false
  }

  override render() {
    return html`<form class="login" @submit=${this.#submit}>
      <h1>Sign in</h1>
      <label for="token">Token</label>
      <input
        id="token"
        name="token"
        type="text"
        class="secret"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        required
        aria-describedby="token-note"
      />
      <p id="token-note" class="quiet">
        It is kept in this tab only. <code>npm start</code> prints one on the first start, and
        <code>npm run token</code> makes others.
      </p>
      ${viewError(this.error)}
      <button class="main" ?disabled=${this.isBusy}>Sign in</button>
    </form>`
  }

  override firstUpdated(): void {
    finishSignOut()
    this.#field.focus()
  }

  get #field(): HTMLInputElement {
    return this.querySelector('input') as HTMLInputElement
  }

  #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    this.error = null
    this.isBusy = true
    try {
      const token = readToken(this.#field.value)
      const { viewer } = await ask(viewerOfToken, {}, { token })
      signIn({ token, ...viewer })
    } catch (error) {
      this.error = error
      this.isBusy = false
      this.#field.focus()
      this.#field.select()
    }
  }
}

// Terminals break long lines, and examples of requests have the token after a header's name and a word.
function readToken(text: string): string {
  const token = text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^(?:[a-z]+: ?)?[a-z]{1,10} /i, '')
    .replaceAll(' ', '')
  if (token === '') throw new Error('Paste a token.')
  return token
}

openPublicPage({ element: 'login-page', type: LoginPage })
