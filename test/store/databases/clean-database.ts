import { askPostgres, openClient } from './ask-postgres.ts'

// A test that filled a database leaves it slow for the next one.
const maxBytes = 20 * 2 ** 20

// Each table, column, trigger, index and constraint.
const readShape = `
  select md5(string_agg(line, ',' order by line)) as shape, pg_database_size(current_database()) as bytes,
    (select count(*) from pg_stat_activity where datname = current_database()) as connections from (
    select c.relname::text || c.relkind::text ||
      coalesce(a.attname || a.attnotnull::text || a.atttypid::text, '') as line
      from pg_class c left join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace
    union all select tgname || tgenabled::text from pg_trigger where not tgisinternal
    union all select conname || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select proname from pg_proc where pronamespace = 'public'::regnamespace
  ) lines`

const removeRows = `
  do $$ declare name text; begin
    set local session_replication_role = replica;
    for name in select format('%I', tablename) from pg_tables
        where schemaname = 'public' and tablename <> 'rostrum_migrations' loop
      execute 'delete from ' || name;
    end loop;
    perform setval(format('public.%I', sequencename)::regclass, start_value, false)
      from pg_sequences where schemaname = 'public';
  end $$`

interface Shape {
  readonly shape: string
  readonly bytes: string
  readonly connections: string
}

/** Returns a text that is the same for databases with the same tables. */
export async function readDatabaseShape(url: string): Promise<string> {
  const [found] = await askPostgres<Shape>(url, readShape)
  return found?.shape ?? ''
}

/**
 * Removes all rows of a database, which takes a tenth of the time of a new one. Returns false if a test has changed its
 * tables, filled it or is still connected, so that no other test can have it.
 */
export async function cleanDatabase(url: string, expectedShape: string): Promise<boolean> {
  const client = await openClient(url)
  try {
    const { rows } = await client.query<Shape>(readShape)
    const isUsable = rows.every(
      ({ shape, bytes, connections }) =>
        shape === expectedShape && Number(bytes) <= maxBytes && connections === '1',
    )
    if (isUsable) await client.query(removeRows)
    return isUsable
  } finally {
    await client.end()
  }
}
