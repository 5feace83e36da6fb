/** Formats moments for people, in the same way in every message. */

/** `2026-08-02 14:03:07 UTC`. These texts sort by time. */
export function moment(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** `2026-08-02 18:03:07`, in the time zone. */
export function momentIn(timeZone: string, at: Date): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return format.format(at)
}
