import { sendRequest } from '../../server/clients/send-request.ts'
import type { ServerProcess } from './server-process.ts'

interface HookParts {
  readonly event: 'PRE_SAVE' | 'POST_SAVE'
  /** Of one hook each. */
  readonly caseTypeCodes: readonly string[]
  readonly sourceCode: string
}

/** Saves a function, and for each code a hook that runs it. */
export async function addHooks(server: ServerProcess, token: string, parts: HookParts): Promise<void> {
  const functionId = await saveFunction(server, token, parts.sourceCode)
  for (const caseTypeCode of parts.caseTypeCodes) {
    await mutate(server, token, {
      query: `mutation ($input: SaveHookInput!) { saveHook(input: $input) { id } }`,
      variables: { input: { caseTypeCode, event: parts.event, functionId } },
    })
  }
}

/** Saves a webhook of this name, which verifies deliveries by the Standard Webhooks scheme. */
export async function addWebhook(server: ServerProcess, token: string, name: string): Promise<void> {
  const functionId = await saveFunction(server, token, 'exit()')
  await mutate(server, token, {
    query: `mutation ($input: SaveWebhookInput!) { saveWebhook(input: $input) { webhook { id } } }`,
    variables: { input: { name, functionId, verification: 'STANDARD' } },
  })
}

async function saveFunction(server: ServerProcess, token: string, sourceCode: string): Promise<string> {
  const { saveFunction } = await mutate(server, token, {
    query: `mutation ($sourceCode: String!) {
      saveFunction(input: { name: "bench", sourceCode: $sourceCode }) { id }
    }`,
    variables: { sourceCode },
  })
  return saveFunction?.id ?? ''
}

type Answer = Readonly<Record<string, { readonly id?: string }>>

async function mutate({ port }: ServerProcess, token: string, body: unknown): Promise<Answer> {
  const url = `http://127.0.0.1:${port}/graphql`
  const { text } = await sendRequest({ url, method: 'POST', token, body: JSON.stringify(body) })
  const { data, errors } = JSON.parse(text)
  if (errors !== undefined) throw new Error(`The gateway refused a mutation: ${text}`)
  return data
}
