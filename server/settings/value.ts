/** A value as a message repeats it. */

const SHOWN_MAX_CHARS = 60

/** In quotes, so that blanks and control characters at its ends can be seen, and cut where it is long. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > SHOWN_MAX_CHARS ? `${value.slice(0, SHOWN_MAX_CHARS)}...` : value)
}
