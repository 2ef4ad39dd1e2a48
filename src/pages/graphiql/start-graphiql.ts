import { answerInTime } from '../gateway/answer-in-time.ts'
import { GatewayError, unreachable } from '../gateway/gateway-error.ts'
import { goToLogin, readSession } from '../gateway/session.ts'
import { createStorage } from './storage.ts'

interface Renderer {
  renderYogaGraphiQL(root: Element, options: Readonly<Record<string, unknown>>): void
}

interface CodeEditor {
  readonly editor: { setTheme(name: string): void }
}

const session = readSession()

// A page that the browser kept, and shows again on Back, has the answers and the token of the person of then.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && readSession()?.token !== session?.token) location.reload()
})

// GraphiQL sends everything by this function: operations, subscriptions and its first request, the introspection. A
// token in its header editor wins. Without any token nothing is sent, because it could only be refused.
const send = globalThis.fetch
globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  if (!headers.has('authorization')) {
    if (session === null) return Promise.resolve(Response.json(needsToken, { status: 401 }))
    headers.set('authorization', `Bearer ${session.token}`)
  }
  return sendInTime(input, { ...init, headers }).catch((error: unknown) => {
    if (error instanceof GatewayError) return Response.json(toErrors(error.message), { status: 503 })
    throw error
  })
}

// A query only reads, and ends if no answer begins in time.
function sendInTime(input: RequestInfo | URL, { signal: end, ...init }: RequestInit): Promise<Response> {
  const isChange = /\bmutation\b/.test(String(init.body))
  return answerInTime({ isChange, signal: end }, async signal => {
    try {
      return await send(input, { ...init, signal })
    } catch {
      signal.throwIfAborted()
      throw unreachable()
    }
  })
}

const toErrors = (message: string) => ({ errors: [{ message }] })
const needsToken = toErrors(
  'Sign in first, or put a token into the header editor: {"Authorization": "Bearer <token>"}',
)

const signInLink = document.querySelector('a[href="/login"]')
signInLink?.toggleAttribute('hidden', session !== null)
signInLink?.addEventListener('click', event => {
  event.preventDefault()
  goToLogin()
})

// Earlier versions kept what was typed here, with its headers.
try {
  for (const key of Object.keys(localStorage)) if (key.startsWith('graphiql:')) localStorage.removeItem(key)
} catch {
  // The browser allows no storage.
}

const root = document.querySelector('#root')
const { YogaGraphiQL } = globalThis as typeof globalThis & { readonly YogaGraphiQL: Renderer }
if (root !== null)
  YogaGraphiQL.renderYogaGraphiQL(root, {
    title: 'Rostrum',
    logo: '',
    defaultQuery: '{\n  viewer {\n    accountCode\n    scopes\n  }\n}\n',
    defaultEditorToolsVisibility: session === null ? 'headers' : true,
    shouldPersistHeaders: false,
    storage: createStorage(session),
  })

// GraphiQL follows the system's colours, but its code editor takes them once. A person can also choose them.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches: isDark }) => {
  const { monaco } = globalThis as typeof globalThis & { readonly monaco: CodeEditor }
  const isChosen = document.body.matches('.graphiql-light, .graphiql-dark')
  if (!isChosen) monaco.editor.setTheme(isDark ? 'graphiql-DARK' : 'graphiql-LIGHT')
})
