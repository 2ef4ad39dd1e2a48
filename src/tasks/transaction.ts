/** Ties the calls of one piece of work together; `requestContext()` of a script (contract, section 4). */
export interface Transaction {
  readonly txnID: string
  /** `<trigger>|<case_type_code>/<hook or task name>|<ISO 8601 time>` */
  readonly txnSource: string
}
