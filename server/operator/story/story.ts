/** What became of a payment's money, as the facts of one sentence that somebody can read out. */
import type { Context } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import { TIME_ZONE } from '../../contract/time-zone.ts'
import { getBranding } from '../../merchants/branding.ts'
import type { AttemptFacts } from '../../payments/attempts/attempt.ts'
import { hasStandingApproval } from '../../payments/derived-status.ts'
import { disputedOf } from '../../payments/status.ts'
import type { EntryKind } from '../../storage/payments/entries.ts'
import type { Timeline } from '../payment-timeline.ts'

/** `takenAt`, `heldAt`, `returnedAt`: by the provider's clock where it says the time, else when the service learned of it. */
export type Story = {
  status: PaymentStatus
  currency: CurrencyCode
  amountMinor: number
  heldMinor: number
  takenMinor: number
  returnedMinor: number
  disputedMinor: number
  createdAt: Date
  heldAt: Date | null
  takenAt: Date | null
  returnedAt: Date | null
  /** When it became what it is. */
  changedAt: Date
  isUnderWay: boolean
  /** The buyer has approved, and the provider has not let the shop take the money. */
  approvalStands: boolean
  instrument: AttemptFacts['instrument'] | null
  /** The merchant's time zone. */
  timeZone: string
}

export async function findStory(ctx: Context, { payment, changes, entries }: Timeline): Promise<Story> {
  const { branding } = await getBranding(ctx, payment.merchantId)
  const own = entries.filter(({ attempt }) => attempt === payment.ownAttempt)
  const first = (...kinds: EntryKind[]) => timeOf(own.find(({ kind }) => kinds.includes(kind)))
  const last = (...kinds: EntryKind[]) => timeOf(own.findLast(({ kind }) => kinds.includes(kind)))
  const { facts, underWaySince } = payment.attempt
  return {
    status: payment.status,
    currency: payment.currency,
    amountMinor: payment.amountMinor,
    heldMinor: payment.authorizedMinor,
    takenMinor: payment.capturedMinor,
    returnedMinor: payment.refundedMinor,
    disputedMinor: payment.status === 'disputed' ? disputedOf(payment) : 0,
    createdAt: payment.createdAt,
    heldAt: first('held', 'taken'),
    takenAt: first('taken'),
    returnedAt: last('refunded', 'dispute_lost', 'released', 'taken_back'),
    changedAt: changes.at(-1)?.createdAt ?? payment.createdAt,
    isUnderWay: underWaySince !== null,
    approvalStands: hasStandingApproval(payment.attempt),
    instrument: (facts as AttemptFacts | null)?.instrument ?? null,
    timeZone: branding.timeZone ?? TIME_ZONE,
  }
}

const timeOf = (entry: Timeline['entries'][number] | undefined) => entry?.movedAt ?? entry?.createdAt ?? null
