/** Where people reach the console. */
import type { Config } from '../config.ts'

/** Returns the console's origin, or null if it is off. `port`: the port that it got, if any free one was asked for. */
export function consoleOrigin(
  { consolePort, consoleBaseUrl }: Pick<Config, 'consolePort' | 'consoleBaseUrl'>,
  port = consolePort,
): string | null {
  if (consolePort === null) return null
  return consoleBaseUrl ?? `http://localhost:${port}`
}
