/**
 * Disputes of a payment at Stripe. Money counts by the balance transactions of a dispute, where Stripe shows them: what the bank took
 * from the account, and what came back. The status decides only what they leave open.
 */
import { CurrencyCode } from '../../contract/fields.ts'
import { sumDisputes } from '../driver/disputes.ts'
import type { WordReader } from '../driver/words.ts'
import type { Dispute as OpenDispute, Snapshot } from '../driver.ts'
import type { Dispute, Intent } from './shapes.ts'
import { DISPUTE_REASONS, DISPUTE_WORDS, type DisputeMeaning } from './words.ts'

type DisputeReport = Pick<Snapshot, 'dispute' | 'inquiry' | 'disputeLostMinor' | 'lostElsewhere' | 'doubts'>

/** `currency`: in which both amounts are. `comparable`: it is the payment's. */
type JudgedDispute = {
  meaning: DisputeMeaning
  amountMinor: number
  lostMinor: number
  currency: string
  dispute: Dispute
}

/** `givenMinor`: what refunds have returned. */
export function disputesOf(
  disputes: readonly Dispute[],
  intent: Intent | null,
  { givenMinor, reader }: { givenMinor: number; reader: WordReader },
): DisputeReport {
  const paidIn = intent?.currency ?? ''
  const all = disputes.map((each) => judge(each, paidIn, reader))
  const own = all.filter(({ currency }) => currency === paidIn)
  const sum = (meaning: DisputeMeaning) =>
    sumDisputes(own.filter((each) => each.meaning === meaning).map(present))
  const [dispute, inquiry] = [sum('open'), sum('inquiry')]
  const lostMinor = lostOf(own, (intent?.amount_received ?? 0) - givenMinor)
  const others = all.filter(({ currency }) => currency !== paidIn)
  const lostElsewhere = others.flatMap(({ currency, lostMinor: amountMinor }) => {
    const code = CurrencyCode.safeParse(currency.toUpperCase()).data
    return code && amountMinor > 0 ? [{ currency: code, amountMinor }] : []
  })
  const doubts = others.filter(({ meaning }) => meaning !== 'won' && meaning !== 'over').map(explain)
  return {
    ...(dispute && { dispute }),
    ...(inquiry && { inquiry }),
    ...(lostMinor > 0 && { disputeLostMinor: lostMinor }),
    ...(lostElsewhere.length > 0 && { lostElsewhere: sumByCurrency(lostElsewhere) }),
    ...(doubts.length > 0 && { doubts }),
  }
}

/**
 * Returns what disputes have taken. A dispute whose movements Stripe does not show may be about more than refunds have left, and takes
 * no more than that. What Stripe shows as taken counts in full.
 */
function lostOf(own: readonly JudgedDispute[], leftMinor: number): number {
  const shown = own.filter(({ dispute }) => movementsOf(dispute) !== null)
  const rest = own.filter(({ dispute }) => movementsOf(dispute) === null)
  const sum = (some: readonly JudgedDispute[]) => some.reduce((total, { lostMinor }) => total + lostMinor, 0)
  return sum(shown) + Math.min(sum(rest), Math.max(leftMinor - sum(shown), 0))
}

function movementsOf({ balance_transactions: movements }: Dispute) {
  return movements && movements.length > 0 ? movements : null
}

/** Returns what a dispute means and takes. */
function judge(dispute: Dispute, paidIn: string, reader: WordReader): JudgedDispute {
  // An unknown status may mean that the money is gone, so it counts as an open dispute.
  const word = reader.read<DisputeMeaning>('dispute status', DISPUTE_WORDS, dispute.status, 'open')
  if (dispute.reason) reader.read('dispute reason', DISPUTE_REASONS, dispute.reason, true)
  const { amountMinor, currency, takenMinor } = amountsOf(dispute, paidIn)
  const base = { dispute, amountMinor, currency }
  // Stripe has not shown yet what it took or returned.
  if (takenMinor === null) return { ...base, meaning: word, lostMinor: word === 'lost' ? amountMinor : 0 }
  const isReturned = (movementsOf(dispute) ?? []).some(({ amount }) => amount > 0)
  const isDecided = word === 'lost' || word === 'over' || (word === 'won' && isReturned)
  if (isDecided) return { ...base, meaning: takenMinor > 0 ? 'lost' : word, lostMinor: takenMinor }
  // A dispute that the shop has won is over when its money is back. An inquiry that has taken money is a dispute.
  const isOpen = word === 'open' || takenMinor > 0
  return { ...base, meaning: isOpen ? 'open' : word, lostMinor: 0 }
}

/**
 * Returns the disputed amount and what the bank has taken and not returned, in one currency: the payment's if possible. Of an account
 * that is paid out in another currency, Stripe shows the movements in that one, so their share is taken of the disputed amount.
 */
function amountsOf(dispute: Dispute, paidIn: string) {
  const { amount, currency } = dispute
  const movements = movementsOf(dispute)
  if (!movements) return { amountMinor: amount, currency, takenMinor: null }
  const outMinor = -sumOf(movements.filter(({ amount: moved }) => moved < 0))
  const backMinor = sumOf(movements.filter(({ amount: moved }) => moved > 0))
  const netMinor = Math.max(outMinor - backMinor, 0)
  if (movements.every((each) => each.currency === paidIn))
    return { amountMinor: outMinor || amount, currency: paidIn, takenMinor: netMinor }
  const takenMinor = outMinor === 0 ? 0 : Math.round((amount * netMinor) / outMinor)
  return { amountMinor: amount, currency, takenMinor }
}

function sumOf(movements: readonly { amount: number }[]): number {
  return movements.reduce((sum, { amount }) => sum + amount, 0)
}

function present({
  amountMinor,
  dispute: { reason, evidence_details: evidence },
}: JudgedDispute): OpenDispute {
  const { due_by: dueBy } = evidence ?? {}
  return {
    amountMinor,
    ...(reason && { reason }),
    ...(dueBy && { answerBy: new Date(dueBy * 1_000).toISOString() }),
  }
}

function explain({ meaning, amountMinor, currency, dispute: { id } }: JudgedDispute): string {
  const what = {
    open: 'is open',
    inquiry: 'is an inquiry',
    lost: 'was lost',
    won: 'was won',
    over: 'is over',
  }[meaning]
  return `the dispute ${id} about ${amountMinor} minor units of ${currency.toUpperCase()} ${what}, and the payment is in another currency: look at the provider what it takes`
}

function sumByCurrency(all: NonNullable<Snapshot['lostElsewhere']>): NonNullable<Snapshot['lostElsewhere']> {
  return [...Map.groupBy(all, ({ currency }) => currency)].map(([currency, some]) => ({
    currency,
    amountMinor: some.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
  }))
}
