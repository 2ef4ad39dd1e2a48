import type { SQL } from 'drizzle-orm'
import { type Chain, type Dialect, onFirstUse, type Statement, type Values } from '../dialect.ts'
import type { Selection } from '../tables/tables-of.ts'
import {
  createReadRow,
  type PrepareText,
  type RawRow,
  type RawStatement,
  toText,
} from './connection/create-prepare.ts'
import { type ListRows, toExactValue } from './connection/list-rows.ts'
import { ListPlaceholder } from './list.ts'

interface Part {
  readonly name: string
  /** Names of the earlier parts that this part reads. */
  readonly inputs: readonly string[]
  /** Placeholder names of the lists that this part reads. */
  readonly lists: readonly string[]
  /** `given` has the rows of each input, in the order of `inputs`. */
  run(values: Values, given: readonly (readonly RawRow[])[]): RawRow[]
}

// Maximum number of rows that a statement gets as values. To read JSON instead takes a tenth of the time of a save.
const maxRowsAsValues = 4

/**
 * Runs the parts one after the other. The rows of earlier parts are passed on as values or as JSON, so that each part
 * has the same text as on PostgreSQL. A part without any input rows is skipped.
 */
export function createChain(prepareText: PrepareText): Dialect['chain'] {
  function chain(parts: Chain, result: string, selection: Selection): Statement<unknown> {
    // The columns of the rows that each earlier part returns.
    const columns = new Map<string, readonly string[]>()

    function preparePart([name, part]: [string, SQL]): Part {
      const { text, params } = toText(part)
      const inputs = [...columns].filter(([input]) => new RegExp(`\\b${input}\\b`).test(text))
      // For a join SQLite builds an index, but only over a materialized table, not over JSON. Without a join, reading
      // JSON is faster.
      const kind = /\bjoin\b/.test(text) ? 'materialized ' : ''
      const prepareWith = (sources: readonly string[]) => {
        const tables = inputs.map(
          ([input, names], index) => `${input} (${names}) as ${kind}(${sources[index]})`,
        )
        return prepareText(`${tables.length > 0 ? `with ${tables} ` : ''}${text}`, params)
      }
      const forMany = prepareWith(inputs.map(([, names]) => selectFromJson(names)))
      // One statement for each number of rows, where one part alone gives rows.
      const forFew = new Map<number, RawStatement>()
      const [only] = inputs.length === 1 ? inputs : []
      columns.set(name, forMany.columns)
      return {
        name,
        inputs: inputs.map(([input]) => input),
        lists: params.flatMap(param => (param instanceof ListPlaceholder ? param.name : [])),
        run(values, given) {
          const [rows = []] = given
          if (only === undefined || rows.length > maxRowsAsValues) {
            const texts = given.map(each => JSON.stringify(each))
            return forMany.run(values, texts)
          }
          const statement = forFew.get(rows.length) ?? prepareWith([writeValues(only[1], rows.length)])
          forFew.set(rows.length, statement)
          return statement.run(values, rows.flat().map(toExactValue))
        },
      }
    }

    const findParts = onFirstUse(() => Object.entries(parts).map(preparePart))
    const readRow = createReadRow(selection)
    return { run: values => runParts(findParts(), values).get(result)?.map(readRow) ?? [] }
  }
  return chain as Dialect['chain']
}

function selectFromJson(names: readonly string[]): string {
  return `select ${names.map((_, index) => `value ->> ${index}`)} from jsonb_each(?)`
}

function writeValues(names: readonly string[], rows: number): string {
  return `values ${Array.from({ length: rows }, () => `(${names.map(() => '?')})`)}`
}

function runParts(parts: readonly Part[], values: Values): ReadonlyMap<string, RawRow[]> {
  const found = new Map<string, RawRow[]>()
  for (const { name, inputs, lists, run } of parts) {
    const given = inputs.map(input => found.get(input) ?? [])
    const isEmpty =
      given.some(rows => rows.length === 0) || lists.some(list => (values[list] as ListRows).length === 0)
    if (!isEmpty) found.set(name, run(values, given))
  }
  return found
}
