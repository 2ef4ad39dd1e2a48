import DataLoader from 'dataloader'

const mostTogether = 100

/** Answers together, by one call for up to a hundred, those who ask in the same turn of the event loop. Answers come in the order of the asks. */
export function askTogether<Ask, Answer>(
  answerAll: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
): (ask: Ask) => Promise<Answer> {
  const loader = new DataLoader(answerAll, {
    cache: false,
    maxBatchSize: mostTogether,
    batchScheduleFn: dispatch => setImmediate(dispatch),
  })
  return ask => loader.load(ask)
}
