/**
 * The writes that the bank accepts from a merchant: capture, void, refund, withdraw.
 * Rule: a write without a key acts each time that it is sent, as at most real banks. A write with a key acts once, for as long
 * as the bank remembers the key.
 */
import { z } from 'zod'
import { hooksOf } from '../faults.ts'
import { after, type OrderChange, take, withoutReports } from './ledger.ts'
import { type BankEntry, sumOfDisputes, sumOfRefunds } from './order.ts'

/** A payment is settled this long after its capture. After that it cannot be voided. */
export const VOIDABLE_MS = 24 * 3_600_000

/** The result of a write that moves money. */
const Verdict = z.discriminatedUnion('result', [
  z.object({ result: z.enum(['done', 'pending']), operationId: z.string() }),
  z.object({ result: z.literal('refused'), message: z.string() }),
])
export type Verdict = z.infer<typeof Verdict>
type Written = OrderChange & { verdict: Verdict }
type Write = (entry: BankEntry, amountMinor: number, now: Date, key: string | undefined) => Written

const refuse = (entry: BankEntry, message: string): Written => ({
  ...withoutReports(entry),
  verdict: { result: 'refused', message },
})
const done = (change: OrderChange, kind: string): Written => ({
  ...change,
  verdict: { result: 'done', operationId: `${change.entry.reference}-${kind}` },
})

const capture: Write = (entry, amountMinor, now) => {
  if (entry.reversed || entry.authorizedMinor === 0 || entry.capturedMinor > 0)
    return refuse(entry, 'the order holds no money that could be captured')
  if (amountMinor > entry.authorizedMinor) return refuse(entry, `only ${entry.authorizedMinor} are held`)
  return done(take(entry, amountMinor, now), 'capture')
}

/** Releases a hold, or voids a payment that is not settled. */
const reverse: Write = (entry, _amountMinor, now) => {
  if (entry.reversed || entry.disputes.some(({ state }) => state !== 'won') || entry.authorizedMinor === 0)
    return refuse(entry, 'there is nothing that could be taken back')
  if (entry.refunds.some(({ state }) => state !== 'failed'))
    return refuse(entry, 'a part has been refunded, or is about to be')
  if (entry.capturedAt && now > after(new Date(entry.capturedAt), VOIDABLE_MS))
    return refuse(entry, 'the payment is settled; refund it')
  return done({ entry: { ...entry, reversed: true }, reports: [{ event: 'reversed', at: now }] }, 'void')
}

const refund: Write = (entry, amountMinor, now, key) => {
  const spent = sumOfRefunds(entry, 'done') + sumOfRefunds(entry, 'pending')
  const left = entry.capturedMinor - spent - sumOfDisputes(entry, 'open') - sumOfDisputes(entry, 'lost')
  if (entry.reversed) return refuse(entry, 'the money is not the merchant’s to give back')
  if (amountMinor > left) return refuse(entry, `only ${left} are left`)
  const id = `${entry.reference}-refund-${entry.refunds.length + 1}`
  const { refund: fails } = hooksOf(entry.fault)
  const result = fails?.result ?? 'done'
  const given = { id, amountMinor, state: result, ...(key !== undefined && { key }) }
  const failure = fails && {
    deed: 'fail_refund' as const,
    at: after(now, fails.failsAfterMs).toISOString(),
    refund: id,
  }
  const taken: BankEntry = {
    ...entry,
    refunds: [...entry.refunds, given],
    agenda: failure ? [...entry.agenda, failure] : entry.agenda,
  }
  const reports = result === 'done' ? [{ event: 'refunded' as const, at: now }] : []
  return { entry: taken, reports, verdict: { result, operationId: id } }
}

/** Ends an order on which nobody has chosen. A repetition does no harm. */
const withdraw: Write = (entry) => {
  if (entry.outcome !== null) return refuse(entry, 'the buyer has chosen already')
  if (entry.agenda.some(({ deed }) => deed !== 'end_session')) return refuse(entry, 'the buyer is paying')
  return done({ entry: { ...entry, withdrawn: true }, reports: [] }, 'withdrawal')
}

const WRITES = { capture, void: reverse, refund, withdraw } as const
export type WriteName = keyof typeof WRITES

/** How long the bank remembers a key. */
export const KEY_LIFETIME_MS = 24 * 3_600_000

/** Acts, unless a write with this key has acted before. In that case it returns the earlier verdict. */
export function actOnce(
  name: WriteName,
  entry: BankEntry,
  { amountMinor, key, now }: { amountMinor: number; key: string | undefined; now: Date },
): Written {
  if (key === undefined) return WRITES[name](entry, amountMinor, now, key)
  const forgottenAt = after(now, -KEY_LIFETIME_MS)
  const keyedWrites = entry.keyedWrites.filter(({ at }) => new Date(at) > forgottenAt)
  const before = keyedWrites.find((each) => each.key === key)
  const write = `${name} ${amountMinor}`
  if (before && before.write !== write) return refuse(entry, 'the key was used for another write')
  if (before) return { ...withoutReports(entry), verdict: Verdict.parse(before.verdict) }
  const { entry: acted, ...written } = WRITES[name](entry, amountMinor, now, key)
  const note = { key, write, at: now.toISOString(), verdict: written.verdict }
  return { ...written, entry: { ...acted, keyedWrites: [...keyedWrites, note] } }
}
