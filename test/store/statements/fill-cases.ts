import { writeRows } from '../databases/write-rows.ts'

interface Filling {
  readonly count: number
  /** The value of each field, as SQL of the case's id `i`. */
  readonly values: Readonly<Record<string, string>>
}

/** Fills the account `a`, which must exist, with cases of the type `big`, whose ids begin with 1. */
export async function fillCases(url: string, { count, values }: Filling): Promise<void> {
  const ids = `with recursive s(i) as (select 1 union all select i + 1 from s where i < ${count})`
  await writeRows(
    url,
    `insert into case_types (account_code, code, indexed_fields, written_fields, revision)
     values ('a', 'big', '[]', '[]', 1)`,
  )
  await writeRows(
    url,
    `insert into cases (account_code, id, case_type_code, data, data_bytes)
     ${ids} select 'a', i, 'big', '{}', 2 from s`,
  )
  for (const [field, value] of Object.entries(values))
    await writeRows(
      url,
      `insert into case_values (account_code, case_type_code, field, value, case_id)
       ${ids} select 'a', 'big', '${field}', cast(${value} as text), i from s`,
    )
}
