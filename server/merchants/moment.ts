/** A moment as people read it, one way everywhere: in the operator's answers, and in messages. */

/** `2026-08-02 14:03:07 UTC`: sorts, and means the same to everybody who reads it. */
export function moment(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
