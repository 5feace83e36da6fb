/** Checks the mode of objects. Some providers state in each object whether it is of test money or of real money. */
import type { ProviderCall } from '../driver.ts'

/**
 * Thrown for an object of the other mode. It is ignored like a response that cannot be read. The caller of a driver recognizes
 * this error by its name and warns a person. Its message says what happened, and quotes nothing of the response.
 */
export class WrongModeError extends Error {
  override name = 'WrongModeError'
}

/**
 * Drivers call it with the mode of a response or event before they read anything else of it. After this error a question has no
 * result, and the outcome of a write is unknown, so nothing is applied. The payment gets a warning.
 * @throws WrongModeError if the account is of the other mode
 */
export function expectMode({ account }: Pick<ProviderCall, 'account'>, stated: 'test' | 'live'): void {
  const own = account.live ? 'live' : 'test'
  if (stated === own) return
  throw new WrongModeError(
    `the provider answered this ${own} account with an object of ${stated} mode; nothing of the answer was used`,
  )
}
