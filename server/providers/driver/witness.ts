/** Watching a driver at work, so that what it says to its provider can be recorded. */
import type { ProviderHttp } from '../http.ts'

/**
 * Watches one call of a member of the driver. `given`: its arguments after the call. `act` runs the member with a way out that the
 * witness chooses. Returns what `act` returns, and throws what it throws.
 */
export type Witness = <Answer>(
  member: string,
  given: unknown[],
  act: (http: (own: ProviderHttp) => ProviderHttp) => Promise<Answer>,
) => Promise<Answer>
