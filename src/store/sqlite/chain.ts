import type { Database as Client } from 'better-sqlite3'
import { is, Placeholder, type SQL } from 'drizzle-orm'
import type { Chain, Dialect, Statement, Values } from '../dialect.ts'
import type { Selection } from '../tables/tables-of.ts'
import {
  createReadRow,
  onFirstUse,
  prepareRaw,
  type RawRow,
  type RawStatement,
  toText,
} from './connection/create-prepare.ts'
import { isList } from './list.ts'

interface Part {
  readonly name: string
  /** Names of the earlier parts that this part reads. */
  readonly inputs: readonly string[]
  /** Placeholder names of the lists that this part reads. */
  readonly lists: readonly string[]
  readonly statement: RawStatement
}

/**
 * Runs the parts one after the other. The rows of earlier parts are passed on as JSON, so that each part has the same
 * text as on PostgreSQL. A part without any input rows is skipped.
 */
export function createChain(client: Client): Dialect['chain'] {
  function chain(parts: Chain, result: string, selection: Selection): Statement<unknown> {
    // The columns of the rows that each earlier part returns.
    const columns = new Map<string, readonly string[]>()

    function preparePart([name, part]: [string, SQL]): Part {
      const { text, params } = toText(part)
      const inputs = [...columns].filter(([input]) => new RegExp(`\\b${input}\\b`).test(text))
      // For a join SQLite builds an index, but only over a materialized table, not over JSON. Without a join, reading
      // JSON is faster.
      const kind = /\bjoin\b/.test(text) ? 'materialized ' : ''
      const tables = inputs.map(([input, names]) => {
        const values = names.map((_, index) => `value ->> ${index}`)
        return `${input} (${names}) as ${kind}(select ${values} from json_each(?))`
      })
      const statement = prepareRaw(client, `${tables.length > 0 ? `with ${tables} ` : ''}${text}`, params)
      columns.set(name, statement.columns)
      const lists = params.flatMap(param => (is(param, Placeholder) && isList(param) ? param.name : []))
      return { name, inputs: inputs.map(([input]) => input), lists, statement }
    }

    const findParts = onFirstUse(() => Object.entries(parts).map(preparePart))
    const readRow = createReadRow(selection)
    return { run: values => runParts(findParts(), values).get(result)?.map(readRow) ?? [] }
  }
  return chain as Dialect['chain']
}

function runParts(parts: readonly Part[], values: Values): ReadonlyMap<string, RawRow[]> {
  const found = new Map<string, RawRow[]>()
  for (const { name, inputs, lists, statement } of parts) {
    const isEmpty =
      inputs.some(input => !found.get(input)?.length) || lists.some(list => values[list] === '[]')
    if (isEmpty) continue
    const given = inputs.map(input => JSON.stringify(found.get(input)))
    found.set(name, statement.run(values, given))
  }
  return found
}
