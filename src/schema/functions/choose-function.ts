import type { FunctionName } from '../../domain/functions/function-store.ts'
import { parseId } from '../../domain/id.ts'
import { RostrumError } from '../../errors.ts'

interface Given {
  readonly id?: string | null | undefined
  readonly name?: string | null | undefined
  readonly caseTypeCode?: string | null | undefined
}

/** Returns the id or the name of a function. `BAD_USER_INPUT` unless exactly one of them is given. */
export function chooseFunction({ id, name, caseTypeCode }: Given): number | FunctionName {
  if (id != null && name == null && caseTypeCode == null) return parseId(id, 'function id')
  if (id == null && name != null) return { name, caseTypeCode: caseTypeCode ?? null }
  throw new RostrumError('BAD_USER_INPUT', 'Give either `id`, or `name` with or without `caseTypeCode`.')
}
