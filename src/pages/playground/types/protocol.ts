/** Something wrong with a script, at a place that a person can go to. */
export interface Problem {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  /** Number of characters; 0 up to the end of the line. */
  readonly length: number
  readonly message: string
}

/** A question about a script. */
export interface Question {
  readonly id: number
  readonly kind: 'check' | 'complete' | 'explain' | 'describe' | 'describeCall'
  readonly script: string
  /** The input document, whose type `payload` has. */
  readonly input: string
  /** Offset in the script. */
  readonly offset: number
  /** For `explain`: the name of the completion. */
  readonly name: string
}

export interface Completion {
  readonly name: string
  readonly kind: string
  readonly sortText: string
}

/** What is known of a name. */
export interface Description {
  readonly from: number
  readonly to: number
  readonly signature: string
  readonly documentation: string
}

/** What a call takes. The signature is in three parts, of which the argument at the offset is one. */
export interface CallDescription {
  /** Offset of the first argument. */
  readonly from: number
  readonly before: string
  /** Empty if the call takes no such argument. */
  readonly argument: string
  readonly after: string
  readonly documentation: string
}

/** The answer to each kind of question. */
export interface Answers {
  readonly check: readonly Problem[]
  readonly complete: readonly Completion[]
  readonly explain: Description | null
  readonly describe: Description | null
  readonly describeCall: CallDescription | null
}

/** What the worker needs before it can answer. */
export interface TypeTexts {
  /** The types of the language, by file name. */
  readonly language: Readonly<Record<string, string>>
  /** The types of the script API. */
  readonly api: string
}
