/**
 * Compares the lines of statements about one attempt with its entries.
 * Rule: sums decide first, because a provider may write one movement in two lines, or two movements in one. Only where sums differ are
 * single lines and entries put together.
 */
import type { NamedAttempt } from '../storage/payments/attempt.ts'
import { type AttemptEntry, type NewFinding, SIDES, type Side } from '../storage/reports/findings.ts'
import type { KnownLine } from '../storage/reports/statements.ts'

/** The time about which statements are complete. An entry outside of it may be on a statement that is not here yet. */
export type Complete = { from: Date; until: Date }
/** Where the statements are not complete about any time, no entry is missing. */
export const NEVER: Complete = { from: new Date(8.64e15), until: new Date(-8.64e15) }

export type Compared = { findings: NewFinding[]; wrongLines: string[]; waiting: number }

/** A movement as both sides see it. Positive: in the direction of the side's name. */
type Movement = { minor: number; currency: string; names: string[]; id: string; at: Date; isDue: boolean }

/** What an entry moves, and in which direction. A hold moves no money, and a lost dispute moves what its opening has moved. */
const MOVES: Partial<Record<AttemptEntry['kind'], [Side, 1 | -1]>> = {
  taken: ['taken', 1],
  taken_back: ['taken', -1],
  unmatched: ['taken', 1],
  matched: ['taken', -1],
  refunded: ['returned', 1],
  refund_failed: ['returned', -1],
  over_returned: ['returned', 1],
  dispute_opened: ['disputed', 1],
  dispute_won: ['disputed', -1],
  dispute_regained: ['disputed', -1],
}

export function compareAttempt(
  attempt: NamedAttempt,
  { lines, entries }: { lines: KnownLine[]; entries: AttemptEntry[] },
  complete: Complete,
): Compared {
  const all = SIDES.map((side) => compareSide(attempt, side, { lines, entries }, complete))
  return {
    findings: all.flatMap(({ findings }) => findings),
    wrongLines: all.flatMap(({ wrongLines }) => wrongLines),
    waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
  }
}

function compareSide(
  attempt: NamedAttempt,
  side: Side,
  { lines, entries }: { lines: KnownLine[]; entries: AttemptEntry[] },
  complete: Complete,
): Compared {
  const theirs = lines.filter(({ kind }) => kind === side).map(ofLine)
  const ours = entries.flatMap((entry) => {
    const [of, sign] = MOVES[entry.kind] ?? []
    return of === side && sign ? [ofEntry(entry, sign, complete)] : []
  })
  if (isSame(ours, theirs)) return { findings: [], wrongLines: [], waiting: 0 }
  const [restOurs, restTheirs] = pair(ours, theirs)
  if (isSame(restOurs, restTheirs)) return { findings: [], wrongLines: [], waiting: 0 }
  const about = { attempt, side }
  if (restTheirs.length === 0) {
    const due = restOurs.filter(({ isDue }) => isDue)
    return {
      findings: due.length > 0 && sumOf(due) !== 0 ? [finding('missing_there', about, due, [])] : [],
      wrongLines: [],
      waiting: restOurs.length - due.length,
    }
  }
  const kind = restOurs.length > 0 ? 'differing' : 'missing_here'
  return {
    findings: [finding(kind, about, restOurs, restTheirs)],
    wrongLines: restTheirs.map(({ id }) => id),
    waiting: 0,
  }
}

const ofLine = (line: KnownLine): Movement => ({
  minor: line.amountMinor,
  currency: line.currency,
  names: line.movementNames,
  id: line.lineId,
  at: line.at,
  isDue: true,
})

function ofEntry(entry: AttemptEntry, sign: 1 | -1, { from, until }: Complete): Movement {
  const { amountMinor, currency, providerId, movedAt, createdAt } = entry
  const isInside = (at: Date) => at >= from && at <= until
  return {
    minor: sign * amountMinor,
    currency,
    names: providerId === null ? [] : [providerId],
    id: String(entry.entry),
    at: movedAt ?? createdAt,
    isDue: isInside(createdAt) && isInside(movedAt ?? createdAt),
  }
}

const sumOf = (all: Movement[]) => all.reduce((sum, { minor }) => sum + minor, 0)

function isSame(ours: Movement[], theirs: Movement[]): boolean {
  const currencies = new Set([...ours, ...theirs].map(({ currency }) => currency))
  const within = (all: Movement[], currency: string) =>
    sumOf(all.filter((each) => each.currency === currency))
  return [...currencies].every((currency) => within(ours, currency) === within(theirs, currency))
}

/** Returns what is left when equal movements are put together: first those with the same id, then the others by time. */
function pair(ours: Movement[], theirs: Movement[]): [Movement[], Movement[]] {
  const restOurs = ours.toSorted((one, other) => one.at.getTime() - other.at.getTime())
  let restTheirs = theirs
  for (const isFit of [
    (one: Movement, other: Movement) => one.names.some((name) => other.names.includes(name)),
    () => true,
  ])
    restTheirs = restTheirs.filter((line) => {
      const at = restOurs.findIndex(
        (each) => each.minor === line.minor && each.currency === line.currency && isFit(each, line),
      )
      if (at >= 0) restOurs.splice(at, 1)
      return at < 0
    })
  return [restOurs, restTheirs]
}

function finding(
  kind: NewFinding['kind'],
  { attempt, side }: { attempt: NamedAttempt; side: Side },
  ours: Movement[],
  theirs: Movement[],
): NewFinding {
  const { merchantId, paymentId, number } = attempt
  const currency = (ours[0] ?? theirs[0])?.currency ?? ''
  return {
    id: `${paymentId}/${number} ${side}`,
    kind,
    side,
    merchantId,
    paymentId,
    attempt: number,
    lineId: theirs[0]?.id ?? null,
    oursMinor: sumOf(ours),
    theirsMinor: sumOf(theirs),
    currency,
    theirCurrency: theirs[0]?.currency ?? currency,
  }
}

/** The finding of a line that belongs to nothing that is known here. */
export function findingOfUnknown({ lineId, kind, amountMinor, currency }: KnownLine): NewFinding {
  return {
    id: `line ${lineId}`,
    kind: 'missing_here',
    side: kind as Side,
    lineId,
    merchantId: null,
    paymentId: null,
    attempt: null,
    oursMinor: 0,
    theirsMinor: amountMinor,
    currency,
    theirCurrency: currency,
  }
}
