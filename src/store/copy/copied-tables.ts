import { type TableDescription, toColumnName } from '../tables/describe-table.ts'
import { descriptions } from '../tables/descriptions.ts'
import { type ColumnTexts, textsOf } from './column-texts.ts'

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly CopiedColumn[]
  /** The primary key, which gives the rows their one order. */
  readonly key: readonly CopiedColumn[]
}

export interface CopiedColumn extends ColumnTexts {
  readonly name: string
  readonly isText: boolean
}

/** All tables of a store, each after those that its rows refer to. */
export const copiedTables: readonly CopiedTable[] = Object.values<TableDescription>(descriptions).map(
  ({ name, columns, key }) => {
    const copied = Object.entries(columns).map(([columnKey, { type }]) => ({
      columnKey,
      name: toColumnName(columnKey),
      isText: type === 'text',
      ...textsOf[type],
    }))
    return {
      name,
      columns: copied,
      key: key.flatMap(keyPart => copied.filter(({ columnKey }) => columnKey === keyPart)),
    }
  },
)
