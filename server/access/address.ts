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

/**
 * Returns the origin of the console for a mail, or null if its reader could not open it. Without an address of its own the console
 * is at localhost, where only a reader on the same machine finds it.
 */
export function reachableConsole({
  config,
  baseUrl,
}: {
  config: Pick<Config, 'consolePort' | 'consoleBaseUrl'>
  baseUrl: string
}): string | null {
  const isHere = /^(localhost|127\.0\.0\.1)$/.test(new URL(baseUrl).hostname)
  return config.consoleBaseUrl || (isHere && config.consolePort !== 0) ? consoleOrigin(config) : null
}
