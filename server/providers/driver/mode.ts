/** Some providers state in each object whether it is of test money or of real money. What they state is checked here. */
import type { ProviderCall } from '../driver.ts'

/**
 * An answer about money of the other kind. It is as little believed as an answer that cannot be read. Whoever calls a driver knows
 * it by its name and warns a person. Its message says what happened, without anything of the answer.
 */
export class WrongModeError extends Error {
  override name = 'WrongModeError'
}

/**
 * Drivers call it with what an answer, or an event that came in, states, before they read anything else of it. A question
 * then has no answer, and the outcome of a write is unknown, so nothing is applied. The payment gets a warning.
 * @throws WrongModeError if the account is of the other mode
 */
export function expectMode({ account }: Pick<ProviderCall, 'account'>, stated: 'test' | 'live'): void {
  const own = account.live ? 'live' : 'test'
  if (stated === own) return
  throw new WrongModeError(
    `the provider answered this ${own} account with an object of ${stated} mode; nothing of the answer was used`,
  )
}
