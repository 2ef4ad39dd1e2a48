import type ts from '@typescript/typescript6'
import type { Question, TypeTexts } from './protocol.ts'

// The main script of a worker. It is a classic one, because TypeScript is no module; it must import nothing itself.

interface WorkerScope {
  readonly ts: typeof ts
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL: (url: string) => string },
    ): { createScriptURL(url: string): string }
  }
  importScripts(url: string): void
  postMessage(message: unknown): void
  onmessage: ((event: MessageEvent<Question>) => void) | null
}

const scope = globalThis as unknown as WorkerScope
const folder = new URL('../../../', globalThis.location.href).href

async function readTexts(): Promise<TypeTexts> {
  const [language, api] = await Promise.all([
    load(`${folder}language-types.json`).then(answer => answer.json()),
    load('/rostrum.d.ts').then(answer => answer.text()),
  ])
  return { language, api }
}

async function load(url: string): Promise<Response> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url} answered with status ${answer.status}.`)
  return answer
}

async function createAnswer() {
  const [texts, { createChecker }] = await Promise.all([readTexts(), import('./checker.ts')])
  const policy = scope.trustedTypes?.createPolicy('rostrum', { createScriptURL: url => url })
  const url = `${folder}typescript.js`
  scope.importScripts(policy?.createScriptURL(url) ?? url)
  return createChecker(scope.ts, texts)
}

const ready = createAnswer()
scope.onmessage = async ({ data: question }) => {
  let isLoaded = false
  try {
    const answer = await ready
    isLoaded = true
    scope.postMessage({ id: question.id, answer: answer(question) })
  } catch (error) {
    scope.postMessage({ id: question.id, error: String(error), isLoaded })
  }
}
