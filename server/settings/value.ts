/** Formats a value for a message. */

const SHOWN_MAX_CHARS = 60

/** Returns the value in quotes, so that spaces and control characters at its ends are visible. Shortens long values. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > SHOWN_MAX_CHARS ? `${value.slice(0, SHOWN_MAX_CHARS)}...` : value)
}
