/** Formats moments for people, in the same way in every message. */

/** `2026-08-02 14:03:07 UTC`. These texts sort by time. */
export function moment(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
