import { ask, askOnce, operation } from '../../gateway/operation.ts'
import type { OpenFunction } from '../../shell/open-in-playground.ts'

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

/** The error of what a person asks for while the editor still has an example in place of the function. */
export const notLoaded = new Error('The function is still loading. Try again then.')

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

// To save needs `functions:write` alone, and to read a source `functions:read`. So the answer has no source.
const saveFunction = operation<
  { saveFunction: Omit<StoredFunction, 'live'> & { readonly live: { readonly hash: string } } },
  Saving
>(
  `mutation SaveVersion($input: SaveFunctionInput!) {
    saveFunction(input: $input) { id name caseTypeCode live { hash } }
  }`,
)

/** Saves a version and makes it live. Returns the function with this version. */
export async function saveVersion(input: Saving['input']): Promise<StoredFunction> {
  const { saveFunction: saved } = await askOnce(saveFunction, { input })
  return { ...saved, live: { ...saved.live, sourceCode: input.sourceCode } }
}

/** Returns what a draft of this function knows of it. */
export function toOpen({ id, name, caseTypeCode, live }: StoredFunction): OpenFunction {
  return { id, name, caseTypeCode, baseHash: live.hash }
}
