/** What a row of the REST table reads of a request. */
export interface RestRequest {
  /** The `:id` of the path, as text. */
  readonly id: string
  readonly queryString: string
  readonly body: unknown
  readonly ifMatch: string | undefined
}

export interface RestAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** One path of the REST side: a GraphQL document, the way into its variables and the way out of its data. */
export interface RestRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly document: string
  readonly takesForms: boolean
  /** True where it asks for a run: one that has no place to wait is refused before its body is read. */
  readonly startsRun: boolean
  readVariables(request: RestRequest): Record<string, unknown>
  answer(data: unknown, request: RestRequest): RestAnswer
  /** The JSON pointers into this body for those that the resolvers' errors name. */
  pointersInto(body: unknown): Pointers
}

type Pointers = Readonly<Record<string, string>>

interface RowOf<Data> {
  readonly document: string
  readonly takesForms?: boolean
  readonly startsRun?: boolean
  /** A function where bodies have more than one shape. */
  readonly pointers?: Pointers | ((body: unknown) => Pointers)
  readVariables(request: RestRequest): Record<string, unknown>
  answer(data: Data, request: RestRequest): RestAnswer
}

/** A row whose document gives `Data`: that the two agree is what the tests of the row show. */
export function row<Data>(
  route: `${RestRow['method']} /${string}`,
  { pointers = {}, ...rest }: RowOf<Data>,
): RestRow {
  const [method, path] = route.split(' ') as [RestRow['method'], string]
  return {
    takesForms: false,
    startsRun: false,
    ...rest,
    pointersInto: body => (typeof pointers === 'function' ? pointers(body) : pointers),
    method,
    path,
    answer: (data, request) => rest.answer(data as Data, request),
  }
}
