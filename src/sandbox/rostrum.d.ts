// The script API of Rostrum. A script has these names and the ECMAScript language, with top-level `await`.

/** Ends the run with a result, a JSON value. Nothing after it runs, not even `finally`. */
declare function exit(payload?: unknown): never

/** Ends the run with a refusal: the caller gets the message word for word. Nothing after it runs. */
declare function fail(message: string): never

/** Writes an entry to the logs of the run, as `console.info` does. */
declare function log(...data: unknown[]): void

/** Sends a GraphQL document with your own rights, or to another host without any. Resolves with `data` or `errors`. */
declare function graphql(
  query: string,
  variables?: Record<string, unknown> | null,
  url?: string,
): Promise<Rostrum.GraphqlAnswer>

/** Returns the transaction of the run. */
declare function requestContext(): Rostrum.RequestContext

/** Returns a new GUID (version 4). */
declare function generateGuid(): string

/** The input document of the run. */
declare let payload: Rostrum.Json

/** What the caller gave beside the input, and what the gateway adds. */
declare let options: Rostrum.Options

/** Writes entries to the logs of the run. */
declare const console: Rostrum.Console

/** Calls for memberships, users, teams, cases, scripts and functions, with your own rights. */
declare const Platform: Rostrum.Platform

declare namespace Rostrum {
  /** A JSON value. Only the script knows its members, so none of them is called a mistake. */
  type Json = any

  /** An id: you may pass a number or its text. */
  type Id = number | string

  interface GraphqlAnswer {
    /** The data of the answer. */
    data?: Json
    /** What went wrong; absent if nothing did. */
    errors?: {
      message: string
      path?: (string | number)[]
      extensions?: { code?: string; reason?: string }
    }[]
  }

  interface RequestContext {
    /** Identifies the transaction; runs inside this run share it. */
    txnID: string
    /** Says what began the transaction, and when. */
    txnSource: string
  }

  interface Options {
    /** What the caller passed for the script. */
    params: Json
    /** In a hook: the fields that changed, each as `[new, previous]`; else null. */
    changed_fields: Record<string, [Json, Json]> | null
    /** Who runs the script. It is data, not authority. */
    current_user: Json
    /** The transaction of the run. */
    requestContext: RequestContext
    /** `Bearer` and a token for this run, for this gateway only. */
    authorization: string
    [name: string]: Json
  }

  interface Console {
    /** Writes an entry of level `info`. */
    log(...data: unknown[]): void
    /** Writes an entry of level `info`. */
    info(...data: unknown[]): void
    /** Writes an entry of level `warn`. */
    warn(...data: unknown[]): void
    /** Writes an entry of level `error`. */
    error(...data: unknown[]): void
    /** Writes an entry of level `debug`. */
    debug(...data: unknown[]): void
  }

  interface Platform {
    /** Code of your account. */
    readonly accountCode: string
    /** Users in teams. */
    readonly teamMemberships: TeamMemberships
    /** Users of the account. */
    readonly users: Users
    /** Teams of the account. */
    readonly teams: Teams
    /** Cases of the account. */
    readonly cases: Cases
    /** Stored functions. */
    readonly functions: Functions
    /** Scripts that you run inside this run. */
    readonly tasks: Tasks
  }

  interface TeamMembership {
    id: number
    user_id: number
    team_id: number
    leader: boolean | null
  }

  interface TeamMemberships {
    /** Returns the membership; null if there is none. */
    get(id: Id): Promise<TeamMembership | null>
    /** Returns the memberships with these ids, without those that do not exist. */
    list(ids: readonly Id[]): Promise<TeamMembership[]>
    /** Adds a user to a team. Rejects with the code `CONFLICT` if the user is in it. */
    add(membership: { user_id: Id; team_id: Id }): Promise<TeamMembership>
    /** Moves a membership to another user, another team or both. */
    move(id: Id, change: { user_id?: Id; team_id?: Id }): Promise<TeamMembership>
    /** Removes a membership and returns it as it was. */
    remove(id: Id): Promise<TeamMembership>
  }

  interface User {
    id: number
    email: string | null
    display_name: string | null
  }

  interface Users {
    /** Returns the user; null if there is none. */
    get(id: Id): Promise<User | null>
  }

  interface Team {
    id: number
    name: string | null
  }

  interface Teams {
    /** Returns the team; null if there is none. */
    get(id: Id): Promise<Team | null>
  }

  interface Case {
    id: number
    case_type_code: string
    data: Json
    version: number
    created_at: string
    updated_at: string
  }

  interface CaseCondition {
    /** An indexed field of the case type. */
    field: string
    /** The values that it may have. */
    in: readonly unknown[]
  }

  interface CaseSave {
    /** Id of the case to change; without one a case is created. */
    id?: Id
    /** Code of the case type, for a new case. */
    case_type_code?: string
    /** The data, a JSON object. */
    data: Record<string, unknown>
    /** True to change only the fields of `data` (RFC 7396). */
    merge?: boolean
    /** The version that the case must have. */
    if_version?: number
  }

  interface Cases {
    /** Returns the case; null if there is none. */
    get(id: Id): Promise<Case | null>
    /** Returns the cases with these ids, without those that do not exist. */
    list(ids: readonly Id[]): Promise<Case[]>
    /** Returns a page of cases; pass its `end_cursor` as `after` for the next one. */
    find(search?: {
      case_type_code?: string
      where?: readonly CaseCondition[]
      first?: number
      after?: string | null
    }): Promise<{ cases: Case[]; end_cursor: string | null }>
    /** Creates or changes a case. Rejects infinite numbers and NaN in its data. */
    save(save: CaseSave): Promise<Case>
    /** Deletes a case. */
    delete(id: Id, condition?: { if_version?: number }): Promise<null>
    /** Runs a task of the case type on a case. */
    runTask(id: Id, name: string, params?: unknown): Promise<TaskExecution>
  }

  interface Functions {
    /** Runs a stored function inside this run. */
    run(
      name: string,
      payload: unknown,
      how?: { params?: unknown; case_type_code?: string; version?: string },
    ): Promise<TaskExecution>
  }

  interface Tasks {
    /** Runs a script inside this run. */
    execute(task: {
      name: string
      sourceCode: string
      inputDocument: unknown
      options?: unknown
      metadata?: { case_type_code?: string; account_nickname?: string }
    }): Promise<TaskExecution>
  }

  interface TaskExecution {
    id: string
    name: string
    /** How the run ended. */
    outcome: 'exit' | 'fail' | 'error'
    /** The value given to `exit`; null for other outcomes. */
    payload: Json
    /** The message given to `fail`; null for other outcomes. */
    message: string | null
    /** What went wrong; null for other outcomes than `error`. */
    error: {
      code: string
      message: string
      line: number | null
      column: number | null
      stack: string | null
      hint: string | null
    } | null
    /** Log entries, oldest first. */
    logs: { at: string; level: 'debug' | 'info' | 'warn' | 'error'; data: Json[] }[]
    request_context: RequestContext
    /** Duration in milliseconds. */
    duration_ms: number
  }
}
