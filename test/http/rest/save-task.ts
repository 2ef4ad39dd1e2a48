import type { Gateway } from './save-hook.ts'

export interface TaskOrder {
  readonly caseTypeCode?: string
  readonly name?: string
  readonly scopes?: readonly string[]
  readonly enabled?: boolean
}

let count = 0

/** Saves a function with this source and a case task that runs it. Gives the name of the task. */
export async function saveTask(gateway: Gateway, sourceCode: string, order: TaskOrder = {}): Promise<string> {
  const { caseTypeCode = 'incident', name = `task-${++count}`, scopes = [], enabled = true } = order
  const ask = async (field: string, type: string, input: object): Promise<string> => {
    const document = `mutation($input: ${type}!) { row: ${field}(input: $input) { id } }`
    const { body, text } = await gateway.graphql(document, { input })
    if (body.errors !== undefined) throw new Error(text)
    return (body.data as { readonly row: { readonly id: string } }).row.id
  }
  const functionId = await ask('saveFunction', 'SaveFunctionInput', {
    name: `function-of-${name}`,
    sourceCode,
  })
  await ask('saveCaseTask', 'SaveCaseTaskInput', { caseTypeCode, name, functionId, scopes, enabled })
  return name
}
