import type { RunHookEvent } from '../../src/domain/runs/run-record.ts'
import { until } from '../server/until.ts'
import { by } from '../store/origin.ts'
import type { TestApp } from './start-app.ts'

export interface HookOrder {
  readonly event?: RunHookEvent
  readonly caseTypeCode?: string
  readonly name?: string
  readonly position?: number
  readonly scopes?: readonly string[]
  readonly accountCode?: string
  readonly token?: string
}

let count = 0

/** Saves a function with this source and a hook that runs it. Gives the id of the hook. */
export async function saveHook(app: TestApp, sourceCode: string, order: HookOrder = {}): Promise<number> {
  const { event = 'pre-save', caseTypeCode = 'incident', position = 0, scopes = [] } = order
  const { name = `hook-${++count}`, accountCode = 'demo', token = app.adminToken } = order
  const document = 'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }'
  const { body, text } = await app.graphql(document, { input: { name, sourceCode } }, token)
  if (body.errors !== undefined) throw new Error(text)
  const functionId = Number(body.data.saveFunction.id)
  const hook = { event, caseTypeCode, functionId, position, scopes, enabled: true }
  const saved = await app.app.store.hooks.save(by(accountCode), null, hook, 10)
  if (saved.kind !== 'saved') throw new Error(`The hook was not saved: ${saved.kind}`)
  return saved.row.id
}

/** Resolves when a sandbox is ready. The first one takes longer than a run waits. */
export async function startSandboxes({ app, send }: TestApp): Promise<void> {
  void app.start()
  await until(async () => (await send('/ready')).status === 200)
}
