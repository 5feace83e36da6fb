/** Some providers state in each object whether it is of test money or of real money. What they state is checked here. */
import type { ProviderCall } from '../driver.ts'

/** An answer about money of the other kind. It is as little believed as an answer that cannot be read. */
export class WrongModeError extends Error {
  override name = 'WrongModeError'
}

/**
 * Drivers call it with what an answer, or an event that came in, states, before they read anything else of it. A question
 * then has no answer, and the outcome of a write is unknown, so nothing is applied. The operator is warned.
 * @throws WrongModeError if the account is of the other mode
 */
export function expectMode(
  { account, log }: Pick<ProviderCall, 'account' | 'log'>,
  stated: 'test' | 'live',
): void {
  const own = account.live ? 'live' : 'test'
  if (stated === own) return
  log(
    'warn',
    `The provider answered this ${own} account with an object of ${stated} mode. It was not used.`,
    {
      stated,
    },
  )
  throw new WrongModeError(`the provider answered with an object of ${stated} mode`)
}
