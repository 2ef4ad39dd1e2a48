import DataLoader from 'dataloader'

const maxTogether = 100

/** Answers all asks of a turn of the event loop by one call for up to 100 of them, each with its own answer. */
export function askTogether<Ask, Answer>(
  answerAll: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
): (ask: Ask) => Promise<Answer> {
  const loader = new DataLoader(answerAll, {
    cache: false,
    maxBatchSize: maxTogether,
    batchScheduleFn: dispatch => setImmediate(dispatch),
  })
  return ask => loader.load(ask)
}
