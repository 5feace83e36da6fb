/** A payment that could not be decided waits before the next try, each time twice as long. A restart forgets it. */
const FIRST_MS = 15_000
const LONGEST_MS = 10 * 60_000
const rows = new Map()

exports.isOver = (id) => (rows.get(id)?.until ?? 0) <= Date.now()

exports.grow = (id) => {
  const before = rows.get(id)
  const ms = before ? Math.min(2 * before.ms, LONGEST_MS) : FIRST_MS
  rows.set(id, { ms, until: Date.now() + ms })
}

exports.end = (id) => rows.delete(id)
