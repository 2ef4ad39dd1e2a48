import { until } from '../../server/processes/until.ts'
import type { TestApp } from '../edge/start-app.ts'

export interface HookOrder {
  readonly event?: 'pre-save' | 'post-save' | 'pre-delete' | 'post-delete'
  readonly caseTypeCode?: string
  /** Of the function. */
  readonly name?: string
  readonly position?: number
  readonly scopes?: readonly string[]
}

/** A gateway, in this process or in another one. */
export interface Gateway {
  graphql(
    query: string,
    variables: Record<string, unknown>,
  ): Promise<{ readonly text: string; readonly body: { readonly data?: unknown; readonly errors?: unknown } }>
}

let count = 0

/** Saves a function with this source and a hook that runs it. Gives the id of the hook. */
export async function saveHook(gateway: Gateway, sourceCode: string, order: HookOrder = {}): Promise<number> {
  const { event = 'pre-save', caseTypeCode = 'incident', position = 0, scopes = [] } = order
  const { name = `hook-${++count}` } = order
  const save = async (field: string, type: string, input: object): Promise<string> => {
    const document = `mutation($input: ${type}!) { row: ${field}(input: $input) { id } }`
    const { body, text } = await gateway.graphql(document, { input })
    if (body.errors !== undefined) throw new Error(text)
    return (body.data as { readonly row: { readonly id: string } }).row.id
  }
  const functionId = await save('saveFunction', 'SaveFunctionInput', { name, sourceCode })
  const hook = { event: event.toUpperCase().replace('-', '_'), caseTypeCode, functionId, position, scopes }
  return Number(await save('saveHook', 'SaveHookInput', hook))
}

/** Resolves when a sandbox is ready. The first one takes longer than a run waits. */
export async function startSandboxes({ app, send }: TestApp): Promise<void> {
  void app.start()
  await until(async () => (await send('/ready')).status === 200)
}
