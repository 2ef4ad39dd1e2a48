import { ask, operation } from '../../gateway/operation.ts'
import type { OpenFunction } from '../draft/draft-store.ts'

/** A stored function with its live version. */
export interface StoredFunction {
  readonly id: string
  readonly name: string
  readonly caseTypeCode: string | null
  readonly live: { readonly hash: string; readonly sourceCode: string }
}

/** Finds a function by its id. */
export const functionToOpen = operation<{ function: StoredFunction | null }, { id: string }>(
  `query FunctionToOpen($id: ID!) { function(id: $id) { id name caseTypeCode live { hash sourceCode } } }`,
)

/** Returns a stored function. Throws if there is none with this id. */
export async function loadFunction(id: string): Promise<StoredFunction> {
  const { function: found } = await ask(functionToOpen, { id })
  if (found === null) throw new Error('There is no such function.')
  return found
}

interface Saving {
  readonly input: {
    readonly name: string
    readonly caseTypeCode: string | null
    readonly comment: string | null
    readonly sourceCode: string
    /** The version that must be live; none for a function that must not exist. */
    readonly ifLive: readonly string[]
  }
}

/** Saves a version and makes it live. */
export const saveVersion = operation<{ saveFunction: StoredFunction }, Saving>(
  `mutation SaveVersion($input: SaveFunctionInput!) {
    saveFunction(input: $input) { id name caseTypeCode live { hash sourceCode } }
  }`,
)

/** Returns what a draft of this function knows of it. */
export function toOpen({ id, name, caseTypeCode, live }: StoredFunction): OpenFunction {
  return { id, name, caseTypeCode, baseHash: live.hash }
}
