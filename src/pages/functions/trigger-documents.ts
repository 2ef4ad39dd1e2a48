import { operation } from '../gateway/operation.ts'

export type TriggerKind = 'hook' | 'task' | 'webhook'

interface Trigger {
  readonly id: string
  readonly enabled: boolean
  readonly scopes: readonly string[]
}

export interface Hook extends Trigger {
  readonly caseTypeCode: string
  readonly event: string
}

export interface Task extends Trigger {
  readonly caseTypeCode: string
  readonly name: string
}

export interface Webhook extends Trigger {
  readonly function: { readonly id: string }
  readonly name: string
  readonly verification: 'STANDARD' | 'GITHUB' | 'SECRET'
  readonly mode: 'SYNC' | 'QUEUED'
  readonly header: string | null
}

interface OfFunction {
  readonly functionId: string
}

export const listHooks = operation<{ hooks: readonly Hook[] }, OfFunction>(
  `query ListHooks($functionId: ID!) { hooks(functionId: $functionId) { id enabled scopes caseTypeCode event } }`,
)
export const listTasks = operation<{ caseTasks: readonly Task[] }, OfFunction>(
  `query ListTasks($functionId: ID!) { caseTasks(functionId: $functionId) { id enabled scopes caseTypeCode name } }`,
)
export const listWebhooks = operation<{ webhooks: readonly Webhook[] }>(
  `query ListWebhooks { webhooks { id enabled scopes function { id } name verification mode header } }`,
)

interface Saving {
  readonly input: object
}

export const saveHook = operation<{ saveHook: { readonly id: string } }, Saving>(
  `mutation SaveHook($input: SaveHookInput!) { saveHook(input: $input) { id } }`,
)
export const saveTask = operation<{ saveCaseTask: { readonly id: string } }, Saving>(
  `mutation SaveTask($input: SaveCaseTaskInput!) { saveCaseTask(input: $input) { id } }`,
)
export const saveWebhook = operation<
  { saveWebhook: { readonly secret: string | null; readonly webhook: Pick<Webhook, 'id' | 'name'> } },
  Saving
>(
  `mutation SaveWebhook($input: SaveWebhookInput!) { saveWebhook(input: $input) { secret webhook { id name } } }`,
)
export const rotateSecret = operation<
  { rotateWebhookSecret: { readonly secret: string | null } },
  { id: string; overlapHours: number; secret: string | null }
>(`mutation RotateSecret($id: ID!, $overlapHours: Int!, $secret: String) {
  rotateWebhookSecret(id: $id, overlapHours: $overlapHours, secret: $secret) { secret } }`)

interface Removing {
  readonly id: string
}

export const removeHook = operation<object, Removing>(
  `mutation RemoveHook($id: ID!) { removeHook(id: $id) { id } }`,
)
export const removeTask = operation<object, Removing>(
  `mutation RemoveTask($id: ID!) { removeCaseTask(id: $id) { id } }`,
)
export const removeWebhook = operation<object, Removing>(
  `mutation RemoveWebhook($id: ID!) { removeWebhook(id: $id) { id } }`,
)
