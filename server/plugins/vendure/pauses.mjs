/** A payment that could not be decided waits before the next try, each time twice as long. A restart forgets it. */
const FIRST_MS = 15_000
const LONGEST_MS = 10 * 60_000

export class Pauses {
  #rows = new Map()

  isOver(paymentId) {
    return (this.#rows.get(paymentId)?.until ?? 0) <= Date.now()
  }

  grow(paymentId) {
    const before = this.#rows.get(paymentId)
    const ms = before ? Math.min(2 * before.ms, LONGEST_MS) : FIRST_MS
    this.#rows.set(paymentId, { ms, until: Date.now() + ms })
  }

  end(paymentId) {
    this.#rows.delete(paymentId)
  }
}
