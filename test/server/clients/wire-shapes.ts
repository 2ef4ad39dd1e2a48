// The bodies of the contract as their readers see them, so that tests can name members.

export interface MembershipBody {
  readonly team_membership: MembershipRow
}

export interface MembershipRow {
  readonly id: number
  readonly user_id: number
  readonly team_id: number
  readonly leader: boolean | null
}

export interface MembershipListBody {
  readonly team_memberships: readonly MembershipRow[]
}

export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly reason?: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

export interface GraphqlBody<D = Record<string, unknown>> {
  readonly data?: D | null
  readonly errors?: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[]
    readonly extensions: { readonly code: string; readonly [name: string]: unknown }
  }[]
}

export interface ExecutionBody<P = unknown> {
  readonly task_execution: {
    readonly id: string
    readonly name: string
    readonly outcome: 'exit' | 'fail' | 'error'
    readonly payload: P
    readonly message: string | null
    readonly error: {
      readonly code: string
      readonly message: string
      readonly line: number | null
      readonly column: number | null
      readonly stack: string | null
      readonly hint: string | null
    } | null
    readonly logs: readonly {
      readonly at: string
      readonly level: string
      readonly data: readonly unknown[]
    }[]
    readonly request_context: { readonly txnID: string; readonly txnSource: string }
    readonly duration_ms: number
  }
}
